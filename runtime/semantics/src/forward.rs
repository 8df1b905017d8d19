//! What an upstream gets of a request: request line, field lines and the empty line, made anew from the client's (RFC 9110 §7.6, RFC 9112 §3 and §6).
//!
//! Nothing goes on that the next parser could read differently, or that only the connection to the client was meant to know.
//!
//! - Path, query and Host are those that the site has matched; names and values go on as they came, each line in its one plain form.
//! - Hop-by-hop fields and what Connection names stay here; framing, `te`, `connection`, `upgrade` and `expect` are made for the next connection.
//! - What a client says of how its request came (`x-forwarded-*`, `forwarded`, `x-real-ip` and their like) is dropped unless it comes from a trusted proxy, and
//!   the connection's own word is added. Connection can't name it away.
//! - Names with `_` are dropped, whoever sends them, because CGI and its heirs read them as if they had hyphens; and `proxy`, which they read as `HTTP_PROXY`.

use std::io::Write as _;

use crate::{
    client::Trust,
    edits::{self, Edits},
    head::{Framing, Head},
    method::{Method, Methods},
    template::{Part, Subject},
    upgrade,
};

mod arrival;
pub(crate) mod fields;
mod target;

/// What one route says of its forwarded requests.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'p> {
    /// The request-target.
    pub target: Target<'p>,
    /// The Host field.
    pub host: HostPolicy<'p>,
    /// `request-headers`: applied behind everything that is set here.
    pub edits: &'p Edits<'p>,
    /// `path "raw"`: path and query as the client has sent them.
    pub is_raw: bool,
    /// Protocols that a client may upgrade to, lower case; `*` stands for any.
    pub upgrades: &'p [&'p str],
}

impl Policy<'_> {
    /// What a route says that says nothing.
    pub const NEW: Self = Self { target: Target::Same, host: HostPolicy::Preserve, edits: &Edits::NONE, is_raw: false, upgrades: &[] };
}

/// What becomes of the path; the query is kept.
#[derive(Clone, Copy, Debug)]
pub enum Target<'p> {
    /// The path as it was matched.
    Same,
    /// Without this prefix of whole segments, which has no slash at its end.
    Strip(&'p str),
    /// Another path; a query of its own replaces the request's.
    Template(&'p [Part<'p>]),
}

/// What the Host field says.
#[derive(Clone, Copy, Debug)]
pub enum HostPolicy<'p> {
    /// The endpoint's authority.
    Endpoint,
    /// This one.
    Literal(&'p str),
    /// What the client asked for, in normal form; the endpoint's authority where it did not say.
    Preserve,
}

/// The connection that a request goes to, and what is known of the one that it came by.
#[derive(Clone, Copy, Debug)]
pub struct Hop<'h> {
    /// The endpoint's authority; `localhost` for a Unix socket.
    pub endpoint: &'h str,
    /// The proxies before the site whose word counts.
    pub trust: Option<&'h Trust<'h>>,
    /// How the body is framed, towards the upstream too.
    pub framing: Framing,
    /// The client waits for 100 before it sends its body.
    pub expects_continue: bool,
    /// No other request will follow on the connection to the upstream.
    pub is_last: bool,
}

/// What was appended.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Forwarded {
    /// Values of `request-headers` that held a control byte and were not sent.
    pub unsent: u32,
    /// An upgrade was asked for: 101 is a possible answer.
    pub asks_upgrade: bool,
}

/// The rendered target is none that can be sent, which only parts of the request can bring about: 400.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TargetFault;

/// Methods that say something by a body, so that its absence is told (RFC 9110 §8.6).
const WITH_BODY: Methods = Methods::of(&[Method::PATCH, Method::POST, Method::PUT]);

