//! The way out where it takes more than one write: answers that come later, long bodies, streamed bodies.

use std::{
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::Poll,
};

use super::{
    Transport,
    close::flush,
    link::{Gone, Link},
};
use crate::{buffer::CHUNK_BYTES, later::Later, response::Response};

/// Drives a handler to its answer. Answers before it and informational ones are written meanwhile. `None`: it panicked.
pub(crate) async fn wait<S: Transport>(link: &Link<S>, mut later: Later<'_>, out: &mut Vec<u8>) -> Result<Option<Response>, Gone> {
    let mut written = 0;
    let response = poll_fn(|context| {
        // After a panic the future is dropped and never polled again.
        match catch_unwind(AssertUnwindSafe(|| Pin::new(&mut later).poll(context))) {
            Ok(Poll::Ready(response)) => return Poll::Ready(Ok(Some(response))),
            Ok(Poll::Pending) => {}
            Err(_panic) => return Poll::Ready(Ok(None)),
        }
        link.take_interim(out, false);
        if out.is_empty() {
            return Poll::Pending;
        }
        match link.poll_write(context, out, b"", &mut written) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Err(gone)) => Poll::Ready(Err(gone)),
            Poll::Ready(Ok(())) => {
                out.clear();
                written = 0;
                Poll::Pending
            }
        }
    })
    .await;
    out.drain(..written.min(out.len()));
    response
}

/// Writes `out` and a body that stays where it is; empties `out`.
pub(crate) async fn write<S: Transport>(link: &Link<S>, out: &mut Vec<u8>, body: &[u8]) -> Result<(), Gone> {
    let mut written = 0;
    poll_fn(|context| link.poll_write(context, out, body, &mut written)).await?;
    out.clear();
    Ok(())
}

/// Writes a body piece by piece, the first one together with what is in `out`. A body that ends early, or does not end, breaks its promise: the connection
/// is not used any more.
pub(crate) async fn stream<S: Transport>(link: &Link<S>, response: &mut Response, out: &mut Vec<u8>) -> Result<(), Gone> {
    let mut left = response.body_bytes();
    while left > 0 {
        let room = usize::try_from(left).map_or(CHUNK_BYTES, |left| left.min(CHUNK_BYTES));
        let ready = poll_fn(|context| Poll::Ready(response.poll_chunk(context, room))).await;
        let chunk = match ready {
            Poll::Ready(chunk) => chunk,
            Poll::Pending => {
                flush(link, out).await?;
                poll_fn(|context| response.poll_chunk(context, room)).await
            }
        };
        let Some(Ok(chunk)) = chunk else {
            return Err(Gone);
        };
        left = left.checked_sub(chunk.len() as u64).ok_or(Gone)?;
        write(link, out, &chunk).await?;
    }
    Ok(())
}
