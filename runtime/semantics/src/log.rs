//! What is logged about one exchange: the format of a line, and its rendering.
//!
//! A line is rendered when its answer's head is ready, while the request can still be looked at, with holes for what only the answer's end can tell; [`Renderer::finish`]
//! fills them. Nothing that a client sends can end a line, leave its quotes or look like another value ([`Quoting`]), and secrets are left out ([`Redacted`]).

mod line;
mod number;
mod passage;
mod quote;
mod redact;
#[cfg(test)]
mod tests;
mod time;

pub use self::{
    line::{Ending, Hole, Record, Renderer, lost, quoted},
    passage::Passage,
    quote::VALUE_BYTES_MAX,
    time::Time,
};
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
    /// How many times an endpoint was asked; 0 where the exchange was not proxied.
    Attempts,
    /// Bytes of the answer's body that were sent, without framing.
    BodyBytes,
    /// The name of the fault that ended the exchange; empty where none did.
    Cause,
    /// Seconds that the last connect took, with six decimals; 0 where the connection was there already, empty where the exchange was not proxied.
    ConnectDuration,
    /// Seconds from the request's complete head to the answer's last byte, with six decimals.
    Duration,
    /// The address of the endpoint that was asked last; empty where none was.
    Endpoint,
    /// Seconds from the exchange's begin to the first byte of the upstream's last answer, with six decimals; empty where the exchange was not proxied.
    FirstByteDuration,
    /// `complete` or `aborted`.
    Outcome,
    /// The members of a JSON object that tell how a proxied exchange has fared, each with a comma before it; nothing where it was not proxied.
    Passage,
    /// `HTTP/1.1`.
    Protocol,
    /// Bytes of the request's body that arrived, without framing.
    ReceivedBytes,
    /// The pattern of the route that was chosen; empty where none was.
    Route,
    /// Bytes of the answer that were sent, head and all.
    SentBytes,
    /// As in other templates. Text stands as it is, everything else is quoted. A status that was never sent is `0`, and what was read at start is a secret.
    Template(template::Part<'t>),
    /// When the head was complete, RFC 3339 in UTC with milliseconds: `2026-11-30T19:10:52.123Z`.
    Time,
    /// The same as NCSA's logs have it: `30/Nov/2026:19:10:52 +0000`.
    TimeCommon,
    /// The name of the upstream, or its URL where it has none; empty where the exchange was not proxied.
    Upstream,
    /// The status of the upstream's last answer; 0 where there was none.
    UpstreamStatus,
    /// The client's own request-target, undecoded.
    WrittenTarget,
    /// The first name of the vhost that was chosen; empty where none was.
    Vhost,
}

/// How values are kept from meaning something else. Each is cut at [`VALUE_BYTES_MAX`] bytes, and `[cut]` says so.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Quoting {
    /// Inside JSON strings (RFC 8259 §7). Beside quote, backslash and control characters, those of C1, DEL, line separators and marks that turn the direction of
    /// writing are escaped; each broken piece of UTF-8 becomes `\ufffd`, as everywhere (Unicode, "substitution of maximal subparts").
    Json,
    /// Quotes, backslashes, control bytes and whatever is not ASCII become `\xHH`, and an empty value `-`.
    Text,
}

/// Whose values are not written: `[redacted]` stands for them. Names are lower case and compared without case, `-` and `_`; one that stands in either list is a secret
/// as a field, as a cookie and as a key.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Redacted<'t> {
    /// Fields (lower case) and cookies.
    pub fields: &'t [&'t str],
    /// Keys of queries, wherever a query stands: in a target, or behind a `?` in a field's value. What stands before `@` in a URL is a secret, whatever is here.
    pub keys: &'t [&'t str],
}

/// The fields and cookies that no log shows.
pub const FIELDS: &[&str] = &[
    "api-key",
    "authorization",
    "connect.sid",
    "cookie",
    "jsessionid",
    "phpsessid",
    "private-token",
    "proxy-authorization",
    "set-cookie",
    "x-access-token",
    "x-amz-security-token",
    "x-api-key",
    "x-auth-token",
    "x-csrf-token",
    "x-xsrf-token",
];

