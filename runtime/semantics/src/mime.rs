//! Content types by a file's extension: the one table of kiln.
//!
//! The compiler prints them into the heads of embedded files, the runtime asks for those of files from a root. Text says that it is UTF-8; JSON is UTF-8 by
//! definition (RFC 8259 §8.1) and says nothing. Sources: IANA's registry of media types, RFC 9239 (JavaScript), the WHATWG's MIME sniffing groups.

/// The content type of a file by the extension of its path, without regard to ASCII case; `application/octet-stream` for what is not known.
pub fn content_type(path: &str) -> &'static str {
    content_type_of(path.as_bytes())
}

/// The same for a name that need not be UTF-8.
pub fn content_type_of(path: &[u8]) -> &'static str {
    known(path).unwrap_or(UNKNOWN)
}

/// Whether the path is called as pages are, or as nothing that the table knows: what a page may answer for.
pub fn may_be_page(path: &[u8]) -> bool {
    known(path).is_none_or(|content_type| content_type.starts_with("text/html") || content_type.starts_with("application/xhtml"))
}

fn known(path: &[u8]) -> Option<&'static str> {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let dot = name.iter().rposition(|&byte| byte == b'.')?;
    let extension = name.get(dot + 1..).unwrap_or_default();
    let mut lower = [0; EXTENSION_BYTES_MAX];
    let lower = lower.get_mut(..extension.len())?;
    lower.copy_from_slice(extension);
    lower.make_ascii_lowercase();
    let lower: &[u8] = lower;
    let at = TYPES.binary_search_by(|(extension, _)| extension.as_bytes().cmp(lower)).ok()?;
    Some(TYPES[at].1)
}

