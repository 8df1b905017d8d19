//! A connection behind a 101: bytes both ways, as they come.
//!
//! Each way holds one chunk at most, and none while nothing has come: who takes nothing keeps the other from being read. An end of one direction is passed on and
//! leaves the other open. Nothing is read into what moves; that no byte moved for too long ends it, and so does a client that takes too little.

use std::{
    future::{Future, poll_fn},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    task::{Context, Poll, ready},
};

use super::{
    Transport,
    answer::panicked,
    close::{End, flush},
    link::{Gone, Link},
    work::Work,
};
use crate::{
    buffer::{CHUNK_BYTES, Chunk},
    clock,
    deadlines::Wait,
    memory::Grant,
    tunnel::{Kept, Opened},
    turn,
    worker::{Counters, RequestPermit},
};

/// Bytes that are moved in one turn of the connection, so that others have theirs.
const TURN_BYTES: usize = 8 * CHUNK_BYTES;

/// What goes between a client and the other end of its tunnel.
#[derive(Debug)]
pub(crate) struct Traffic(Kept<Ways>);

#[derive(Debug)]
pub(crate) struct Ways {
    /// To the other end: what the client sent behind its request,
    early: Vec<u8>,
    /// and from there on.
    up: Way,
    /// To the client.
    down: Way,
    idle: Option<u32>,
    /// The exchange goes on.
    _permit: Option<RequestPermit>,
}

/// One direction.
#[derive(Debug, Default)]
struct Way {
    /// What has come and is not passed on,
    piece: Option<Chunk>,
    /// with its part of the memory while it waits.
    grant: Option<Grant>,
    /// Nothing more comes,
    is_over: bool,
    /// and that has been passed on.
    is_shut: bool,
}

/// What became of a look at one direction.
enum Moved {
    /// So many bytes.
    Bytes(usize),
    /// Its end, now or before.
    Shut,
}

impl Way {
    /// Nothing to pass on has come and its end has not.
    fn is_empty(&self) -> bool {
        self.piece.is_none() && !self.is_over
    }

    /// So many bytes have come in `piece`.
    fn put(&mut self, mut piece: Chunk, bytes: usize) {
        self.is_over = bytes == 0;
        if bytes > 0 {
            piece.set_filled(bytes);
            self.piece = Some(piece);
        }
    }

    /// So many of them have been passed on.
    fn consume(&mut self, bytes: usize) -> usize {
        if let Some(piece) = &mut self.piece {
            piece.consume(bytes);
            if piece.is_empty() {
                (self.piece, self.grant) = (None, None);
            }
        }
        bytes
    }
}

impl Traffic {
    pub(crate) fn new(opened: Opened, permit: Option<RequestPermit>) -> Self {
        let idle = opened.idle().map(clock::ticks);
        Self(opened.keep(Ways { early: Vec::new(), up: Way::default(), down: Way::default(), idle, _permit: permit }))
    }

    /// Until both directions have ended, or one has failed. The connection's `work` holds the 101, and what has come behind the request.
    pub(crate) async fn run<S: Transport>(mut self, link: &Link<S>, work: Option<Box<Work>>) -> End {
        if let Some(mut work) = work {
            self.0.parts().1.early = work.input.unread().to_vec();
            let flushed = flush(link, &mut work.out).await;
            work.give_back();
            if let Err(gone) = flushed {
                return gone.into();
            }
        }
        self.pass(link).await
    }

    fn pass<S: Transport>(&mut self, link: &Link<S>) -> impl Future<Output = End> {
        self.rest(link);
        poll_fn(move |context| {
            // After a panic the other end is dropped and never polled again.
            catch_unwind(AssertUnwindSafe(|| self.poll(link, context))).unwrap_or_else(|_panic| {
                link.records.fail(panicked(link).name());
                Poll::Ready(End::Gone)
            })
        })
    }

