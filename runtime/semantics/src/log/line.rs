//! One line: rendered with holes when the answer's head is ready, finished when its last byte is written.

use std::net::IpAddr;

use super::{
    Format, Part, Quoting, Redacted, Time,
    quote::{self, Value},
    redact::REDACTED,
};
use crate::{
    cookie,
    head::{Head, Version},
    query,
    template::{self, Place, Subject},
};

/// Begins a hole; which one, the next byte says. In UTF-8 it stands nowhere (RFC 3629 §1), so in no literal text and behind no quoting.
pub const HOLE: u8 = 0xFF;

const BODY_BYTES: u8 = b'b';
const CAUSE: u8 = b'c';
const DURATION: u8 = b'd';
const OUTCOME: u8 = b'o';
const RECEIVED_BYTES: u8 = b'r';
const SENT_BYTES: u8 = b's';

/// What is known of an exchange when its answer's head is.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The request and what was chosen for it; none where its head could not be read.
    pub subject: Option<Subject<'a>>,
    /// The client's address.
    pub client: IpAddr,
    /// The answer's status; 0 where none is sent.
    pub status: u16,
    /// When the head was complete.
    pub time: &'a Time,
    /// The first name of the vhost that was chosen.
    pub vhost: &'a str,
    /// The pattern of the route that was chosen.
    pub route: &'a str,
}

/// What only the end of the answer can tell.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Ending {
    /// Bytes of the answer's body that were sent.
    pub body_bytes: u64,
    /// Bytes of the answer that were sent, head and all.
    pub sent_bytes: u64,
    /// Bytes of the request's body that arrived.
    pub received_bytes: u64,
    /// From the request's complete head to the answer's last byte.
    pub microseconds: u64,
    /// All of the answer was sent.
    pub is_complete: bool,
    /// The name of the fault that ended the exchange; empty where none did.
    pub cause: &'static str,
}

/// Appends the line of a record, without its line end.
pub fn render(format: &Format<'_>, record: &Record<'_>, out: &mut Vec<u8>) {
    let quoting = format.quoting;
    for part in format.parts {
        let start = out.len();
        match *part {
            Part::BodyBytes => hole(BODY_BYTES, out),
            Part::Cause => hole(CAUSE, out),
            Part::Duration => hole(DURATION, out),
            Part::Outcome => hole(OUTCOME, out),
            Part::Protocol => out.extend_from_slice(record.subject.map_or(b"", |subject| protocol(subject.head.version))),
            Part::ReceivedBytes => hole(RECEIVED_BYTES, out),
            Part::Route => Value::new(quoting, out).push(record.route.as_bytes()),
            Part::SentBytes => hole(SENT_BYTES, out),
            Part::Template(template::Part::Text(text)) => {
                out.extend_from_slice(text.as_bytes());
                continue;
            }
            Part::Template(template::Part::ClientIp) => template::client_ip(record.client, out),
            Part::Template(template::Part::Status) => number(record.status.into(), out),
            Part::Template(part) => {
                if let Some(subject) = &record.subject {
                    value(part, subject, format, out);
                }
            }
            Part::Time => out.extend_from_slice(&record.time.rfc3339),
            Part::TimeCommon => out.extend_from_slice(&record.time.common),
            Part::WrittenTarget => {
                if let Some(subject) = &record.subject {
                    format.redacted.url(subject.head.written_target(), &mut Value::new(quoting, out));
                }
            }
            Part::Vhost => Value::new(quoting, out).push(record.vhost.as_bytes()),
        }
        if out.len() == start && quoting == Quoting::Text {
            out.push(b'-');
        }
    }
}

/// Appends a rendered line whose holes are filled, and its line end.
pub fn finish(mut line: &[u8], ending: &Ending, quoting: Quoting, out: &mut Vec<u8>) {
    while let Some((front, behind)) = memchr::memchr(HOLE, line).and_then(|at| line.split_at_checked(at)) {
        out.extend_from_slice(front);
        match behind.get(1).copied().unwrap_or_default() {
            BODY_BYTES => number(ending.body_bytes, out),
            CAUSE if ending.cause.is_empty() && quoting == Quoting::Text => out.push(b'-'),
            CAUSE => out.extend_from_slice(ending.cause.as_bytes()),
            DURATION => seconds(ending.microseconds, out),
            OUTCOME => out.extend_from_slice(if ending.is_complete { b"complete" } else { b"aborted" }),
            RECEIVED_BYTES => number(ending.received_bytes, out),
            SENT_BYTES => number(ending.sent_bytes, out),
            _ => {}
        }
        line = behind.get(2..).unwrap_or_default();
    }
    out.extend_from_slice(line);
    out.push(b'\n');
}

