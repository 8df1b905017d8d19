//! The way out where it takes more than one write: answers that come later, long bodies, streamed bodies.
//!
//! The futures are written by hand: an `async fn` would hold its arguments twice, in every connection.

use std::{
    future::{Future, poll_fn},
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
};
use crate::{
    buffer::{CHUNK_BYTES, Chunk},
    clock,
    deadlines::Wait,
    fault::Fault,
    memory::{Grant, Place},
    response::Response,
    step::Step,
};

/// Drives a handler until its step is ready. Answers before it and informational ones are written meanwhile.
pub(crate) fn wait<'a, S: Transport>(
    link: &'a Link<S>,
    step: &'a mut Step<'_>,
    out: &'a mut Vec<u8>,
) -> impl Future<Output = Result<(), End>> {
    let mut written = 0;
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
        Poll::Pending
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

/// Writes a body piece by piece, the first one together with what is in `out`. A body that ends early, or does not end, breaks its promise: the
/// connection is not used any more. Where nothing of the answer was sent, the `earlier_bytes` that lie in front of its head still go out.
pub(crate) fn stream<'a, S: Transport>(
    link: &'a Link<S>,
    response: &'a mut Response,
    out: &'a mut Vec<u8>,
    earlier_bytes: usize,
) -> impl Future<Output = Result<(), End>> {
    let mut left = response.body_bytes();
    let mut chunk: Option<Chunk> = None;
    let mut written = 0;
    poll_fn(move |context| {
        loop {
            if chunk.is_none() && left > 0 {
                match next(link, response, left, context) {
                    Poll::Pending if out.is_empty() => return Poll::Pending,
                    // Nothing yet: what there is goes ahead.
                    Poll::Pending => {}
                    Poll::Ready(Some(piece)) => {
                        left -= piece.len() as u64;
                        chunk = Some(piece);
                    }
                    Poll::Ready(None) if !out.is_empty() && written <= earlier_bytes => {
                        out.truncate(earlier_bytes);
                        out.drain(..written.min(out.len()));
                        return Poll::Ready(Err(End::Close));
                    }
                    Poll::Ready(None) => return Poll::Ready(Err(End::Gone)),
                }
            }
            ready!(link.poll_write(context, out, chunk.as_deref().unwrap_or_default(), &mut written))?;
            out.clear();
            (chunk, written) = (None, 0);
            if left == 0 {
                return Poll::Ready(Ok(()));
            }
        }
    })
}

/// The next piece of a body of which `left` bytes are to come; `None`: there is none, or it is too long.
fn next<S: Transport>(link: &Link<S>, response: &mut Response, left: u64, context: &mut Context<'_>) -> Poll<Option<Chunk>> {
    let room = usize::try_from(left).map_or(CHUNK_BYTES, |left| left.min(CHUNK_BYTES));
    // After a panic the response is dropped and never polled again.
    let polled = catch_unwind(AssertUnwindSafe(|| response.poll_chunk(context, room)));
    let Ok(polled) = polled else {
        link.records.fail(panicked(link).name());
        return Poll::Ready(None);
    };
    let piece = ready!(polled).and_then(Result::ok).filter(|piece| piece.len() as u64 <= left);
    if piece.is_none() {
        link.records.fail("body-broken-off");
    }
    Poll::Ready(piece)
}