/// Whether content of that type shrinks: text, and formats that are not compressed themselves. Parameters of the type and its case do not count.
pub fn is_compressible(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim_ascii();
    let has_end = |end: &str| {
        essence.len().checked_sub(end.len()).and_then(|at| essence.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    let is_text = essence.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("text/"));
    is_text || has_end("+json") || has_end("+xml") || COMPRESSIBLE.iter().any(|known| known.eq_ignore_ascii_case(essence))
}

/// What is not text by its name and shrinks all the same.
const COMPRESSIBLE: [&str; 17] = [
    "application/geo+json",
    "application/javascript",
    "application/json",
    "application/postscript",
    "application/rtf",
    "application/toml",
    "application/vnd.apple.mpegurl",
    "application/vnd.ms-fontobject",
    "application/wasm",
    "application/x-tar",
    "application/xml",
    "application/yaml",
    "font/otf",
    "font/ttf",
    "image/bmp",
    "image/tiff",
    "image/vnd.microsoft.icon",
];

const UNKNOWN: &str = "application/octet-stream";
/// Bytes of the longest extension in the table.
const EXTENSION_BYTES_MAX: usize = 11;

/// Sorted by extension.
static TYPES: [(&str, &str); 98] = [
    ("3gp", "video/3gpp"),
    ("7z", "application/x-7z-compressed"),
    ("aac", "audio/aac"),
    ("apk", "application/vnd.android.package-archive"),
    ("atom", "application/atom+xml"),
    ("avi", "video/x-msvideo"),
    ("avif", "image/avif"),
    ("bin", "application/octet-stream"),
    ("bmp", "image/bmp"),
    ("br", "application/octet-stream"),
    ("bz2", "application/x-bzip2"),
    ("c", "text/plain; charset=utf-8"),
    ("conf", "text/plain; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("deb", "application/vnd.debian.binary-package"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("eot", "application/vnd.ms-fontobject"),
    ("epub", "application/epub+zip"),
    ("flac", "audio/flac"),
    ("geojson", "application/geo+json"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("h", "text/plain; charset=utf-8"),
    ("htm", "text/html; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("ico", "image/vnd.microsoft.icon"),
    ("ics", "text/calendar; charset=utf-8"),
    ("iso", "application/octet-stream"),
    ("jar", "application/java-archive"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("jsonld", "application/ld+json"),
    ("jxl", "image/jxl"),
    ("kdl", "text/plain; charset=utf-8"),
    ("log", "text/plain; charset=utf-8"),
    ("m3u8", "application/vnd.apple.mpegurl"),
    ("m4a", "audio/mp4"),
    ("m4v", "video/mp4"),
    ("map", "application/json"),
    ("markdown", "text/markdown; charset=utf-8"),
    ("md", "text/markdown; charset=utf-8"),
    ("mid", "audio/midi"),
    ("midi", "audio/midi"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("mkv", "video/matroska"),
    ("mov", "video/quicktime"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("mpd", "application/dash+xml"),
    ("mpeg", "video/mpeg"),
    ("mpg", "video/mpeg"),
    ("odp", "application/vnd.oasis.opendocument.presentation"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("oga", "audio/ogg"),
    ("ogg", "audio/ogg"),
    ("ogv", "video/ogg"),
    ("opus", "audio/ogg"),
    ("otf", "font/otf"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("ps", "application/postscript"),
    ("py", "text/x-python; charset=utf-8"),
    ("rar", "application/vnd.rar"),
    ("rs", "text/plain; charset=utf-8"),
    ("rss", "application/rss+xml"),
    ("rtf", "application/rtf"),
    ("sh", "text/plain; charset=utf-8"),
    ("svg", "image/svg+xml; charset=utf-8"),
    ("svgz", "image/svg+xml"),
    ("tar", "application/x-tar"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("toml", "application/toml"),
    ("ts", "video/mp2t"),
    ("ttf", "font/ttf"),
    ("txt", "text/plain; charset=utf-8"),
    ("vtt", "text/vtt; charset=utf-8"),
    ("wasm", "application/wasm"),
    ("wav", "audio/wav"),
    ("weba", "audio/webm"),
    ("webm", "video/webm"),
    ("webmanifest", "application/manifest+json"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("xhtml", "application/xhtml+xml; charset=utf-8"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "text/xml; charset=utf-8"),
    ("yaml", "application/yaml"),
    ("zip", "application/zip"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_within_its_bound() {
        assert!(TYPES.is_sorted_by(|a, b| a.0 < b.0));
        let longest = TYPES.iter().map(|(extension, _)| extension.len()).max();
        assert_eq!(longest, Some(EXTENSION_BYTES_MAX));
    }

    #[test]
    fn extension_decides_without_case() {
        for (path, expected) in [
            ("a/index.html", "text/html; charset=utf-8"),
            ("UPPER.TXT", "text/plain; charset=utf-8"),
            ("app.min.js", "text/javascript; charset=utf-8"),
            ("img.svg", "image/svg+xml; charset=utf-8"),
            ("data.json", "application/json"),
            ("site.webmanifest", "application/manifest+json"),
            ("noext", UNKNOWN),
            ("dir.html/noext", UNKNOWN),
            ("x.", UNKNOWN),
            ("x.an-extension-of-many-bytes", UNKNOWN),
            ("", UNKNOWN),
        ] {
            assert_eq!(content_type(path), expected, "{path}");
        }
        assert_eq!(content_type_of(b"\xFF.css"), "text/css; charset=utf-8");
    }

    #[test]
    fn unknown_extensions_and_pages_may_be_pages() {
        for (path, is_page) in [
            ("users/john.doe", true),
            ("about", true),
            ("", true),
            ("a.HTML", true),
            ("a.htm", true),
            ("a.xhtml", true),
            ("assets/app.js", false),
            ("app.js/about", true),
            ("x.bin", false),
        ] {
            assert_eq!(may_be_page(path.as_bytes()), is_page, "{path}");
        }
    }

    #[test]
    fn compressible_are_texts_and_formats_without_a_coding_of_their_own() {
        for content_type in
            ["text/css", "TEXT/html; charset=utf-8", "application/ld+json", "image/svg+xml; charset=utf-8", "Application/JSON", "font/ttf"]
        {
            assert!(is_compressible(content_type), "{content_type}");
        }
        for content_type in ["image/png", "font/woff2", "application/zip", "application/octet-stream", "", "text", "json", "+jso"] {
            assert!(!is_compressible(content_type), "{content_type}");
        }
    }
}
