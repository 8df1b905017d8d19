//! The way out where it takes more than one write: answers that come later, long bodies, streamed bodies.
//!
//! The futures are written by hand: an `async fn` would hold its arguments twice, in every connection.

use std::{
    future::{Future, poll_fn},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll, ready},
};

use super::{
    Transport,
    answer::panicked,
    close::End,
    connection::MEMORY_WAIT,
    link::{Gone, Link},
    write::Body,
};
use crate::{
    buffer::{CHUNK_BYTES, Chunk},
    clock,
    deadlines::Wait,
    fault::Fault,
    memory::{Grant, Place},
    response::Response,
    step::Step,
    turn,
};

/// Bytes of a file that are sent in one turn of its connection, so that a fast client keeps no others waiting (as nginx has `sendfile_max_chunk`).
const TURN_BYTES: usize = 2 * 1024 * 1024;

/// Drives a handler until its step is ready. Answers before it and informational ones are written meanwhile. Ends where there is nobody to get the answer.
pub(crate) fn wait<'a, S: Transport>(
    link: &'a Link<S>,
    step: &'a mut Step<'_>,
    out: &'a mut Vec<u8>,
) -> impl Future<Output = Result<(), End>> {
    let mut written = 0;
    let mut has_ended = false;
    poll_fn(move |context| {
        let Step::Later(later) = step else {
            return Poll::Ready(Ok(()));
        };
        // After a panic the future is dropped and never polled again.
        let polled = catch_unwind(AssertUnwindSafe(|| Pin::new(later).poll(context)));
        if !matches!(polled, Ok(Poll::Pending)) {
            out.drain(..written.min(out.len()));
        }
        if let Poll::Ready(response) = polled.map_err(|_panic| panicked(link))? {
            *step = Step::Ready(response);
            return Poll::Ready(Ok(()));
        }
        link.take_interim(out, false);
        if !out.is_empty() {
            ready!(link.poll_write(context, out, b"", &mut written))?;
            out.clear();
            written = 0;
        }
        link.poll_departure(context, &mut has_ended).map(|gone| Err(gone.into()))
    })
}

/// Waits for memory in its order, and not for ever.
pub(crate) fn memory<S: Transport>(link: &Link<S>, bytes: usize) -> impl Future<Output = Result<Grant, Fault>> {
    let mut place = Place::default();
    poll_fn(move |context| {
        let was_queued = place.is_queued();
        match link.engine.worker.memory.poll_take(context, &mut place, bytes) {
            Poll::Ready(grant) => {
                if was_queued {
                    link.timer.clear(Wait::Write);
                }
                Poll::Ready(Ok(grant))
            }
            Poll::Pending if !was_queued => {
                link.timer.set(Wait::Write, link.engine.due(clock::ticks(MEMORY_WAIT)));
                Poll::Pending
            }
            Poll::Pending if link.timer.is_due(Wait::Write) => {
                link.timer.clear(Wait::Write);
                Poll::Ready(Err(Fault::MemoryTimedOut))
            }
            Poll::Pending => Poll::Pending,
        }
    })
}

/// Writes `out` and a body that stays where it is; empties `out`.
pub(crate) fn write<'a, S: Transport>(link: &'a Link<S>, out: &'a mut Vec<u8>, body: &'a [u8]) -> impl Future<Output = Result<(), Gone>> {
    let mut written = 0;
    poll_fn(move |context| {
        ready!(link.poll_write(context, out, body, &mut written))?;
        out.clear();
        Poll::Ready(Ok(()))
    })
}

/// A piece of at most so many bytes is copied behind the size of its chunk.
const COPIED_BYTES_MAX: usize = 1024;

/// How far the writing of a body is.
struct Flow {
    /// Bytes of output, and of the piece behind it, that are written.
    written: usize,
    /// Bytes of output in front of the answer.
    earlier_bytes: usize,
    /// The client sends no more, as this wait has seen.
    has_ended: bool,
}

