//! The site neither logs nor counts exchanges (features `access-log` and `metrics` are off): nothing is recorded.

use std::net::IpAddr;

use semantics::head::Head;

use crate::{access_log::Log, clock::Clock, exchange::Slot, fault::Fault, metrics::Metrics, response::Response, worker::Worker};

/// Nothing to record to.
#[derive(Debug)]
pub(crate) struct Recorder;

impl Recorder {
    /// Nothing.
    pub(crate) fn idle() -> Self {
        Self
    }

    /// Nothing.
    pub(crate) fn new(_log: Log, _metrics: Metrics) -> Self {
        Self
    }

    /// Nobody wants to know.
    #[cfg_attr(not(feature = "proxy"), expect(dead_code, reason = "only upstreams have times of their own"))]
    #[inline(always)]
    pub(crate) fn now(&self, _clock: &Clock) -> u64 {
        0
    }

    /// Nothing.
    #[inline(always)]
    pub(crate) fn flush(&self) {}
}

/// No records.
#[derive(Debug)]
pub(crate) struct Records;

/// An answer in the output.
#[expect(dead_code, reason = "nothing is recorded")]
#[derive(Clone, Copy)]
pub(crate) struct Answer<'a> {
    pub(crate) head: &'a Head<'a>,
    pub(crate) slot: &'a Slot,
    pub(crate) response: &'a Response,
    pub(crate) before: usize,
    pub(crate) after: usize,
    pub(crate) apart: Option<u64>,
    pub(crate) is_held: bool,
}

impl Records {
    /// None.
    pub(crate) fn new() -> Self {
        Self
    }

    /// Nothing.
    #[inline(always)]
    pub(crate) fn begin(&self, _worker: &Worker) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn fault(&self, _fault: Fault) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn receive(&self, _bytes: usize) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn answer(&self, _worker: &Worker, _answer: &Answer<'_>) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn take_back(&self) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn leave(&self, _worker: &Worker, _request: (&Head<'_>, &Slot), _cause: &'static str) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn refuse(&self, _worker: &Worker, _refused: (Fault, IpAddr), _bytes: (usize, usize, usize)) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn add(&self, _before_bytes: usize, _piece_bytes: usize, _behind_bytes: usize) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn complete(&self) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn close(&self, _worker: &Worker) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn send(&self, _bytes: usize) {}

    /// Never.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        false
    }

    /// Nothing.
    #[inline(always)]
    pub(crate) fn settle(&self, _worker: &Worker) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn fail(&self, _cause: &'static str) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn end(&self, _worker: &Worker, _cause: &'static str) {}
}
