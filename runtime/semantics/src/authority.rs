//! The normal form of a Host or `:authority`: lower case, no port, no trailing dot (RFC 9110 §7.2, RFC 3986 §3.2).
//!
//! Stricter than RFC 3986: a name holds unreserved characters only. Escapes and sub-delimiters in a `reg-name` are never part of a host that
//! resolves, and parsers differ on them.

use std::net::Ipv6Addr;

use crate::ascii;

/// A DNS name has at most so many bytes, its trailing dot not counted (RFC 1035 §2.3.4).
const HOST_BYTES_MAX: usize = 253;

/// An authority cut into its parts, before lower-casing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Authority<'a> {
    /// The host without its trailing dot; an IPv6 literal keeps its brackets.
    pub host: &'a str,
    /// The port, where one was written (`host:` has none).
    pub port: Option<u16>,
    /// No upper-case letter in `host`.
    pub is_lower: bool,
}

/// Parses `host[:port]`. `None`: not valid (user info, empty host, bad port, bytes outside reg-name / IPv4 / bracketed IPv6).
pub fn parse(text: &[u8]) -> Option<Authority<'_>> {
    parse_text(std::str::from_utf8(text).ok()?)
}

/// The same for text.
#[inline]
pub(crate) fn parse_text(text: &str) -> Option<Authority<'_>> {
    let (end, is_lower) = name_end(text.as_bytes())?;
    let port = match text.as_bytes().get(end..)? {
        [] => None,
        [b':', digits @ ..] => port(digits)?,
        _ if end == 0 => return literal(text),
        _ => return None,
    };
    let name = text.get(..end)?;
    let host = name.strip_suffix('.').unwrap_or(name);
    if host.is_empty() || host.len() > HOST_BYTES_MAX { None } else { Some(Authority { host, port, is_lower }) }
}

/// Where the name at the front of `text` ends, and whether it is lower case; `None` for an empty label.
#[inline(always)]
fn name_end(text: &[u8]) -> Option<(usize, bool)> {
    let mut is_lower = true;
    let mut label = 0;
    for (at, &byte) in text.iter().enumerate() {
        if ascii::is(byte, ascii::LABEL) {
            continue;
        }
        match byte {
            b'.' if at == label => return None,
            b'.' => label = at + 1,
            b'A'..=b'Z' => is_lower = false,
            _ => return Some((at, is_lower)),
        }
    }
    Some((text.len(), is_lower))
}

/// A bracketed IPv6 address, without zone.
#[cold]
fn literal(text: &str) -> Option<Authority<'_>> {
    let end = text.find(']')? + 1;
    let host = text.get(..end)?;
    let address = host.strip_prefix('[')?.strip_suffix(']')?;
    address.parse::<Ipv6Addr>().ok()?;
    let port = match text.as_bytes().get(end..)? {
        [] => None,
        [b':', digits @ ..] => port(digits)?,
        _ => return None,
    };
    Some(Authority { host, port, is_lower: !host.bytes().any(|byte| byte.is_ascii_uppercase()) })
}

/// `Some(None)` for no digits at all, which RFC 3986 §3.2.3 allows.
fn port(digits: &[u8]) -> Option<Option<u16>> {
    if digits.is_empty() {
        return Some(None);
    }
    if digits.len() > 5 {
        return None;
    }
    let mut port = 0_u32;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        port = port * 10 + u32::from(digit - b'0');
    }
    u16::try_from(port).ok().map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, Option<u16>)>) {
        assert_eq!(parse(text.as_bytes()).map(|authority| (authority.host, authority.port)), expected, "{text:?}");
    }

    #[test]
    fn valid_authorities_are_cut() {
        check("shop.example", Some(("shop.example", None)));
        check("shop.example.", Some(("shop.example", None)));
        check("shop.example.:8080", Some(("shop.example", Some(8080))));
        check("Shop.Example:", Some(("Shop.Example", None)));
        check("127.0.0.1:65535", Some(("127.0.0.1", Some(65535))));
        check("[::1]", Some(("[::1]", None)));
        check("[2001:DB8::1]:443", Some(("[2001:DB8::1]", Some(443))));
        check("under_score", Some(("under_score", None)));
    }

    #[test]
    fn invalid_authorities_are_refused() {
        for text in [
            "",
            ".",
            ":80",
            "a..b",
            ".a",
            "a..",
            "user@host",
            "a:8o",
            "a:-1",
            "a:65536",
            "a:000080",
            "a/b",
            "a\\b",
            "[::1",
            "::1",
            "[::1]x",
            "[]",
            "[fe80::1%25eth0]",
            "[v1.a]",
            "%zz",
            "%41",
            "a b",
            "a,b",
            "a;b",
            "*.example",
            "a:80:80",
            "ä.example",
            "a\0",
            "a\t",
            "[127.0.0.1]",
        ] {
            check(text, None);
        }
        check(&"a".repeat(253), Some((&"a".repeat(253), None)));
        check(&"a".repeat(254), None);
    }

    #[test]
    fn lower_case_is_told() {
        assert!(parse(b"a.example").is_some_and(|authority| authority.is_lower));
        assert!(parse(b"A.example").is_some_and(|authority| !authority.is_lower));
        assert!(parse(b"[::A]").is_some_and(|authority| !authority.is_lower));
    }
}
