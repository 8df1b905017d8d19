//! A listing as a page for people: one file, no external resource, whole without its script.

use super::{Entry, Kind, Listing, SCRIPT, STYLE, text};
use crate::{date, mime};

/// Marks of what can't be seen in a name.
const ODD: (&str, &str) = ("<i>", "</i>");
/// The same in the title, which has no marks.
const PLAIN: (&str, &str) = ("", "");

/// Each icon once; rows point at it.
const ICONS: &str = concat!(
    "<svg hidden>",
    r#"<symbol id="home" viewBox="0 0 20 20"><path d="M3.2 9.2 10 3.4l6.8 5.8M5 7.8v8.4h3.6v-4.7h2.8v4.7H15V7.8"/></symbol>"#,
    r#"<symbol id="up" viewBox="0 0 20 20"><path d="M10 15.5v-11M5.2 9.3 10 4.5l4.8 4.8"/></symbol>"#,
    r#"<symbol id="folder" viewBox="0 0 20 20"><path d="M2.5 6a1.5 1.5 0 0 1 1.5-1.5h3.4L9.2 6.6H16A1.5 1.5 0 0 1 17.5 8v6.5A1.5 1.5 0 0 1 16 16H4a1.5 1.5 0 0 1-1.5-1.5z"/></symbol>"#,
    r#"<symbol id="file" viewBox="0 0 20 20"><path d="M5 2.8h6.3L15 6.6v10.6H5zM11.2 3v3.8H15"/></symbol>"#,
    r#"<symbol id="text" viewBox="0 0 20 20"><path d="M5 2.8h6.3L15 6.6v10.6H5zM11.2 3v3.8H15M7.6 10h4.8M7.6 12.9h4.8"/></symbol>"#,
    r#"<symbol id="code" viewBox="0 0 20 20"><path d="M5 2.8h6.3L15 6.6v10.6H5zM11.2 3v3.8H15M8.6 10l-1.8 2 1.8 2M11.4 10l1.8 2-1.8 2"/></symbol>"#,
    r#"<symbol id="image" viewBox="0 0 20 20"><path d="M3 4h14v12H3zM3.2 13.6l3.9-3.8 3.2 3.1 2.4-2.3 4.1 3.9M12.6 7.4h.01"/></symbol>"#,
    r#"<symbol id="media" viewBox="0 0 20 20"><path d="M3 4h14v12H3zM8.4 7.4v5.2l4.2-2.6z"/></symbol>"#,
    r#"<symbol id="archive" viewBox="0 0 20 20"><path d="M3 4h14v3.4H3zM4.2 7.6V16h11.6V7.6M8.2 10.6h3.6"/></symbol>"#,
    "</svg>",
);

/// Appends the page. Bounded by the listing's own bounds ([`super::ENTRIES_MAX`], [`super::NAMES_BYTES_MAX`]), which the caller keeps.
pub(super) fn html(listing: &Listing<'_>, out: &mut Vec<u8>) {
    let has_dates = listing.entries.iter().any(|entry| entry.modified.is_some());
    push(
        out,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
    );
    push(out, "<meta name=\"color-scheme\" content=\"light dark\"><title>");
    title(listing, out);
    push(out, "</title><style>");
    push(out, STYLE);
    push(out, "</style></head><body>");
    push(out, ICONS);
    push(out, "<header>");
    breadcrumbs(listing, out);
    summary(listing, out);
    push(out, "</header><main><table><caption>");
    title(listing, out);
    push(
        out,
        "</caption><thead><tr><th scope=\"col\" data-key=\"name\" aria-sort=\"ascending\">Name</th><th scope=\"col\" data-key=\"size\" class=\"n\">Size</th>",
    );
    if has_dates {
        push(out, "<th scope=\"col\" data-key=\"date\">Modified<span class=\"t\"> (UTC)</span></th>");
    }
    push(out, "</tr></thead>");
    let columns = if has_dates { '3' } else { '2' };
    if !listing.name.is_empty() {
        push(
            out,
            &format!(
                "<tbody class=\"up\"><tr><th scope=\"row\" colspan=\"{columns}\"><a href=\"../\">{}<bdi>Parent folder</bdi></a></th></tr></tbody>",
                icon("up")
            ),
        );
    }
    if listing.entries.is_empty() {
        push(out, &format!("<tbody><tr><td class=\"none\" colspan=\"{columns}\">This folder is empty.</td></tr></tbody>"));
    } else {
        push(out, "<tbody id=\"entries\">");
        for entry in listing.entries {
            row(entry, has_dates, out);
        }
        push(out, "</tbody>");
    }
    push(out, "</table></main><script>");
    push(out, SCRIPT);
    push(out, "</script></body></html>\n");
}

