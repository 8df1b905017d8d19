//! One connection from its first byte to its end: waits, scans, lets the site answer, writes.

use std::{
    future::poll_fn,
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

use super::{
    Transport,
    answer::{Begun, Left, begin, complete},
    close::{self, End, flush},
    link::{Gone, Link},
    work::Work,
};
use crate::{
    clock,
    deadlines::Wait,
    fault::Fault,
    memory::{Grant, Place},
    worker::{Counters, Permit},
};

/// Up to so many bytes an incomplete head is scanned again whenever bytes arrive; above, only when a line has ended or it has doubled: a
/// client that sends byte by byte must not make the scan quadratic.
const RESCAN_BYTES: usize = 1024;
/// How long a connection without a request yet is waited for while the worker drains: its request may be on the way.
const DRAIN_FRESH: Duration = Duration::from_secs(1);
/// How long the next request of a connection is waited for while the worker drains. Closed at once, a client that is sending one just then would get no answer; so it
/// gets one, and is told in it that the connection closes.
const DRAIN_IDLE: Duration = clock::TICK;

/// How long memory is waited for (nacelle waits 5 s, too).
pub(crate) const MEMORY_WAIT: Duration = Duration::from_secs(5);

/// One client connection.
pub(crate) struct Connection<S> {
    link: Rc<Link<S>>,
    /// Bytes of the incomplete head when it was scanned last.
    scanned_bytes: usize,
    /// What is waited for, once the wait has a deadline.
    waiting: Option<Waiting>,
    has_answered: bool,
    /// In the queue for memory.
    place: Place,
    /// Dropped behind the link: the connection counts until its socket is closed.
    _permit: Permit,
}

/// What a wait for the client's bytes is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Waiting {
    /// The first head's first byte.
    Fresh,
    /// The first request, while the worker drains.
    FreshDraining,
    /// The rest of a head.
    Head,
    /// The next request.
    Idle,
    /// The next request, while the worker drains.
    IdleDraining,
}

impl<S> Drop for Connection<S> {
    fn drop(&mut self) {
        // Nothing is left of a connection that has come to its end.
        self.link.records.end(&self.link.engine.worker, "stopped");
    }
}

impl<S: Transport> Connection<S> {
    pub(crate) fn new(link: Link<S>, permit: Permit) -> Self {
        Self { link: Rc::new(link), scanned_bytes: 0, waiting: None, has_answered: false, place: Place::default(), _permit: permit }
    }

    /// Until the connection ends.
    pub(crate) async fn run(&mut self) {
        self.link.attach().await;
        let mut held = None;
        let mut end = loop {
            if let Err(end) = poll_fn(|context| self.poll_turn(context, &mut held)).await {
                break end;
            }
            if let Some(work) = &mut held
                && let Err(end) = self.answer_all(work).await
            {
                break end;
            }
        };
        if let Some(traffic) = held.as_mut().and_then(|work| work.traffic.take()) {
            end = traffic.run(&self.link, held.take()).await;
            self.link.records.close(&self.link.engine.worker);
        }
        close::end(&self.link, end, held).await;
    }

    /// Writes what is to be written, then reads once. A buffer is held only while something lies in it.
    fn poll_turn(&mut self, context: &mut Context<'_>, held: &mut Option<Box<Work>>) -> Poll<Result<(), End>> {
        let mut work = match held.take() {
            None => match self.poll_memory(context) {
                Poll::Ready(grant) => {
                    let mut work = Work::take();
                    work.grant = grant;
                    work
                }
                Poll::Pending => return self.poll_starved(context, held),
            },
            Some(mut work) => match self.link.poll_out(context, &mut work) {
                Poll::Ready(Ok(())) => work,
                Poll::Ready(Err(gone)) => return Poll::Ready(Err(gone.into())),
                Poll::Pending => {
                    work.output = self.link.engine.worker.memory.charge(work.out.capacity());
                    *held = Some(work);
                    return Poll::Pending;
                }
            },
        };
        work.input.make_room(self.link.engine.scan_limits.head_bytes as usize);
        match self.link.poll_fill(context, &mut work.input) {
            Poll::Ready(Ok(0) | Err(Gone)) => {
                work.give_back();
                Poll::Ready(Err(End::Gone))
            }
            Poll::Ready(Ok(_)) => {
                *held = Some(work);
                Poll::Ready(Ok(()))
            }
            Poll::Pending if work.input.is_empty() => {
                work.give_back();
                self.poll_wait(if self.has_answered { Waiting::Idle } else { Waiting::Fresh })
            }
            Poll::Pending => {
                *held = Some(work);
                self.poll_wait(Waiting::Head)
            }
        }
    }

