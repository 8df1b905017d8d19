//! The elements of forwarding fields, the last first: what a proxy added is understood whatever a client wrote to the left of it.
//!
//! Quotes are matched from the right as well (RFC 9110 §5.6.4), so that one that a client left open can't swallow a proxy's element.

use std::{
    iter,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use crate::{ascii, head::Scheme};

/// One hop of a forwarding field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Hop {
    /// `None`: it says no address, or is malformed.
    pub(super) address: Option<IpAddr>,
    /// Forwarded only.
    pub(super) scheme: Option<Scheme>,
}

/// The hops of one line of X-Forwarded-For: addresses, also with port, IPv6 also in brackets.
pub(super) fn x_forwarded_for(line: &[u8]) -> impl Iterator<Item = Hop> {
    elements(line).map(|element| Hop { address: node(element), scheme: None })
}

/// The hops of one line of Forwarded (RFC 7239 §4).
pub(super) fn forwarded(line: &[u8]) -> impl Iterator<Item = Hop> {
    from_the_right(line, b',').map(ascii::trim).filter(|element| !element.is_empty()).map(|element| {
        let malformed = Hop { address: None, scheme: None };
        hop(element).unwrap_or(malformed)
    })
}

/// The elements of a list without quoted strings; empty ones do not count (RFC 9110 §5.6.1.2).
pub(super) fn elements(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.rsplit(|&byte| byte == b',').map(ascii::trim).filter(|element| !element.is_empty())
}

/// A scheme's name without regard to case; that of a WebSocket is its HTTP scheme.
pub(super) fn scheme(name: &[u8]) -> Option<Scheme> {
    let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
    if is("https") || is("wss") {
        Some(Scheme::Https)
    } else if is("http") || is("ws") {
        Some(Scheme::Http)
    } else {
        None
    }
}

/// `forwarded-element`: pairs `token=value` with `;` between; no parameter twice.
fn hop(element: &[u8]) -> Option<Hop> {
    let mut client = None;
    let mut protocol = None;
    for pair in from_the_right(element, b';').map(ascii::trim).filter(|pair| !pair.is_empty()) {
        let equals = memchr::memchr(b'=', pair)?;
        let (name, value) = (pair.get(..equals)?, unquoted(pair.get(equals + 1..)?)?);
        if !ascii::is_token(name) {
            return None;
        }
        let slot = if name.eq_ignore_ascii_case(b"for") {
            &mut client
        } else if name.eq_ignore_ascii_case(b"proto") {
            &mut protocol
        } else {
            continue;
        };
        if slot.replace(value).is_some() {
            return None;
        }
    }
    Some(Hop { address: client.and_then(node), scheme: protocol.and_then(scheme) })
}

/// A value without its quotes. Escapes stay: no address and no scheme needs one.
fn unquoted(value: &[u8]) -> Option<&[u8]> {
    match value {
        [b'"', inner @ .., b'"'] => Some(inner),
        _ if value.contains(&b'"') => None,
        _ => Some(value),
    }
}

/// A node of RFC 7239 §6 that is an address: IPv4 or IPv6 in brackets, each with or without port; and IPv6 without brackets, as X-Forwarded-For has it.
fn node(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text).ok()?;
    let (address, behind) = match text.strip_prefix('[') {
        Some(bracketed) => {
            let (address, behind) = bracketed.split_once(']')?;
            (address.parse::<Ipv6Addr>().ok()?.into(), behind)
        }
        None => match text.split_once(':') {
            Some((_, rest)) if rest.contains(':') => (text.parse::<Ipv6Addr>().ok()?.into(), ""),
            Some((address, _)) => (address.parse::<Ipv4Addr>().ok()?.into(), text.get(address.len()..)?),
            None => (text.parse::<Ipv4Addr>().ok()?.into(), ""),
        },
    };
    is_port(behind).then(|| IpAddr::to_canonical(&address))
}

/// Nothing, or a colon with a port: one to five digits, or hidden (`_x`, RFC 7239 §6.3).
fn is_port(text: &str) -> bool {
    match text.strip_prefix(':') {
        None => text.is_empty(),
        Some(port) => match port.strip_prefix('_') {
            Some(name) => !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')),
            None => (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit()),
        },
    }
}

/// The pieces between `delimiter`s that stand outside of quotes, the last first.
fn from_the_right(text: &[u8], delimiter: u8) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    iter::from_fn(move || {
        let text = rest?;
        let cut = last_outside_of_quotes(text, delimiter);
        rest = cut.and_then(|at| text.get(..at));
        Some(cut.and_then(|at| text.get(at + 1..)).unwrap_or(text))
    })
}

fn last_outside_of_quotes(text: &[u8], delimiter: u8) -> Option<usize> {
    let mut is_quoted = false;
    for (at, &byte) in text.iter().enumerate().rev() {
        if byte == b'"' {
            // From the right the closing quote comes first. The opening one has no escape before it.
            let escapes = text.iter().take(at).rev().take_while(|&&byte| byte == b'\\').count();
            if !is_quoted || escapes % 2 == 0 {
                is_quoted = !is_quoted;
            }
        } else if byte == delimiter && !is_quoted {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_addresses_or_nothing() {
        for (text, address) in [
            ("192.0.2.1", Some("192.0.2.1")),
            ("192.0.2.1:0", Some("192.0.2.1")),
            ("192.0.2.1:_obf-1", Some("192.0.2.1")),
            ("[::1]", Some("::1")),
            ("[::1]:65535", Some("::1")),
            ("::1", Some("::1")),
            ("[::ffff:192.0.2.1]", Some("192.0.2.1")),
            ("192.0.2.1:", None),
            ("192.0.2.1:123456", None),
            ("192.0.2.1:80a", None),
            ("192.0.2.1:_", None),
            ("192.0.2.01", None),
            ("192.0.2", None),
            ("[192.0.2.1]", None),
            ("[::1", None),
            ("[::1]80", None),
            ("[fe80::1%eth0]", None),
            ("unknown", None),
            ("_hidden", None),
            ("", None),
            ("\u{e4}", None),
        ] {
            assert_eq!(node(text.as_bytes()).map(|address| address.to_string()).as_deref(), address, "{text}");
        }
    }

    #[test]
    fn elements_of_forwarded_follow_the_grammar() {
        let addresses = |line: &str| -> Vec<Option<String>> {
            forwarded(line.as_bytes()).map(|hop| hop.address.map(|address| address.to_string())).collect()
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(addresses("for=192.0.2.43, for=198.51.100.17"), [some("198.51.100.17"), some("192.0.2.43")]);
        assert_eq!(addresses("for=192.0.2.43;host=\"a,b;c\";by=x"), [some("192.0.2.43")]);
        assert_eq!(addresses("host=\"a\\\",b\";FOR=192.0.2.43"), [some("192.0.2.43")]);
        assert_eq!(addresses("for=192.0.2.1;for=192.0.2.2"), [None]);
        assert_eq!(addresses("for = 192.0.2.1"), [None]);
        assert_eq!(addresses("for"), [None]);
        assert_eq!(addresses("for=\"192.0.2.1\"x"), [None]);
        assert_eq!(addresses(", ,"), []);
        assert_eq!(addresses("for=192.0.2.1;;"), [some("192.0.2.1")]);
    }
}