/// Appends the head that the upstream gets; `out` is left as it was where there is none. Allocates nothing, but for a template's target that has to be brought to
/// the normal form.
pub fn head(policy: &Policy<'_>, subject: &Subject<'_>, hop: &Hop<'_>, out: &mut Vec<u8>) -> Result<Forwarded, TargetFault> {
    let (start, head) = (out.len(), subject.head);
    out.extend_from_slice(head.method_name.as_bytes());
    out.push(b' ');
    if let Err(fault) = target::push(policy, subject, out) {
        out.truncate(start);
        return Err(fault);
    }
    out.extend_from_slice(b" HTTP/1.1\r\nhost: ");
    push_host(policy.host, head, hop.endpoint, out);
    let fields_start = out.len();
    let word = arrival::Word::of(head, hop.trust);
    let noticed = fields::copy(head.fields, word, hop.framing == Framing::Chunked, out);
    if noticed.names_fields {
        fields::drop_named(head.fields, fields_start, out);
    }
    arrival::push(head, word, out);
    let unsent = edits::apply_behind(fields_start, policy.edits, subject, out);
    let upgrade = if noticed.names_upgrade { upgrade::asked(policy.upgrades, head, hop.framing) } else { None };
    push_framing(head.method, hop, out);
    push_connection(upgrade, noticed.takes_trailers, hop.is_last, out);
    out.extend_from_slice(b"\r\n");
    Ok(Forwarded { unsent, asks_upgrade: upgrade.is_some() })
}

/// Names that a request's edits can't have: what is made for the next connection.
pub fn is_reserved(name: &str) -> bool {
    edits::is_reserved(name) || ["expect", "host"].iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
}

fn push_host(policy: HostPolicy<'_>, head: &Head<'_>, endpoint: &str, out: &mut Vec<u8>) {
    match policy {
        HostPolicy::Literal(host) => out.extend_from_slice(host.as_bytes()),
        HostPolicy::Preserve if !head.host.is_empty() => push_authority(head, out),
        HostPolicy::Endpoint | HostPolicy::Preserve => out.extend_from_slice(endpoint.as_bytes()),
    }
    out.extend_from_slice(b"\r\n");
}

/// Host in normal form, and the port that was sent with it.
fn push_authority(head: &Head<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(head.host.as_bytes());
    if let Some(port) = head.port {
        write!(out, ":{port}").expect("a Vec takes everything");
    }
}

/// RFC 9112 §6.2 and §6.1; RFC 9110 §10.1.1.
fn push_framing(method: Method, hop: &Hop<'_>, out: &mut Vec<u8>) {
    match hop.framing {
        Framing::Chunked => out.extend_from_slice(b"transfer-encoding: chunked\r\n"),
        Framing::Empty if WITH_BODY.contains(method) => out.extend_from_slice(b"content-length: 0\r\n"),
        Framing::Empty => {}
        Framing::Length(bytes) => write!(out, "content-length: {bytes}\r\n").expect("a Vec takes everything"),
    }
    if hop.expects_continue && hop.framing != Framing::Empty {
        out.extend_from_slice(b"expect: 100-continue\r\n");
    }
}

/// Connection and the fields that it names (RFC 9110 §7.6.1, §7.8, §10.1.4).
fn push_connection(upgrade: Option<&str>, takes_trailers: bool, is_last: bool, out: &mut Vec<u8>) {
    let options = match (upgrade.is_some(), is_last, takes_trailers) {
        (false, false, false) => return,
        (true, _, false) => "upgrade",
        (true, _, true) => "upgrade, te",
        (false, true, false) => "close",
        (false, true, true) => "close, te",
        (false, false, true) => "te",
    };
    out.extend_from_slice(b"connection: ");
    out.extend_from_slice(options.as_bytes());
    out.extend_from_slice(b"\r\n");
    if let Some(protocol) = upgrade {
        out.extend_from_slice(b"upgrade: ");
        out.extend_from_slice(protocol.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    if takes_trailers {
        out.extend_from_slice(b"te: trailers\r\n");
    }
}

#[cfg(test)]
mod tests;
