//! When an endpoint that fails is left alone: after so many failures in a row, for a while. The same for all workers, so it fits one atomic word.
//!
//! When the while is over one more failure is enough to eject it again; one success, also of an exchange that began before, and all is forgotten: its standing is the
//! default one.

/// How an endpoint has fared. Times are in milliseconds of any clock that does not go back and stays below 2^48.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Standing {
    /// When it may be asked again; 0 where it was never ejected.
    until: u64,
    /// Failures since the last success.
    failures: u16,
}

/// When an endpoint is ejected.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Policy {
    /// Failures in a row, at least one; no more than 65,535 are told apart.
    pub after: u32,
    /// For how long, in milliseconds.
    pub span_ms: u64,
}

const FAILURE_BITS: u32 = u16::BITS;

impl Standing {
    /// As one word; that of the default is 0.
    pub const fn bits(self) -> u64 {
        self.until << FAILURE_BITS | self.failures as u64
    }

    /// The standing of that word.
    pub const fn from_bits(bits: u64) -> Self {
        Self { until: bits >> FAILURE_BITS, failures: bits as u16 }
    }

    /// It is not to be asked.
    pub const fn is_ejected(self, now_ms: u64) -> bool {
        now_ms < self.until
    }

    /// Behind one more failure. One that comes while it is ejected belongs to an exchange that began before, and changes nothing.
    #[must_use]
    pub const fn failed(self, policy: Policy, now_ms: u64) -> Self {
        if self.is_ejected(now_ms) {
            return self;
        }
        let failures = self.failures.saturating_add(1);
        let is_enough = failures as u32 >= policy.after || failures == u16::MAX;
        if is_enough { Self { until: now_ms.saturating_add(policy.span_ms), failures: failures - 1 } } else { Self { failures, ..self } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: Policy = Policy { after: 3, span_ms: 1000 };

    fn failed(times: u32, policy: Policy) -> Standing {
        (0..times).fold(Standing::default(), |standing, _| standing.failed(policy, 10))
    }

    #[test]
    fn failures_in_a_row_eject() {
        assert!(!failed(2, POLICY).is_ejected(10) && failed(3, POLICY).is_ejected(10));
        assert!(failed(3, POLICY).is_ejected(1009) && !failed(3, POLICY).is_ejected(1010));
        assert!(failed(1, Policy { after: 1, ..POLICY }).is_ejected(10));
    }

    #[test]
    fn failure_of_an_exchange_that_began_before_changes_nothing() {
        assert_eq!(failed(3, POLICY).failed(POLICY, 900), failed(3, POLICY));
    }

    #[test]
    fn one_failure_behind_an_ejection_ejects_again() {
        let back = failed(3, POLICY);
        assert!(back.failed(POLICY, 1010).is_ejected(2009) && !back.failed(POLICY, 1010).is_ejected(2010));
        assert!(!Standing::default().failed(POLICY, 1010).is_ejected(1010));
    }

    #[test]
    fn standing_is_one_word() {
        for standing in [Standing::default(), failed(2, POLICY), failed(3, POLICY), Standing { until: (1 << 48) - 1, failures: u16::MAX }] {
            assert_eq!(Standing::from_bits(standing.bits()), standing);
        }
        assert_eq!(Standing::default().bits(), 0);
    }

    #[test]
    fn large_thresholds_do_not_wrap() {
        let policy = Policy { after: 70_000, span_ms: 1000 };
        assert!(!failed(65_534, policy).is_ejected(10) && failed(65_535, policy).is_ejected(10));
    }
}
