use std::cmp::Ordering;

use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::*;
use crate::{files::Rules, path, samples::with_head};

/// Names that mean something somewhere, and the link and text that they have here.
const HOSTILE: &[(&[u8], &str, &str)] = &[
    (b"a b.txt", "./a%20b.txt", "a b.txt"),
    (b"javascript:alert(1)", "./javascript%3Aalert%281%29", "javascript:alert(1)"),
    (b"//evil.example", "./%2F%2Fevil.example", "//evil.example"),
    (b"...", "./...", "..."),
    (b"..%2F..", "./..%252F..", "..%2F.."),
    (b"100%", "./100%25", "100%"),
    (b"#a?b=c&d;e", "./%23a%3Fb%3Dc%26d%3Be", "#a?b=c&amp;d;e"),
    (b"back\\slash", "./back%5Cslash", "back\\slash"),
    (b"<script>alert(1)</script>", "./%3Cscript%3Ealert%281%29%3C%2Fscript%3E", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    (b"\" onclick='x'", "./%22%20onclick%3D%27x%27", "&#34; onclick=&#39;x&#39;"),
    (b"</bdi></a>&lt;", "./%3C%2Fbdi%3E%3C%2Fa%3E%26lt%3B", "&lt;/bdi&gt;&lt;/a&gt;&amp;lt;"),
    (b"two\nlines\r\x1B[1m\x7F", "./two%0Alines%0D%1B%5B1m%7F", "two<i>\\n</i>lines<i>\\r\\u{1b}</i>[1m<i>\\u{7f}</i>"),
    (b"in\xFF\xC3valid\xE2\x80", "./in%FF%C3valid%E2%80", "in<i>\\xFF\\xC3</i>valid<i>\\xE2\\x80</i>"),
    ("x\u{202E}fdp.exe".as_bytes(), "./x%E2%80%AEfdp.exe", "x<i>\\u{202e}</i>fdp.exe"),
    (
        "\u{2028}\u{2066}\u{FEFF}\u{E0041}".as_bytes(),
        "./%E2%80%A8%E2%81%A6%EF%BB%BF%F3%A0%81%81",
        "<i>\\u{2028}\\u{2066}\\u{feff}\\u{e0041}</i>",
    ),
    ("größe \u{1F389}".as_bytes(), "./gr%C3%B6%C3%9Fe%20%F0%9F%8E%89", "größe \u{1F389}"),
];

fn file(name: &[u8]) -> Entry<'_> {
    Entry { name, kind: Kind::File(1234), modified: Some(784_111_777) }
}

fn page(listing: &Listing<'_>) -> String {
    let mut out = Vec::new();
    html(listing, &mut out);
    String::from_utf8(out).expect("the page is UTF-8")
}

