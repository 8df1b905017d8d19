//! One request head: the strict scan of HTTP/1.1 bytes (RFC 9112) and the view that guards, templates and handlers read.
//!
//! The scan is the strictest of the field: what two parsers could read differently is refused. `Head` is the same for every protocol version.

use std::net::IpAddr;

use crate::{
    authority,
    method::Method,
    path::{self, Path},
};

mod fields;
mod framing;
mod scanner;

pub use self::{
    fields::{FieldSpan, Fields, Span},
    scanner::scan,
};
pub(crate) use self::{
    fields::{is_name, members, push_line},
    framing::{content_length, is},
    scanner::{Halt, Notes, digit, expect, fields, value_end},
};

/// What the scan is bounded by.
#[derive(Clone, Copy, Debug)]
pub struct ScanLimits {
    /// Bytes of a whole head, its empty line included.
    pub head_bytes: u32,
    /// Field lines.
    pub fields: u16,
}

/// The version of HTTP that a request came by.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Version {
    /// HTTP/1.0.
    Http10,
    /// HTTP/1.1.
    Http11,
    /// HTTP/2.
    Http2,
    /// HTTP/3.
    Http3,
}

/// The scheme of the listener that a request came by, whatever an absolute-form target says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scheme {
    /// Without TLS.
    Http,
    /// With TLS.
    Https,
}

/// How the request's body is framed (RFC 9112 §6.3).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Framing {
    /// By the chunked coding.
    Chunked,
    /// No body: neither field was sent, or `content-length: 0`.
    Empty,
    /// By a length in bytes, at least one.
    Length(u64),
}

/// A complete, valid HTTP/1 head. Only [`view`] looks into the authority and the path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Scanned {
    /// Bytes of the head, its empty line included.
    pub head_bytes: usize,
    /// The method.
    pub method: Method,
    /// Where its token lies.
    pub method_span: Span,
    /// The request-target in origin-form (path and query) or `*`; for an absolute-form target the part behind the authority (`/` where empty).
    pub target: Span,
    /// Host field's value, or the authority of an absolute-form target; empty for HTTP/1.0 without Host.
    pub authority: Span,
    /// HTTP/1.0 or HTTP/1.1.
    pub version: Version,
    /// How the body is framed.
    pub framing: Framing,
    /// The connection may carry another request after this one's answer.
    pub is_persistent: bool,
    /// The client waits for 100 before it sends its body: HTTP/1.1, and there is a body.
    pub expects_continue: bool,
    /// A Connection: upgrade with an Upgrade field was sent (HTTP/1.1 only, RFC 9110 §7.8).
    pub asks_upgrade: bool,
    /// What the scan has seen of the target.
    pub(crate) shape: Shape,
}

/// What one pass over a target in origin-form tells of its path, so that [`view`] need not look again.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Shape {
    /// The path is in normal form without any escape, and `question` is what it says.
    pub(crate) is_plain: bool,
    /// Where the first `?` lies in the head's bytes.
    pub(crate) question: Option<u32>,
}

/// Why a head is refused; each has its status, and the connection is closed after the answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HeadFault {
    /// 400: syntax, framing in doubt, path that has no normal form, Host rules.
    BadRequest,
    /// 417: an Expect that is not 100-continue.
    ExpectationFailed,
    /// 431: more head bytes or fields than the limits allow.
    FieldsTooLarge,
    /// 411: POST, PUT or PATCH by HTTP/1.0, which knows no other end of a body than a `content-length`, without one.
    LengthRequired,
    /// 501: CONNECT, or a transfer coding other than chunked.
    NotImplemented,
    /// 414: the request line alone is over the limit.
    UriTooLong,
    /// 505: a version other than 1.0 and 1.1 in an HTTP/1 request line.
    VersionNotSupported,
}

impl HeadFault {
    /// The status of the answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::ExpectationFailed => 417,
            Self::FieldsTooLarge => 431,
            Self::LengthRequired => 411,
            Self::NotImplemented => 501,
            Self::UriTooLong => 414,
            Self::VersionNotSupported => 505,
        }
    }
}

/// View of one request head, the same for h1, h2 and h3. Everything is borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The method.
    pub method: Method,
    /// The method's token as sent.
    pub method_name: &'a str,
    /// The listener's scheme.
    pub scheme: Scheme,
    /// The version of HTTP.
    pub version: Version,
    /// Lower case, without port and trailing dot; an IPv6 literal keeps its brackets; empty where none was sent (HTTP/1.0).
    pub host: &'a str,
    /// The port that was sent with the host.
    pub port: Option<u16>,
    /// Path and query as sent.
    pub target: &'a str,
    /// The normal form; `*` for OPTIONS *.
    pub path: Path<'a>,
    /// Without its `?`; `None` where the target has no `?`.
    pub query: Option<&'a str>,
    /// The field lines.
    pub fields: Fields<'a>,
    /// The client's address: of the connection, or as a trusted proxy says.
    pub client: IpAddr,
    /// The address that the connection comes from.
    pub peer: IpAddr,
}

