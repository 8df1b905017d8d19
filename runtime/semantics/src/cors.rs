//! `cors`: what scripts of other origins may ask for (Fetch standard §3.3, "CORS protocol").
//!
//! A preflight is answered with 204 before access and auth, since browsers send it without credentials; an actual request goes on and its answer gets fields.
//! A browser enforces, the server only says: a request that is not allowed is answered without `access-control-allow-*`. Whatever depends on the request's
//! Origin says `vary: origin`, also where no Origin was sent. Credentials never come with a wildcard: the types hold no such policy.

use crate::{ascii, head::Head, method::Method};

/// One scope's policy.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Policy<'a> {
    /// Who may ask.
    pub origins: Origins<'a>,
    /// Methods beside GET, HEAD and POST, which browsers ask with anyway.
    pub methods: Allowed<'a>,
    /// Request fields beside those on the standard's safelist. [`Allowed::Any`] does not hold `authorization` without credentials.
    pub headers: Allowed<'a>,
    /// Response fields that a script may read; [`Allowed::Any`] with credentials is refused by the compiler, and sent as nothing.
    pub exposed: Allowed<'a>,
    /// Seconds for which a browser may keep a preflight's answer; `None`: the browser's own (5 s).
    pub max_age_s: Option<u32>,
}

/// Which origins may ask.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Origins<'a> {
    /// Every one, without credentials.
    Any,
    /// These (as [`is_origin`] takes them).
    Listed {
        /// Compared byte by byte with Origin, which browsers send in lower case.
        origins: &'a [&'a str],
        /// With cookies, HTTP authentication and client certificates.
        has_credentials: bool,
    },
}

/// A list, or `*`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Allowed<'a> {
    /// `*`; with credentials, where `*` is a mere name, what the preflight asks for.
    Any,
    /// These.
    Listed(&'a [&'a str]),
}

/// What a request is to CORS.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// It goes on to access and action, and its answer gets the fields.
    Actual,
    /// It is answered with 204, the fields, and no body.
    Preflight,
}

/// A preflight is OPTIONS with Origin and Access-Control-Request-Method.
pub fn kind(head: &Head<'_>) -> Kind {
    let is_preflight =
        head.method == Method::OPTIONS && origin(head).is_some() && head.fields.first("access-control-request-method").is_some();
    if is_preflight { Kind::Preflight } else { Kind::Actual }
}

/// The method that a preflight asks for, by which its route is found; `None` for any other request.
pub fn preflight_method(head: &Head<'_>) -> Option<Method> {
    match kind(head) {
        Kind::Actual => None,
        Kind::Preflight => head.fields.first("access-control-request-method").map(Method::parse),
    }
}

/// Appends the answer's field lines, `name: value\r\n` each.
pub fn fields(policy: &Policy<'_>, head: &Head<'_>, kind: Kind, out: &mut Vec<u8>) {
    vary(policy, kind, out);
    let has_credentials = match policy.origins {
        Origins::Any => {
            line(out, "access-control-allow-origin", b"*");
            false
        }
        Origins::Listed { origins, has_credentials } => {
            let Some(origin) = origin(head).filter(|origin| origins.iter().any(|listed| listed.as_bytes() == *origin)) else { return };
            line(out, "access-control-allow-origin", origin);
            if has_credentials {
                line(out, "access-control-allow-credentials", b"true");
            }
            has_credentials
        }
    };
    match kind {
        Kind::Actual => list(out, "access-control-expose-headers", policy.exposed, has_credentials, None),
        Kind::Preflight => {
            let asked = |name| head.fields.first(name).filter(|value| is_token_list(value));
            list(out, "access-control-allow-methods", policy.methods, has_credentials, asked("access-control-request-method"));
            list(out, "access-control-allow-headers", policy.headers, has_credentials, asked("access-control-request-headers"));
            if let Some(seconds) = policy.max_age_s {
                out.extend_from_slice(b"access-control-max-age: ");
                number(seconds, out);
                out.extend_from_slice(b"\r\n");
            }
        }
    }
}

/// The origin that was sent; more than one line is none.
fn origin<'a>(head: &Head<'a>) -> Option<&'a [u8]> {
    let mut lines = head.fields.all("origin");
    lines.next().filter(|_| lines.next().is_none())
}