fn of<'a>(entries: &'a [Entry<'a>]) -> Listing<'a> {
    Listing { above: b"", name: b"", entries, is_truncated: false }
}

fn object(listing: &Listing<'_>) -> serde_json::Value {
    let mut out = Vec::new();
    json(listing, &mut out);
    serde_json::from_slice(&out).expect("the object is JSON")
}

#[test]
fn hostile_name_is_a_link_to_itself_and_text() {
    for (name, href, text) in HOSTILE {
        let page = page(&of(&[file(name)]));
        let expected = format!("<th scope=\"row\"><a href=\"{href}\">");
        assert!(page.contains(&expected), "{expected}\n{page}");
        assert!(page.contains(&format!("<bdi>{text}</bdi></a></th>")), "{text}\n{page}");
        let object = object(&of(&[file(name)]));
        assert_eq!(object["entries"][0]["href"], *href);
        assert_eq!(object["entries"][0]["name"], String::from_utf8_lossy(name).as_ref());
    }
}

#[test]
fn hostile_name_of_the_directory_itself_is_text() {
    for (name, _, text) in HOSTILE.iter().filter(|(name, ..)| !name.contains(&b'/')) {
        for listing in [Listing { name, ..of(&[]) }, Listing { above: name, ..of(&[]) }] {
            let page = page(&listing);
            let plain = text.replace("<i>", "").replace("</i>", "");
            assert!(page.contains(&format!("<title>Index of /{plain}/</title>")), "{page}");
            assert!(page.contains(&format!("<bdi>{text}</bdi></h1>")), "{page}");
            assert_eq!(object(&listing)["path"], format!("/{}/", String::from_utf8_lossy(name)));
        }
    }
}

proptest! {
    #[test]
    fn any_name_comes_back_from_its_link_and_breaks_nothing(name in prop::collection::vec(any::<u8>().prop_filter("no name has it", |byte| *byte != 0), 1..40)) {
        let entries = [file(&name)];
        let shown = page(&of(&entries));
        let (_, behind) = shown.split_once("<th scope=\"row\"><a href=\"").unwrap();
        let (href, behind) = behind.split_once('"').unwrap();
        let mut back = Vec::new();
        path::decode(href.strip_prefix("./").unwrap(), &mut back);
        prop_assert_eq!(&back, &name);
        let (_, behind) = behind.split_once("<bdi>").unwrap();
        let (text, _) = behind.split_once("</bdi>").unwrap();
        let text = text.replace("<i>", "").replace("</i>", "");
        prop_assert!(!text.contains(['<', '>', '"', '\'']), "{}", text);
        prop_assert!(!text.chars().any(char::is_control), "{}", text);
        // The same number of elements as for a harmless name.
        let harmless = page(&of(&[file(b"a")]));
        prop_assert_eq!(shown.matches('<').count(), harmless.matches('<').count() + 2 * shown.matches("<i>").count());
        let object = object(&of(&entries));
        let lossy = String::from_utf8_lossy(&name);
        prop_assert_eq!(object["entries"][0]["name"].as_str().unwrap(), lossy.as_ref());
        prop_assert_eq!(object["entries"][0]["href"].as_str().unwrap(), href);
    }
}

#[test]
fn page_shows_sizes_dates_and_sums() {
    let entries = [
        Entry { name: b"d", kind: Kind::Directory, modified: None },
        Entry { name: b"a", kind: Kind::File(19_293_798), modified: Some(784_111_777) },
        Entry { name: b"b", kind: Kind::File(1), modified: None },
    ];
    let page = page(&of(&entries));
    for text in [
        "<p class=\"sum\">1 folder, 2 files, <span title=\"19,293,799 bytes\">18.4 MiB</span></p>",
        "<a href=\"./d/\">",
        "<data value=\"19293798\" title=\"19,293,798 bytes\">18.3 MiB</data>",
        "<data value=\"1\" title=\"1 byte\">1 B</data>",
        "<time datetime=\"1994-11-06T08:49:37Z\">1994-11-06<span class=\"t\"> 08:49</span></time>",
    ] {
        assert!(page.contains(text), "{text}\n{page}");
    }
    assert!(!page.contains("Parent folder") && !page.contains("class=\"note\""));
    let object = object(&of(&entries));
    let expected = serde_json::json!({"path": "/", "directories": 1, "files": 2, "bytes": 19_293_799, "truncated": false, "entries": [
        {"name": "d", "href": "./d/", "kind": "directory"},
        {"name": "a", "href": "./a", "kind": "file", "bytes": 19_293_798, "modified": "1994-11-06T08:49:37Z"},
        {"name": "b", "href": "./b", "kind": "file", "bytes": 1},
    ]});
    assert_eq!(object, expected);
}

#[test]
fn page_without_dates_has_no_column_for_them() {
    let entries = [Entry { modified: None, ..file(b"a") }];
    assert!(!page(&of(&entries)).contains("Modified"));
    assert!(page(&of(&[file(b"a")])).contains("Modified"));
}

#[test]
fn empty_and_truncated_directories_say_so() {
    let empty = page(&of(&[]));
    assert!(empty.contains("This folder is empty.") && empty.contains("<p class=\"sum\">Nothing here</p>"), "{empty}");
    let entries = [file(b"a")];
    let truncated = Listing { is_truncated: true, ..of(&entries) };
    assert!(page(&truncated).contains("Only 1 entry of this folder is shown. It holds more."));
    assert_eq!(object(&truncated)["truncated"], true);
}

#[test]
fn breadcrumbs_lead_up_by_steps_to_the_top_of_the_route() {
    let page = page(&Listing { above: b"pub/linux", name: b"a/b/c", ..of(&[]) });
    for link in [
        "<a href=\"../../../\"><svg",
        "<bdi>pub/linux</bdi></a>",
        "<a href=\"../../\"><bdi>a</bdi></a>",
        "<a href=\"../\"><bdi>b</bdi></a>",
    ] {
        assert!(page.contains(link), "{link}\n{page}");
    }
    assert!(page.contains("<h1 aria-current=\"page\"><bdi>c</bdi></h1>") && page.contains("<a href=\"../\"><svg"), "{page}");
    assert!(page.contains("<title>Index of /pub/linux/a/b/c/</title>"));
}

#[test]
fn order_is_directories_first_and_natural() {
    let names: [&[u8]; 11] = [b"a", b"A", b"a1", b"a2", b"a02", b"a10", b"a10b", b"B", b"\xC3\xA4", b"z9", b"z10"];
    let mut entries: Vec<_> = names.iter().map(|name| file(name)).collect();
    entries.push(Entry { name: b"zz", kind: Kind::Directory, modified: None });
    sort(&mut entries);
    let sorted: Vec<_> = entries.iter().map(|entry| String::from_utf8_lossy(entry.name)).collect();
    assert_eq!(sorted, ["zz", "A", "a", "a1", "a02", "a2", "a10", "a10b", "B", "z9", "z10", "ä"]);
    for (one, other) in [("18446744073709551617", "18446744073709551618"), ("007", "8"), ("", "0"), ("x", "x1")] {
        assert_eq!(order::natural(one.as_bytes(), other.as_bytes()), Ordering::Less, "{one} {other}");
    }
}

#[test]
fn json_is_wanted_where_accept_prefers_it() {
    use Format::{Html, Json};
    for (accept, expected) in [
        ("", Html),
        ("*/*", Html),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", Html),
        ("application/json", Json),
        ("Application/JSON; charset=utf-8", Json),
        ("application/json, text/plain, */*", Json),
        ("application/json;q=0.5, */*", Html),
        ("application/json;q=0.5, */*;q=0.1", Json),
        ("application/json, text/html", Html),
        ("application/json;q=0.9, text/html", Html),
        ("application/json, text/html;q=0.9", Json),
        ("application/*, text/*;q=0.5", Json),
        ("application/*", Json),
        ("text/*", Html),
        ("application/json;q=0", Html),
        ("text/html;q=0, */*;q=0.1", Json),
        ("application/json;q=0, */*", Html),
        ("application/json;q=2", Html),
        ("application/json;v=1;q=0.3, text/html;q=0.2", Json),
        ("image/png", Html),
        (",;/q=,application/", Html),
    ] {
        let fields: &[_] = if accept.is_empty() { &[] } else { &[("accept", accept)] };
        assert_eq!(with_head("GET", "/", fields, Format::wanted), expected, "{accept}");
    }
    let lines = [("accept", "text/html;q=0.4"), ("accept", "application/json;q=0.5")];
    assert_eq!(with_head("GET", "/", &lines, Format::wanted), Json);
}

#[test]
fn key_of_an_embedded_listing_is_asked_for_by_no_path() {
    for (format, name, expected) in [(Format::Html, &b""[..], &b"//html"[..]), (Format::Json, b"a/b", b"a/b//json")] {
        let mut key = name.to_vec();
        format.push_key(&mut key);
        assert_eq!(key, expected);
        for serves_hidden in [false, true] {
            assert!(!Rules { serves_hidden, ..Rules::NEW }.serves(&key));
        }
    }
}

#[test]
fn policy_has_the_hashes_of_style_and_script() {
    let hashed = |text: &str| format!("'sha256-{}'", base64(&Sha256::digest(text)));
    for (directive, text) in [("style-src", STYLE), ("script-src", SCRIPT)] {
        assert!(HTML_FIELDS.contains(&format!("{directive} {};", hashed(text))), "{directive} {}", hashed(text));
        assert_eq!(page(&of(&[])).matches(text).count(), 1);
    }
    assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !STYLE.contains("url("));
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | three.get(at).copied().map_or(0, u32::from));
        let digit = |place: u32| char::from(DIGITS[(bits >> (18 - 6 * place)) as usize & 63]);
        text.extend((0..4).map(|place| if place as usize <= three.len() { digit(place) } else { '=' }));
    }
    text
}