/// Appends the line that stands for so many that were not written.
pub fn lost(lines: u64, time: &Time, quoting: Quoting, out: &mut Vec<u8>) {
    let (before, between, behind): (&[u8], &[u8], &[u8]) = match quoting {
        Quoting::Json => (b"{\"time\":\"", b"\",\"lost_lines\":", b"}\n"),
        Quoting::Text => (b"# ", b" lost lines: ", b"\n"),
    };
    out.extend_from_slice(before);
    out.extend_from_slice(&time.rfc3339);
    out.extend_from_slice(between);
    number(lines, out);
    out.extend_from_slice(behind);
}

fn hole(which: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&[HOLE, which]);
}

fn protocol(version: Version) -> &'static [u8] {
    match version {
        Version::Http10 => b"HTTP/1.0",
        Version::Http11 => b"HTTP/1.1",
        Version::Http2 => b"HTTP/2.0",
        Version::Http3 => b"HTTP/3.0",
    }
}

/// What a template's part says of the request, without secrets.
fn value(part: template::Part<'_>, subject: &Subject<'_>, format: &Format<'_>, out: &mut Vec<u8>) {
    let (head, redacted, quoting) = (subject.head, format.redacted, format.quoting);
    match part {
        template::Part::Cookie(name) => {
            let value = cookie::first(head.fields, name).unwrap_or_default();
            redacted.named(name, value, &mut Value::new(quoting, out));
        }
        template::Part::Header(name) => redacted.field(name, head.fields.first(name).unwrap_or_default(), &mut Value::new(quoting, out)),
        template::Part::Host => Value::new(quoting, out).push(head.host.as_bytes()),
        template::Part::Late(_) => out.extend_from_slice(REDACTED),
        template::Part::Method => Value::new(quoting, out).push(head.method_name.as_bytes()),
        template::Part::Parameter(index) => {
            Value::new(quoting, out).push(subject.captures.get(index.into(), head.path.text).as_bytes());
        }
        template::Part::Path => Value::new(quoting, out).push(head.path.text.as_bytes()),
        template::Part::Query => redacted.query(head.query.unwrap_or_default().as_bytes(), &mut Value::new(quoting, out)),
        template::Part::QueryValue(name) => {
            let value = head.query.and_then(|query| query::first(query, name)).unwrap_or_default();
            if value.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
                // Kept from the common case: it allocates.
                let decoded: Vec<u8> = query::decoded(value).collect();
                redacted.named(name, &decoded, &mut Value::new(quoting, out));
            } else {
                redacted.named(name, value.as_bytes(), &mut Value::new(quoting, out));
            }
        }
        template::Part::Target => target(head, &redacted, &mut Value::new(quoting, out)),
        // Of the site or of the engine, not of the client: plain but for a map's values.
        part @ (template::Part::ClientIp
        | template::Part::Map(_)
        | template::Part::RequestId
        | template::Part::Scheme
        | template::Part::Status
        | template::Part::Text(_)) => {
            let start = out.len();
            template::render(&[part], subject, Place::Value, out);
            let rendered = out.get(start..).unwrap_or_default();
            if rendered.len() > quote::VALUE_BYTES_MAX || !quote::is_plain(rendered) {
                let rendered = out.split_off(start);
                Value::new(quoting, out).push(&rendered);
            }
        }
    }
}

fn target(head: &Head<'_>, redacted: &Redacted<'_>, out: &mut Value<'_>) {
    out.push(head.path.text.as_bytes());
    if let Some(query) = head.query {
        out.push(b"?");
        redacted.query(query.as_bytes(), out);
    }
}

/// Decimal digits.
fn number(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    for place in digits.iter_mut().rev() {
        *place = b'0' + (number % 10) as u8;
        number /= 10;
        start -= 1;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}

/// `0.000123`.
fn seconds(microseconds: u64, out: &mut Vec<u8>) {
    number(microseconds / 1_000_000, out);
    let mut rest = microseconds % 1_000_000;
    let mut digits = *b".000000";
    for place in digits.iter_mut().skip(1).rev() {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&digits);
}
