//! The site proxies nothing (feature `proxy` is off): there is no upstream, and a worker keeps no connections.

/// None.
#[derive(Clone, Copy, Debug)]
pub enum Upstream {}

/// No connections.
#[derive(Debug)]
pub(crate) struct Pools;

impl Pools {
    /// None.
    pub(crate) fn new(_upstreams: &[&'static Upstream], _workers: usize) -> Self {
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
