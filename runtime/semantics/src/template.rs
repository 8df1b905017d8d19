//! Templates, resolved at build time to typed parts and rendered straight into an output buffer.
//!
//! Nothing is escaped but one thing: a request field that is inserted into a target has its control, space and non-ASCII bytes encoded, since they
//! would end the target.

use std::{fmt::Debug, io::Write as _, net::IpAddr};

use crate::{
    ascii, cookie,
    head::{Head, Scheme},
    late::Late,
    maps::Map,
    pattern::Captures,
    query,
};

/// One part of a template.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part<'t> {
    /// The client's address, IPv6 without brackets.
    ClientIp,
    /// First value of the cookie, undecoded; empty where absent.
    Cookie(&'t str),
    /// First value of the request field (lower-case name); empty where absent.
    Header(&'t str),
    /// The host in normal form.
    Host,
    /// A value that was read at start.
    Late(&'t Late<'t>),
    /// What a map has for its key; empty without row and default.
    Map(&'t MapLookup<'t>),
    /// The method's token.
    Method,
    /// The route's parameter by index, in normal form.
    Parameter(u8),
    /// The path in normal form.
    Path,
    /// The query without `?`; empty where none.
    Query,
    /// First value of the query key. Undecoded in targets, decoded once elsewhere.
    QueryValue(&'t str),
    /// What the exchange is called: 64 hexadecimal digits.
    RequestId,
    /// `http` or `https`.
    Scheme,
    /// Status of the answer that is being sent: three digits.
    Status,
    /// Path and query as matched: normal form, `?`, query.
    Target,
    /// Literal text.
    Text(&'t str),
}

/// A map and what it is asked for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct MapLookup<'t> {
    /// The key's template, rendered as [`Place::Value`] wherever the map's value goes. It reaches no `MapLookup` that it is part of: the compiler refuses circles.
    pub from: &'t [Part<'t>],
    /// The rows.
    pub map: Map<'t>,
}

/// What a rendering reads.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The request's head.
    pub head: &'a Head<'a>,
    /// The parameters of the route that was chosen.
    pub captures: &'a Captures,
    /// The answer's status.
    pub status: u16,
    /// What the exchange is called.
    pub request_id: &'a dyn RequestId,
}

/// What an exchange is called. Behind a trait, so that it is made only where it is asked for.
pub trait RequestId: Debug {
    /// The same text at every call.
    fn text(&self) -> &str;
}

impl RequestId for &str {
    fn text(&self) -> &str {
        self
    }
}

/// Where the rendered text goes: decides whether query values are decoded.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Place {
    /// A redirect's, rewrite's or upstream's target.
    Target,
    /// Anything else.
    Value,
}

