//! What has come of an exchange at an upstream: for its record.

use std::cell::Cell;

use semantics::log;

use super::{Endpoint, Upstream};
use crate::{exchange::Slot, fault::Fault};

/// Set while an exchange is proxied, and complete before its answer is given. Times are in microseconds, 0 where nothing is logged.
#[derive(Debug, Default)]
pub(crate) struct Passage {
    /// `None`: it was not proxied.
    pub(crate) upstream: Cell<Option<&'static Upstream>>,
    /// The last one that was asked.
    pub(crate) endpoint: Cell<Option<&'static Endpoint>>,
    /// Endpoints that were asked, one of them perhaps twice.
    pub(crate) attempts: Cell<u32>,
    /// How long the last connect took; 0 where the connection was there already.
    pub(crate) connect_microseconds: Cell<u64>,
    /// From the exchange's begin to the first byte of the last answer.
    pub(crate) first_byte_microseconds: Cell<u64>,
    /// The status of the last answer; 0: there was none.
    pub(crate) status: Cell<u16>,
    /// What went wrong last, before the answer was given; what goes wrong behind it is told by [`crate::response::Response::fault`].
    pub(crate) fault: Cell<Option<Fault>>,
}

impl Passage {
    /// Forgets the last exchange.
    #[inline]
    pub(crate) fn clear(&self) {
        if self.upstream.get().is_some() {
            self.upstream.set(None);
            self.endpoint.set(None);
            self.attempts.set(0);
            self.connect_microseconds.set(0);
            self.first_byte_microseconds.set(0);
            self.status.set(0);
            self.fault.set(None);
        }
    }

    /// What the log tells of the exchange; nothing where it was not proxied.
    #[cfg_attr(not(feature = "access-log"), expect(dead_code, reason = "nothing is logged"))]
    pub(crate) fn logged(slot: &Slot) -> Option<log::Passage<'_>> {
        let passage = &slot.passage;
        let upstream = passage.upstream.get()?;
        Some(log::Passage {
            upstream: upstream.name,
            endpoint: passage.endpoint.get().map_or("", Endpoint::address),
            attempts: passage.attempts.get(),
            connect_microseconds: passage.connect_microseconds.get(),
            first_byte_microseconds: passage.first_byte_microseconds.get(),
            status: passage.status.get(),
        })
    }

    /// What went wrong with it at an upstream, before it was answered.
    #[cfg_attr(not(any(feature = "access-log", feature = "metrics")), expect(dead_code, reason = "nothing is recorded"))]
    pub(crate) fn fault_of(slot: &Slot) -> Option<Fault> {
        slot.passage.fault.get()
    }
}
