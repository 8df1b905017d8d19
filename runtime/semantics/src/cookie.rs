//! The cookies that a request carries (RFC 6265bis §4.2 and §5; HTTP/2 and 3 may send one line a cookie, RFC 9113 §8.2.3).
//!
//! A line is cut at `;`, a piece at its first `=`, and white space (SP, HTAB) around name and value goes. A piece without `=` is a cookie without a name
//! and is never found. Names are case-sensitive; values are bytes, quotes are part of them, and nothing is decoded.

use crate::{ascii, head::Fields};

/// The named cookies of one Cookie line, in order.
pub fn pairs(line: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    line.split(|&byte| byte == b';').filter_map(|piece| {
        let equals = memchr::memchr(b'=', piece)?;
        let name = ascii::trim(piece.get(..equals)?);
        (!name.is_empty()).then(|| (name, ascii::trim(piece.get(equals + 1..).unwrap_or_default())))
    })
}

/// Every value of the cookie `name`, of all lines, in the order sent.
pub fn values<'a>(fields: Fields<'a>, name: &str) -> impl Iterator<Item = &'a [u8]> {
    fields.all("cookie").flat_map(pairs).filter(move |(found, _)| *found == name.as_bytes()).map(|(_, value)| value)
}

/// The first value of the cookie `name`: where a browser sends two, the one with the longer path (RFC 6265bis §5.8.3).
pub fn first<'a>(fields: Fields<'a>, name: &str) -> Option<&'a [u8]> {
    values(fields, name).next()
}

/// Whether a value of the cookie `name` equals one of `wanted`; without `wanted`: whether the cookie is there.
pub fn has(fields: Fields<'_>, name: &str, wanted: &[&str]) -> bool {
    values(fields, name).any(|value| wanted.is_empty() || wanted.iter().any(|wanted| wanted.as_bytes() == value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples;

    #[test]
    fn pairs_are_cut_and_trimmed() {
        for (line, expected) in [
            ("a=1; b=2", &[("a", "1"), ("b", "2")][..]),
            ("a=1;b=2;", &[("a", "1"), ("b", "2")]),
            (" \ta = 1 ;\tb=2", &[("a", "1"), ("b", "2")]),
            ("a=b=c", &[("a", "b=c")]),
            ("a=", &[("a", "")]),
            ("a=\"x y\"", &[("a", "\"x y\"")]),
            ("a=\"x;y\"", &[("a", "\"x")]),
            ("a", &[]),
            ("=1; ;; x", &[]),
            ("a=%41", &[("a", "%41")]),
            ("a=1, b=2", &[("a", "1, b=2")]),
            ("", &[]),
        ] {
            let found: Vec<(&[u8], &[u8])> = pairs(line.as_bytes()).collect();
            let expected: Vec<(&[u8], &[u8])> = expected.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes())).collect();
            assert_eq!(found, expected, "{line:?}");
        }
    }

    #[test]
    fn values_come_from_every_line() {
        samples::with_fields(&[("Cookie", "a=1; b=2"), ("x", "a=9"), ("cookie", "a=3; A=4")], |fields| {
            assert_eq!(values(fields, "a").collect::<Vec<_>>(), [b"1", b"3"]);
            assert_eq!(first(fields, "A"), Some(&b"4"[..]));
            assert_eq!(first(fields, "c"), None);
            assert!(has(fields, "a", &["2", "3"]));
            assert!(has(fields, "b", &[]));
            assert!(!has(fields, "a", &["4"]));
            assert!(!has(fields, "", &[]));
        });
    }

    proptest! {
        #[test]
        fn pairs_never_panic(line in proptest::collection::vec(any::<u8>(), 0..64)) {
            for (name, _) in pairs(&line) {
                prop_assert!(!name.is_empty() && !name.contains(&b'=') && !name.contains(&b';'));
            }
        }
    }
}
