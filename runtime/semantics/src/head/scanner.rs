//! The scan: one pass from left to right over the bytes of an HTTP/1 head.
//!
//! Strict where RFC 9112 lets a recipient choose: lines end with CRLF and nothing else, no empty line before the request line, one SP between its parts,
//! no folded lines, no white space around a name, no control bytes, no bytes outside of visible ASCII in a target and no `#`. Every fault is found at the
//! first byte that makes it certain, so a longer input never turns a fault into another answer.

use crate::{
    ascii::{self, TARGET, TOKEN},
    authority::{self, Authority},
    head::{FieldSpan, HeadFault, ScanLimits, Scanned, Span, Version, framing::Facts},
    method::Method,
};

/// Why the scan stops before the head's end.
enum Halt {
    Fault(HeadFault),
    /// The bytes end here.
    More,
}

impl From<HeadFault> for Halt {
    fn from(fault: HeadFault) -> Self {
        Self::Fault(fault)
    }
}

/// The parts of a request line.
struct RequestLine {
    method: Method,
    method_span: Span,
    target: Target,
    version: Version,
    /// Behind its CRLF.
    end: usize,
}

/// A request-target by its parts (RFC 9112 §3.2).
struct Target {
    /// Of an absolute-form target.
    authority: Option<Span>,
    default_port: u16,
    /// Path and query, or `*`.
    local: Span,
}

/// Scans `bytes` for one head. `Ok(None)`: not complete yet (call again with more bytes). Fields are written to `table` (cleared first).
///
/// A head that fills `limits.head_bytes` without having ended is refused at once. The authority's and the path's syntax is [`super::view`]'s to judge.
pub fn scan(bytes: &[u8], limits: ScanLimits, table: &mut Vec<FieldSpan>) -> Result<Option<Scanned>, HeadFault> {
    table.clear();
    let limit = limits.head_bytes as usize;
    let window = bytes.get(..limit).unwrap_or(bytes);
    let line = match request_line(window) {
        Ok(line) => line,
        Err(halt) => return halted(halt, bytes.len() < limit, HeadFault::UriTooLong),
    };
    let mut facts = Facts::default();
    let head_bytes = match fields(window, line.end, limits.fields, table, &mut facts) {
        Ok(end) => end,
        Err(halt) => return halted(halt, bytes.len() < limit, HeadFault::FieldsTooLarge),
    };
    let conclusion = facts.conclude(line.version)?;
    let host = conclusion.host.unwrap_or_default();
    if let Some(authority) = line.target.authority {
        agree(authority.of(bytes), conclusion.host.map(|host| host.of(bytes)), line.target.default_port)?;
    }
    Ok(Some(Scanned {
        head_bytes,
        method: line.method,
        method_span: line.method_span,
        target: line.target.local,
        authority: line.target.authority.unwrap_or(host),
        version: line.version,
        framing: conclusion.framing,
        is_persistent: conclusion.is_persistent,
        expects_continue: conclusion.expects_continue,
        asks_upgrade: conclusion.asks_upgrade,
    }))
}

fn halted(halt: Halt, has_room: bool, overflow: HeadFault) -> Result<Option<Scanned>, HeadFault> {
    match halt {
        Halt::Fault(fault) => Err(fault),
        Halt::More if has_room => Ok(None),
        Halt::More => Err(overflow),
    }
}

/// `method SP request-target SP HTTP-version CRLF` (RFC 9112 §3).
fn request_line(bytes: &[u8]) -> Result<RequestLine, Halt> {
    let (method, method_end) = match bytes.first_chunk::<4>() {
        Some(b"GET ") => (Method::GET, 3),
        _ => method(bytes)?,
    };
    let start = method_end + 1;
    let end = run_end(bytes, start, TARGET);
    expect(bytes, end, b' ')?;
    if end == start {
        return Err(HeadFault::BadRequest.into());
    }
    let (version, line_end) = match bytes.get(end + 1..).and_then(|rest| rest.first_chunk::<10>()) {
        Some(b"HTTP/1.1\r\n") => (Version::Http11, end + 11),
        _ => version(bytes, end + 1)?,
    };
    if method == Method::CONNECT {
        return Err(HeadFault::NotImplemented.into());
    }
    let target = target(bytes, Span::between(start, end), method)?;
    Ok(RequestLine { method, method_span: Span::between(0, method_end), target, version, end: line_end })
}

fn method(bytes: &[u8]) -> Result<(Method, usize), Halt> {
    let end = run_end(bytes, 0, TOKEN);
    expect(bytes, end, b' ')?;
    match bytes.get(..end) {
        None | Some([]) => Err(HeadFault::BadRequest.into()),
        Some(token) => Ok((Method::parse(token), end)),
    }
}

/// Reads `HTTP/1.1` or another version byte by byte; gives also where the line ends.
fn version(bytes: &[u8], start: usize) -> Result<(Version, usize), Halt> {
    let mut at = start;
    for &wanted in b"HTTP/" {
        expect(bytes, at, wanted)?;
        at += 1;
    }
    let major = digit(bytes, at)?;
    expect(bytes, at + 1, b'.')?;
    let minor = digit(bytes, at + 2)?;
    expect(bytes, at + 3, b'\r')?;
    expect(bytes, at + 4, b'\n')?;
    match (major, minor) {
        (b'1', b'0') => Ok((Version::Http10, at + 5)),
        (b'1', b'1') => Ok((Version::Http11, at + 5)),
        _ => Err(HeadFault::VersionNotSupported.into()),
    }
}

