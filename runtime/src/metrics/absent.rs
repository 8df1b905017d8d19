//! The site counts nothing by vhost and route (feature `metrics` is off).

use std::sync::Arc;

use crate::settings::Settings;

/// No counts.
#[derive(Debug, Default)]
pub(crate) struct Counts;

impl Counts {
    /// None.
    pub(crate) fn new(_settings: &Settings) -> Arc<Self> {
        Arc::new(Self)
    }
}

/// Nothing to count into.
#[derive(Debug, Default)]
pub(crate) struct Metrics;

impl Metrics {
    /// Nothing.
    pub(crate) fn new(_counts: Arc<Counts>) -> Self {
        Self
    }

    /// Nothing.
    #[cfg_attr(not(feature = "access-log"), expect(dead_code, reason = "without records nothing is counted"))]
    #[inline(always)]
    pub(crate) fn add(&self, _counted: &Counted) {}
}

/// No lines.
pub(crate) fn lines(_settings: &Settings, _workers: &[Arc<Counts>]) -> Vec<String> {
    Vec::new()
}

/// What one exchange has become.
#[expect(dead_code, reason = "nothing is counted")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub(crate) place: u32,
    pub(crate) status: u16,
    pub(crate) is_complete: bool,
    pub(crate) received_bytes: u64,
    pub(crate) sent_bytes: u64,
}
