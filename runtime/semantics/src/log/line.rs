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

/// What only the end of the answer can tell, and where in the line it goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Hole {
    /// Bytes of the rendered line in front of it.
    at: usize,
    part: EndPart,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum EndPart {
    BodyBytes,
    Cause,
    Duration,
    Outcome,
    ReceivedBytes,
    SentBytes,
}

/// A format, made ready to render lines by.
#[derive(Clone, Debug)]
pub struct Renderer<'t> {
    format: Format<'t>,
    /// For each part, whether its values are secrets.
    are_secret: Box<[bool]>,
}

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
    /// The first name of the vhost that was chosen, quoted already.
    pub vhost: &'a str,
    /// The pattern of the route that was chosen, quoted already.
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

impl<'t> Renderer<'t> {
    /// One of that format.
    pub fn new(format: Format<'t>) -> Self {
        let is_secret = |part: &Part<'_>| match *part {
            Part::Template(template::Part::Cookie(name) | template::Part::Header(name) | template::Part::QueryValue(name)) => {
                format.redacted.has(name.as_bytes())
            }
            Part::Template(template::Part::Late(_)) => true,
            _ => false,
        };
        Self { format, are_secret: format.parts.iter().map(is_secret).collect() }
    }

    /// Whether lines tell parts of a second.
    pub fn is_fine(&self) -> bool {
        self.format.parts.iter().any(|part| matches!(part, Part::Duration | Part::Time))
    }

    /// How values are quoted.
    pub fn quoting(&self) -> Quoting {
        self.format.quoting
    }

    /// Appends the line of a record, without its line end, and its holes.
    pub fn render(&self, record: &Record<'_>, out: &mut Vec<u8>, holes: &mut Vec<Hole>) {
        let line = out.len();
        for (part, &is_secret) in self.format.parts.iter().zip(&self.are_secret) {
            let start = out.len();
            let mut hole = |part| holes.push(Hole { at: start - line, part });
            match part {
                Part::BodyBytes => hole(EndPart::BodyBytes),
                Part::Cause => hole(EndPart::Cause),
                Part::Duration => hole(EndPart::Duration),
                Part::Outcome => hole(EndPart::Outcome),
                Part::ReceivedBytes => hole(EndPart::ReceivedBytes),
                Part::SentBytes => hole(EndPart::SentBytes),
                Part::Template(template::Part::Text(text)) => out.extend_from_slice(text.as_bytes()),
                Part::Time => out.extend_from_slice(&record.time.rfc3339),
                Part::TimeCommon => out.extend_from_slice(&record.time.common),
                part => {
                    self.value(part, is_secret, record, out);
                    if out.len() == start && self.format.quoting == Quoting::Text {
                        out.push(b'-');
                    }
                }
            }
        }
    }

    /// What may be empty.
    fn value(&self, part: &Part<'_>, is_secret: bool, record: &Record<'_>, out: &mut Vec<u8>) {
        match part {
            Part::Protocol => out.extend_from_slice(record.subject.map_or(b"", |subject| protocol(subject.head.version))),
            Part::Route => out.extend_from_slice(record.route.as_bytes()),
            Part::Template(template::Part::ClientIp) => template::client_ip(record.client, out),
            Part::Template(template::Part::Status) => number(record.status.into(), out),
            Part::Template(part) => {
                if let Some(subject) = &record.subject {
                    request_value(part, is_secret, subject, &self.format, out);
                }
            }
            Part::WrittenTarget => {
                if let Some(subject) = &record.subject {
                    url(subject.head.written_target(), &self.format, out);
                }
            }
            Part::Vhost => out.extend_from_slice(record.vhost.as_bytes()),
            // They are no values of the request.
            Part::BodyBytes
            | Part::Cause
            | Part::Duration
            | Part::Outcome
            | Part::ReceivedBytes
            | Part::SentBytes
            | Part::Time
            | Part::TimeCommon => {}
        }
    }

    /// Appends a rendered line whose holes are filled, and its line end.
    pub fn finish(&self, line: &[u8], holes: &[Hole], ending: &Ending, out: &mut Vec<u8>) {
        let mut written = 0;
        for hole in holes {
            out.extend_from_slice(line.get(written..hole.at).unwrap_or_default());
            written = hole.at;
            match hole.part {
                EndPart::BodyBytes => number(ending.body_bytes, out),
                EndPart::Cause if ending.cause.is_empty() && self.format.quoting == Quoting::Text => out.push(b'-'),
                EndPart::Cause => out.extend_from_slice(ending.cause.as_bytes()),
                EndPart::Duration => seconds(ending.microseconds, out),
                EndPart::Outcome => out.extend_from_slice(if ending.is_complete { b"complete" } else { b"aborted" }),
                EndPart::ReceivedBytes => number(ending.received_bytes, out),
                EndPart::SentBytes => number(ending.sent_bytes, out),
            }
        }
        out.extend_from_slice(line.get(written..).unwrap_or_default());
        out.push(b'\n');
    }
}

