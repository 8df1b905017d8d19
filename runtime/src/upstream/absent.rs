//! The site proxies nothing (feature `proxy` is off): there is no upstream, and a worker keeps no connections.

use semantics::log;

use crate::{exchange::Slot, fault::Fault};

/// None.
#[derive(Clone, Copy, Debug)]
pub enum Upstream {}

/// No connections.
#[derive(Debug)]
pub(crate) struct Pools;

impl Pools {
    /// None.
    pub(crate) fn new(_upstreams: &[&'static Upstream], _worker: usize, _workers: usize) -> Self {
        Self
    }

    /// Nothing is left to look after.
    #[inline(always)]
    pub(crate) fn sweep(&self, _tick: u32) -> bool {
        false
    }

    /// Nothing.
    #[inline(always)]
    pub(crate) fn clear(&self) {}
}

/// Nothing to read.
pub(crate) fn resolve(_upstreams: &[&'static Upstream]) -> Result<(), Vec<String>> {
    Ok(())
}

/// Nothing comes of an exchange here.
pub(crate) enum Passage {}

impl Passage {
    /// Nothing.
    #[cfg_attr(not(feature = "access-log"), expect(dead_code, reason = "nothing is logged"))]
    #[inline(always)]
    pub(crate) fn logged(_slot: &Slot) -> Option<log::Passage<'_>> {
        None
    }

    /// Nothing.
    #[cfg_attr(not(any(feature = "access-log", feature = "metrics")), expect(dead_code, reason = "nothing is recorded"))]
    #[inline(always)]
    pub(crate) fn fault_of(_slot: &Slot) -> Option<Fault> {
        None
    }
}

/// No lines.
pub(crate) fn lines(_upstreams: &[&'static Upstream]) -> Vec<String> {
    Vec::new()
}
