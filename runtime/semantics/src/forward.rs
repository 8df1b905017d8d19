//! What an upstream gets of a request: request line, field lines and the empty line, made anew from the client's (RFC 9110 §7.6, RFC 9112 §3 and §6).
//!
//! Nothing goes on that the next parser could read differently, or that only the connection to the client was meant to know.

use crate::{client::Trust, edits::Edits, head::Framing, template::Part};

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
