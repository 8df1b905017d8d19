//! The normal form of a Host or `:authority`: lower case, no port, no trailing dot (RFC 9110 §7.2, RFC 3986 §3.2).

/// An authority cut into its parts, before lower-casing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Authority<'a> { pub host: &'a str, pub port: Option<u16>, /// No upper-case letter in `host`.
    pub is_lower: bool }

/// Parses `host[:port]`. `None`: not valid (user info, empty host, bad port, bytes outside reg-name / IPv4 / bracketed IPv6).
pub fn parse(text: &[u8]) -> Option<Authority<'_>> { todo!() }