/// Writes a body piece by piece, from its file or framed as `body` says, the first one together with what is in `out`. A body that ends early, or does not
/// end, breaks its promise: the connection is not used any more. Where nothing of the answer was sent, the `earlier_bytes` that lie in front of its head still go out.
pub(crate) fn stream<'a, S: Transport>(
    link: &'a Link<S>,
    response: &'a mut Response,
    out: &'a mut Vec<u8>,
    (body, earlier_bytes): (Body, usize),
) -> impl Future<Output = Result<(), End>> {
    let mut pieces = Pieces::new::<S>(body, response);
    let mut chunk: Option<Chunk> = None;
    let mut flow = Flow { written: 0, earlier_bytes, has_ended: false };
    poll_fn(move |context| {
        loop {
            if matches!(pieces, Pieces::InFile) {
                if ready!(poll_send_file(link, response, context, (out, &mut flow)))? {
                    return Poll::Ready(Ok(()));
                }
                response.read_instead();
                pieces = Pieces::new::<S>(Body::Streamed, response);
            }
            if chunk.is_none() && !pieces.have_ended() {
                match pieces.next(link, response, context) {
                    // Nothing yet: what there is goes ahead.
                    Poll::Pending => {
                        pieces.end_chunk(link, out);
                        if out.is_empty() {
                            return link.poll_departure(context, &mut flow.has_ended).map(|gone| Err(gone.into()));
                        }
                    }
                    Poll::Ready(Ok(piece)) => chunk = pieces.frame(link, response, out, piece),
                    Poll::Ready(Err(Broken)) => {
                        let end = broken_off(out, &flow);
                        if end == End::Gone && matches!(pieces, Pieces::ToTheEnd) {
                            // The end of the stream would tell that it is all.
                            link.reset();
                        }
                        return Poll::Ready(Err(end));
                    }
                }
            }
            let done = link.poll_write(context, out, chunk.as_deref().unwrap_or_default(), &mut flow.written);
            if done.is_pending() {
                // After a panic the response is dropped and never polled again.
                let went_on = catch_unwind(AssertUnwindSafe(|| response.go_on(context)));
                if went_on.is_err() {
                    link.records.fail(panicked(link).name());
                    return Poll::Ready(Err(End::Gone));
                }
            }
            ready!(done)?;
            out.clear();
            (chunk, flow.written, flow.has_ended) = (None, 0, false);
            if pieces.have_ended() {
                return Poll::Ready(Ok(()));
            }
            if S::SENDS_FILES && matches!(pieces, Pieces::Left(_)) && response.is_in_file() {
                // What lay in memory is sent.
                pieces = Pieces::InFile;
            }
        }
    })
}

/// Sends a body from the file that it lies in, behind what is in `out`. `Ok(false)`: the file is not of that kind, and what is left of the body is to be streamed.
fn poll_send_file<S: Transport>(
    link: &Link<S>,
    response: &mut Response,
    context: &mut Context<'_>,
    (out, flow): (&mut Vec<u8>, &mut Flow),
) -> Poll<Result<bool, End>> {
    let mut sent = 0;
    loop {
        if sent >= TURN_BYTES {
            return turn::end(context);
        }
        // After a panic the response is dropped and never polled again.
        let bytes = match catch_unwind(AssertUnwindSafe(|| response.poll_piece(context))) {
            Ok(Poll::Ready(Some(Err(error)))) if is_of_file(&error) => return Poll::Ready(Ok(false)),
            Ok(Poll::Ready(Some(bytes))) => bytes.unwrap_or(0),
            Ok(Poll::Ready(None)) => {
                link.end_write();
                return Poll::Ready(Ok(true));
            }
            Ok(Poll::Pending) => {
                // Nothing yet: what there is goes ahead.
                ready!(link.poll_write(context, out, b"", &mut flow.written))?;
                out.clear();
                flow.written = 0;
                return link.poll_departure(context, &mut flow.has_ended).map(|gone| Err(gone.into()));
            }
            Err(_panic) => {
                link.records.fail(panicked(link).name());
                return Poll::Ready(Err(broken_off(out, flow)));
            }
        };
        let Some(piece) = response.piece(bytes).filter(|_| bytes > 0) else {
            link.records.fail(cause(response));
            return Poll::Ready(Err(broken_off(out, flow)));
        };
        if piece.is_copied {
            sent += ready!(poll_send_copy(link, response, context, (out, &mut flow.written, bytes)))?;
            continue;
        }
        ready!(link.poll_write_more(context, out, &mut flow.written))?;
        out.clear();
        flow.written = 0;
        match ready!(link.poll_send_file(context, &piece)) {
            Ok(0) => {
                link.records.fail(cause(response));
                return Poll::Ready(Err(End::Gone));
            }
            Ok(bytes) => {
                response.advance(bytes);
                sent += bytes;
                flow.has_ended = false;
            }
            Err(error) if is_of_file(&error) => return Poll::Ready(Ok(false)),
            Err(_) => return Poll::Ready(Err(End::Gone)),
        }
    }
}

/// Sends a copy of the next `bytes` behind what is in `out`, as much of both as the socket takes; gives how much of the copy it took. Nothing is sent while they are not in the page cache.
fn poll_send_copy<S: Transport>(
    link: &Link<S>,
    response: &mut Response,
    context: &mut Context<'_>,
    (out, written, bytes): (&mut Vec<u8>, &mut usize, usize),
) -> Poll<Result<usize, End>> {
    let Ok(taken) = ready!(link.poll_send_copy(context, (out, written), |room| response.copy_piece(bytes, room))) else {
        return Poll::Ready(Err(End::Gone));
    };
    if *written >= out.len() {
        out.clear();
        *written = 0;
    }
    if let Some(taken) = taken {
        response.advance(taken);
    }
    Poll::Ready(Ok(taken.unwrap_or(0)))
}

/// The file system, or its kind of file, can't be sent from without a copy.
fn is_of_file(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
}

/// Why a body ended before its last byte.
fn cause(response: &Response) -> &'static str {
    response.fault().map_or("body-broken-off", Fault::name)
}

