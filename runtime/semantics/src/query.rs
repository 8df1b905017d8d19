//! The query of a request as key and value pairs (WHATWG URL, `application/x-www-form-urlencoded` parsing).
//!
//! Pairs are cut at `&`, a pair at its first `=`; empty pairs are skipped. Keys and values are decoded once (`+` is a space, a broken escape is left as it
//! is) and only where they are looked at: the query itself is forwarded unchanged. Nothing is allocated.

use crate::ascii;

/// The pairs of a query without its `?`, in order and as sent; a pair without `=` has an empty value.
pub fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// The undecoded values of a key in a query (without its `?`), in order. Keys are decoded once (`+` is a space) and compared with `key`.
pub fn values<'q>(query: &'q str, key: &str) -> impl Iterator<Item = &'q str> {
    query.split('&').filter_map(move |pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (!pair.is_empty() && (name == key || decoded(name).eq(key.bytes()))).then_some(value)
    })
}

/// The first value of `key` as sent (undecoded); `None` where the key is not there.
pub fn first<'q>(query: &'q str, key: &str) -> Option<&'q str> {
    values(query, key).next()
}

/// Whether a decoded value of `key` equals one of `wanted` (texts as written in KDL); without `wanted`: whether the key is there.
pub fn has(query: &str, key: &str, wanted: &[&str]) -> bool {
    values(query, key).any(|value| wanted.is_empty() || wanted.iter().any(|wanted| decoded(value).eq(wanted.bytes())))
}

/// Appends the bytes of a key or value to `out`, decoded once. They need not be UTF-8.
pub fn decode(text: &str, out: &mut Vec<u8>) {
    if text.bytes().any(|byte| matches!(byte, b'+' | b'%')) {
        out.extend(decoded(text));
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

/// The bytes of a query's key or value, decoded once: `+` is a space, a broken escape is left as it is.
pub fn decoded(text: &str) -> impl Iterator<Item = u8> {
    decoded_bytes(text.as_bytes())
}

/// The same of bytes that need not be text.
pub(crate) fn decoded_bytes(mut rest: &[u8]) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let (&byte, behind) = rest.split_first()?;
        rest = behind;
        match byte {
            b'+' => Some(b' '),
            b'%' => match ascii::hex_pair(behind) {
                Some(value) => {
                    rest = behind.get(2..).unwrap_or_default();
                    Some(value)
                }
                None => Some(b'%'),
            },
            _ => Some(byte),
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pairs_are_cut_at_ampersand_and_first_equals() {
        for (query, expected) in [
            ("", &[][..]),
            ("&&", &[]),
            ("a=1&b=2", &[("a", "1"), ("b", "2")]),
            ("a", &[("a", "")]),
            ("a=", &[("a", "")]),
            ("=1", &[("", "1")]),
            ("=", &[("", "")]),
            ("a=b=c&&d", &[("a", "b=c"), ("d", "")]),
            ("a;b=1", &[("a;b", "1")]),
            ("a?=%26", &[("a?", "%26")]),
        ] {
            assert_eq!(pairs(query).collect::<Vec<_>>(), expected, "{query}");
        }
    }

    #[test]
    fn first_finds_by_decoded_key_and_keeps_the_value() {
        for (query, key, value) in [
            ("a=1&a=2", "a", Some("1")),
            ("%61=%31", "a", Some("%31")),
            ("a+b=1", "a b", Some("1")),
            ("a%20b=1", "a b", Some("1")),
            ("%2561=1", "%61", Some("1")),
            ("%2561=1", "a", None),
            ("a%=1", "a%", Some("1")),
            ("a%zz=1", "a%zz", Some("1")),
            ("A=1", "a", None),
            ("ab=1", "a", None),
            ("%C3%A4=1", "ä", Some("1")),
            ("=1", "", Some("1")),
            ("", "", None),
        ] {
            assert_eq!(first(query, key), value, "{query} {key}");
        }
    }

    #[test]
    fn has_takes_any_value_or_presence() {
        assert!(has("a=0&a=1", "a", &["1"]));
        assert!(has("a=x%20y", "a", &["x y"]));
        assert!(has("a=x+y", "a", &["z", "x y"]));
        assert!(!has("a=x%2By", "a", &["x y"]));
        assert!(has("a", "a", &[]));
        assert!(has("a", "a", &[""]));
        assert!(!has("b=1", "a", &[]));
        assert!(!has("a=12", "a", &["1"]));
    }

    #[test]
    fn decode_appends_bytes() {
        let mut out = b"x".to_vec();
        for text in ["plain", "+", "%E4%zz%4", "%2525"] {
            decode(text, &mut out);
        }
        assert_eq!(out, b"xplain \xE4%zz%4%25");
    }

    proptest! {
        #[test]
        fn encoded_pair_is_found_by_its_key(before in "[a-z&=%+]{0,8}", key in "\\PC{1,6}", value in "\\PC{0,6}") {
            let encode = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
            let query = format!("{before}&{}={}", encode(&key), encode(&value));
            prop_assert!(has(&query, &key, &[&value]));
            prop_assert!(pairs(&query).count() <= query.split('&').count());
        }
    }
}
