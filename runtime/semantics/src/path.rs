//! The one normal form of a path: what is matched is what is forwarded (`language.md`, RFC 3986 §6.2.2).
//!
//! Unreserved escapes decoded once, other escapes upper-cased and kept, dot segments resolved, repeated slashes merged. Refused: a broken escape, `%00`,
//! a raw control byte or backslash, a segment of dots any of which is encoded, `..` above the root, bytes above 0x7E.
//!
//! Visible ASCII that RFC 3986 §3.3 does not allow in a path but browsers send (``"<>[]^`{|}``) is brought to upper-case escapes, so that `|` and `%7C`
//! are one path.

use crate::ascii::{self, PLAIN, UNRESERVED};

/// A path in normal form, always beginning with `/` (or the single `*` of OPTIONS).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Path<'a> {
    /// The path itself: ASCII, without query.
    pub text: &'a str,
    /// It holds `%2F`: the route refuses it with 400 unless it says `path "keep"` or `"raw"`.
    pub has_encoded_slash: bool,
    /// It holds `%5C`: the same, but `files` takes it.
    pub has_encoded_backslash: bool,
}

/// The path has no normal form: answered with 400.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BadPath;

/// What a path that is normal already holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Survey {
    pub(crate) has_encoded_slash: bool,
    pub(crate) has_encoded_backslash: bool,
}

/// Normalises `raw` (an origin-form path without its query). Borrows `raw` where it is normal already, else writes to `scratch` (cleared first).
pub fn normalize<'a>(raw: &'a [u8], scratch: &'a mut Vec<u8>) -> Result<Path<'a>, BadPath> {
    match survey(raw) {
        Some(survey) => with_text(raw, survey),
        None => rewrite(raw, scratch),
    }
}

/// Goes over `raw` once; `None` where it is not in normal form (or has none).
#[inline]
pub(crate) fn survey(raw: &[u8]) -> Option<Survey> {
    let mut survey = Survey::default();
    let mut rest = raw;
    if raw.first() != Some(&b'/') {
        return None;
    }
    while let [byte, behind @ ..] = rest {
        rest = behind;
        if ascii::is(*byte, PLAIN) {
            continue;
        }
        match (*byte, behind) {
            (b'/', [b'/', ..] | [b'.'] | [b'.', b'/', ..] | [b'.', b'.'] | [b'.', b'.', b'/', ..]) => return None,
            (b'/', _) => {}
            (b'%', [high, low, behind @ ..]) => {
                let value = ascii::hex_pair(&[*high, *low])?;
                if value == 0 || ascii::is(value, UNRESERVED) || high.is_ascii_lowercase() || low.is_ascii_lowercase() {
                    return None;
                }
                survey.has_encoded_slash |= value == b'/';
                survey.has_encoded_backslash |= value == b'\\';
                rest = behind;
            }
            _ => return None,
        }
    }
    Some(survey)
}

/// Writes the normal form of a path that [`survey`] has not found normal.
pub(crate) fn rewrite<'a>(raw: &[u8], scratch: &'a mut Vec<u8>) -> Result<Path<'a>, BadPath> {
    scratch.clear();
    let relative = raw.strip_prefix(b"/").ok_or(BadPath)?;
    let mut is_directory = false;
    for segment in relative.split(|&byte| byte == b'/') {
        is_directory = true;
        if segment.is_empty() {
            continue;
        }
        let start = scratch.len();
        scratch.push(b'/');
        let has_encoded_dot = write_segment(segment, scratch)?;
        let written = scratch.get(start + 1..).unwrap_or_default();
        let is_dots = written.iter().all(|&byte| byte == b'.');
        if is_dots && has_encoded_dot {
            return Err(BadPath);
        }
        match written {
            b"." => scratch.truncate(start),
            b".." => {
                let parent = scratch.get(..start).and_then(|before| memchr::memrchr(b'/', before)).ok_or(BadPath)?;
                scratch.truncate(parent);
            }
            _ => is_directory = false,
        }
    }
    if is_directory || scratch.is_empty() {
        scratch.push(b'/');
    }
    let survey = survey(scratch).ok_or(BadPath)?;
    with_text(scratch, survey)
}