/// Names what the answer depends on. A preflight's is not stored by HTTP caches, but costs nothing to tell.
fn vary(policy: &Policy<'_>, kind: Kind, out: &mut Vec<u8>) {
    let Origins::Listed { has_credentials, .. } = policy.origins else { return };
    out.extend_from_slice(b"vary: origin");
    if kind == Kind::Preflight && has_credentials {
        if policy.methods == Allowed::Any {
            out.extend_from_slice(b", access-control-request-method");
        }
        if policy.headers == Allowed::Any {
            out.extend_from_slice(b", access-control-request-headers");
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// One field with a list; no line where it would be empty. `asked` stands in for `*` with credentials.
fn list(out: &mut Vec<u8>, name: &str, allowed: Allowed<'_>, has_credentials: bool, asked: Option<&[u8]>) {
    match allowed {
        Allowed::Any if has_credentials => {
            if let Some(asked) = asked {
                line(out, name, asked);
            }
        }
        Allowed::Any => line(out, name, b"*"),
        Allowed::Listed([]) => {}
        Allowed::Listed([first, others @ ..]) => {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(first.as_bytes());
            for other in others {
                out.extend_from_slice(b", ");
                out.extend_from_slice(other.as_bytes());
            }
            out.extend_from_slice(b"\r\n");
        }
    }
}

fn line(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    for part in [name.as_bytes(), b": ", value, b"\r\n"] {
        out.extend_from_slice(part);
    }
}

fn number(number: u32, out: &mut Vec<u8>) {
    let start = out.len();
    let mut left = number;
    loop {
        out.push(b'0' + (left % 10) as u8);
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}

/// Tokens between commas; what a client sent is repeated only if it is that.
fn is_token_list(value: &[u8]) -> bool {
    value.split(|&byte| byte == b',').all(|token| ascii::is_token(ascii::trim(token)))
}

/// Whether a text is an origin as browsers send it: `https://partner.example`, `http://localhost:3000`; lower case, no path, no default port, and no `null`,
/// which any sandboxed page can be.
pub fn is_origin(text: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.'));
    let Some(parsed) = crate::authority::parse(authority.as_bytes()) else { return false };
    let written = match parsed.port {
        Some(port) => authority.strip_suffix(&format!(":{port}")),
        None => Some(authority),
    };
    let is_default_port = matches!((scheme, parsed.port), ("http", Some(80)) | ("https", Some(443)));
    is_scheme && parsed.is_lower && written == Some(parsed.host) && !is_default_port
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    const LISTED: Policy<'static> = Policy {
        origins: Origins::Listed { origins: &["https://partner.example", "http://localhost:3000"], has_credentials: false },
        methods: Allowed::Listed(&["GET", "PUT"]),
        headers: Allowed::Listed(&["x-requested-with"]),
        exposed: Allowed::Listed(&["etag", "link"]),
        max_age_s: Some(3600),
    };
    const OPEN: Policy<'static> =
        Policy { origins: Origins::Any, methods: Allowed::Any, headers: Allowed::Any, exposed: Allowed::Any, max_age_s: None };
    const PARTNER: (&str, &str) = ("Origin", "https://partner.example");
    const PUT: (&str, &str) = ("Access-Control-Request-Method", "PUT");
    const NAMES: (&str, &str) = ("Access-Control-Request-Headers", "x-a,authorization");

    fn with_credentials(mut policy: Policy<'static>) -> Policy<'static> {
        policy.origins = Origins::Listed { origins: &["https://partner.example"], has_credentials: true };
        policy
    }

    #[track_caller]
    fn check(policy: &Policy<'_>, method: &str, sent: &[(&str, &str)], expected: &[&str]) {
        let mut out = Vec::new();
        samples::with_head(method, "/", sent, |head| fields(policy, head, kind(head), &mut out));
        let text = String::from_utf8(out).unwrap();
        assert!(text.is_empty() || text.ends_with("\r\n"));
        assert_eq!(text.split_terminator("\r\n").collect::<Vec<_>>(), expected, "{method} {sent:?}");
    }

    #[test]
    fn preflight_is_options_with_origin_and_method() {
        for (method, sent, expected) in [
            ("OPTIONS", &[PARTNER, PUT][..], Kind::Preflight),
            ("OPTIONS", &[PARTNER], Kind::Actual),
            ("OPTIONS", &[PUT], Kind::Actual),
            ("OPTIONS", &[PARTNER, PARTNER, PUT], Kind::Actual),
            ("PUT", &[PARTNER, PUT], Kind::Actual),
        ] {
            samples::with_head(method, "/", sent, |head| {
                assert_eq!(kind(head), expected, "{method} {sent:?}");
                assert_eq!(preflight_method(head), (expected == Kind::Preflight).then_some(Method::PUT));
            });
        }
    }

    #[test]
    fn listed_origin_is_told_back() {
        let origin = "access-control-allow-origin: https://partner.example";
        check(&LISTED, "GET", &[PARTNER], &["vary: origin", origin, "access-control-expose-headers: etag, link"]);
        let methods = "access-control-allow-methods: GET, PUT";
        let headers = "access-control-allow-headers: x-requested-with";
        check(&LISTED, "OPTIONS", &[PARTNER, PUT, NAMES], &["vary: origin", origin, methods, headers, "access-control-max-age: 3600"]);
    }

    #[test]
    fn other_origin_gets_vary_only() {
        for origin in ["https://PARTNER.example", "https://partner.example:8443", "https://partner.example.evil.example", "null", "*", ""] {
            check(&LISTED, "GET", &[("origin", origin)], &["vary: origin"]);
            check(&LISTED, "OPTIONS", &[("origin", origin), PUT], &["vary: origin"]);
        }
        check(&LISTED, "GET", &[], &["vary: origin"]);
        check(&LISTED, "GET", &[PARTNER, PARTNER], &["vary: origin"]);
    }

    #[test]
    fn any_origin_is_a_wildcard_without_vary() {
        let all = ["access-control-allow-origin: *", "access-control-allow-methods: *", "access-control-allow-headers: *"];
        check(&OPEN, "OPTIONS", &[PARTNER, PUT, NAMES], &all);
        check(&OPEN, "GET", &[PARTNER], &["access-control-allow-origin: *", "access-control-expose-headers: *"]);
        check(&OPEN, "GET", &[], &["access-control-allow-origin: *", "access-control-expose-headers: *"]);
    }

    #[test]
    fn credentials_never_come_with_a_wildcard() {
        let policy = with_credentials(OPEN);
        let origin = "access-control-allow-origin: https://partner.example";
        let credentials = "access-control-allow-credentials: true";
        let vary = "vary: origin, access-control-request-method, access-control-request-headers";
        let methods = "access-control-allow-methods: PUT";
        check(&policy, "GET", &[PARTNER], &["vary: origin", origin, credentials]);
        check(&policy, "OPTIONS", &[PARTNER, PUT], &[vary, origin, credentials, methods]);
        let headers = "access-control-allow-headers: x-a,authorization";
        check(&policy, "OPTIONS", &[PARTNER, PUT, NAMES], &[vary, origin, credentials, methods, headers]);
        let strange = ("access-control-request-headers", "x a; b");
        check(&policy, "OPTIONS", &[PARTNER, PUT, strange], &[vary, origin, credentials, methods]);
        check(&policy, "OPTIONS", &[("origin", "https://evil.example"), PUT], &[vary]);
    }

    #[test]
    fn max_age_is_decimal() {
        for (seconds, line) in [(0, "0"), (7, "7"), (u32::MAX, "4294967295")] {
            let policy = Policy { methods: Allowed::Listed(&[]), headers: Allowed::Listed(&[]), max_age_s: Some(seconds), ..OPEN };
            let line = format!("access-control-max-age: {line}");
            check(&policy, "OPTIONS", &[PARTNER, PUT], &["access-control-allow-origin: *", &line]);
        }
    }

    #[test]
    fn origins_are_told_from_other_texts() {
        for text in ["https://partner.example", "http://localhost:3000", "https://[::1]:8443", "chrome-extension://abc"] {
            assert!(is_origin(text), "{text}");
        }
        for text in [
            "",
            "*",
            "null",
            "partner.example",
            "https://partner.example/",
            "https://partner.example:443",
            "http://a:80",
            "https://a:0443",
            "https://a:",
            "https://a.",
            "HTTPS://a",
            "https://A",
            "https://*.example",
            "https://user@a",
            "1s://a",
        ] {
            assert!(!is_origin(text), "{text}");
        }
    }
}