/// How an answer ends whose body is not there. Where nothing of it has been sent, its head is taken back, and the `earlier_bytes` in front of it still go out.
fn broken_off(out: &mut Vec<u8>, flow: &Flow) -> End {
    let Flow { written, earlier_bytes, .. } = *flow;
    if out.is_empty() || written > earlier_bytes {
        return End::Gone;
    }
    out.truncate(earlier_bytes);
    out.drain(..written.min(out.len()));
    End::Close
}

/// The body is not what its head says, and can't be told to be so any more.
struct Broken;

/// How the pieces of a body are told apart, and when they end.
enum Pieces {
    /// So many bytes are to come.
    Left(u64),
    /// The end is written as a piece of size 0. `false`: no piece has been.
    Chunked(bool),
    /// They are sent from their file.
    InFile,
    /// The end is that of the connection.
    ToTheEnd,
    /// All is in the output, or behind it.
    Ended,
}

impl Pieces {
    fn new<S: Transport>(body: Body, response: &Response) -> Self {
        match (body, response.body_bytes()) {
            (Body::Streamed, _) if S::SENDS_FILES && response.is_in_file() => Self::InFile,
            (Body::Chunked, _) => Self::Chunked(false),
            (Body::ToTheEnd, _) => Self::ToTheEnd,
            (_, Some(0) | None) => Self::Ended,
            (_, Some(left)) => Self::Left(left),
        }
    }

    fn have_ended(&self) -> bool {
        matches!(self, Self::Ended)
    }

    /// The next piece; `None`: the body has ended where it may.
    fn next<S: Transport>(
        &self,
        link: &Link<S>,
        response: &mut Response,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Chunk>, Broken>> {
        let left = match self {
            Self::Left(left) => *left,
            Self::Chunked(_) | Self::Ended | Self::InFile | Self::ToTheEnd => u64::MAX,
        };
        let room = usize::try_from(left).map_or(CHUNK_BYTES, |left| left.min(CHUNK_BYTES));
        // After a panic the response is dropped and never polled again.
        let polled = catch_unwind(AssertUnwindSafe(|| response.poll_chunk(context, room)));
        let Ok(polled) = polled else {
            link.records.fail(panicked(link).name());
            return Poll::Ready(Err(Broken));
        };
        Poll::Ready(match ready!(polled) {
            Some(Ok(piece)) if !piece.is_empty() && piece.len() as u64 <= left => Ok(Some(piece)),
            None if !matches!(self, Self::Left(_)) => Ok(None),
            Some(_) | None => {
                link.records.fail(cause(response));
                Err(Broken)
            }
        })
    }

    /// Appends to `out` what frames the piece. Gives the piece, which goes behind it, unless it is there already.
    fn frame<S: Transport>(&mut self, link: &Link<S>, response: &Response, out: &mut Vec<u8>, piece: Option<Chunk>) -> Option<Chunk> {
        let bytes = piece.as_ref().map_or(0, |piece| piece.len());
        let is_last = piece.is_none() || response.has_ended();
        let mut apart = piece;
        match self {
            Self::Ended | Self::InFile => return None,
            Self::Left(left) => {
                *left -= bytes as u64;
                if *left == 0 {
                    *self = Self::Ended;
                }
                return apart;
            }
            Self::ToTheEnd => link.records.add(0, bytes, 0),
            Self::Chunked(is_behind) => {
                let before = out.len();
                push_size(out, std::mem::replace(is_behind, true), bytes);
                let before_bytes = out.len() - before;
                if let Some(piece) = apart.as_mut().filter(|_| !is_last && bytes <= COPIED_BYTES_MAX) {
                    // So that its end needs no call of its own: an event may be all that comes for a long time.
                    out.extend(piece.iter().chain(b"\r\n"));
                    piece.consume(bytes);
                    *is_behind = false;
                }
                if is_last {
                    if let Some(piece) = apart.take() {
                        // It is copied so that the end needs no call of its own.
                        out.extend_from_slice(&piece);
                        push_size(out, true, 0);
                    }
                    out.extend_from_slice(response.trailer_lines());
                    out.extend_from_slice(b"\r\n");
                }
                link.records.add(before_bytes, bytes, (out.len() - before - before_bytes).saturating_sub(bytes));
            }
        }
        if is_last {
            *self = Self::Ended;
            link.records.complete();
        }
        apart
    }

    /// Nothing more is there for now: whoever reads whole chunks must not wait for the end of the last one.
    fn end_chunk<S: Transport>(&mut self, link: &Link<S>, out: &mut Vec<u8>) {
        if let Self::Chunked(is_behind) = self
            && std::mem::take(is_behind)
        {
            out.extend_from_slice(b"\r\n");
            link.records.add(2, 0, 0);
        }
    }
}

/// Appends the size of a chunk, behind the end of the one before it (RFC 9112 §7.1).
fn push_size(out: &mut Vec<u8>, is_behind: bool, bytes: usize) {
    if is_behind {
        out.extend_from_slice(b"\r\n");
    }
    let digits = bytes.checked_ilog(16).unwrap_or_default();
    out.extend((0..=digits).rev().map(|place| b"0123456789abcdef"[bytes >> (4 * place) & 15]));
    out.extend_from_slice(b"\r\n");
}
