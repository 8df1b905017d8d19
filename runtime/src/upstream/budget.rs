//! What all workers may still try again of one upstream's exchanges.

use std::sync::atomic::{AtomicU64, Ordering};

use semantics::retry;

/// What is left for retries; shared by all workers.
#[derive(Debug)]
pub struct Budget {
    /// As [`retry::Budget::bits`] has it.
    bits: AtomicU64,
}

impl Budget {
    /// Nothing of it is spent.
    pub const fn new() -> Self {
        Self { bits: AtomicU64::new(retry::Budget::START.bits()) }
    }

    /// One more exchange, which brings a part of a retry.
    pub(crate) fn earn(&self, percent: u8) {
        let bits = self.bits.load(Ordering::Relaxed);
        let earned = retry::Budget::from_bits(bits).earned(percent).bits();
        if earned != bits {
            // Where another worker changes it at the same time, what this exchange has brought is lost: retries become rarer.
            let _ = self.bits.compare_exchange(bits, earned, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Spends one retry; `false`: there is none left.
    pub(crate) fn spend(&self) -> bool {
        let spend = |bits| retry::Budget::from_bits(bits).spent().map(retry::Budget::bits);
        self.bits.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend).is_ok()
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new()
    }
}
