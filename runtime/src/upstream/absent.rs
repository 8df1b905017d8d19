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
}

/// Nothing to read.
pub(crate) fn resolve(_upstreams: &[&'static Upstream]) -> Result<(), Vec<String>> {
    Ok(())
}
