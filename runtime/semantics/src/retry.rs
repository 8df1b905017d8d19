//! Whether a request that came to nothing is sent once more: only where nothing of it has left, or where its method is safe (RFC 9110 §9.2.1, §9.2.2).
//!
//! PUT and DELETE are idempotent, yet what reached an origin is not replayed: between the two another client may have written. A body that was begun is gone, since none is
//! kept. A budget bounds what all exchanges try again, so that a broken upstream does not get several times the load that broke it.

use crate::method::{Method, Methods};

/// Methods that ask for nothing to be changed: those that IANA's registry calls safe.
const SAFE: Methods = Methods::of(&[
    Method::GET,
    Method::HEAD,
    Method::OPTIONS,
    Method::PROPFIND,
    Method::QUERY,
    Method::REPORT,
    Method::SEARCH,
    Method::TRACE,
]);

/// Why a request came to nothing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cause {
    /// No connection came about, or not in time.
    Connect,
    /// The answer's first byte did not come in time.
    FirstByteTimedOut,
    /// The connection ended before the answer's first byte.
    Reset,
    /// The same, of a connection that was kept: its endpoint may have closed it before the request came.
    Stale,
    /// The answer has this status.
    Status(u16),
}

/// What the site says.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Policy<'p> {
    /// Attempts beside the first; those for [`Cause::Stale`] do not count.
    pub attempts: u32,
    /// For [`Cause::Connect`].
    pub on_connect: bool,
    /// For [`Cause::FirstByteTimedOut`].
    pub on_first_byte_timeout: bool,
    /// For [`Cause::Reset`].
    pub on_reset: bool,
    /// For [`Cause::Status`].
    pub statuses: &'p [u16],
}

/// The request, and what has become of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Asked {
    /// Its method.
    pub method: Method,
    /// A byte of it has left on the connection.
    pub is_sent: bool,
    /// Something of its body was taken.
    pub is_body_begun: bool,
    /// Attempts beside the first so far, those for [`Cause::Stale`] not counted.
    pub retries: u32,
}

/// Whether the request may be sent once more. Where the cause is not [`Cause::Stale`], the budget has to agree.
pub fn may(asked: &Asked, cause: Cause, policy: Option<&Policy<'_>>) -> bool {
    if asked.is_body_begun || (asked.is_sent && !SAFE.contains(asked.method)) {
        return false;
    }
    let policy = policy.filter(|policy| asked.retries < policy.attempts);
    match cause {
        Cause::Stale => true,
        Cause::Connect => policy.is_some_and(|policy| policy.on_connect),
        Cause::FirstByteTimedOut => policy.is_some_and(|policy| policy.on_first_byte_timeout),
        Cause::Reset => policy.is_some_and(|policy| policy.on_reset),
        Cause::Status(status) => policy.is_some_and(|policy| policy.statuses.contains(&status)),
    }
}

/// What one retry costs.
const COST: u64 = 100;

/// What all exchanges of an upstream may still try again, in hundredths of a retry: each exchange brings its percentage, each retry takes a hundred.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Budget(u64);

impl Budget {
    /// Ten retries, before any exchange has brought something.
    pub const START: Self = Self(10 * COST);
    /// A thousand retries: no more are saved up in quiet times.
    pub const MOST: Self = Self(1_000 * COST);

    /// As one word.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The budget of that word.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Behind an exchange, of which so many percent may be tried again.
    #[must_use]
    pub const fn earned(self, percent: u8) -> Self {
        let earned = self.0 + percent as u64;
        if earned > Self::MOST.0 { Self::MOST } else { Self(earned) }
    }

    /// Behind a retry; `None`: it can't be afforded.
    pub const fn spent(self) -> Option<Self> {
        match self.0.checked_sub(COST) {
            Some(left) => Some(Self(left)),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Policy<'static> =
        Policy { attempts: 2, on_connect: true, on_first_byte_timeout: true, on_reset: true, statuses: &[502, 503] };
    const CAUSES: [Cause; 4] = [Cause::Connect, Cause::FirstByteTimedOut, Cause::Reset, Cause::Status(503)];

    fn asked(method: Method) -> Asked {
        Asked { method, is_sent: true, is_body_begun: false, retries: 0 }
    }

    #[test]
    fn safe_request_is_sent_again_as_the_site_says() {
        for method in [Method::GET, Method::HEAD, Method::OPTIONS, Method::QUERY] {
            assert!(CAUSES.iter().all(|cause| may(&asked(method), *cause, Some(&ALL))));
            assert!(!CAUSES.iter().any(|cause| may(&asked(method), *cause, None)));
            assert!(!may(&asked(method), Cause::Status(500), Some(&ALL)));
        }
        let none = Policy { attempts: 2, on_connect: false, on_first_byte_timeout: false, on_reset: false, statuses: &[] };
        assert!(!CAUSES.iter().any(|cause| may(&asked(Method::GET), *cause, Some(&none))));
    }

    #[test]
    fn other_request_is_sent_again_only_where_nothing_has_left() {
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OTHER, Method::PURGE] {
            for cause in [Cause::Connect, Cause::Reset, Cause::Stale] {
                assert!(!may(&asked(method), cause, Some(&ALL)));
                assert!(may(&Asked { is_sent: false, ..asked(method) }, cause, Some(&ALL)));
            }
        }
    }

    #[test]
    fn request_whose_body_was_begun_is_never_sent_again() {
        for cause in CAUSES.into_iter().chain([Cause::Stale]) {
            for is_sent in [true, false] {
                assert!(!may(&Asked { is_body_begun: true, is_sent, ..asked(Method::GET) }, cause, Some(&ALL)));
            }
        }
    }

    #[test]
    fn attempts_are_bounded_but_for_stale_connections() {
        let spent = Asked { retries: 2, ..asked(Method::GET) };
        assert!(!CAUSES.iter().any(|cause| may(&spent, *cause, Some(&ALL))));
        assert!(may(&spent, Cause::Stale, Some(&ALL)) && may(&spent, Cause::Stale, None));
    }

    #[test]
    fn budget_is_ten_and_a_part_of_the_exchanges() {
        let mut budget = Budget::START;
        for _ in 0..10 {
            budget = budget.spent().unwrap();
        }
        assert_eq!(budget.spent(), None);
        let after = (0..5).fold(budget, |budget, _| budget.earned(20));
        assert_eq!(after.spent(), Some(Budget(0)));
        assert_eq!((0..4).fold(budget, |budget, _| budget.earned(20)).spent(), None);
        assert_eq!((0..10_000).fold(budget, |budget, _| budget.earned(100)), Budget::MOST);
        assert_eq!(Budget::from_bits(Budget::START.bits()), Budget::START);
    }
}
