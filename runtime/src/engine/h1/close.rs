//! How a connection ends so that its last answer arrives.
//!
//! Closing a socket with unread bytes resets it, and a reset can overtake the answer. So the sending side is shut first, and what the client
//! still sends is read and dropped for a while: bounded in bytes and in time.

use std::{
    future::{Future, poll_fn},
    task::Poll,
    time::Duration,
};

use super::{
    Transport,
    link::{Gone, Link},
    outbound,
    work::Work,
    write,
};
use crate::{clock, deadlines::Wait, errors, fault::Fault};

/// How long the client is listened to behind the last answer, in all (nginx's `lingering_timeout` is 5 s between two reads, its `lingering_time` 30 s).
const LINGER: Duration = Duration::from_secs(5);
/// Bytes that are read and dropped behind the last answer: a client that looks for the answer only when it has sent all loses it above that.
const LINGER_BYTES_MAX: usize = 32 * 1024 * 1024;

/// What ends exchanges whose answers could not be written.
const CLIENT_GONE: &str = "client-gone";

/// How a connection ends. What waits to be written is written before, unless the client is gone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum End {
    /// The client has all that it asked for.
    Close,
    /// The client is gone, or takes nothing.
    Gone,
    /// The last answer must arrive although the client may still send.
    Linger,
    /// The same, and the last answer is that of a fault without an exchange.
    Refuse(Fault),
    /// Not yet: there are no requests any more, and bytes go both ways.
    Switch,
}

impl From<Fault> for End {
    fn from(fault: Fault) -> Self {
        Self::Refuse(fault)
    }
}

impl From<Gone> for End {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

/// Ends the connection. What waits in `held` goes before the answer of a fault.
pub(crate) async fn end<S: Transport>(link: &Link<S>, end: End, held: Option<Box<Work>>) {
    if end == End::Gone {
        return link.records.end(&link.engine.worker, CLIENT_GONE);
    }
    let mut work = held.unwrap_or_else(Work::take);
    if let End::Refuse(fault) = end {
        let Work { input, out, .. } = &mut *work;
        let worker = &*link.engine.worker;
        worker.counters.add_fault(fault);
        let answer = errors::of_site(link.engine.settings.errors, fault.status());
        let before = out.len();
        let body_bytes = write::refusal(worker, answer, input.unread(), out);
        link.records.refuse(worker, (fault, link.arrived.client), (before, out.len(), body_bytes));
    }
    let is_written = flush(link, &mut work.out).await.is_ok();
    link.records.end(&link.engine.worker, CLIENT_GONE);
    work.give_back();
    if is_written && end != End::Close {
        linger(link).await;
    }
}

/// Shuts the sending side and listens until the client closes too, within bounds.
async fn linger<S: Transport>(link: &Link<S>) {
    poll_fn(|context| link.poll_shutdown(context)).await;
    link.timer.set(Wait::Read, link.engine.due(clock::ticks(LINGER)));
    let mut dropped = 0;
    poll_fn(|context| {
        while dropped < LINGER_BYTES_MAX {
            let mut work = Work::take();
            let filled = link.poll_fill(context, &mut work.input);
            work.give_back();
            match filled {
                Poll::Pending if link.timer.is_due(Wait::Read) => break,
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(0) | Err(Gone)) => break,
                Poll::Ready(Ok(bytes)) => dropped += bytes,
            }
        }
        Poll::Ready(())
    })
    .await;
}

/// Writes all of `out` and empties it.
pub(crate) fn flush<'a, S: Transport>(link: &'a Link<S>, out: &'a mut Vec<u8>) -> impl Future<Output = Result<(), Gone>> {
    outbound::write(link, out, b"")
}

/// Tells a connection over a limit so.
pub(crate) async fn turn_away<S: Transport>(link: Link<S>, limit: Fault) {
    link.attach().await;
    link.engine.worker.clock.refresh();
    end(&link, End::Refuse(limit), None).await;
}
