//! How long an exchange waits for its upstream: one wait at a time, and the whole of it.

use std::{rc::Rc, task::Waker};

use crate::{
    clock,
    deadlines::{Timer, Wait},
    fault::Fault,
    upstream::Timeouts,
    worker::Worker,
};

/// An endpoint that says 100 to nothing is sent the body after so many ticks: a second (RFC 9110 §10.1.1).
const CONTINUE_TICKS: u32 = 5;

/// The deadline of the whole exchange,
const TOTAL: Wait = Wait::Write;
/// and of what is waited for in it.
const STEP: Wait = Wait::Read;

/// What is waited for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum For {
    /// More of an answer, or room for more of the request.
    Bytes,
    /// A connection.
    Connection,
    /// 100, before the body is sent.
    Continue,
    /// The answer's first byte.
    FirstByte,
    /// Nothing of the upstream.
    Nothing,
}

/// The deadlines of one exchange. Of the timer's two, which are of a client elsewhere, one is that of the whole exchange here, and the other that of what is waited for.
#[derive(Debug)]
pub(super) struct Watch {
    timer: Timer,
    /// What the timer is set for.
    waits: For,
}

impl Watch {
    /// The exchange begins.
    pub(super) fn new(worker: &Rc<Worker>, timeouts: &Timeouts) -> Self {
        let timer = worker.deadlines.register();
        if let Some(total) = timeouts.total {
            timer.set(TOTAL, due(worker, clock::ticks(total)));
        }
        Self { timer, waits: For::Nothing }
    }

    /// From now on this task is woken.
    pub(super) fn attach(&self, waker: &Waker) {
        self.timer.attach(waker);
    }

    /// The exchange has taken too long.
    pub(super) fn is_over(&self) -> bool {
        self.timer.is_due(TOTAL)
    }

    /// That was waited for, for too long.
    pub(super) fn is_due_for(&self, wanted: For) -> bool {
        self.waits == wanted && self.timer.is_due(STEP)
    }

    /// Waits, or goes on waiting; `false`: for too long.
    pub(super) fn wait(&mut self, wanted: For, worker: &Worker, timeouts: &Timeouts) -> bool {
        if self.waits == wanted {
            return wanted == For::Nothing || !self.timer.is_due(STEP);
        }
        let ticks = match wanted {
            For::Bytes => clock::ticks(timeouts.between_bytes),
            For::Connection => clock::ticks(timeouts.connect),
            For::Continue => CONTINUE_TICKS,
            For::FirstByte => clock::ticks(timeouts.first_byte),
            For::Nothing => {
                self.end();
                return true;
            }
        };
        self.timer.set(STEP, due(worker, ticks));
        self.waits = wanted;
        true
    }

    /// What was waited for is there: the next wait is another one.
    pub(super) fn end(&mut self) {
        if self.waits != For::Nothing {
            self.timer.clear(STEP);
            self.waits = For::Nothing;
        }
    }
}

impl For {
    /// What has gone wrong where the wait was too long.
    pub(super) fn fault(self) -> Fault {
        match self {
            Self::Bytes | Self::Continue | Self::Nothing => Fault::UpstreamBetweenBytesTimedOut,
            Self::Connection => Fault::UpstreamConnectTimedOut,
            Self::FirstByte => Fault::UpstreamFirstByteTimedOut,
        }
    }
}

fn due(worker: &Worker, ticks: u32) -> u32 {
    worker.clock.tick().saturating_add(ticks)
}
