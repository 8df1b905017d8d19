//! How an answer becomes bytes: edits, `date`, `connection`, the empty line, and the body where it is short.

use semantics::{
    head::{Head, Version},
    method::Method,
    status,
};

use crate::{
    answer::Answer,
    edits, encode,
    exchange::Slot,
    response::Response,
    worker::{Counters, Worker},
};

/// Bodies up to this many bytes are copied behind their head and sent in one piece; longer ones go out by `writev`, uncopied
/// (the break-even of the prototype lay between 4 and 16 KiB).
pub(crate) const INLINE_BYTES_MAX: usize = 16 * 1024;

/// What `connection` says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Persistence {
    /// Nothing behind this answer: `connection: close`.
    Close,
    /// HTTP/1.1's default: no line.
    Keep,
    /// An HTTP/1.0 client asked for it: `connection: keep-alive`.
    KeepAsked,
    /// No requests any more: `connection: upgrade`.
    Switch,
}

impl Persistence {
    /// What an answer to a request of that version says.
    fn of(keeps: bool, version: Version) -> Self {
        match (keeps, version) {
            (false, _) => Self::Close,
            (true, Version::Http10) => Self::KeepAsked,
            (true, Version::Http11 | Version::Http2 | Version::Http3) => Self::Keep,
        }
    }
}

/// What is known of the exchange while its head is written.
pub(crate) struct Frame<'a> {
    pub(crate) head: &'a Head<'a>,
    pub(crate) slot: &'a Slot,
    /// The connection goes on behind the answer, unless its end is the body's.
    pub(crate) is_persistent: bool,
}

/// How the body follows its head.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Body {
    /// In memory, to be written from there.
    Apart,
    /// Piece by piece, each behind its size, until one of size 0.
    Chunked,
    /// Nothing more to write: it has none, or it stands behind its head already.
    Done,
    /// Piece by piece, as many bytes as its head says.
    Streamed,
    /// Piece by piece, until the connection ends.
    ToTheEnd,
    /// None, but bytes both ways.
    Tunnel,
}

/// The answer is one piece: a head, and a body that is short or none.
pub(crate) fn is_short(response: &Response) -> bool {
    !response.is_abort() && !response.is_tunnel() && !response.is_streamed() && response.ready_body().len() <= INLINE_BYTES_MAX
}

/// Appends the head and a short body to `out`. Gives what is left to write.
pub(crate) fn answer(worker: &Worker, response: &mut Response, frame: &mut Frame<'_>, out: &mut Vec<u8>) -> Body {
    let start = out.len();
    let has_date = response.has_date();
    let unsent = edits::head(response, frame.head, frame.slot, out);
    if unsent > 0 {
        Counters::add_many(&worker.counters.unsent_fields, unsent.into());
    }
    let is_coded = encode::answer(response, frame.head, frame.slot, start, out);
    let version = frame.head.version;
    let may_have_body = status::may_have_body(response.status());
    let streamed = match response.is_unmeasured() && may_have_body {
        false => Body::Streamed,
        true if version == Version::Http10 => {
            frame.is_persistent = false;
            Body::ToTheEnd
        }
        true => {
            out.extend_from_slice(b"transfer-encoding: chunked\r\n");
            Body::Chunked
        }
    };
    if response.is_tunnel() {
        end_head(worker, Persistence::Switch, has_date, out);
        return Body::Tunnel;
    }
    end_head(worker, Persistence::of(frame.is_persistent, version), has_date, out);
    let has_body = frame.head.method != Method::HEAD && may_have_body;
    let body = response.ready_body();
    match has_body {
        false => Body::Done,
        true if response.is_streamed() => streamed,
        // One that was coded is short enough to be copied, and may have been shorter than it is.
        true if body.len() > INLINE_BYTES_MAX && !is_coded => Body::Apart,
        true => {
            out.extend_from_slice(body);
            Body::Done
        }
    }
}

/// Appends a whole answer of the engine's own, which no edits touch, and says that the connection is closed. `request` is what lies in front of the input:
/// also a HEAD that is refused gets no body (RFC 9110 §9.3.2). Gives the bytes of the body.
pub(crate) fn refusal(worker: &Worker, answer: &Answer, request: &[u8], out: &mut Vec<u8>) -> usize {
    out.extend_from_slice(answer.head);
    end_head(worker, Persistence::Close, false, out);
    let body: &[u8] = if request.starts_with(b"HEAD ") { b"" } else { answer.body };
    out.extend_from_slice(body);
    body.len()
}

/// The engine's own lines and the empty line.
fn end_head(worker: &Worker, persistence: Persistence, has_date: bool, out: &mut Vec<u8>) {
    let connection: &[u8] = match persistence {
        Persistence::Close => b"connection: close\r\n\r\n",
        Persistence::Keep if has_date => b"\r\n",
        Persistence::Keep => return worker.clock.push_head_end(out),
        Persistence::KeepAsked => b"connection: keep-alive\r\n\r\n",
        Persistence::Switch => b"connection: upgrade\r\n\r\n",
    };
    if !has_date {
        worker.clock.push_date_line(out);
    }
    out.extend_from_slice(connection);
}
