//! One line: rendered with holes when the answer's head is ready, finished when its last byte is written.

use std::{mem, net::IpAddr};

use super::{
    Format, Part, Passage, Quoting, Redacted, Time,
    number::{number, seconds},
    passage,
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
    steps: Box<[Step<'t>]>,
}

/// Literal text and the part behind it.
#[derive(Clone, Copy, Debug)]
struct Step<'t> {
    text: &'t str,
    kind: Kind,
    part: Part<'t>,
}

/// What a part is, in one byte: a line is a walk over some thirty of them, and that of nested enums shows in its cost.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Client,
    End(EndPart),
    Header,
    Host,
    Method,
    /// Nothing but the text.
    None,
    Other,
    Passage,
    Protocol,
    Route,
    Secret,
    Status,
    Time,
    TimeCommon,
    Vhost,
    WrittenTarget,
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
    /// What has come of it at an upstream; none where it was not proxied.
    pub passage: Option<Passage<'a>>,
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
        let mut steps = Vec::with_capacity(format.parts.len());
        let mut text = "";
        for &part in format.parts {
            let kind = Kind::of(&part, &format.redacted);
            if !text.is_empty() && kind == Kind::None {
                steps.push(Step { text, kind, part });
            }
            match part {
                Part::Template(template::Part::Text(next)) => text = next,
                _ => steps.push(Step { text: mem::take(&mut text), kind, part }),
            }
        }
        if !text.is_empty() {
            steps.push(Step { text, kind: Kind::None, part: Part::Template(template::Part::Text("")) });
        }
        Self { format, steps: steps.into_boxed_slice() }
    }

    /// Whether lines tell parts of a second.
    pub fn is_fine(&self) -> bool {
        let is_fine =
            |part: &Part<'_>| matches!(part, Part::ConnectDuration | Part::Duration | Part::FirstByteDuration | Part::Passage | Part::Time);
        self.format.parts.iter().any(is_fine)
    }

    /// How values are quoted.
    pub fn quoting(&self) -> Quoting {
        self.format.quoting
    }

    /// Appends the line of a record, without its line end, and its holes.
    pub fn render(&self, record: &Record<'_>, out: &mut Vec<u8>, holes: &mut Vec<Hole>) {
        let line = out.len();
        for step in &self.steps {
            out.extend_from_slice(step.text.as_bytes());
            match step.kind {
                Kind::Client => template::client_ip(record.client, out),
                Kind::End(part) => holes.push(Hole { at: out.len() - line, part }),
                Kind::None => {}
                Kind::Status => number(record.status.into(), out),
                Kind::Time => out.extend_from_slice(&record.time.rfc3339),
                Kind::TimeCommon => out.extend_from_slice(&record.time.common),
                Kind::Route => self.name(record.route, out),
                Kind::Vhost => self.name(record.vhost, out),
                Kind::Passage => passage::push(&step.part, record.passage.as_ref(), self.format.quoting, out),
                kind => {
                    let start = out.len();
                    if let Some(subject) = &record.subject {
                        self.value(kind, &step.part, subject, out);
                    }
                    if out.len() == start && self.format.quoting == Quoting::Text {
                        out.push(b'-');
                    }
                }
            }
        }
    }

    /// A name that is quoted already.
    fn name(&self, name: &str, out: &mut Vec<u8>) {
        match name.is_empty() && self.format.quoting == Quoting::Text {
            true => out.push(b'-'),
            false => out.extend_from_slice(name.as_bytes()),
        }
    }

    /// What the request says.
    fn value(&self, kind: Kind, part: &Part<'_>, subject: &Subject<'_>, out: &mut Vec<u8>) {
        let (head, quoting) = (subject.head, self.format.quoting);
        match (kind, part) {
            (Kind::Host, _) => Value::whole(quoting, head.host.as_bytes(), out),
            (Kind::Method, _) => Value::whole(quoting, head.method_name.as_bytes(), out),
            (Kind::Protocol, _) => out.extend_from_slice(protocol(head.version)),
            (Kind::WrittenTarget, _) => url(head.written_target(), &self.format, out),
            (Kind::Header, Part::Template(template::Part::Header(name))) => {
                url(head.fields.first(name).unwrap_or_default(), &self.format, out);
            }
            (Kind::Secret, Part::Template(part)) => out.extend_from_slice(if is_there(*part, head) { REDACTED } else { b"" }),
            (_, Part::Template(part)) => request_value(part, subject, &self.format, out),
            _ => {}
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

impl Kind {
    fn of(part: &Part<'_>, redacted: &Redacted<'_>) -> Self {
        match *part {
            Part::BodyBytes => Self::End(EndPart::BodyBytes),
            Part::Cause => Self::End(EndPart::Cause),
            Part::Duration => Self::End(EndPart::Duration),
            Part::Outcome => Self::End(EndPart::Outcome),
            Part::Attempts
            | Part::ConnectDuration
            | Part::Endpoint
            | Part::FirstByteDuration
            | Part::Passage
            | Part::Upstream
            | Part::UpstreamStatus => Self::Passage,
            Part::Protocol => Self::Protocol,
            Part::ReceivedBytes => Self::End(EndPart::ReceivedBytes),
            Part::Route => Self::Route,
            Part::SentBytes => Self::End(EndPart::SentBytes),
            Part::Template(part) => Self::of_template(part, redacted),
            Part::Time => Self::Time,
            Part::TimeCommon => Self::TimeCommon,
            Part::Vhost => Self::Vhost,
            Part::WrittenTarget => Self::WrittenTarget,
        }
    }

    fn of_template(part: template::Part<'_>, redacted: &Redacted<'_>) -> Self {
        match part {
            template::Part::ClientIp => Self::Client,
            template::Part::Cookie(name) | template::Part::Header(name) | template::Part::QueryValue(name)
                if redacted.has(name.as_bytes()) =>
            {
                Self::Secret
            }
            // Cookies in it may be secrets.
            template::Part::Header("cookie") => Self::Other,
            template::Part::Header(_) => Self::Header,
            template::Part::Host => Self::Host,
            template::Part::Late(_) => Self::Secret,
            template::Part::Method => Self::Method,
            template::Part::Status => Self::Status,
            template::Part::Text(_) => Self::None,
            template::Part::Cookie(_)
            | template::Part::Map(_)
            | template::Part::Parameter(_)
            | template::Part::Path
            | template::Part::Query
            | template::Part::QueryValue(_)
            | template::Part::RequestId
            | template::Part::Scheme
            | template::Part::Target => Self::Other,
        }
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
fn request_value(part: &template::Part<'_>, subject: &Subject<'_>, format: &Format<'_>, out: &mut Vec<u8>) {
    let (head, redacted, quoting) = (subject.head, format.redacted, format.quoting);
    match part {
        template::Part::Cookie(name) => {
            redacted.inner(cookie::first(head.fields, name).unwrap_or_default(), &mut Value::new(quoting, out));
        }
        template::Part::Header(name) => {
            redacted.field(name, head.fields.first(name).unwrap_or_default(), &mut Value::new(quoting, out));
        }
        template::Part::Parameter(index) => {
            url(subject.captures.get((*index).into(), head.path.text).as_bytes(), format, out);
        }
        template::Part::Path => url(head.path.text.as_bytes(), format, out),
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
        | template::Part::Host
        | template::Part::Late(_)
        | template::Part::Map(_)
        | template::Part::Method
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
    redacted.url(head.path.text.as_bytes(), out);
    if let Some(query) = head.query {
        out.push(b"?");
        redacted.query(query.as_bytes(), out);
    }
}