/// Appends the rendered template to `out`.
pub fn render(parts: &[Part<'_>], subject: &Subject<'_>, place: Place, out: &mut Vec<u8>) {
    let head = subject.head;
    for part in parts {
        match *part {
            Part::ClientIp => client_ip(head.client, out),
            Part::Cookie(name) => field(cookie::first(head.fields, name).unwrap_or_default(), place, out),
            Part::Header(name) => field(head.fields.first(name).unwrap_or_default(), place, out),
            Part::Host => out.extend_from_slice(head.host.as_bytes()),
            Part::Late(late) => field(late.text().as_bytes(), place, out),
            Part::Map(lookup) => map_value(lookup, subject, out),
            Part::Method => out.extend_from_slice(head.method_name.as_bytes()),
            Part::Parameter(index) => out.extend_from_slice(subject.captures.get(index.into(), head.path.text).as_bytes()),
            Part::Path => out.extend_from_slice(head.path.text.as_bytes()),
            Part::Query => out.extend_from_slice(head.query.unwrap_or_default().as_bytes()),
            Part::QueryValue(key) => {
                let value = head.query.and_then(|query| query::first(query, key)).unwrap_or_default();
                match place {
                    Place::Target => out.extend_from_slice(value.as_bytes()),
                    Place::Value => query::decode(value, out),
                }
            }
            Part::RequestId => out.extend_from_slice(subject.request_id.text().as_bytes()),
            Part::Scheme => out.extend_from_slice(match head.scheme {
                Scheme::Http => b"http",
                Scheme::Https => b"https",
            }),
            Part::Status => {
                out.extend([subject.status / 100 % 10, subject.status / 10 % 10, subject.status % 10].map(|digit| b'0' + digit as u8))
            }
            Part::Target => {
                out.extend_from_slice(head.path.text.as_bytes());
                if let Some(query) = head.query {
                    out.push(b'?');
                    out.extend_from_slice(query.as_bytes());
                }
            }
            Part::Text(text) => out.extend_from_slice(text.as_bytes()),
        }
    }
}

/// Appends the address, IPv6 without brackets.
pub(crate) fn client_ip(client: IpAddr, out: &mut Vec<u8>) {
    let IpAddr::V4(client) = client else {
        write!(out, "{client}").expect("a Vec takes everything");
        return;
    };
    for (number, octet) in client.octets().into_iter().enumerate() {
        if number > 0 {
            out.push(b'.');
        }
        match octet {
            100.. => out.extend_from_slice(&[b'0' + octet / 100, b'0' + octet / 10 % 10, b'0' + octet % 10]),
            10.. => out.extend_from_slice(&[b'0' + octet / 10, b'0' + octet % 10]),
            _ => out.push(b'0' + octet),
        }
    }
}

fn field(value: &[u8], place: Place, out: &mut Vec<u8>) {
    match place {
        Place::Value => out.extend_from_slice(value),
        Place::Target => {
            for &byte in value {
                if byte.is_ascii_graphic() { out.push(byte) } else { ascii::push_escape(byte, out) }
            }
        }
    }
}

/// The key is rendered where the value goes, and makes room for it.
fn map_value(lookup: &MapLookup<'_>, subject: &Subject<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    render(lookup.from, subject, Place::Value, out);
    let value = lookup.map.value(out.get(start..).unwrap_or_default());
    out.truncate(start);
    out.extend_from_slice(value.as_bytes());
}

/// Appends the location of a redirect: the rendered target, and the request's query unless `drops_query` or the rendered target has a `?`;
/// a fragment stays last. `false` (and `out` as before) where the rendered text holds a control byte, or would lead to another host though the
/// target is written as a path.
pub fn location(parts: &[Part<'_>], subject: &Subject<'_>, drops_query: bool, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    render(parts, subject, Place::Target, out);
    let rendered = out.get(start..).unwrap_or_default();
    if rendered.iter().any(|&byte| ascii::is(byte, ascii::CONTROL)) || leaves_host(parts, rendered) {
        out.truncate(start);
        return false;
    }
    let fragment = memchr::memchr(b'#', rendered).unwrap_or(rendered.len());
    let has_query = rendered.iter().take(fragment).any(|&byte| byte == b'?');
    if let Some(query) = subject.head.query.filter(|query| !drops_query && !has_query && !query.is_empty()) {
        let at = start + fragment;
        out.splice(at..at, std::iter::once(b'?').chain(query.bytes()));
    }
    true
}

/// The target begins with one slash, and what the request put behind it with another: `/{query.to}` as `//evil.example`. Browsers read a backslash
/// as a slash there (WHATWG URL, "relative slash state").
fn leaves_host(parts: &[Part<'_>], rendered: &[u8]) -> bool {
    matches!(parts.first(), Some(Part::Text(text)) if text.starts_with('/') && !text.starts_with("//"))
        && matches!(rendered, [b'/', b'/' | b'\\', ..])
}

/// Parses template text: `{name}`, `{{`, `}}`. Gives literal text and names with their byte offset, or the offset of the fault (a brace that is not closed,
/// not opened or has nothing inside).
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, usize> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(brace) = rest.find(['{', '}']) else {
            tokens.push(Token::Text(rest));
            break;
        };
        let (before, from) = rest.split_at(brace);
        if !before.is_empty() {
            tokens.push(Token::Text(before));
        }
        at += brace;
        if from.starts_with("{{") || from.starts_with("}}") {
            tokens.push(Token::Brace(if from.starts_with('{') { '{' } else { '}' }));
            at += 2;
            continue;
        }
        let inner = from.strip_prefix('{').ok_or(at)?;
        let end = inner.find(['{', '}']).ok_or(at)?;
        let (name, behind) = inner.split_at(end);
        if name.is_empty() || behind.starts_with('{') {
            return Err(at);
        }
        tokens.push(Token::Name(name, at + 1));
        at += end + 2;
    }
    Ok(tokens)
}

/// A token of template text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Token<'t> {
    /// The text between braces, and its offset.
    Name(&'t str, usize),
    /// Text outside of braces.
    Text(&'t str),
    /// `{{` or `}}`: one brace.
    Brace(char),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{maps::Rows, samples};

    fn rendered(part: Part<'_>, place: Place) -> String {
        samples::with_head("GET", "/a?v=%31+", &[("cookie", "s=a b; s=c"), ("cookie", "t=\"1\"")], |head| {
            let mut out = b">".to_vec();
            render(&[part], &Subject { head, captures: &Captures::default(), status: 200, request_id: &"" }, place, &mut out);
            String::from_utf8(out).unwrap()
        })
    }

    #[test]
    fn client_is_its_address() {
        for text in ["0.10.99.100", "255.1.0.9", "192.168.100.200", "::1", "2001:db8::a"] {
            let mut out = Vec::new();
            client_ip(text.parse().unwrap(), &mut out);
            assert_eq!(out, text.as_bytes());
        }
    }

    #[test]
    fn cookie_is_its_first_value_as_sent() {
        assert_eq!(rendered(Part::Cookie("s"), Place::Value), ">a b");
        assert_eq!(rendered(Part::Cookie("s"), Place::Target), ">a%20b");
        assert_eq!(rendered(Part::Cookie("t"), Place::Value), ">\"1\"");
        assert_eq!(rendered(Part::Cookie("S"), Place::Value), ">");
    }

    #[test]
    fn location_of_this_host_leads_to_no_other() {
        let sent = |text, part, target| {
            samples::with_head("GET", target, &[("x-to", "\\\\evil.example")], |head| {
                let (mut out, subject) = (b">".to_vec(), Subject { head, captures: &Captures::default(), status: 302, request_id: &"" });
                location(&[Part::Text(text), part], &subject, true, &mut out).then(|| String::from_utf8(out).unwrap())
            })
        };
        assert_eq!(sent("/", Part::QueryValue("to"), "/?to=/evil.example"), None);
        assert_eq!(sent("/", Part::Header("x-to"), "/"), None);
        assert_eq!(sent("/", Part::QueryValue("to"), "/?to=a//b").as_deref(), Some(">/a//b"));
        assert_eq!(sent("//", Part::Host, "/").as_deref().map(|out| out.starts_with(">//")), Some(true));
    }

    #[test]
    fn late_value_is_what_was_set() {
        let late = Late::env("A", None);
        assert_eq!(rendered(Part::Late(&late), Place::Value), ">");
        late.set(Some("a b\u{e4}".into())).unwrap();
        assert_eq!(rendered(Part::Late(&late), Place::Value), ">a b\u{e4}");
        assert_eq!(rendered(Part::Late(&late), Place::Target), ">a%20b%C3%A4");
    }

    #[test]
    fn map_is_asked_for_the_decoded_key_in_every_place() {
        let rows = Rows::Inline(&[("", "none"), ("1 ", "/b?c")]);
        let lookup = |from| MapLookup { from, map: Map { rows, default: Some("else") } };
        for place in [Place::Target, Place::Value] {
            assert_eq!(rendered(Part::Map(&lookup(&[Part::QueryValue("v")])), place), ">/b?c");
            assert_eq!(rendered(Part::Map(&lookup(&[Part::QueryValue("w")])), place), ">none");
            assert_eq!(rendered(Part::Map(&lookup(&[Part::Path])), place), ">else");
        }
        let inner = lookup(&[Part::QueryValue("w")]);
        let outer = MapLookup { from: &[Part::Map(&inner)], map: Map { rows: Rows::Inline(&[("none", "two")]), default: None } };
        assert_eq!(rendered(Part::Map(&outer), Place::Value), ">two");
    }
}
