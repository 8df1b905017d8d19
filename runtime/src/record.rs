//! What becomes of exchanges: from the answer's head to its last byte, into the access log and the counts (features `access-log` and `metrics`; without both
//! `record/absent.rs` stands here).
//!
//! An answer is recorded when it is appended to the output, as a stretch of the bytes that the connection sends: the line of the log is rendered then, because the
//! request is there to be looked at. When so many bytes have been sent the exchange is complete; when the connection ends before, aborted, with what was sent of it.
//! The clock is read once when the first exchange of a batch begins and once when answers are seen to be sent.

use std::cell::{Cell, RefCell};

use semantics::{head::Head, log::Ending, method::Method, status};

use crate::{
    access_log::{Answered, Line, Lines, Log},
    clock::Clock,
    exchange::Slot,
    fault::Fault,
    metrics::{Counted, Metrics},
    response::Response,
    upstream::Passage,
    worker::Worker,
};

/// Answers that wait; more, and they are written before the next request is looked at.
const ENTRIES_MAX: usize = 512;
/// Free lists that a worker keeps.
const LISTS_MAX: usize = 64;

/// What a worker's records go to.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    log: Log,
    metrics: Metrics,
    /// The boxes are what moves between pool and connection.
    #[expect(clippy::vec_box, reason = "the pool hands out boxes")]
    lists: RefCell<Vec<Box<List>>>,
}

impl Recorder {
    /// One that neither logs nor counts.
    pub(crate) fn idle() -> Self {
        Self::default()
    }

    pub(crate) fn new(log: Log, metrics: Metrics) -> Self {
        Self { log, metrics, lists: RefCell::default() }
    }

    /// Now, as the log tells time; 0 where it is not told.
    #[cfg_attr(not(feature = "proxy"), expect(dead_code, reason = "only upstreams have times of their own"))]
    pub(crate) fn now(&self, clock: &Clock) -> u64 {
        self.log.now(clock)
    }

    /// Hands over what has been logged.
    pub(crate) fn flush(&self) {
        self.log.flush();
    }

    fn take(&self) -> Box<List> {
        self.lists.borrow_mut().pop().unwrap_or_default()
    }

    fn give_back(&self, mut list: Box<List>) {
        let mut lists = self.lists.borrow_mut();
        if lists.len() < LISTS_MAX && !list.lines.is_large() {
            list.lines.clear();
            list.entries.clear();
            lists.push(list);
        }
    }

    fn commit(&self, entry: &Entry, lines: &Lines, sent: u64, now: u64) {
        let sent_bytes = sent.min(entry.end).saturating_sub(entry.start);
        let is_complete = entry.status != 0 && !entry.is_open && sent >= entry.end;
        let unsent_bytes = entry.end.saturating_sub(sent).saturating_sub(entry.behind_bytes);
        let body_bytes = entry.body_bytes - unsent_bytes.min(entry.piece_bytes);
        let received_bytes = entry.received_bytes;
        self.log.finish(
            lines,
            &entry.line,
            &Ending {
                body_bytes,
                sent_bytes,
                received_bytes,
                microseconds: now.saturating_sub(entry.started),
                is_complete,
                cause: entry.cause,
            },
        );
        self.metrics.add(&Counted { place: entry.place, status: entry.status, is_complete, received_bytes, sent_bytes: body_bytes });
    }
}

/// One connection's exchanges.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// Answers of which not every byte has been seen to be sent.
    list: RefCell<Option<Box<List>>>,
    /// Bytes that the connection has sent.
    sent: Cell<u64>,
    /// When the first exchange began whose end has not been seen; 0: there is none.
    started: Cell<u64>,
    /// Bytes of the running exchange's body that have arrived.
    received_bytes: Cell<u64>,
    /// What ended the running exchange.
    cause: Cell<&'static str>,
    /// What ended the connection, where it was not the client.
    broken_by: Cell<&'static str>,
    /// An exchange has begun and is not recorded.
    is_open: Cell<bool>,
}

/// Recorded exchanges in order, and their lines.
#[derive(Debug, Default)]
struct List {
    entries: Vec<Entry>,
    lines: Lines,
}