/// Text as it stands in lines: for names that are the site's own.
pub fn quoted(text: &str, quoting: Quoting) -> String {
    let mut out = Vec::with_capacity(text.len());
    Value::whole(quoting, text.as_bytes(), &mut out);
    // Every quoting makes text.
    String::from_utf8(out).unwrap_or_default()
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

fn protocol(version: Version) -> &'static [u8] {
    match version {
        Version::Http10 => b"HTTP/1.0",
        Version::Http11 => b"HTTP/1.1",
        Version::Http2 => b"HTTP/2.0",
        Version::Http3 => b"HTTP/3.0",
    }
}

/// What a template's part says of the request, without secrets.
fn request_value(part: &template::Part<'_>, is_secret: bool, subject: &Subject<'_>, format: &Format<'_>, out: &mut Vec<u8>) {
    let (head, redacted, quoting) = (subject.head, format.redacted, format.quoting);
    if is_secret {
        return out.extend_from_slice(if is_there(*part, head) { REDACTED } else { b"" });
    }
    match part {
        template::Part::Cookie(name) => {
            redacted.inner(cookie::first(head.fields, name).unwrap_or_default(), &mut Value::new(quoting, out));
        }
        template::Part::Header("cookie") => {
            redacted.field("cookie", head.fields.first("cookie").unwrap_or_default(), &mut Value::new(quoting, out));
        }
        template::Part::Header(name) => url(head.fields.first(name).unwrap_or_default(), format, out),
        template::Part::Host => Value::whole(quoting, head.host.as_bytes(), out),
        template::Part::Method => Value::whole(quoting, head.method_name.as_bytes(), out),
        template::Part::Parameter(index) => {
            Value::whole(quoting, subject.captures.get((*index).into(), head.path.text).as_bytes(), out);
        }
        template::Part::Path => Value::whole(quoting, head.path.text.as_bytes(), out),
        template::Part::Query => redacted.query(head.query.unwrap_or_default().as_bytes(), &mut Value::new(quoting, out)),
        template::Part::QueryValue(name) => {
            let value = head.query.and_then(|query| query::first(query, name)).unwrap_or_default();
            if value.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
                // Kept from the common case: it allocates.
                let decoded: Vec<u8> = query::decoded(value).collect();
                redacted.inner(&decoded, &mut Value::new(quoting, out));
            } else {
                redacted.inner(value.as_bytes(), &mut Value::new(quoting, out));
            }
        }
        template::Part::Target => target(head, &redacted, &mut Value::new(quoting, out)),
        // Of the site or of the engine, not of the client: plain but for a map's values.
        part @ (template::Part::ClientIp
        | template::Part::Late(_)
        | template::Part::Map(_)
        | template::Part::RequestId
        | template::Part::Scheme
        | template::Part::Status
        | template::Part::Text(_)) => {
            let start = out.len();
            template::render(&[*part], subject, Place::Value, out);
            let rendered = out.get(start..).unwrap_or_default();
            if rendered.len() > quote::VALUE_BYTES_MAX || !quote::is_plain(rendered) {
                let rendered = out.split_off(start);
                Value::new(quoting, out).push(&rendered);
            }
        }
    }
}

/// Whether the request has what a secret part asks for.
fn is_there(part: template::Part<'_>, head: &Head<'_>) -> bool {
    match part {
        template::Part::Cookie(name) => cookie::first(head.fields, name).is_some_and(|value| !value.is_empty()),
        template::Part::Header(name) => head.fields.first(name).is_some_and(|value| !value.is_empty()),
        template::Part::QueryValue(name) => head.query.and_then(|query| query::first(query, name)).is_some_and(|value| !value.is_empty()),
        _ => true,
    }
}

/// Appends a URL, a target, or whatever may have one in it, without secrets.
#[inline]
fn url(bytes: &[u8], format: &Format<'_>, out: &mut Vec<u8>) {
    match bytes.len() <= quote::VALUE_BYTES_MAX && quote::is_plain_url(bytes) {
        true => out.extend_from_slice(bytes),
        false => format.redacted.url(bytes, &mut Value::new(format.quoting, out)),
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
    if number < 10 {
        return out.push(b'0' + number as u8);
    }
    if number < 1000 {
        let number = number as u16;
        if number >= 100 {
            out.push(b'0' + (number / 100) as u8);
        }
        return out.extend_from_slice(&[b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]);
    }
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
