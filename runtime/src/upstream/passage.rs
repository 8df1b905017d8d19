//! What has come of an exchange at an upstream: for its record.

use std::cell::Cell;

use super::{Endpoint, Upstream};
use crate::fault::Fault;

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
}
