//! `encode`: which answers are coded on their way, in what, and what their heads say (RFC 9110 §8.4, §8.8.3, §12.5.3).
//!
//! It looks at the lines as they will be sent, so that no edit can make them say something else than the body is. What could have been coded for another client
//! says so in Vary, coded or not. Parts of a body and answers without one are left alone; what is coded already, or must not be changed, is, too.

use crate::{ascii::trim, conditional, edits, head::Head, mime, negotiate, negotiate::Coding};

/// One scope's policy.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Policy<'a> {
    /// In the order of preference, each once, never identity.
    pub codings: &'a [Coding],
    /// Bytes below which a body is left alone.
    pub min_bytes: u64,
}

/// What is known of an answer beside its lines.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// Three digits.
    pub status: u16,
    /// Of its body, for HEAD of that which GET would get; `None` where nobody knows yet.
    pub body_bytes: Option<u64>,
    /// The lines before they were edited.
    pub unedited: &'a [u8],
    /// It has the coding that it is to have, chosen when the site was built: its lines say all that is to be said, and are only kept from losing it.
    pub is_stored: bool,
}

/// What the lines say.
#[derive(Default)]
struct Said {
    /// Every content type that is named; `None`: none is.
    is_compressible: Option<bool>,
    /// It has a coding, its bytes are digested, or it must not be transformed.
    is_fixed: bool,
    /// Vary names Accept-Encoding, or everything.
    is_varied: bool,
}

/// The coding that the request would rather have of the policy's; nothing is said of the answer yet.
pub fn wanted(policy: &Policy<'_>, head: &Head<'_>) -> Coding {
    negotiate::preferred(head, policy.codings)
}