    fn poll<S: Transport>(&mut self, link: &Link<S>, context: &mut Context<'_>) -> Poll<End> {
        let mut moved = 0;
        loop {
            if moved >= TURN_BYTES {
                self.rest(link);
                return turn::end(context);
            }
            let looks = [self.poll_up(link, context), self.poll_down(link, context)];
            let before = moved;
            let mut shut = 0;
            for look in looks {
                match look {
                    Poll::Ready(Err(end)) => return Poll::Ready(end),
                    Poll::Ready(Ok(Moved::Bytes(bytes))) => moved += bytes,
                    Poll::Ready(Ok(Moved::Shut)) => shut += 1,
                    Poll::Pending => {}
                }
            }
            if shut == 2 {
                link.records.complete();
                return Poll::Ready(End::Close);
            }
            if moved == before {
                break;
            }
        }
        if moved > 0 {
            self.rest(link);
        } else if link.timer.is_due(Wait::Read) && self.0.parts().1.idle.is_some() {
            Counters::add(&link.engine.worker.counters.timeouts);
            link.records.fail("tunnel-idle-timed-out");
            return Poll::Ready(End::Gone);
        }
        Poll::Pending
    }

    /// Begins the wait for the next byte.
    fn rest<S: Transport>(&mut self, link: &Link<S>) {
        match self.0.parts().1.idle {
            None => link.timer.clear(Wait::Read),
            Some(ticks) => link.timer.set(Wait::Read, link.engine.due(ticks)),
        }
    }

    /// One step from the client to the other end.
    fn poll_up<S: Transport>(&mut self, link: &Link<S>, context: &mut Context<'_>) -> Poll<Result<Moved, End>> {
        let (opened, Ways { early, up, .. }) = self.0.parts();
        if !early.is_empty() {
            let bytes = ready!(opened.poll_send(context, early)).map_err(|_broken| broken(link))?;
            link.records.receive(bytes);
            early.drain(..bytes.min(early.len()));
            if early.is_empty() {
                mem::take(early);
            }
            return Poll::Ready(Ok(Moved::Bytes(bytes)));
        }
        if up.is_empty() {
            let mut piece = Chunk::take();
            let bytes = ready!(link.poll_receive(context, piece.memory()))?;
            link.records.receive(bytes);
            up.put(piece, bytes);
        }
        if let Some(piece) = &up.piece {
            let Poll::Ready(sent) = opened.poll_send(context, piece) else {
                up.grant.get_or_insert_with(|| link.engine.worker.memory.charge(CHUNK_BYTES));
                return Poll::Pending;
            };
            let bytes = sent.map_err(|_broken| broken(link))?;
            return Poll::Ready(Ok(Moved::Bytes(up.consume(bytes))));
        }
        if !up.is_shut {
            ready!(opened.poll_shutdown(context)).map_err(|_broken| broken(link))?;
            up.is_shut = true;
        }
        Poll::Ready(Ok(Moved::Shut))
    }

    /// One step from the other end to the client.
    fn poll_down<S: Transport>(&mut self, link: &Link<S>, context: &mut Context<'_>) -> Poll<Result<Moved, End>> {
        let (opened, Ways { down, .. }) = self.0.parts();
        if down.is_empty() {
            let mut piece = Chunk::take();
            let bytes = ready!(opened.poll_receive(context, piece.memory())).map_err(|_broken| broken(link))?;
            link.records.add(0, bytes, 0);
            down.put(piece, bytes);
        }
        if let Some(piece) = &down.piece {
            let mut written = 0;
            let done = link.poll_write(context, piece, b"", &mut written);
            down.consume(written);
            return match done {
                Poll::Ready(Err(Gone)) => Poll::Ready(Err(End::Gone)),
                Poll::Pending if written == 0 => {
                    down.grant.get_or_insert_with(|| link.engine.worker.memory.charge(CHUNK_BYTES));
                    Poll::Pending
                }
                Poll::Pending | Poll::Ready(Ok(())) => Poll::Ready(Ok(Moved::Bytes(written))),
            };
        }
        if !down.is_shut {
            ready!(link.poll_shutdown(context));
            down.is_shut = true;
        }
        Poll::Ready(Ok(Moved::Shut))
    }
}

/// The other end is gone: the client is to see that it did not end well.
fn broken<S: Transport>(link: &Link<S>) -> End {
    link.records.fail("upstream-reset");
    link.reset();
    End::Gone
}
