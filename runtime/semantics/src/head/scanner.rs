//! The scan: one pass from left to right over the bytes of an HTTP/1 head.
//!
//! Strict where RFC 9112 lets a recipient choose: lines end with CRLF and nothing else, no empty line before the request line, one SP between its parts,
//! no folded lines, no white space around a name, no control bytes, no bytes outside of visible ASCII in a target and no `#`. Every fault is found at the
//! first byte that makes it certain, so a longer input never turns a fault into another answer.

use crate::{
    ascii::{self, PLAIN, TARGET, TOKEN, trim_end},
    authority::{self, Authority},
    head::{FieldSpan, HeadFault, ScanLimits, Scanned, Shape, Span, Version, framing::Facts},
    lanes::{self, WIDTH},
    method::Method,
};

/// What the lines of a head are told to.
pub(crate) trait Notes {
    /// Whether the name of that many bytes at the front of `line` can be one that [`Self::read`] knows.
    fn may_read(line: &[u8], length: usize) -> bool;

    /// Takes one field line into account.
    fn read(&mut self, name: &[u8], value: &[u8], place: Span) -> Result<(), HeadFault>;
}

/// Why the scan stops before the head's end.
pub(crate) enum Halt {
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
    shape: Shape,
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
#[inline]
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
    let conclusion = facts.conclude(line.method, line.version)?;
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
        shape: line.shape,
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
#[inline(always)]
fn request_line(bytes: &[u8]) -> Result<RequestLine, Halt> {
    let (method, method_end) = match bytes.first_chunk::<4>() {
        Some(text) if u32::from_le_bytes(*text) == u32::from_le_bytes(*b"GET ") => (Method::GET, 3),
        _ => method(bytes)?,
    };
    let start = method_end + 1;
    let (end, shape) = target_end(bytes, start);
    expect(bytes, end, b' ')?;
    if end == start {
        return Err(HeadFault::BadRequest.into());
    }
    let (version, line_end) = match bytes.get(end + 1..).and_then(|rest| rest.split_first_chunk::<8>()) {
        Some((text, [b'\r', b'\n', ..])) if u64::from_le_bytes(*text) == u64::from_le_bytes(*b"HTTP/1.1") => (Version::Http11, end + 11),
        _ => version(bytes, end + 1)?,
    };
    if method == Method::CONNECT {
        return Err(HeadFault::NotImplemented.into());
    }
    let span = Span::between(start, end);
    let (target, shape) = match bytes.get(start) {
        Some(b'/') => (Target { authority: None, default_port: 0, local: span }, shape),
        _ => (other_target(bytes, span, method)?, Shape::default()),
    };
    Ok(RequestLine { method, method_span: Span::between(0, method_end), target, shape, version, end: line_end })
}

#[inline(never)]
fn method(bytes: &[u8]) -> Result<(Method, usize), Halt> {
    let end = run_end(bytes, 0, TOKEN);
    expect(bytes, end, b' ')?;
    match bytes.get(..end) {
        None | Some([]) => Err(HeadFault::BadRequest.into()),
        Some(token) => Ok((Method::parse(token), end)),
    }
}

/// Reads `HTTP/1.1` or another version byte by byte; gives also where the line ends.
#[inline(never)]
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

/// `*` for OPTIONS, or absolute-form with http or https.
fn other_target(bytes: &[u8], span: Span, method: Method) -> Result<Target, HeadFault> {
    let text = span.of(bytes);
    if text == b"*" && method == Method::OPTIONS {
        return Ok(Target { authority: None, default_port: 0, local: span });
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
///
/// Not inlined: the loop needs its registers.
#[inline(never)]
pub(crate) fn fields<N: Notes>(bytes: &[u8], start: usize, limit: u16, table: &mut Vec<FieldSpan>, notes: &mut N) -> Result<usize, Halt> {
    let mut rest = bytes.get(start..).unwrap_or_default();
    loop {
        let behind = behind_name(rest);
        let name_length = rest.len() - behind.len();
        if name_length == 0 {
            let end = behind_line_end(rest)?;
            return Ok(bytes.len() - end.len());
        }
        if table.len() >= usize::from(limit) {
            return Err(HeadFault::FieldsTooLarge.into());
        }
        let value = match behind {
            // What everyone sends.
            [b':', b' ', value @ ..] if matches!(value, [b'!'..=b'~', ..]) => value,
            _ => value_start(behind)?,
        };
        let line_end = behind_value(value);
        let next = behind_line_end(line_end)?;
        let length = trim_end(value.get(..value.len() - line_end.len()).unwrap_or_default()).len();
        let name = Span::between(bytes.len() - rest.len(), bytes.len() - behind.len());
        let place = Span::sized(bytes.len() - value.len(), length);
        table.push(FieldSpan { name, value: place });
        if N::may_read(rest, name_length) {
            notes.read(name.of(bytes), place.of(bytes), place)?;
        }
        rest = next;
    }
}

/// What is behind the CRLF that must be here.
#[inline(always)]
fn behind_line_end(rest: &[u8]) -> Result<&[u8], Halt> {
    match rest {
        [b'\r', b'\n', next @ ..] => Ok(next),
        [] | [b'\r'] => Err(Halt::More),
        _ => Err(HeadFault::BadRequest.into()),
    }
}

/// What is behind the colon and the white space that follows it.
#[inline(never)]
fn value_start(rest: &[u8]) -> Result<&[u8], Halt> {
    let mut value = match rest {
        [b':', value @ ..] => value,
        [] => return Err(Halt::More),
        _ => return Err(HeadFault::BadRequest.into()),
    };
    while let [b' ' | b'\t', behind @ ..] = value {
        value = behind;
    }
    Ok(value)
}

/// The byte at `at` must be `wanted`.
#[inline(always)]
pub(crate) fn expect(bytes: &[u8], at: usize, wanted: u8) -> Result<(), Halt> {
    match bytes.get(at) {
        Some(byte) if *byte == wanted => Ok(()),
        Some(_) => Err(HeadFault::BadRequest.into()),
        None => Err(Halt::More),
    }
}

pub(crate) fn digit(bytes: &[u8], at: usize) -> Result<u8, Halt> {
    match bytes.get(at) {
        Some(byte) if byte.is_ascii_digit() => Ok(*byte),
        Some(_) => Err(HeadFault::BadRequest.into()),
        None => Err(Halt::More),
    }
}

/// Where the run of bytes of `class` that begins at `start` ends.
#[inline(always)]
fn run_end(bytes: &[u8], start: usize, class: u8) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    bytes.len() - behind_run(rest, class).len()
}

/// What is behind the bytes of `class`.
#[inline(always)]
fn behind_run(mut rest: &[u8], class: u8) -> &[u8] {
    while let Some((chunk, behind)) = rest.split_first_chunk::<4>()
        && ascii::are(chunk, class)
    {
        rest = behind;
    }
    while let [byte, behind @ ..] = rest
        && ascii::is(*byte, class)
    {
        rest = behind;
    }
    rest
}

/// What is behind the token that a field's name is. Most are letters and hyphens up to their colon.
#[inline(always)]
fn behind_name(mut rest: &[u8]) -> &[u8] {
    while let Some((chunk, behind)) = rest.split_first_chunk() {
        let length = lanes::name_bytes(u64::from_le_bytes(*chunk));
        if length < chunk.len() {
            rest = rest.get(length..).unwrap_or_default();
            break;
        }
        rest = behind;
    }
    if matches!(rest, [b':' | b'\r', ..]) { rest } else { behind_token(rest) }
}

/// The same for what is left of any token.
#[inline(never)]
fn behind_token(rest: &[u8]) -> &[u8] {
    behind_run(rest, TOKEN)
}

/// What is behind the bytes that may stand in a value: from the first control byte but HTAB on.
#[inline(always)]
fn behind_value(value: &[u8]) -> &[u8] {
    let mut rest = skip(value, lanes::stops_value);
    while let Some((chunk, behind)) = rest.split_first_chunk() {
        if let Some(found) = lanes::first_control(u64::from_le_bytes(*chunk)) {
            rest = rest.get(found..).unwrap_or_default();
            break;
        }
        rest = behind;
    }
    if matches!(rest, [b'\r', ..]) { rest } else { behind_odd_value(value, rest) }
}

/// Where the bytes that begin at `start` and may stand in a value end.
pub(crate) fn value_end(bytes: &[u8], start: usize) -> usize {
    bytes.len() - behind_value(bytes.get(start..).unwrap_or_default()).len()
}

/// The same for the last bytes of what has arrived, and for what is behind a HTAB.
#[inline(never)]
fn behind_odd_value<'a>(value: &'a [u8], mut rest: &'a [u8]) -> &'a [u8] {
    if rest.len() < 8
        && let Some(found) = lanes::first_control(lanes::last_word(value, rest.len()))
    {
        rest = rest.get(found..).unwrap_or_default();
    }
    while let [byte, behind @ ..] = rest
        && (!ascii::is(*byte, ascii::CONTROL) || *byte == b'\t')
    {
        rest = behind;
    }
    rest
}

/// Goes on by whole chunks as long as no byte of a chunk stops.
#[inline(always)]
fn skip(mut rest: &[u8], stops: impl Fn(u8) -> bool + Copy) -> &[u8] {
    while let Some((chunk, behind)) = rest.split_first_chunk::<WIDTH>()
        && !lanes::any(chunk, stops)
    {
        rest = behind;
    }
    rest
}

/// Goes over a target that begins at `start`: where it ends, and what its path is like. A path that is called plain is normal; the reverse need not hold.
#[inline(always)]
fn target_end(bytes: &[u8], start: usize) -> (usize, Shape) {
    let mut rest = bytes.get(start..).unwrap_or_default();
    let mut is_plain = true;
    while let [b'/', segment @ ..] = rest {
        is_plain &= !matches!(segment, [b'/' | b'.', ..]);
        rest = behind_run(segment, PLAIN);
    }
    let question = match rest {
        [b' ', ..] => return (bytes.len() - rest.len(), Shape { is_plain, question: None }),
        [b'?', ..] => Some((bytes.len() - rest.len()) as u32),
        _ => return (bytes.len() - behind_run(rest, TARGET).len(), Shape::default()),
    };
    let end = behind_run(skip(rest, lanes::stops_target), TARGET);
    (bytes.len() - end.len(), Shape { is_plain, question })
}
