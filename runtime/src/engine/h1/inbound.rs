//! A request's body on its way in: framed by length or chunked, counted against the limit, and given up where it comes too slowly.
//!
//! Allocated only when a request has a body. It has an input of its own, because the head's bytes stay borrowed; what is behind the body goes back to the
//! connection when the exchange is over.

use std::{
    cell::RefCell,
    mem,
    rc::Rc,
    task::{Context, Poll, ready},
};

use semantics::{
    chunked::{Decoder, Progress},
    head::{Framing, Scanned},
};

use super::{
    Transport,
    input::{INPUT_BYTES, Input},
    link::{Gone, Link},
};
use crate::{
    deadlines::{Pacing, Wait},
    exchange::Interim,
    fault::Fault,
    memory::Grant,
    request_body::Source,
    worker::Counters,
};

/// Bytes that one read of a chunked body takes at most when the usual ones were too few.
const LARGE_INPUT_BYTES: usize = 64 * 1024;

/// The read half of one exchange.
pub(crate) struct Inbound<S> {
    link: Rc<Link<S>>,
    state: RefCell<State>,
}

struct State {
    input: Input,
    rest: Rest,
    /// The lines behind a chunked body, as they came.
    trailers: Vec<u8>,
    /// Bytes that may still come: of a chunked body at all, of one with a length to a reader.
    allowance: u64,
    is_done: bool,
    fault: Option<Fault>,
    /// The client sends nothing before 100 (RFC 9110 §10.1.1), which was not sent yet.
    awaits_continue: bool,
    /// Of a read that waits for more.
    pacing: Pacing,
    /// The tick at which bytes were given to a reader who has not waited for more since.
    given: Option<u32>,
    /// The last read took all that there was room for.
    was_full: bool,
    /// What a large input is charged.
    grant: Grant,
}

/// What is left of the body.
enum Rest {
    Chunked(Decoder),
    Length(u64),
}

/// What one read gave.
struct More {
    /// So many bytes,
    read: usize,
    /// of which so many are body and with the reader already.
    given: usize,
}

/// What lay in the input.
enum Arrived {
    /// So many bytes of body, at least one.
    Body(usize),
    End,
    Nothing,
}

impl<S: Transport> Inbound<S> {
    /// The body behind `scanned`, of which `arrived` came with the head.
    pub(crate) fn new(link: &Rc<Link<S>>, scanned: &Scanned, arrived: &[u8]) -> Rc<Self> {
        let rest = match scanned.framing {
            Framing::Chunked => Rest::Chunked(Decoder::default()),
            Framing::Empty => Rest::Length(0),
            Framing::Length(length) => Rest::Length(length),
        };
        let mut input = Input::new();
        input.replace(arrived);
        let state = State {
            input,
            rest,
            trailers: Vec::new(),
            allowance: link.engine.body_bytes_max,
            is_done: scanned.framing == Framing::Empty,
            fault: None,
            awaits_continue: scanned.expects_continue && arrived.is_empty(),
            pacing: Pacing::default(),
            given: None,
            was_full: false,
            grant: Grant::default(),
        };
        link.awaits_body.set(!state.is_done);
        Rc::new(Self { link: Rc::clone(link), state: RefCell::new(state) })
    }

    /// The body's last byte has been read.
    pub(crate) fn is_done(&self) -> bool {
        self.state.borrow().is_done
    }

    /// Bytes of body still to come, where the framing says so.
    pub(crate) fn left(&self) -> Option<u64> {
        match self.state.borrow().rest {
            Rest::Chunked(_) => None,
            Rest::Length(left) => Some(left),
        }
    }

    /// Reading has failed, or the body says that it is longer than it may be: the connection can't be kept.
    pub(crate) fn has_failed(&self) -> bool {
        let state = self.state.borrow();
        state.fault.is_some() || state.is_over()
    }

    /// The client waits for 100 and may never send the body: the connection can't be kept.
    pub(crate) fn awaits_continue(&self) -> bool {
        self.state.borrow().awaits_continue
    }

    /// Drops what has arrived, without a system call; tells whether the body is over.
    pub(crate) fn drop_arrived(&self) -> Result<bool, Fault> {
        let mut state = self.state.borrow_mut();
        while let Arrived::Body(bytes) = state.take(None)? {
            self.link.records.receive(bytes);
        }
        self.link.awaits_body.set(!state.is_done);
        Ok(state.is_done)
    }

    /// Drops the body's next bytes and gives how many; 0 at its end.
    pub(crate) fn poll_drop(&self, context: &mut Context<'_>) -> Poll<Result<usize, Fault>> {
        self.poll(context, None)
    }

    /// Exchanges `input` for what has arrived behind the body.
    pub(crate) fn swap_input(&self, input: &mut Input) {
        self.state.borrow_mut().input.swap(input);
    }