/// Decides on an answer whose lines (`name: value\r\n`, a status line may be in front) are the end of `out`, from `start` on, and changes them to what they are to
/// say. Any coding but identity: the body is to be sent in it, and its length is the caller's to name.
pub fn apply(policy: &Policy<'_>, head: &Head<'_>, answer: &Answer<'_>, start: usize, out: &mut Vec<u8>) -> Coding {
    let Answer { status, body_bytes, unedited, is_stored } = *answer;
    let mut said = read(out, start);
    said.is_fixed |= is_stored;
    // Whatever an edit has made of it.
    let was_varied = read(unedited, 0).is_varied;
    let is_part = matches!(status, 206 | 304);
    if status < 200 || matches!(status, 204 | 205) || is_part || said.is_fixed {
        if was_varied || is_part && !said.is_fixed && said.is_compressible == Some(true) {
            add_vary(&said, start, out);
        }
        if status == 304 && !is_stored {
            weaken(out, start, |tag| conditional::has_weakened(head, tag));
        }
        return Coding::Identity;
    }
    if said.is_compressible != Some(true) || body_bytes.is_some_and(|bytes| bytes < policy.min_bytes.max(1)) {
        if was_varied {
            add_vary(&said, start, out);
        }
        return Coding::Identity;
    }
    add_vary(&said, start, out);
    let coding = wanted(policy, head);
    if coding != Coding::Identity {
        edits::drop_any_lines(out, start, |name| is_any(name, &["accept-ranges", "content-length"]));
        weaken(out, start, |_| true);
        out.extend_from_slice(b"content-encoding: ");
        out.extend_from_slice(coding.name().as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    coding
}

fn read(lines: &[u8], start: usize) -> Said {
    let mut said = Said::default();
    let mut at = start;
    while let Some((name, end)) = edits::line(lines, at) {
        let value = trim(lines.get(at + name.len() + 1..end).unwrap_or_default().trim_ascii_end());
        at = end;
        // Most lines are told by their length to be none of these.
        match name.len() {
            12 if is_any(name, &["content-type"]) => {
                let is_compressible = std::str::from_utf8(value).is_ok_and(mime::is_compressible);
                said.is_compressible = Some(said.is_compressible != Some(false) && is_compressible);
            }
            13 if is_any(name, &["cache-control"]) => said.is_fixed |= has_member(value, b"no-transform"),
            6 | 11 | 14 | 16 if is_any(name, &["digest", "content-md5", "repr-digest", "content-digest", "content-encoding"]) => {
                said.is_fixed = true;
            }
            4 if is_any(name, &["vary"]) => said.is_varied |= has_member(value, b"accept-encoding") || has_member(value, b"*"),
            _ => {}
        }
    }
    said
}

fn is_any(name: &[u8], names: &[&str]) -> bool {
    names.iter().any(|other| name.eq_ignore_ascii_case(other.as_bytes()))
}

/// Whether a member of the list is that token.
fn has_member(value: &[u8], token: &[u8]) -> bool {
    value.split(|&byte| byte == b',').any(|member| trim(member).eq_ignore_ascii_case(token))
}

/// Sees to it that Vary names Accept-Encoding.
fn add_vary(said: &Said, start: usize, out: &mut Vec<u8>) {
    if said.is_varied {
        return;
    }
    let mut at = start;
    while let Some((name, end)) = edits::line(out, at) {
        let value_end = end.saturating_sub(b"\r\n".len());
        if is_any(name, &["vary"]) && out.get(at + name.len() + 1..value_end).is_some_and(|value| !trim(value).is_empty()) {
            out.splice(value_end..value_end, *b", accept-encoding");
            return;
        }
        at = end;
    }
    out.extend_from_slice(b"vary: accept-encoding\r\n");
}

/// Strong entity tags of which that is true become weak: the bytes are not those that they name.
fn weaken(out: &mut Vec<u8>, start: usize, is_weakened: impl Fn(&[u8]) -> bool) {
    let mut at = start;
    while let Some((name, mut end)) = edits::line(out, at) {
        let value = at + name.len() + 1;
        if is_any(name, &["etag"])
            && let Some(written) = out.get(value..end)
            && let Some(quote) = written.iter().position(|byte| !matches!(byte, b' ' | b'\t'))
            && written.get(quote) == Some(&b'"')
            && is_weakened(trim(written.trim_ascii_end()))
        {
            out.splice(value + quote..value + quote, *b"W/");
            end += 2;
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::with_head;

    const POLICY: Policy<'static> = Policy { codings: &[Coding::Zstd, Coding::Brotli, Coding::Gzip], min_bytes: 1024 };
    const STATUS: &str = "HTTP/1.1 200 OK\r\n";

    /// What becomes of the lines, for a client that takes gzip.
    fn coded(status: u16, body_bytes: Option<u64>, lines: &str) -> (Coding, String) {
        sent(&[("accept-encoding", "gzip")], Answer { status, body_bytes, unedited: b"", is_stored: false }, lines)
    }

    fn sent(fields: &[(&str, &str)], answer: Answer<'_>, lines: &str) -> (Coding, String) {
        let before = "in front of it, etag: \"x\"\r\n";
        let mut out = [before, STATUS, lines].concat().into_bytes();
        let coding = with_head("GET", "/", fields, |head| apply(&POLICY, head, &answer, before.len(), &mut out));
        let out = String::from_utf8(out).unwrap();
        (coding, out.strip_prefix(before).unwrap().strip_prefix(STATUS).unwrap().to_owned())
    }

    #[test]
    fn coded_answer_says_so_and_nothing_that_is_no_longer_true() {
        let lines = "content-type: text/css\r\ncontent-length: 2000\r\netag: \"a\"\r\nAccept-Ranges: bytes\r\nx: y\r\n";
        let expected = "content-type: text/css\r\netag: W/\"a\"\r\nx: y\r\nvary: accept-encoding\r\ncontent-encoding: gzip\r\n";
        assert_eq!(coded(200, Some(2000), lines), (Coding::Gzip, expected.to_owned()));
        assert_eq!(coded(404, None, lines), (Coding::Gzip, expected.to_owned()));
        let weak = "Content-Type: Text/HTML; charset=x\r\nETag:W/\"a\"\r\nVary: Origin, Accept-Encoding\r\n";
        assert_eq!(coded(200, None, weak), (Coding::Gzip, format!("{weak}content-encoding: gzip\r\n")));
        assert_eq!(
            coded(200, None, "content-type: text/css\r\nvary: *\r\n").1,
            "content-type: text/css\r\nvary: *\r\ncontent-encoding: gzip\r\n"
        );
    }

    #[test]
    fn answer_that_could_have_been_coded_varies() {
        let lines = "content-type: text/css\r\ncontent-length: 1024\r\netag: \"a\"\r\naccept-ranges: bytes\r\n";
        for fields in [&[][..], &[("accept-encoding", "identity")], &[("accept-encoding", "deflate, gzip;q=0")]] {
            let answer = Answer { status: 200, body_bytes: Some(1024), unedited: b"", is_stored: false };
            assert_eq!(sent(fields, answer, lines), (Coding::Identity, format!("{lines}vary: accept-encoding\r\n")), "{fields:?}");
        }
    }

    #[test]
    fn answer_that_nobody_gets_coded_is_left_alone() {
        let text = "content-type: text/css\r\netag: \"a\"\r\n";
        for (status, body_bytes, lines) in [
            (200, Some(1023), text.to_owned()),
            (200, Some(0), text.to_owned()),
            (204, None, text.to_owned()),
            (205, None, text.to_owned()),
            (103, None, text.to_owned()),
            (200, None, "etag: \"a\"\r\n".to_owned()),
            (200, None, "content-type: image/png\r\netag: \"a\"\r\n".to_owned()),
            (200, None, "content-type: text/css\r\ncontent-type: image/png\r\n".to_owned()),
            (200, None, "content-type: image/png\r\ncontent-type: text/css\r\n".to_owned()),
            (200, None, format!("{text}Content-Encoding: br\r\n")),
            (200, None, format!("{text}content-encoding: identity\r\n")),
            (200, None, format!("{text}cache-control: max-age=5, No-Transform\r\n")),
            (200, None, format!("{text}content-digest: sha-256=:x:\r\n")),
            (206, None, format!("{text}content-encoding: br\r\n")),
        ] {
            assert_eq!(coded(status, body_bytes, &lines), (Coding::Identity, lines), "{status} {body_bytes:?}");
        }
        let (coding, _) = coded(200, None, "content-type: text/css\r\ncache-control: x-no-transform\r\n");
        assert_eq!(coding, Coding::Gzip);
    }

    #[test]
    fn answer_that_varied_before_it_was_edited_still_does() {
        let unedited = b"HTTP/1.1 200 OK\r\nvary: accept-encoding\r\n";
        for (status, lines) in [
            (200, "content-type: text/css\r\ncontent-encoding: br\r\nvary: origin\r\n"),
            (200, "content-type: image/png\r\nvary: origin\r\n"),
            (206, "content-encoding: br\r\nVary: origin\r\n"),
        ] {
            let answer = Answer { status, body_bytes: Some(2000), unedited, is_stored: false };
            let expected = lines.replace("ary: origin", "ary: origin, accept-encoding");
            assert_eq!(sent(&[], answer, lines), (Coding::Identity, expected), "{lines}");
        }
    }

    #[test]
    fn stored_answer_is_left_alone_whatever_it_is() {
        let lines = "content-type: text/css\r\nvary: x-a\r\n";
        for status in [200, 206, 304] {
            let answer = Answer { status, body_bytes: Some(2000), unedited: b"", is_stored: true };
            assert_eq!(sent(&[("accept-encoding", "gzip")], answer, lines), (Coding::Identity, lines.to_owned()), "{status}");
            let varied = Answer { unedited: b"vary: accept-encoding\r\n", ..answer };
            assert_eq!(sent(&[], varied, lines).1, "content-type: text/css\r\nvary: x-a, accept-encoding\r\n", "{status}");
        }
    }

    #[test]
    fn part_is_sent_as_it_is_and_varies() {
        let lines = "content-type: text/css\r\ncontent-range: bytes 0-1/4000\r\netag: \"a\"\r\n";
        assert_eq!(coded(206, Some(2), lines), (Coding::Identity, format!("{lines}vary: accept-encoding\r\n")));
        let parts = "content-type: multipart/byteranges; boundary=x\r\n";
        assert_eq!(coded(206, Some(2), parts), (Coding::Identity, parts.to_owned()));
    }

    #[test]
    fn not_modified_says_what_the_whole_would_have_said() {
        let answer = Answer {
            status: 304,
            body_bytes: Some(0),
            unedited: b"HTTP/1.1 304 Not Modified\r\netag: \"a\"\r\nvary: accept-encoding\r\n",
            is_stored: false,
        };
        let lines = "etag: \"a\"\r\nvary: origin\r\n";
        let strong = lines.replace("vary: origin", "vary: origin, accept-encoding");
        let weak = strong.replace("\"a\"", "W/\"a\"");
        for (condition, expected) in
            [("\"a\"", &strong), ("W/\"a\"", &weak), ("W/\"b\", W/\"a\"", &weak), ("W/\"a\", \"a\"", &strong), ("*", &strong)]
        {
            let fields = [("accept-encoding", "gzip"), ("if-none-match", condition)];
            assert_eq!(sent(&fields, answer, lines), (Coding::Identity, expected.clone()), "{condition}");
        }
        let image = Answer { unedited: b"HTTP/1.1 304 Not Modified\r\netag: \"a\"\r\n", ..answer };
        assert_eq!(sent(&[], image, lines), (Coding::Identity, lines.to_owned()));
    }

    #[test]
    fn body_at_the_limit_is_coded() {
        assert_eq!(coded(200, Some(1024), "content-type: text/css\r\n").0, Coding::Gzip);
        assert_eq!(coded(200, Some(1023), "content-type: text/css\r\n").0, Coding::Identity);
    }
}