/// `Index of /pub/linux/`.
fn title(listing: &Listing<'_>, out: &mut Vec<u8>) {
    push(out, "Index of /");
    for part in [listing.above, listing.name].into_iter().filter(|part| !part.is_empty()) {
        text::push_html(part, PLAIN, out);
        out.push(b'/');
    }
}

/// The top of what the route serves, the directories below it, and where the page itself is. Links lead up by steps, so that they are right below any prefix.
fn breadcrumbs(listing: &Listing<'_>, out: &mut Vec<u8>) {
    push(out, "<nav aria-label=\"Breadcrumb\"><ol>");
    let parts: Vec<&[u8]> = listing.name.split(|&byte| byte == b'/').filter(|part| !part.is_empty()).collect();
    let top = |out: &mut Vec<u8>| {
        push(out, &icon("home"));
        if !listing.above.is_empty() {
            push(out, "<bdi>");
            text::push_html(listing.above, ODD, out);
            push(out, "</bdi>");
        }
    };
    let Some((here, between)) = parts.split_last() else {
        push(out, "<li><h1 aria-current=\"page\">");
        top(out);
        push(out, if listing.above.is_empty() { "Index" } else { "" });
        push(out, "</h1></li></ol></nav>");
        return;
    };
    push(out, "<li><a href=\"");
    steps(parts.len(), out);
    push(out, if listing.above.is_empty() { "\" aria-label=\"Index\">" } else { "\">" });
    top(out);
    push(out, "</a></li>");
    for (at, part) in between.iter().enumerate() {
        push(out, "<li><a href=\"");
        steps(between.len() - at, out);
        push(out, "\"><bdi>");
        text::push_html(part, ODD, out);
        push(out, "</bdi></a></li>");
    }
    push(out, "<li><h1 aria-current=\"page\"><bdi>");
    text::push_html(here, ODD, out);
    push(out, "</bdi></h1></li></ol></nav>");
}

fn steps(count: usize, out: &mut Vec<u8>) {
    push(out, &"../".repeat(count));
}

/// How many there are of each and what they weigh; that there are more, where there are.
fn summary(listing: &Listing<'_>, out: &mut Vec<u8>) {
    let Total { directories, files, bytes } = Total::of(listing);
    let mut words = Vec::new();
    if directories > 0 {
        words.push(counted(directories, "folder"));
    }
    if files > 0 {
        words.push(counted(files, "file"));
    }
    if words.is_empty() {
        words.push("Nothing here".to_owned());
    }
    push(out, &format!("<p class=\"sum\">{}", words.join(", ")));
    if files > 0 {
        push(out, &format!(", <span title=\"{}\">{}</span>", counted(bytes, "byte"), human(bytes)));
    }
    push(out, "</p>");
    if listing.is_truncated {
        let shown = counted(directories + files, "entry");
        let verb = if directories + files == 1 { "is" } else { "are" };
        push(out, &format!("<p class=\"note\">Only {shown} of this folder {verb} shown. It holds more.</p>"));
    }
}

/// What a listing shows in all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Total {
    pub(super) directories: u64,
    pub(super) files: u64,
    pub(super) bytes: u64,
}