    fn poll(&self, context: &mut Context<'_>, mut into: Option<&mut Vec<u8>>) -> Poll<Result<usize, Fault>> {
        let mut state = self.state.borrow_mut();
        let engine = &self.link.engine;
        loop {
            let arrived = state.take(into.as_deref_mut())?;
            match arrived {
                Arrived::Body(bytes) => return Poll::Ready(Ok(self.give(&mut state, bytes))),
                Arrived::End => {
                    self.link.awaits_body.set(false);
                    return Poll::Ready(Ok(0));
                }
                Arrived::Nothing => {}
            }
            if into.is_some() && state.awaits_continue {
                state.awaits_continue = false;
                self.link.send(100, b"");
            }
            match self.poll_more(context, &mut state, into.as_deref_mut()) {
                Poll::Ready(Ok(More { read: 0, .. }) | Err(Gone)) => return Poll::Ready(Err(state.fail(Fault::BodyDisconnected))),
                Poll::Ready(Ok(More { read, given })) => {
                    state.pacing.add(read);
                    state.awaits_continue = false;
                    if given > 0 {
                        return Poll::Ready(Ok(self.give(&mut state, given)));
                    }
                }
                Poll::Pending => {
                    // Whoever comes back later was away, and the client could not be faster than that.
                    if state.given.take().is_some_and(|tick| tick < engine.worker.clock.tick()) {
                        state.pacing.end(&self.link.timer, Wait::Read);
                    }
                    if state.pacing.may_wait(&self.link.timer, Wait::Read, engine.waits.body, engine.worker.clock.tick()) {
                        return Poll::Pending;
                    }
                    Counters::add(&engine.worker.counters.timeouts);
                    return Poll::Ready(Err(state.fail(Fault::BodyTimedOut)));
                }
            }
        }
    }
}

impl<S: Transport> Inbound<S> {
    /// A reader gets so many bytes.
    fn give(&self, state: &mut State, bytes: usize) -> usize {
        self.link.records.receive(bytes);
        self.link.awaits_body.set(!state.is_done);
        state.given = Some(self.link.engine.worker.clock.tick());
        bytes
    }

    /// Reads once: a body with a length directly into `into` where that has more room than the input.
    fn poll_more(&self, context: &mut Context<'_>, state: &mut State, into: Option<&mut Vec<u8>>) -> Poll<Result<More, Gone>> {
        if let (Rest::Length(_), Some(into)) = (&state.rest, into)
            && into.capacity() - into.len() > INPUT_BYTES
        {
            let before = into.len();
            let read = ready!(self.link.poll_receive_into(context, into))?;
            return Poll::Ready(Ok(More { read, given: state.split(into, before) }));
        }
        if mem::take(&mut state.was_full) && state.input.enlarge(LARGE_INPUT_BYTES) {
            state.grant = self.link.engine.worker.memory.charge(LARGE_INPUT_BYTES);
        }
        let filled = self.link.poll_fill(context, &mut state.input);
        state.was_full = state.input.is_full();
        filled.map_ok(|read| More { read, given: 0 })
    }
}

impl State {
    /// The body says that it is longer than it may be.
    fn is_over(&self) -> bool {
        matches!(self.rest, Rest::Length(left) if left > self.allowance)
    }

    /// Moves body bytes that have arrived to `into`, or drops them.
    fn take(&mut self, mut into: Option<&mut Vec<u8>>) -> Result<Arrived, Fault> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if self.is_done {
            return Ok(Arrived::End);
        }
        let mut bytes = 0;
        while !self.is_done && !self.input.is_empty() {
            let (skip, data) = self.survey()?;
            self.input.consume(skip);
            if let Some(into) = into.as_deref_mut() {
                into.extend_from_slice(self.input.unread().get(..data).unwrap_or_default());
            }
            self.input.consume(data);
            bytes += data;
        }
        Ok(match bytes {
            0 if self.is_done => Arrived::End,
            0 => Arrived::Nothing,
            bytes => Arrived::Body(bytes),
        })
    }

    /// `into` got more behind its first `before` bytes: keeps there what is of the body, which has a length, and gives how much that is.
    fn split(&mut self, into: &mut Vec<u8>, before: usize) -> usize {
        let Rest::Length(left) = &mut self.rest else { return 0 };
        let read = into.len() - before;
        let data = usize::try_from(*left).unwrap_or(usize::MAX).min(read);
        *left -= data as u64;
        self.is_done = *left == 0;
        self.input.replace(into.get(before + data..).unwrap_or_default());
        into.truncate(before + data);
        data
    }

    /// How many bytes of framing and of body lie in front.
    fn survey(&mut self) -> Result<(usize, usize), Fault> {
        let unread = self.input.unread();
        match &mut self.rest {
            Rest::Length(left) => {
                let data = usize::try_from(*left).unwrap_or(usize::MAX).min(unread.len());
                *left -= data as u64;
                self.is_done = *left == 0;
                Ok((0, data))
            }
            Rest::Chunked(decoder) => {
                let progress = decoder.advance_keeping(unread, &mut self.trailers).map_err(|_broken| Fault::BodyFraming);
                match progress.map_err(|fault| self.fail(fault))? {
                    Progress::Data { skip, data } => {
                        let allowance = self.allowance.checked_sub(data as u64);
                        self.allowance = allowance.ok_or(Fault::BodyTooLarge).map_err(|fault| self.fail(fault))?;
                        Ok((skip, data))
                    }
                    Progress::End { skip } => {
                        self.is_done = true;
                        Ok((skip, 0))
                    }
                    Progress::More { skip } => Ok((skip, 0)),
                }
            }
        }
    }

    /// Remembers the fault: whoever reads on gets it again.
    fn fail(&mut self, fault: Fault) -> Fault {
        *self.fault.insert(fault)
    }
}

impl<S: Transport> Source for Inbound<S> {
    fn poll_read(&self, context: &mut Context<'_>, into: &mut Vec<u8>) -> Poll<Result<usize, Fault>> {
        let mut state = self.state.borrow_mut();
        if state.is_over() {
            return Poll::Ready(Err(state.fail(Fault::BodyTooLarge)));
        }
        drop(state);
        self.poll(context, Some(into))
    }

    fn remaining(&self) -> Option<u64> {
        self.left()
    }

    fn limit(&self, bytes: u64) {
        let mut state = self.state.borrow_mut();
        state.allowance = state.allowance.min(bytes);
    }

    fn awaits_continue(&self) -> bool {
        self.awaits_continue()
    }

    fn push_trailer_lines(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.state.borrow().trailers);
    }
}
