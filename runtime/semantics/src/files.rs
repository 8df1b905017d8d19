//! What `files` makes of a request: the names below its directory, what lies there, and which form of an embedded file answers.
//!
//! The path below the route is decoded once; one that ends in `/` means the index. Dotfiles and backups are as if they were not there, unless the site says
//! `hidden`. The same for embedded trees and for roots, which both ask [`Search`] what answers for a path.

mod rules;
mod search;
mod select;

pub use self::{
    rules::{Rules, Tried},
    search::{Asked, Found, Next, Search},
    select::{InTree, Selected, in_tree, ranged, select},
};
use crate::{head::Head, lanes, path};

/// The line of answers with an immutable file: a year, which is as good as forever (RFC 8246).
pub const IMMUTABLE: &str = "cache-control: public, max-age=31536000, immutable\r\n";

/// Ends of names that editors and people give to backups.
const BACKUPS: [&[u8]; 6] = [b"~", b".bak", b".orig", b".save", b".swo", b".swp"];

/// Writes the decoded name, relative and without a leading slash, to `out` (cleared first); an empty path or one that ends in `/` gets the index.
/// `below` is the normal-form path below the route. `false` where some segment may not be served.
pub fn name(below: &str, rules: &Rules<'_>, out: &mut Vec<u8>) -> bool {
    out.clear();
    if lanes::contains(below.as_bytes(), b'%') {
        // A route that keeps `%2F` has it as text of one segment, which no file is called.
        if below.contains("%2F") {
            return false;
        }
        path::decode(below, out);
        if out.contains(&0) {
            return false;
        }
    } else {
        out.extend_from_slice(below.as_bytes());
    }
    if out.is_empty() || out.ends_with(b"/") {
        out.extend_from_slice(rules.index.as_bytes());
    }
    rules.serves(out)
}

/// Whether the path below a route is the name itself: it has no escape and means no index. Then [`name`] would copy it, and ask [`Rules::serves`].
#[inline]
pub fn is_name(below: &str) -> bool {
    !below.is_empty() && !below.ends_with('/') && !lanes::contains(below.as_bytes(), b'%')
}

/// Whether no segment of a decoded name is hidden.
#[inline]
fn is_plain(name: &[u8]) -> bool {
    // Most names have one segment.
    if lanes::contains(name, b'/') { !name.split(|&byte| byte == b'/').any(is_hidden) } else { !is_hidden(name) }
}

/// Whether no segment of a decoded name is empty or leads elsewhere.
#[cold]
fn is_relative(name: &[u8]) -> bool {
    !name.split(|&byte| byte == b'/').any(|segment| matches!(segment, b"" | b"." | b".."))
}

/// Whether a segment of a decoded name is served only where the site says `hidden`: a dotfile (`.well-known` is none) or a backup; or empty, which never is.
pub fn is_hidden(segment: &[u8]) -> bool {
    match segment {
        [] => true,
        [b'.', ..] if segment != b".well-known" => true,
        [.., last] => is_backup(segment, *last),
    }
}

/// Most names are told by their last byte not to be one.
fn is_backup(segment: &[u8], last: u8) -> bool {
    let may_be = matches!(last.to_ascii_lowercase(), b'~' | b'k' | b'g' | b'e' | b'o' | b'p');
    may_be
        && BACKUPS.iter().any(|end| {
            let tail = segment.len().checked_sub(end.len()).and_then(|at| segment.get(at..));
            tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
        })
}

/// Appends the location of a directory's 308: the path in normal form with a last slash, and the query as sent. The path begins with exactly one slash,
/// so it never names another host.
pub fn slash_location(head: &Head<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(head.path.text.as_bytes());
    out.push(b'/');
    if let Some(query) = head.query {
        out.push(b'?');
        out.extend_from_slice(query.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(below: &str) -> Option<String> {
        let mut out = b"left over".to_vec();
        name(below, &Rules::NEW, &mut out).then(|| String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn name_is_decoded_and_gets_the_index() {
        for (below, expected) in [
            ("a.txt", "a.txt"),
            ("", "index.html"),
            ("a/", "a/index.html"),
            ("a%20b", "a b"),
            ("a%5Cb", "a\\b"),
            (".well-known/x", ".well-known/x"),
            ("tilde~.txt", "tilde~.txt"),
        ] {
            assert_eq!(named(below).as_deref(), Some(expected), "{below}");
        }
    }

    #[test]
    fn name_that_is_called_one_is_not_changed() {
        for below in
            ["", "a.txt", "a/b", "a/", "/", "a//b", ".a", "a/.b", "a.bak", ".well-known/x", "a%20b", "a%2Fb", "1234567%20", "12345678/.x"]
        {
            assert_eq!(as_sent(below), named(below).filter(|name| name == below), "{below}");
        }
    }

    /// What becomes of a path that need not be written anew.
    fn as_sent(below: &str) -> Option<String> {
        (is_name(below) && Rules::NEW.serves(below.as_bytes())).then(|| below.to_owned())
    }

    #[test]
    fn name_with_hidden_segment_is_refused() {
        for below in [
            ".git/config",
            "a/.env",
            "..",
            "a/../b",
            "a/.",
            "...",
            "x~",
            "a.BAK/b",
            "x.swp",
            "a//b",
            "/a",
            "a%00",
            "a%2Fb",
            ".well-known2",
            ".well-known/.x",
        ] {
            assert_eq!(named(below), None, "{below}");
        }
    }
}