impl Total {
    pub(super) fn of(listing: &Listing<'_>) -> Self {
        listing.entries.iter().fold(Self::default(), |total, entry| match entry.kind {
            Kind::Directory => Self { directories: total.directories + 1, ..total },
            Kind::File(bytes) => Self { files: total.files + 1, bytes: total.bytes.saturating_add(bytes), ..total },
        })
    }
}

fn row(entry: &Entry<'_>, has_dates: bool, out: &mut Vec<u8>) {
    let is_directory = entry.kind == Kind::Directory;
    push(out, if is_directory { "<tr class=\"d\">" } else { "<tr>" });
    push(out, "<th scope=\"row\"><a href=\"");
    text::push_href(entry.name, is_directory, out);
    push(out, "\">");
    push(out, &icon(if is_directory { "folder" } else { picture(entry.name) }));
    push(out, "<bdi>");
    text::push_html(entry.name, ODD, out);
    push(out, "</bdi></a></th><td>");
    if let Kind::File(bytes) = entry.kind {
        push(out, &format!("<data value=\"{bytes}\" title=\"{}\">{}</data>", counted(bytes, "byte"), human(bytes)));
    }
    push(out, "</td>");
    if has_dates {
        push(out, "<td>");
        entry.modified.inspect(|seconds| time(*seconds, out));
        push(out, "</td>");
    }
    push(out, "</tr>");
}

fn time(seconds: u64, out: &mut Vec<u8>) {
    let mut moment = [0; 20];
    date::write_rfc3339(seconds, &mut moment);
    let moment = String::from_utf8_lossy(&moment);
    let (day, clock) = moment.split_once('T').unwrap_or_default();
    let clock = clock.get(..5).unwrap_or_default();
    push(out, &format!("<time datetime=\"{moment}\">{day}<span class=\"t\"> {clock}</span></time>"));
}

fn icon(name: &str) -> String {
    format!("<svg aria-hidden=\"true\"><use href=\"#{name}\"/></svg>")
}

/// The icon of a file, by what its name says that it is.
fn picture(name: &[u8]) -> &'static str {
    // Of no media type that is known here.
    if [&b".xz"[..], b".zst", b".br"].iter().any(|end| name.ends_with(end)) {
        return "archive";
    }
    let content_type = mime::content_type_of(name);
    let essence = content_type.split(';').next().unwrap_or_default();
    match essence {
        "application/epub+zip" | "application/pdf" | "application/rtf" | "text/csv" | "text/markdown" | "text/plain" => "text",
        "application/gzip" | "application/java-archive" | "application/x-7z-compressed" | "application/x-bzip2" | "application/x-tar" => {
            "archive"
        }
        "application/vnd.android.package-archive" | "application/vnd.debian.binary-package" | "application/vnd.rar" | "application/zip" => {
            "archive"
        }
        "application/json" | "application/toml" | "application/wasm" | "application/yaml" => "code",
        _ if essence.starts_with("image/") => "image",
        _ if essence.starts_with("audio/") || essence.starts_with("video/") => "media",
        _ if essence.starts_with("text/") || essence.ends_with("+xml") || essence.ends_with("+json") => "code",
        _ => "file",
    }
}

/// `18.3 MiB`: tenths, rounded down.
fn human(bytes: u64) -> String {
    const UNITS: [(u64, &str); 6] =
        [(1 << 60, "EiB"), (1 << 50, "PiB"), (1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let Some((unit, name)) = UNITS.iter().find(|(unit, _)| bytes >= *unit) else { return format!("{bytes} B") };
    let tenths = u128::from(bytes) * 10 / u128::from(*unit);
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

/// `1 file`, `1,204 files`.
fn counted(count: u64, noun: &str) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("{text} {noun}"),
        (_, Some(stem)) => format!("{text} {stem}ies"),
        (_, None) => format!("{text} {noun}s"),
    }
}

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