/// The keys of queries whose values no log shows.
pub const KEYS: &[&str] = &[
    "access_token",
    "api_key",
    "apikey",
    "auth",
    "client_secret",
    "code",
    "id_token",
    "jwt",
    "key",
    "otp",
    "passwd",
    "password",
    "pwd",
    "refresh_token",
    "samlresponse",
    "secret",
    "session",
    "sessionid",
    "sid",
    "sig",
    "signature",
    "ticket",
    "token",
    "x-amz-security-token",
    "x-amz-signature",
    "x-goog-signature",
];

/// Both of them.
pub const REDACTED: Redacted<'static> = Redacted { fields: FIELDS, keys: KEYS };

const fn text(text: &'static str) -> Part<'static> {
    Part::Template(template::Part::Text(text))
}

const CLIENT: Part<'static> = Part::Template(template::Part::ClientIp);
const METHOD: Part<'static> = Part::Template(template::Part::Method);
const STATUS: Part<'static> = Part::Template(template::Part::Status);
const REFERER: Part<'static> = Part::Template(template::Part::Header("referer"));
const USER_AGENT: Part<'static> = Part::Template(template::Part::Header("user-agent"));

/// `format="json"`: an object in each line, with [`Quoting::Json`].
pub const JSON: &[Part<'static>] = &[
    text("{\"time\":\""),
    Part::Time,
    text("\",\"client\":\""),
    CLIENT,
    text("\",\"method\":\""),
    METHOD,
    text("\",\"host\":\""),
    Part::Template(template::Part::Host),
    text("\",\"target\":\""),
    Part::WrittenTarget,
    text("\",\"protocol\":\""),
    Part::Protocol,
    text("\",\"status\":"),
    STATUS,
    text(",\"bytes\":"),
    Part::BodyBytes,
    text(",\"sent\":"),
    Part::SentBytes,
    text(",\"received\":"),
    Part::ReceivedBytes,
    text(",\"duration\":"),
    Part::Duration,
    text(",\"outcome\":\""),
    Part::Outcome,
    text("\",\"cause\":\""),
    Part::Cause,
    text("\",\"vhost\":\""),
    Part::Vhost,
    text("\",\"route\":\""),
    Part::Route,
    text("\",\"referer\":\""),
    REFERER,
    text("\",\"user_agent\":\""),
    USER_AGENT,
    text("\"}"),
];

/// The same in a site with upstreams.
pub const JSON_PROXIED: &[Part<'static>] = &{
    let mut parts = [text("\""); JSON.len() + 2];
    let mut index = 0;
    // All but the last text, which ends a string and the object.
    while index + 1 < JSON.len() {
        parts[index] = JSON[index];
        index += 1;
    }
    parts[index + 1] = Part::Passage;
    parts[index + 2] = text("}");
    parts
};

/// `format="common"`: NCSA's common log format, with [`Quoting::Text`].
pub const COMMON: &[Part<'static>] = &[
    CLIENT,
    text(" - - ["),
    Part::TimeCommon,
    text("] \""),
    METHOD,
    text(" "),
    Part::WrittenTarget,
    text(" "),
    Part::Protocol,
    text("\" "),
    STATUS,
    text(" "),
    Part::BodyBytes,
];

/// `format="combined"`: the same, with Referer and User-Agent.
pub const COMBINED: &[Part<'static>] = &[
    CLIENT,
    text(" - - ["),
    Part::TimeCommon,
    text("] \""),
    METHOD,
    text(" "),
    Part::WrittenTarget,
    text(" "),
    Part::Protocol,
    text("\" "),
    STATUS,
    text(" "),
    Part::BodyBytes,
    text(" \""),
    REFERER,
    text("\" \""),
    USER_AGENT,
    text("\""),
];
