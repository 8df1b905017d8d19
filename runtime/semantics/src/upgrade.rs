//! Protocols that a connection is asked to go on with (RFC 9110 §7.8): which of them is passed on, and whether the answer names the same one.

use crate::{
    ascii,
    head::{Framing, Head, Version, members},
};

/// Never meant by `*`: they bring a version of HTTP, or TLS, through the tunnel, past everything that the site checks of requests. A site can still name them.
const UNSAID: [&str; 3] = ["h2c", "http", "tls"];

/// The first protocol that the request asks for and `upgrades` has (lower case; `*` stands for any), as the client wrote it.
///
/// Only HTTP/1.1 without a body can ask: what is behind a body that the upstream does not read would be read as the other protocol's bytes.
pub fn asked<'a>(upgrades: &[&str], head: &Head<'a>, framing: Framing) -> Option<&'a str> {
    if upgrades.is_empty() || framing != Framing::Empty || head.version != Version::Http11 {
        return None;
    }
    let mut options = head.fields.all("connection").flat_map(members);
    if !options.any(|option| option.eq_ignore_ascii_case(b"upgrade")) {
        return None;
    }
    head.fields.all("upgrade").flat_map(members).find_map(|protocol| {
        let protocol = std::str::from_utf8(protocol).ok()?;
        (is_protocol(protocol) && is_allowed(upgrades, protocol)).then_some(protocol)
    })
}

/// Whether what an answer of 101 says in its one Upgrade field is what was asked for.
pub fn is_answered(asked: &str, upgrade: &[u8]) -> bool {
    upgrade.eq_ignore_ascii_case(asked.as_bytes())
}

/// `protocol-name ["/" protocol-version]`, both tokens.
fn is_protocol(protocol: &str) -> bool {
    let (name, version) = protocol.split_once('/').unwrap_or((protocol, "1"));
    ascii::is_token(name.as_bytes()) && ascii::is_token(version.as_bytes())
}

/// A name without a version stands for each of its versions.
fn is_allowed(upgrades: &[&str], protocol: &str) -> bool {
    let name = protocol.split_once('/').map_or(protocol, |(name, _)| name);
    upgrades.iter().any(|upgrade| match *upgrade {
        "*" => !UNSAID.iter().any(|unsaid| name.eq_ignore_ascii_case(unsaid)),
        upgrade => upgrade.eq_ignore_ascii_case(protocol) || upgrade.eq_ignore_ascii_case(name),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[track_caller]
    fn check(upgrades: &[&str], connection: &str, upgrade: &str, expected: Option<&str>) {
        samples::with_head("GET", "/", &[("connection", connection), ("upgrade", upgrade)], |head| {
            assert_eq!(asked(upgrades, head, Framing::Empty), expected, "{upgrades:?} {connection} {upgrade}");
        });
    }

    #[test]
    fn protocol_that_is_allowed_is_asked_for() {
        check(&["websocket"], "Upgrade", "WebSocket", Some("WebSocket"));
        check(&["websocket"], "keep-alive, upgrade", "h2c, websocket, other", Some("websocket"));
        check(&["websocket"], "upgrade", "websocket/13", Some("websocket/13"));
        check(&["other/2"], "upgrade", "other/1, other/2", Some("other/2"));
        check(&["*"], "upgrade", "other/1", Some("other/1"));
        check(&["h2c"], "upgrade, http2-settings", "h2c", Some("h2c"));
    }

    #[test]
    fn protocol_that_is_not_allowed_is_not() {
        check(&[], "upgrade", "websocket", None);
        check(&["websocket"], "upgrade", "h2c", None);
        check(&["websocket"], "upgrade", "websockets, web socket, \"websocket\", websocket/, /websocket", None);
        check(&["websocket"], "close", "websocket", None);
        check(&["websocket/13"], "upgrade", "websocket", None);
        for protocol in ["h2c", "H2C", "TLS/1.3", "HTTP/2.0", "", "a b"] {
            check(&["*"], "upgrade", protocol, None);
        }
    }

    #[test]
    fn body_or_old_version_asks_for_nothing() {
        let fields = [("connection", "upgrade"), ("upgrade", "websocket")];
        samples::with_head("POST", "/", &fields, |head| {
            assert_eq!(asked(&["websocket"], head, Framing::Length(1)), None);
            assert_eq!(asked(&["websocket"], head, Framing::Chunked), None);
            let old = Head { version: Version::Http10, ..*head };
            assert_eq!(asked(&["websocket"], &old, Framing::Empty), None);
        });
    }

    #[test]
    fn answer_names_the_protocol_that_was_asked_for() {
        assert!(is_answered("WebSocket", b"websocket"));
        assert!(!is_answered("websocket", b"") && !is_answered("websocket", b"websocket, h2c") && !is_answered("websocket", b"h2c"));
    }
}