#[derive(Debug)]
struct Entry {
    /// The answer's stretch of what the connection sends.
    start: u64,
    end: u64,
    /// More of its body may come.
    is_open: bool,
    /// Of it the body, without what frames it,
    body_bytes: u64,
    /// and of that what was added last, in one piece,
    piece_bytes: u64,
    /// with so many bytes of framing behind it.
    behind_bytes: u64,
    received_bytes: u64,
    started: u64,
    /// When its last byte was seen to be sent; 0: not yet.
    ended: u64,
    line: Line,
    place: u32,
    status: u16,
    /// The request's body may still arrive.
    is_held: bool,
    cause: &'static str,
}

/// An answer in the output.
#[derive(Clone, Copy)]
pub(crate) struct Answer<'a> {
    pub(crate) head: &'a Head<'a>,
    pub(crate) slot: &'a Slot,
    pub(crate) response: &'a Response,
    /// Bytes of output before it.
    pub(crate) before: usize,
    /// Bytes of output with it.
    pub(crate) after: usize,
    /// Bytes of body that are sent from elsewhere; `None`: [`Records::add`] will tell.
    pub(crate) apart: Option<u64>,
    /// The request has a body, of which more may come.
    pub(crate) is_held: bool,
}

impl Records {
    /// Those of a new connection.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The head of a request is complete.
    pub(crate) fn begin(&self, worker: &Worker) {
        if self.started.get() == 0 {
            self.started.set(worker.recorder.log.now(&worker.clock));
        }
        self.received_bytes.set(0);
        self.cause.set("");
        self.is_open.set(true);
    }

    /// What ends the running exchange.
    pub(crate) fn fault(&self, fault: Fault) {
        self.cause.set(fault.name());
    }

    /// So many bytes of its body have arrived.
    pub(crate) fn receive(&self, bytes: usize) {
        self.received_bytes.set(self.received_bytes.get() + bytes as u64);
    }

    /// Its answer has been appended to the output.
    pub(crate) fn answer(&self, worker: &Worker, answer: &Answer<'_>) {
        let Answer { head, slot, response, .. } = *answer;
        let status = response.status();
        let has_body = head.method != Method::HEAD && status::may_have_body(status);
        let body_bytes = response.body_bytes().filter(|_| has_body).unwrap_or_default();
        let started = self.started.get();
        let sent = self.sent.get();
        self.record(
            worker,
            Answered { request: Some((head, slot)), client: head.client, status, started },
            Entry {
                start: sent + answer.before as u64,
                end: sent + answer.after as u64 + answer.apart.unwrap_or_default(),
                is_open: answer.apart.is_none(),
                body_bytes,
                piece_bytes: body_bytes,
                behind_bytes: 0,
                received_bytes: self.received_bytes.get(),
                started,
                ended: 0,
                line: Line::default(),
                place: slot.place.get(),
                status,
                is_held: answer.is_held,
                cause: self.cause_of(slot),
            },
        );
    }