#[test]
fn largest_listing_stays_within_its_bound() {
    // What takes most: bytes that are shown as escapes, each between its own marks.
    let name = [b"a\xFF".as_slice(); 127].concat();
    let count = NAMES_BYTES_MAX / name.len();
    let few = [Entry { kind: Kind::File(u64::MAX), modified: Some(u64::MAX), ..file(&name) }];
    let base = page(&of(&[])).len();
    let row = page(&of(&few)).len() - base;
    assert!(row <= 9 * name.len() + 400, "{row}");
    assert!(base + count * row + (ENTRIES_MAX - count) * 500 < 16 << 20);
}

/// The colours of text against what they stand on, by the formula of WCAG 2.2 (4.5 is level AA).
#[test]
fn colours_have_contrast_in_both_schemes() {
    let schemes: Vec<&str> = STYLE.split(":root {").skip(1).map(|block| block.split('}').next().unwrap()).collect();
    assert_eq!(schemes.len(), 2);
    for scheme in schemes {
        let luminance = |name: &str| {
            let (_, value) = scheme.split_once(&format!("--{name}: #")).unwrap();
            let channel = |at: usize| {
                let part = f64::from(u8::from_str_radix(&value[at..at + 2], 16).unwrap()) / 255.0;
                if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * channel(0) + 0.7152 * channel(2) + 0.0722 * channel(4)
        };
        for (front, back, least) in [
            ("text", "page", 7.0),
            ("text", "raised", 7.0),
            ("soft", "page", 4.5),
            ("soft", "raised", 4.5),
            ("link", "page", 4.5),
            ("link", "raised", 4.5),
            ("odd", "odd-page", 4.5),
            ("folder", "page", 3.0),
            ("file", "page", 3.0),
        ] {
            let (front_light, back_light) = (luminance(front), luminance(back));
            let ratio = (front_light.max(back_light) + 0.05) / (front_light.min(back_light) + 0.05);
            assert!(ratio >= least, "{front} on {back}: {ratio:.2}");
        }
    }
}
