//! What is logged about one exchange: the format of a line.

use crate::template;

/// How a line is made.
#[derive(Clone, Copy, Debug)]
pub struct Format<'t> {
    /// What stands in it.
    pub parts: &'t [Part<'t>],
    /// How values are kept from meaning something else.
    pub quoting: Quoting,
    /// Whose values are not written.
    pub redacted: Redacted<'t>,
}

/// One part of a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part<'t> {
    /// Bytes of the answer's body that were sent, without framing.
    BodyBytes,
    /// The name of the fault that ended the exchange; empty where none did.
    Cause,
    /// Seconds from the request's complete head to the answer's last byte, with six decimals.
    Duration,
    /// `complete` or `aborted`.
    Outcome,
    /// `HTTP/1.1`.
    Protocol,
    /// Bytes of the request's body that arrived, without framing.
    ReceivedBytes,
    /// The pattern of the route that was chosen; empty where none was.
    Route,
    /// Bytes of the answer that were sent, head and all.
    SentBytes,
    /// As in other templates. Text stands as it is, everything else is quoted.
    Template(template::Part<'t>),
    /// When the head was complete, RFC 3339 in UTC with milliseconds: `2026-11-30T19:10:52.123Z`.
    Time,
    /// The same as NCSA's logs have it: `30/Nov/2026:19:10:52 +0000`.
    TimeCommon,
    /// The client's own request-target, undecoded.
    WrittenTarget,
    /// The first name of the vhost that was chosen; empty where none was.
    Vhost,
}

/// How values are kept from meaning something else.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Quoting {
    /// Inside JSON strings (RFC 8259 §7).
    Json,
    /// Quotes, backslashes, control bytes and whatever is not ASCII become `\xHH`.
    Text,
}

/// Whose values are not written: `[redacted]` stands for them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Redacted<'t> {
    /// Fields (lower case) and cookies.
    pub fields: &'t [&'t str],
    /// Keys of queries, wherever a query stands: in a target, or behind a `?` in a field's value.
    pub keys: &'t [&'t str],
}