/// Appends one segment with its escapes normalised; tells whether a dot was encoded.
fn write_segment(segment: &[u8], out: &mut Vec<u8>) -> Result<bool, BadPath> {
    let mut has_encoded_dot = false;
    let mut rest = segment;
    while let [byte, behind @ ..] = rest {
        rest = behind;
        match *byte {
            b'%' => {
                let value = ascii::hex_pair(behind).ok_or(BadPath)?;
                rest = behind.get(2..).unwrap_or_default();
                has_encoded_dot |= value == b'.';
                match value {
                    0 => return Err(BadPath),
                    _ if ascii::is(value, UNRESERVED) => out.push(value),
                    _ => ascii::push_escape(value, out),
                }
            }
            b'\\' | b'?' | b'#' => return Err(BadPath),
            plain if ascii::is(plain, PLAIN) => out.push(plain),
            visible @ 0x21..=0x7E => ascii::push_escape(visible, out),
            _ => return Err(BadPath),
        }
    }
    Ok(has_encoded_dot)
}

fn with_text(text: &[u8], survey: Survey) -> Result<Path<'_>, BadPath> {
    let text = std::str::from_utf8(text).map_err(|_not_ascii| BadPath)?;
    Ok(Path { text, has_encoded_slash: survey.has_encoded_slash, has_encoded_backslash: survey.has_encoded_backslash })
}

/// Decodes every escape of a normal-form path into `out` (cleared first): the name of a file. The caller has refused `%2F`.
pub fn decode(normal: &str, out: &mut Vec<u8>) {
    out.clear();
    let mut rest = normal.as_bytes();
    while let Some(at) = memchr::memchr(b'%', rest) {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before);
        let digits = escape.get(1..).unwrap_or_default();
        match ascii::hex_pair(digits) {
            Some(value) => {
                out.push(value);
                rest = digits.get(2..).unwrap_or_default();
            }
            None => {
                out.push(b'%');
                rest = digits;
            }
        }
    }
    out.extend_from_slice(rest);
}

