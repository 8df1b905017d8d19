//! The way out where it takes more than one write: answers that come later, long bodies, streamed bodies.
//!
//! The futures are written by hand: an `async fn` would hold its arguments twice, in every connection.

mod pieces;

use std::{
    future::{Future, poll_fn},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll, ready},
};

use self::pieces::{Broken, Pieces, cause};
use super::{
    Transport,
    answer::panicked,
    close::End,
    connection::MEMORY_WAIT,
    link::{Gone, Link},
    write::Body,
};
use crate::{
    buffer::Chunk,
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

/// Sends a body from the file that it lies in, or by the pipe that it goes through, behind what is in `out`. `Ok(false)`: that is not possible, and what is left of the body is to be streamed.
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

/// The file system, its kind of file, or a socket can't be sent from without a copy.
fn is_of_file(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
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