    /// Memory to read a request into.
    fn poll_memory(&mut self, context: &Context<'_>) -> Poll<Grant> {
        let engine = &*self.link.engine;
        let was_queued = self.place.is_queued();
        let grant = engine.worker.memory.poll_take(context, &mut self.place, engine.work_bytes);
        match (&grant, was_queued) {
            (Poll::Pending, false) => self.link.timer.set(Wait::Write, engine.due(clock::ticks(MEMORY_WAIT))),
            (Poll::Ready(_), true) => self.link.timer.clear(Wait::Write),
            _ => {}
        }
        grant
    }

    /// There was none yet. If that lasts too long, and bytes have come meanwhile, the client is told so.
    fn poll_starved(&mut self, context: &mut Context<'_>, held: &mut Option<Box<Work>>) -> Poll<Result<(), End>> {
        if !self.link.timer.is_due(Wait::Write) {
            return Poll::Pending;
        }
        self.link.timer.clear(Wait::Write);
        self.place.leave();
        // Held for this look only, or for the refusal.
        let mut work = Work::take();
        match self.link.poll_fill(context, &mut work.input) {
            Poll::Ready(Ok(0) | Err(Gone)) => {
                work.give_back();
                Poll::Ready(Err(End::Gone))
            }
            Poll::Ready(Ok(_)) => {
                *held = Some(work);
                Poll::Ready(Err(End::Refuse(Fault::MemoryTimedOut)))
            }
            Poll::Pending => {
                work.give_back();
                self.poll_wait(if self.has_answered { Waiting::Idle } else { Waiting::Fresh })
            }
        }
    }

    /// Nothing has come: starts the wait, or ends it.
    fn poll_wait(&mut self, waiting: Waiting) -> Poll<Result<(), End>> {
        let engine = &*self.link.engine;
        let is_draining = engine.worker.is_draining();
        let waiting = match waiting {
            Waiting::Idle if is_draining => Waiting::IdleDraining,
            Waiting::Fresh if is_draining => Waiting::FreshDraining,
            waiting => waiting,
        };
        if self.waiting != Some(waiting) {
            self.waiting = Some(waiting);
            let ticks = match waiting {
                Waiting::Fresh | Waiting::Head => engine.waits.head,
                Waiting::FreshDraining => clock::ticks(DRAIN_FRESH),
                Waiting::Idle => engine.waits.idle,
                Waiting::IdleDraining => clock::ticks(DRAIN_IDLE),
            };
            self.link.timer.set(Wait::Read, engine.due(ticks));
            return Poll::Pending;
        }
        if !self.link.timer.is_due(Wait::Read) {
            return Poll::Pending;
        }
        if waiting != Waiting::Head {
            return Poll::Ready(Err(End::Close));
        }
        Counters::add(&engine.worker.counters.timeouts);
        Poll::Ready(Err(End::Refuse(Fault::HeadTimedOut)))
    }

    /// Answers every complete request that lies in the input. The answers are written or in the output.
    async fn answer_all(&mut self, work: &mut Work) -> Result<(), End> {
        if !self.may_scan(work.input.unread()) {
            return Ok(());
        }
        while !work.input.is_empty() {
            let (mut head_place, mut place) = (None, None);
            let mut left = match (begin(&self.link, work, &mut head_place, &mut place)?, &mut place) {
                (Begun::Unfinished, Some(exchange)) => complete(&self.link, exchange).await?,
                (Begun::Answered(head_bytes), _) => Left::behind(head_bytes),
                (Begun::Nothing | Begun::Unfinished, _) => break,
            };
            drop(place);
            work.traffic = left.traffic.take();
            left.clear(&mut work.input)?;
            if work.traffic.is_some() {
                return Err(End::Switch);
            }
            (self.waiting, self.has_answered) = (None, true);
            if work.out.len() >= self.link.engine.out_bytes || self.link.records.is_full() {
                flush(&self.link, &mut work.out).await?;
            }
        }
        self.scanned_bytes = work.input.unread().len();
        Ok(())
    }

    /// Whether another scan of an incomplete head can tell more than the last one.
    fn may_scan(&self, unread: &[u8]) -> bool {
        let bytes = unread.len();
        self.scanned_bytes == 0
            || bytes <= RESCAN_BYTES
            || bytes >= 2 * self.scanned_bytes
            || bytes >= self.link.engine.scan_limits.head_bytes as usize
            || unread.get(self.scanned_bytes..).is_some_and(|news| news.contains(&b'\n'))
    }
}