/// Origin-form, `*` for OPTIONS, or absolute-form with http or https.
fn target(bytes: &[u8], span: Span, method: Method) -> Result<Target, HeadFault> {
    let text = span.of(bytes);
    match text {
        [b'/', ..] => return Ok(Target { authority: None, default_port: 80, local: span }),
        b"*" if method == Method::OPTIONS => return Ok(Target { authority: None, default_port: 80, local: span }),
        _ => {}
    }
    let scheme = memchr::memchr(b':', text).ok_or(HeadFault::BadRequest)?;
    let default_port = match text.get(..scheme) {
        Some(name) if name.eq_ignore_ascii_case(b"http") => 80,
        Some(name) if name.eq_ignore_ascii_case(b"https") => 443,
        _ => return Err(HeadFault::BadRequest),
    };
    let behind = text.get(scheme + 1..).and_then(|rest| rest.strip_prefix(b"//")).ok_or(HeadFault::BadRequest)?;
    let length = memchr::memchr3(b'/', b'?', b'\\', behind).unwrap_or(behind.len());
    let text_start = span.start as usize;
    let start = text_start + scheme + 3;
    let local = match behind.get(length..) {
        Some([b'/', ..]) => Span::between(start + length, text_start + text.len()),
        // No path: the one slash is borrowed from `//`.
        Some([]) => Span::between(start - 1, start),
        // A query without a path can't be told as one piece of the head; nobody sends it.
        _ => return Err(HeadFault::BadRequest),
    };
    Ok(Target { authority: Some(Span::between(start, start + length)), default_port, local })
}

/// An absolute-form target and Host must name the same authority; RFC 9112 §3.2.2 would let the target win, but others read Host.
fn agree(authority: &[u8], host: Option<&[u8]>, default_port: u16) -> Result<(), HeadFault> {
    let wanted = authority::parse(authority).ok_or(HeadFault::BadRequest)?;
    let Some(host) = host else { return Ok(()) };
    let sent = authority::parse(host).ok_or(HeadFault::BadRequest)?;
    let port = |authority: Authority<'_>| authority.port.unwrap_or(default_port);
    if wanted.host.eq_ignore_ascii_case(sent.host) && port(wanted) == port(sent) { Ok(()) } else { Err(HeadFault::BadRequest) }
}

/// `*( field-name ":" OWS field-value OWS CRLF ) CRLF` (RFC 9112 §5); gives where the head ends.
fn fields(bytes: &[u8], start: usize, limit: u16, table: &mut Vec<FieldSpan>, facts: &mut Facts) -> Result<usize, Halt> {
    let mut at = start;
    loop {
        let name_end = run_end(bytes, at, TOKEN);
        if name_end == at {
            expect(bytes, at, b'\r')?;
            expect(bytes, at + 1, b'\n')?;
            return Ok(at + 2);
        }
        if table.len() >= usize::from(limit) {
            return Err(HeadFault::FieldsTooLarge.into());
        }
        expect(bytes, name_end, b':')?;
        let mut value_start = name_end + 1;
        while let Some(b' ' | b'\t') = bytes.get(value_start) {
            value_start += 1;
        }
        let line_end = value_end(bytes, value_start);
        expect(bytes, line_end, b'\r')?;
        expect(bytes, line_end + 1, b'\n')?;
        let mut value_end = line_end;
        while value_end > value_start && matches!(bytes.get(value_end - 1), Some(b' ' | b'\t')) {
            value_end -= 1;
        }
        let field = FieldSpan { name: Span::between(at, name_end), value: Span::between(value_start, value_end) };
        table.push(field);
        facts.read(field.name.of(bytes), field.value.of(bytes), field.value)?;
        at = line_end + 2;
    }
}

/// The byte at `at` must be `wanted`.
#[inline(always)]
fn expect(bytes: &[u8], at: usize, wanted: u8) -> Result<(), Halt> {
    match bytes.get(at) {
        Some(byte) if *byte == wanted => Ok(()),
        Some(_) => Err(HeadFault::BadRequest.into()),
        None => Err(Halt::More),
    }
}

fn digit(bytes: &[u8], at: usize) -> Result<u8, Halt> {
    match bytes.get(at) {
        Some(byte) if byte.is_ascii_digit() => Ok(*byte),
        Some(_) => Err(HeadFault::BadRequest.into()),
        None => Err(Halt::More),
    }
}

/// Where the run of bytes of `class` that begins at `start` ends.
#[inline(always)]
fn run_end(bytes: &[u8], start: usize, class: u8) -> usize {
    let mut at = start;
    while let Some(&byte) = bytes.get(at)
        && ascii::is(byte, class)
    {
        at += 1;
    }
    at
}

/// Where the bytes that may stand in a value end: at the first control byte but HTAB.
#[inline]
fn value_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
            let found = controls(u64::from_le_bytes(*chunk));
            if found != 0 {
                at += (found.trailing_zeros() / 8) as usize;
                break;
            }
            at += 8;
        }
        while let Some(&byte) = bytes.get(at)
            && !ascii::is(byte, ascii::CONTROL)
        {
            at += 1;
        }
        if bytes.get(at) != Some(&b'\t') {
            return at;
        }
        at += 1;
    }
}

/// The high bit of each byte that is a control byte; exact up to the lowest one, which is what counts.
#[inline(always)]
fn controls(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let below_space = word.wrapping_sub(ONES * 0x20) & !word;
    let delete = word ^ (ONES * 0x7F);
    let is_delete = delete.wrapping_sub(ONES) & !delete;
    (below_space | is_delete) & HIGHS
}
