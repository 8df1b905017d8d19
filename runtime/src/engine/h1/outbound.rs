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
    close::{End, flush},
    link::{Gone, Link},
};
use crate::{
    buffer::{CHUNK_BYTES, Chunk},
    later::Later,
    response::Response,
    step::Step,
};

/// Drives a handler to its answer. Answers before it and informational ones are written meanwhile.
pub(crate) fn wait<'a, S: Transport>(
    link: &'a Link<S>,
    mut step: Step<'a>,
    out: &'a mut Vec<u8>,
) -> impl Future<Output = Result<Response, End>> {
    let mut written = 0;
    poll_fn(move |context| {
        let polled = match &mut step {
            Step::Later(later) => poll_later(link, later, context)?,
            Step::Ready(response) => Poll::Ready(std::mem::replace(response, Response::Abort)),
        };
        if let Poll::Ready(response) = polled {
            out.drain(..written.min(out.len()));
            return Poll::Ready(Ok(response));
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

fn poll_later<S>(link: &Link<S>, later: &mut Later<'_>, context: &mut Context<'_>) -> Result<Poll<Response>, End> {
    // After a panic the future is dropped and never polled again.
    catch_unwind(AssertUnwindSafe(|| Pin::new(later).poll(context))).map_err(|_panic| End::Refuse(panicked(link)))
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
/// connection is not used any more.
pub(crate) async fn stream<S: Transport>(link: &Link<S>, response: &mut Response, out: &mut Vec<u8>) -> Result<(), Gone> {
    let mut left = response.body_bytes();
    while left > 0 {
        let chunk = match next(response, left, true).await {
            Some(chunk) => chunk?,
            None => {
                // Nothing yet: what there is goes ahead.
                flush(link, out).await?;
                next(response, left, false).await.ok_or(Gone)??
            }
        };
        left = left.checked_sub(chunk.len() as u64).ok_or(Gone)?;
        write(link, out, &chunk).await?;
    }
    Ok(())
}

/// The next piece of a body of which `left` bytes are to come. `None` if it is not there at once and `is_hasty`.
fn next(response: &mut Response, left: u64, is_hasty: bool) -> impl Future<Output = Option<Result<Chunk, Gone>>> {
    let room = usize::try_from(left).map_or(CHUNK_BYTES, |left| left.min(CHUNK_BYTES));
    poll_fn(move |context| match response.poll_chunk(context, room) {
        Poll::Pending if is_hasty => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
        Poll::Ready(Some(Ok(chunk))) => Poll::Ready(Some(Ok(chunk))),
        Poll::Ready(Some(Err(_)) | None) => Poll::Ready(Some(Err(Gone))),
    })
}