impl<'a> Head<'a> {
    /// The request-target as it stands in the request line, whatever its form (HTTP/1); path and query elsewhere.
    pub fn written_target(&self) -> &'a [u8] {
        let behind = self.fields.bytes().get(self.method_name.len() + 1..).unwrap_or_default();
        match self.version {
            Version::Http10 | Version::Http11 if behind.first() != Some(&b'/') => {
                behind.get(..memchr::memchr(b' ', behind).unwrap_or(0)).unwrap_or_default()
            }
            _ => self.target.as_bytes(),
        }
    }
}

/// Room that [`view`] writes normal forms to where the bytes as sent are not normal already; reused from request to request.
#[derive(Debug, Default)]
pub struct Scratch {
    /// A path.
    pub path: Vec<u8>,
    /// A host.
    pub host: Vec<u8>,
}

/// What is known of a request beside its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// The client's address.
    pub client: IpAddr,
    /// The address that the connection comes from.
    pub peer: IpAddr,
    /// The listener's scheme.
    pub scheme: Scheme,
}

impl Arrival {
    /// From a client that no proxy stands before.
    pub const fn direct(client: IpAddr, scheme: Scheme) -> Self {
        Self { client, peer: client, scheme }
    }
}

/// The view of a scanned head: normalises path and authority. Borrows from `bytes` where they are normal already, from `scratch` else.
///
/// `bytes` and `table` are those of the [`scan`].
#[inline]
pub fn view<'a>(
    bytes: &'a [u8],
    scanned: &Scanned,
    table: &'a [FieldSpan],
    scratch: &'a mut Scratch,
    arrival: Arrival,
) -> Result<Head<'a>, HeadFault> {
    let Scratch { path: path_scratch, host: host_scratch } = scratch;
    let (target, authority) = texts(bytes, scanned)?;
    let (host, port) = host(authority, host_scratch)?;
    let (path, query) = local(target, scanned, path_scratch)?;
    let method_name = match scanned.method.name() {
        Some(name) => name,
        None => text(bytes, scanned.method_span)?,
    };
    Ok(Head {
        method: scanned.method,
        method_name,
        scheme: arrival.scheme,
        version: scanned.version,
        host,
        port,
        target,
        path,
        query,
        fields: Fields::new(bytes, table),
        client: arrival.client,
        peer: arrival.peer,
    })
}

/// The path in normal form, and the query.
#[inline]
fn local<'a>(target: &'a str, scanned: &Scanned, scratch: &'a mut Vec<u8>) -> Result<(Path<'a>, Option<&'a str>), HeadFault> {
    let question = match scanned.shape.is_plain {
        true => scanned.shape.question.map(|at| at.wrapping_sub(scanned.target.start) as usize),
        false => memchr::memchr(b'?', target.as_bytes()),
    };
    let (raw, query) = match question {
        Some(at) => (target.get(..at).ok_or(HeadFault::BadRequest)?, target.get(at + 1..)),
        None => (target, None),
    };
    if scanned.shape.is_plain {
        return Ok((Path { text: raw, has_encoded_slash: false, has_encoded_backslash: false }, query));
    }
    let path = match path::survey(raw.as_bytes()) {
        Some(survey) => {
            Path { text: raw, has_encoded_slash: survey.has_encoded_slash, has_encoded_backslash: survey.has_encoded_backslash }
        }
        None if target == "*" => Path { text: target, has_encoded_slash: false, has_encoded_backslash: false },
        None => path::rewrite(raw.as_bytes(), scratch).map_err(|path::BadPath| HeadFault::BadRequest)?,
    };
    Ok((path, query))
}

/// Target and authority. Where Host is the first field, as it mostly is, both are in one short text from the head's first byte on: one check of it is cheaper
/// than two, and than one that does not begin where words of the input do.
#[inline]
fn texts<'a>(bytes: &'a [u8], scanned: &Scanned) -> Result<(&'a str, &'a str), HeadFault> {
    let (target, authority) = (scanned.target, scanned.authority);
    let distance = authority.start.wrapping_sub(target.start);
    // `GET TARGET HTTP/1.1`, CRLF, `host:` and a blank.
    if distance.wrapping_sub(target.length) <= 24 {
        let whole = text(bytes, Span { start: 0, length: authority.start + authority.length })?;
        let parts = whole.get(target.start as usize..(target.start + target.length) as usize).zip(whole.get(authority.start as usize..));
        return parts.ok_or(HeadFault::BadRequest);
    }
    Ok((text(bytes, target)?, text(bytes, authority)?))
}

fn text(bytes: &[u8], span: Span) -> Result<&str, HeadFault> {
    std::str::from_utf8(span.of(bytes)).map_err(|_not_ascii| HeadFault::BadRequest)
}

/// Host in normal form, and port.
#[inline]
fn host<'a>(sent: &'a str, scratch: &'a mut Vec<u8>) -> Result<(&'a str, Option<u16>), HeadFault> {
    if sent.is_empty() {
        return Ok(("", None));
    }
    let authority = authority::parse_text(sent).ok_or(HeadFault::BadRequest)?;
    if authority.is_lower {
        return Ok((authority.host, authority.port));
    }
    scratch.clear();
    scratch.extend(authority.host.bytes().map(|byte| byte.to_ascii_lowercase()));
    Ok((std::str::from_utf8(scratch).map_err(|_not_ascii| HeadFault::BadRequest)?, authority.port))
}
