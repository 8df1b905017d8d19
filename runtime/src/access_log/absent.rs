//! The site has no access log (feature `access-log` is off).

use std::net::IpAddr;

use semantics::{head::Head, log::Ending};

use crate::{clock::Clock, exchange::Slot};

/// No log.
#[derive(Debug, Default)]
pub(crate) struct Log;

/// What is known of an exchange when its answer's head is.
#[expect(dead_code, reason = "nothing is rendered")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered<'a> {
    pub(crate) request: Option<(&'a Head<'a>, &'a Slot)>,
    pub(crate) client: IpAddr,
    pub(crate) status: u16,
    pub(crate) started: u64,
}

#[cfg_attr(not(feature = "metrics"), expect(dead_code, reason = "nothing is recorded"))]
impl Log {
    /// No line.
    #[inline(always)]
    pub(crate) fn render(&self, _clock: &Clock, _answered: &Answered<'_>, _out: &mut Vec<u8>) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn finish(&self, _line: &[u8], _ending: &Ending) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn flush(&self) {}
}
