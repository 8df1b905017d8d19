//! What a line tells of a proxied exchange: who was asked, how often, and how long it took.

use super::{
    Part, Quoting,
    number::{number, seconds},
    quote::Value,
};

/// What is known of a proxied exchange when its answer's head is.
#[derive(Clone, Copy, Debug)]
pub struct Passage<'a> {
    /// The upstream's name, or its URL.
    pub upstream: &'a str,
    /// The address of the endpoint that was asked last; empty where none was.
    pub endpoint: &'a str,
    /// How many times one was asked.
    pub attempts: u32,
    /// How long the last connect took; 0 where the connection was there already.
    pub connect_microseconds: u64,
    /// From the exchange's begin to the first byte of the last answer.
    pub first_byte_microseconds: u64,
    /// The status of the last answer; 0 where there was none.
    pub status: u16,
}

/// Appends one of the parts that tell of it; without one the part's own nothing.
#[inline(never)]
pub(super) fn push(part: &Part<'_>, passage: Option<&Passage<'_>>, quoting: Quoting, out: &mut Vec<u8>) {
    let start = out.len();
    match (part, passage) {
        (Part::Attempts, _) => number(passage.map_or(0, |passage| passage.attempts.into()), out),
        (Part::UpstreamStatus, _) => number(passage.map_or(0, |passage| passage.status.into()), out),
        (Part::ConnectDuration, Some(passage)) => seconds(passage.connect_microseconds, out),
        (Part::Endpoint, Some(passage)) => Value::whole(quoting, passage.endpoint.as_bytes(), out),
        (Part::FirstByteDuration, Some(passage)) => seconds(passage.first_byte_microseconds, out),
        (Part::Passage, Some(passage)) => members(passage, quoting, out),
        (Part::Upstream, Some(passage)) => Value::whole(quoting, passage.upstream.as_bytes(), out),
        _ => {}
    }
    if out.len() == start && quoting == Quoting::Text && *part != Part::Passage {
        out.push(b'-');
    }
}

/// Appends the members of an object, each with a comma before it.
fn members(passage: &Passage<'_>, quoting: Quoting, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"upstream\":\"");
    Value::whole(quoting, passage.upstream.as_bytes(), out);
    out.extend_from_slice(b"\",\"endpoint\":\"");
    Value::whole(quoting, passage.endpoint.as_bytes(), out);
    out.extend_from_slice(b"\",\"attempts\":");
    number(passage.attempts.into(), out);
    out.extend_from_slice(b",\"connect\":");
    seconds(passage.connect_microseconds, out);
    out.extend_from_slice(b",\"first_byte\":");
    seconds(passage.first_byte_microseconds, out);
    out.extend_from_slice(b",\"upstream_status\":");
    number(passage.status.into(), out);
}