    /// What ends the running exchange, here or at an upstream.
    fn cause_of(&self, slot: &Slot) -> &'static str {
        match self.cause.get() {
            "" => Passage::fault_of(slot).map_or("", Fault::name),
            cause => cause,
        }
    }

    /// Its answer, of which nothing was sent, has been taken out of the output again.
    pub(crate) fn take_back(&self) {
        if let Some(list) = self.list.borrow_mut().as_mut() {
            list.entries.pop();
        }
        self.broken_by.set("");
        self.is_open.set(true);
    }

    /// It gets none.
    pub(crate) fn leave(&self, worker: &Worker, (head, slot): (&Head<'_>, &Slot), cause: &'static str) {
        if self.cause.get().is_empty() {
            self.cause.set(self.broken_by(cause));
        }
        let answer = Answer { head, slot, response: &Response::Abort, before: 0, after: 0, apart: Some(0), is_held: false };
        self.answer(worker, &answer);
    }

    /// A fault without an exchange has been answered: `before` bytes of output are not of it, the last `body_bytes` are its body.
    pub(crate) fn refuse(&self, worker: &Worker, refused: (Fault, std::net::IpAddr), (before, after, body_bytes): (usize, usize, usize)) {
        let (fault, client) = refused;
        let started = worker.recorder.log.now(&worker.clock);
        let sent = self.sent.get();
        self.record(
            worker,
            Answered { request: None, client, status: fault.status(), started },
            Entry {
                start: sent + before as u64,
                end: sent + after as u64,
                is_open: false,
                body_bytes: body_bytes as u64,
                piece_bytes: body_bytes as u64,
                behind_bytes: 0,
                received_bytes: 0,
                started,
                ended: 0,
                line: Line::default(),
                place: 0,
                status: fault.status(),
                is_held: false,
                cause: fault.name(),
            },
        );
    }

    fn record(&self, worker: &Worker, answered: Answered<'_>, mut entry: Entry) {
        self.is_open.set(false);
        let mut list = self.list.borrow_mut();
        let list = list.get_or_insert_with(|| worker.recorder.take());
        entry.line = worker.recorder.log.render(&worker.clock, &answered, &mut list.lines);
        list.entries.push(entry);
    }

    /// Behind the last answer, whose length is not known yet, comes a piece of its body, with so many bytes of framing before and behind it.
    pub(crate) fn add(&self, before_bytes: usize, piece_bytes: usize, behind_bytes: usize) {
        self.change_last(|entry| {
            entry.end += (before_bytes + piece_bytes + behind_bytes) as u64;
            entry.body_bytes += piece_bytes as u64;
            entry.piece_bytes = piece_bytes as u64;
            entry.behind_bytes = behind_bytes as u64;
        });
    }

    /// Its body is complete.
    pub(crate) fn complete(&self) {
        self.change_last(|entry| entry.is_open = false);
    }

    fn change_last(&self, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.list.borrow_mut().as_mut().and_then(|list| list.entries.last_mut()).filter(|entry| entry.is_open) {
            change(entry);
        }
    }

    /// The running exchange is over: nothing of its body comes any more.
    pub(crate) fn close(&self, worker: &Worker) {
        if let Some(entry) = self.list.borrow_mut().as_mut().and_then(|list| list.entries.last_mut()).filter(|entry| entry.is_held) {
            entry.is_held = false;
            entry.received_bytes = self.received_bytes.get();
        }
        self.settle(worker);
    }

    /// So many bytes have been sent.
    pub(crate) fn send(&self, bytes: usize) {
        self.sent.set(self.sent.get() + bytes as u64);
    }

    /// Enough waits for its answers to be sent.
    pub(crate) fn is_full(&self) -> bool {
        self.list.borrow().as_ref().is_some_and(|list| list.lines.is_full() || list.entries.len() >= ENTRIES_MAX)
    }

    /// Exchanges whose answers have been sent are complete.
    pub(crate) fn settle(&self, worker: &Worker) {
        let mut place = self.list.borrow_mut();
        let Some(list) = place.as_mut() else { return };
        let sent = self.sent.get();
        let mut now = 0;
        let mut done = 0;
        for entry in &mut list.entries {
            if entry.is_open || entry.end > sent {
                break;
            }
            if entry.ended == 0 {
                now = if now == 0 { worker.recorder.log.now(&worker.clock) } else { now };
                entry.ended = now;
            }
            if entry.is_held {
                break;
            }
            worker.recorder.commit(entry, &list.lines, sent, entry.ended);
            done += 1;
        }
        if done < list.entries.len() {
            list.entries.drain(..done);
            return;
        }
        if let Some(list) = place.take() {
            worker.recorder.give_back(list);
        }
        if !self.is_open.get() {
            self.started.set(0);
        }
    }

    /// The connection will end because of this, and not because its client has gone.
    pub(crate) fn fail(&self, cause: &'static str) {
        self.broken_by.set(cause);
    }

    fn broken_by(&self, otherwise: &'static str) -> &'static str {
        if self.broken_by.get().is_empty() { otherwise } else { self.broken_by.get() }
    }

    /// The connection has ended: what was not sent never will be.
    pub(crate) fn end(&self, worker: &Worker, cause: &'static str) {
        let Some(mut list) = self.list.take() else { return };
        let (sent, now) = (self.sent.get(), worker.recorder.log.now(&worker.clock));
        for entry in &mut list.entries {
            if entry.is_held {
                entry.received_bytes = self.received_bytes.get();
            }
            if (entry.is_open || entry.end > sent) && entry.cause.is_empty() {
                entry.cause = self.broken_by(cause);
            }
            worker.recorder.commit(entry, &list.lines, sent, if entry.ended == 0 { now } else { entry.ended });
        }
        worker.recorder.give_back(list);
    }
}
