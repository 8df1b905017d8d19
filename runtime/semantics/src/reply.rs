//! An upstream's answer: the strict scan of its head, how its body is framed (RFC 9112 §6.3), and what of it goes on to the client.
//!
//! As strict as the scan of requests, because here, too, two parsers that read one stream differently can be made to exchange answers: two lengths, a length and a
//! coding, a coding in HTTP/1.0, any but `chunked`, bare LF, folded lines, control bytes and a framed informational answer are faults. Then nothing of it goes on,
//! and its connection carries nothing else.

use crate::{
    edits::{self, Edits},
    head::{FieldSpan, Fields, Halt, HeadFault, ScanLimits, Span, digit, expect, fields, value_end},
    method::Method,
    template::Subject,
    upgrade,
};

pub(crate) mod copied;
mod facts;

use self::facts::{Conclusion, Facts};

/// What an upstream's head is bounded by: as much as the largest that is read at once, and more than servers by default let an application send.
pub const LIMITS: ScanLimits = ScanLimits { head_bytes: 64 << 10, fields: 256 };

/// What the answer is an answer to.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The request's method.
    pub method: Method,
    /// The protocol that was asked for, where one was ([`upgrade::asked`]).
    pub upgrade: Option<&'a str>,
}

/// How the answer's body is framed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Framing {
    /// By the chunked coding.
    Chunked,
    /// No body.
    Empty,
    /// By a length in bytes, at least one.
    Length(u64),
    /// By the end of the connection: a break can't be told from it.
    ToTheEnd,
}

/// A complete, valid head of an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Reply {
    /// Bytes of the head, its empty line included.
    pub head_bytes: usize,
    /// 100 to 599.
    pub status: u16,
    /// How the body is framed.
    pub framing: Framing,
    /// The connection may carry another request behind the body.
    pub is_persistent: bool,
    /// It has a Date field.
    pub has_date: bool,
    /// The reason phrase; may be empty.
    reason: Span,
    /// Its Content-Length goes on: it has one, and the status can have one.
    keeps_length: bool,
    /// Connection names fields.
    names_fields: bool,
}

/// Why an answer does not go on: 502 in its place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ReplyFault {
    /// Syntax, or framing in doubt, or a switch to a protocol that was not asked for.
    Malformed,
    /// More head bytes or fields than the limits allow.
    TooLarge,
}

/// What was appended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Appended {
    /// The lines have a Date.
    pub has_date: bool,
    /// Values of `upstream-headers` that held a control byte and were not sent.
    pub unsent: u32,
}

impl Reply {
    /// 1xx but 101: the answer is still to come (RFC 9110 §15.2).
    pub const fn is_interim(&self) -> bool {
        self.status < 200 && !self.is_switch()
    }

    /// 101: what follows are the other protocol's bytes.
    pub const fn is_switch(&self) -> bool {
        self.status == 101
    }
}

/// Scans `bytes` for one head. `Ok(None)`: not complete yet (call again with more bytes). Fields are written to `table` (cleared first).
///
/// A fault is found at the first byte that makes it certain; a head that fills the limit without having ended is refused at once.
pub fn scan(bytes: &[u8], limits: ScanLimits, asked: Asked<'_>, table: &mut Vec<FieldSpan>) -> Result<Option<Reply>, ReplyFault> {
    table.clear();
    let limit = limits.head_bytes as usize;
    let window = bytes.get(..limit).unwrap_or(bytes);
    let mut facts = Facts::default();
    let scanned = status_line(window).and_then(|line| Ok((fields(window, line.end, limits.fields, table, &mut facts)?, line)));
    match scanned {
        Ok((head_bytes, line)) => {
            let upgrade = facts.upgrade().map(|upgrade| upgrade.of(bytes));
            let is_switched = asked.upgrade.zip(upgrade).is_some_and(|(asked, upgrade)| upgrade::is_answered(asked, upgrade));
            let conclusion = facts.conclude(asked.method, line.status, line.is_http11).ok_or(ReplyFault::Malformed)?;
            if line.status == 101 && !(is_switched && facts.names_upgrade()) {
                return Err(ReplyFault::Malformed);
            }
            Ok(Some(reply(head_bytes, &line, &conclusion)))
        }
        Err(Halt::Fault(HeadFault::FieldsTooLarge)) => Err(ReplyFault::TooLarge),
        Err(Halt::Fault(_)) => Err(ReplyFault::Malformed),
        Err(Halt::More) if bytes.len() < limit => Ok(None),
        Err(Halt::More) => Err(ReplyFault::TooLarge),
    }
}