/// Encodes text written in KDL (a literal of a pattern, a file's name) to the normal form: bytes that may not stand in a path become upper-case escapes.
/// Existing valid escapes are kept when `keeps_escapes`. Refused as in [`normalize`], and a segment `.` or `..`.
///
/// Text that begins with `/` gives a path, other text a relative one. `?` and `#` are text here.
pub fn encode(text: &str, keeps_escapes: bool) -> Result<String, BadPath> {
    let mut raw = vec![b'/'];
    for byte in text.strip_prefix('/').unwrap_or(text).bytes() {
        match byte {
            b'/' => raw.push(byte),
            b'%' if keeps_escapes => raw.push(byte),
            b'\\' => return Err(BadPath),
            _ if ascii::is(byte, ascii::CONTROL) => return Err(BadPath),
            _ if ascii::is(byte, PLAIN) => raw.push(byte),
            _ => ascii::push_escape(byte, &mut raw),
        }
    }
    let mut scratch = Vec::new();
    for segment in raw.split(|&byte| byte == b'/') {
        scratch.clear();
        write_segment(segment, &mut scratch)?;
        if scratch == b"." || scratch == b".." {
            return Err(BadPath);
        }
    }
    let path = normalize(&raw, &mut scratch)?.text;
    Ok(if text.starts_with('/') { path.to_owned() } else { path.trim_start_matches('/').to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, expected: Result<&str, BadPath>) {
        assert_eq!(normalize(raw.as_bytes(), &mut Vec::new()).map(|path| path.text), expected, "{raw:?}");
    }

    #[test]
    fn normal_paths_are_borrowed() {
        for raw in [
            "/",
            "/a",
            "/a/",
            "/a/b.c",
            "/.well-known/x",
            "/..a",
            "/...",
            "/a;b=1,2",
            "/a%20b",
            "/%2F%5C",
            "/a:@!$&'()*+,;=-._~",
            "/%C3%A4",
            "/%7B",
        ] {
            let mut scratch = vec![b'x'];
            assert_eq!(normalize(raw.as_bytes(), &mut scratch).map(|path| path.text), Ok(raw));
            assert_eq!(scratch, [b'x'], "{raw:?} was copied");
        }
    }

    #[test]
    fn other_forms_become_the_normal_form() {
        for (raw, normal) in [
            ("/%61dmin/x", "/admin/x"),
            ("//admin/x", "/admin/x"),
            ("/a/../admin/x", "/admin/x"),
            ("/%252f", "/%252f"),
            ("/a%2fb", "/a%2Fb"),
            ("/a/.", "/a/"),
            ("/a/..", "/"),
            ("/a/b/..", "/a/"),
            ("/a/b/../", "/a/"),
            ("/./a", "/a"),
            ("/.", "/"),
            ("//", "/"),
            ("/a//", "/a/"),
            ("/a//../b", "/b"),
            ("/%7e", "/~"),
            ("/a|b", "/a%7Cb"),
            ("/a%7cb", "/a%7Cb"),
            ("/{x}", "/%7Bx%7D"),
            ("/\"<>^`[]", "/%22%3C%3E%5E%60%5B%5D"),
            ("/%e4", "/%E4"),
            ("/a/./b/../c", "/a/c"),
            ("/a%2eb", "/a.b"),
            ("/a/b%2Fc/../d", "/a/d"),
            ("/%3f%23", "/%3F%23"),
        ] {
            check(raw, Ok(normal));
        }
    }

    #[test]
    fn paths_without_normal_form_are_refused() {
        for raw in [
            "",
            "a",
            "*",
            "/%",
            "/%4",
            "/%zz",
            "/%0g",
            "/%00",
            "/a%00b",
            "/\\admin",
            "/a\\b",
            "/a\tb",
            "/\x7f",
            "/a b",
            "/ä",
            "/%2e",
            "/%2E/",
            "/%2e%2e",
            "/.%2E",
            "/%2e.",
            "/a/%2e%2e/admin",
            "/%2e%2e%2e",
            "/..",
            "/../a",
            "/a/../..",
            "/a?b",
            "/a#b",
        ] {
            check(raw, Err(BadPath));
        }
    }

    #[test]
    fn encoded_slash_and_backslash_are_told() {
        let flags = |raw: &str| normalize(raw.as_bytes(), &mut Vec::new()).map(|path| (path.has_encoded_slash, path.has_encoded_backslash));
        assert_eq!(flags("/a"), Ok((false, false)));
        assert_eq!(flags("/admin%2fx"), Ok((true, false)));
        assert_eq!(flags("/a/..%2fadmin/x"), Ok((true, false)));
        assert_eq!(flags("/a%5cb"), Ok((false, true)));
        assert_eq!(flags("/a%2F%5C"), Ok((true, true)));
        assert_eq!(flags("/a%2Fb/../c"), Ok((false, false)));
    }

    #[test]
    fn decode_gives_the_bytes() {
        let mut out = b"old".to_vec();
        decode("/a%20b/%C3%A4%25", &mut out);
        assert_eq!(out, "/a b/ä%".as_bytes());
    }

    #[test]
    fn encode_brings_text_to_the_normal_form() {
        assert_eq!(encode("/ä b", false).as_deref(), Ok("/%C3%A4%20b"));
        assert_eq!(encode("100%.txt", false).as_deref(), Ok("100%25.txt"));
        assert_eq!(encode("a%2fb%41", true).as_deref(), Ok("a%2FbA"));
        assert_eq!(encode("a?b#c", false).as_deref(), Ok("a%3Fb%23c"));
        assert_eq!(encode("a/b/", false).as_deref(), Ok("a/b/"));
        assert_eq!(encode("", false).as_deref(), Ok(""));
        for (text, keeps_escapes) in
            [("a%", true), ("%00", true), ("a\\b", false), ("..", false), ("/a/../b", false), ("%2e", true), ("a\nb", false)]
        {
            assert_eq!(encode(text, keeps_escapes), Err(BadPath), "{text:?}");
        }
    }
}
