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
    /// Nobody wants to know.
    #[inline(always)]
    pub(crate) fn now(&self, _clock: &Clock) -> u64 {
        0
    }

    /// No line.
    #[inline(always)]
    pub(crate) fn render(&self, _clock: &Clock, _answered: &Answered<'_>, _lines: &mut Lines) -> Line {
        Line
    }

    /// Nothing.
    #[inline(always)]
    pub(crate) fn finish(&self, _lines: &Lines, _line: &Line, _ending: &Ending) {}

    /// Nothing.
    #[inline(always)]
    pub(crate) fn flush(&self) {}
}

/// No lines.
#[derive(Debug, Default)]
pub(crate) struct Lines;

/// None of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line;

#[cfg_attr(not(feature = "metrics"), expect(dead_code, reason = "nothing is recorded"))]
impl Lines {
    /// Nothing.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {}

    /// Never.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        false
    }

    /// Never.
    #[inline(always)]
    pub(crate) fn is_large(&self) -> bool {
        false
    }
}