fn reply(head_bytes: usize, line: &StatusLine, conclusion: &Conclusion) -> Reply {
    let Conclusion { framing, is_persistent, has_date, keeps_length, names_fields } = *conclusion;
    Reply { head_bytes, status: line.status, framing, is_persistent, has_date, reason: line.reason, keeps_length, names_fields }
}

struct StatusLine {
    status: u16,
    reason: Span,
    is_http11: bool,
    /// Behind its CRLF.
    end: usize,
}

/// `HTTP-version SP status-code SP [ reason-phrase ] CRLF` (RFC 9112 §4). Without the second SP it is read as well: many send that, and it can mean one thing only.
#[inline(always)]
fn status_line(bytes: &[u8]) -> Result<StatusLine, Halt> {
    let (status, is_http11, start) = match bytes {
        _ if bytes.starts_with(b"HTTP/1.1 ") => match bytes.get(9..13) {
            Some(&[a @ b'1'..=b'5', b @ b'0'..=b'9', c @ b'0'..=b'9', b' ']) => (number([a, b, c]), true, 13),
            _ => odd_status(bytes)?,
        },
        _ => odd_status(bytes)?,
    };
    let end = value_end(bytes, start);
    expect(bytes, end, b'\r')?;
    expect(bytes, end + 1, b'\n')?;
    Ok(StatusLine { status, reason: Span::between(start, end), is_http11, end: end + 2 })
}

fn number(digits: [u8; 3]) -> u16 {
    digits.iter().fold(0, |number, digit| number * 10 + u16::from(digit.wrapping_sub(b'0')))
}

/// Status, version (whether 1.1) and where the reason begins, byte by byte.
#[inline(never)]
fn odd_status(bytes: &[u8]) -> Result<(u16, bool, usize), Halt> {
    for (at, &wanted) in b"HTTP/1.".iter().enumerate() {
        expect(bytes, at, wanted)?;
    }
    let minor = digit(bytes, 7)?;
    expect(bytes, 8, b' ')?;
    let status = number([digit(bytes, 9)?, digit(bytes, 10)?, digit(bytes, 11)?]);
    // RFC 9110 §15: other classes are invalid.
    if minor > b'1' || !(100..600).contains(&status) {
        return Err(HeadFault::BadRequest.into());
    }
    match bytes.get(12) {
        None => Err(Halt::More),
        Some(b' ') => Ok((status, minor == b'1', 13)),
        Some(b'\r') => Ok((status, minor == b'1', 12)),
        Some(_) => Err(HeadFault::BadRequest.into()),
    }
}

/// Appends the head that goes on: status line and end-to-end fields as `edits` (`upstream-headers`) want them, its length among them where it has one, without the
/// empty line and what the next connection is told. `bytes` and `table` are those of the [`scan`].
pub fn append(reply: &Reply, received: Fields<'_>, edits: &Edits<'_>, subject: &Subject<'_>, out: &mut Vec<u8>) -> Appended {
    out.extend_from_slice(b"HTTP/1.1 ");
    out.extend([reply.status / 100, reply.status / 10 % 10, reply.status % 10].map(|digit| b'0' + digit as u8));
    out.push(b' ');
    out.extend_from_slice(reply.reason.of(received.bytes()));
    out.extend_from_slice(b"\r\n");
    let start = out.len();
    append_fields(reply, received, out);
    let unsent = edits::apply_behind(start, edits, subject, out);
    Appended { has_date: reply.has_date, unsent }
}

/// Appends the end-to-end fields alone.
pub fn append_fields(reply: &Reply, received: Fields<'_>, out: &mut Vec<u8>) {
    copied::push(reply, received, out);
}

/// Appends what an informational answer goes on with: the same, but for the names that one of `edits` (`upstream-headers`, `headers`) sets or removes in the answer
/// behind it. Nothing is added.
pub fn append_interim(reply: &Reply, received: Fields<'_>, edits: [&Edits<'_>; 2], out: &mut Vec<u8>) {
    let start = out.len();
    append_fields(reply, received, out);
    edits::drop_any_lines(out, start, |name| edits.iter().any(|edits| edits::takes_away(edits, name)));
}

/// Names that an answer's edits can't have, in `upstream-headers` as in `headers`.
pub fn is_reserved(name: &str) -> bool {
    edits::is_reserved(name)
}

#[cfg(test)]
mod tests;
