//! One request head: the strict scan of HTTP/1.1 bytes (RFC 9112) and the view that guards, templates and handlers read.
//!
//! The scan is the strictest of the field: what two parsers could read differently is refused. `Head` is the same for every protocol version.

use std::net::IpAddr;

use crate::{method::Method, path::Path};

/// Where a piece of the head lies in its bytes: offset and length in bytes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Span { pub start: u32, pub length: u32 }

/// One field line: where its name and its value (without surrounding white space) lie.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct FieldSpan { pub name: Span, pub value: Span }

/// What the scan is bounded by.
#[derive(Clone, Copy, Debug)]
pub struct ScanLimits { pub head_bytes: u32, pub fields: u16 }

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Version { Http10, Http11, Http2, Http3 }

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scheme { Http, Https }

/// How the request's body is framed (RFC 9112 §6.3).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Framing { Chunked, Empty, Length(u64) }

/// A complete, valid HTTP/1 head.
#[derive(Clone, Copy, Debug)]
pub struct Scanned {
    /// Bytes of the head, its empty line included.
    pub head_bytes: usize,
    pub method: Method,
    pub method_span: Span,
    /// The request-target in origin-form (path and query) or `*`; for an absolute-form target the part behind the authority (`/` where empty).
    pub target: Span,
    /// Host field's value, or the authority of an absolute-form target; empty for HTTP/1.0 without Host.
    pub authority: Span,
    pub version: Version,
    pub framing: Framing,
    /// The connection may carry another request after this one's answer.
    pub is_persistent: bool,
    pub expects_continue: bool,
    /// A Connection: upgrade with an Upgrade field was sent.
    pub asks_upgrade: bool,
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
    /// 501: CONNECT, or a transfer coding other than chunked.
    NotImplemented,
    /// 414: the request line alone is over the limit.
    UriTooLong,
    /// 505: HTTP/2 or higher major version in an HTTP/1 request line.
    VersionNotSupported,
}

impl HeadFault {
    pub const fn status(self) -> u16 { todo!() }
}

/// Scans `bytes` for one head. `Ok(None)`: not complete yet (call again with more bytes). Fields are written to `table` (cleared first).
pub fn scan(bytes: &[u8], limits: ScanLimits, table: &mut Vec<FieldSpan>) -> Result<Option<Scanned>, HeadFault> { todo!() }

/// The field lines of one head, in the order received.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> { bytes: &'a [u8], table: &'a [FieldSpan] }

impl<'a> Fields<'a> {
    pub fn new(bytes: &'a [u8], table: &'a [FieldSpan]) -> Self { Self { bytes, table } }
    /// Names as received, values without surrounding white space.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a [u8])> { todo!() as std::vec::IntoIter<_> }
    /// Every value of the fields with that (lower-case) name, compared without case.
    pub fn all(self, name: &str) -> impl Iterator<Item = &'a [u8]> { todo!() as std::vec::IntoIter<_> }
    pub fn first(self, name: &str) -> Option<&'a [u8]> { todo!() }
}

/// View of one request head, the same for h1, h2 and h3. Everything is borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    pub method: Method,
    /// The method's token as sent.
    pub method_name: &'a str,
    pub scheme: Scheme,
    pub version: Version,
    /// Lower case, without port and trailing dot; an IPv6 literal keeps its brackets; empty where none was sent (HTTP/1.0).
    pub host: &'a str,
    pub port: Option<u16>,
    /// Path and query as sent.
    pub target: &'a str,
    /// The normal form; `*` for OPTIONS *.
    pub path: Path<'a>,
    /// Without its `?`; `None` where the target has no `?`.
    pub query: Option<&'a str>,
    pub fields: Fields<'a>,
    pub client: IpAddr,
}

/// Room that [`head`] writes normal forms to where the bytes as sent are not normal already; reused from request to request.
#[derive(Debug, Default)]
pub struct Scratch { pub path: Vec<u8>, pub host: Vec<u8> }

/// What is known of a request beside its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Arrival { pub client: IpAddr, pub scheme: Scheme }

/// The view of a scanned head: normalises path and authority. Borrows from `bytes` where they are normal already, from `scratch` else.
pub fn view<'a>(bytes: &'a [u8], scanned: &Scanned, table: &'a [FieldSpan], scratch: &'a mut Scratch, arrival: Arrival) -> Result<Head<'a>, HeadFault> { todo!() }
