//! What comes of an attempt that came to nothing: its endpoint is told, and another attempt begins where `semantics::retry` lets it.

use semantics::retry::{self, Asked, Cause, Policy};

use super::{
    attempt::{Ask, Failure},
    download::Download,
    state::{Phase, State},
};

impl State {
    /// The request is one that can be sent twice, and nothing of it is lost.
    pub(super) fn is_repeatable(&self, ask: &Ask<'_>) -> bool {
        retry::may(&Asked { is_sent: true, ..self.asked(ask) }, Cause::Stale, None)
    }

    /// The answer's status is one that is asked for again, and there may be another attempt, which is paid for.
    pub(super) fn spends_retry_for(&self, ask: &Ask<'_>, status: u16) -> bool {
        let is_listed = self.proxy.upstream.retry.is_some_and(|retry| retry.statuses.contains(&status));
        is_listed && self.spends_retry(ask, Cause::Status(status))
    }

    /// Takes note of a failure. `true`: another attempt begins.
    pub(super) fn tries_again(&mut self, ask: &Ask<'_>, failure: Failure) -> bool {
        let is_stale = failure.cause == Some(Cause::Stale);
        let may = match failure.cause {
            // It has been found out already.
            Some(Cause::Status(_)) => true,
            Some(cause) => self.spends_retry(ask, cause),
            None => false,
        };
        // That a kept connection has ended says nothing about its endpoint.
        if let Some((lease, place)) = self.lease.as_ref().filter(|_| !is_stale) {
            if failure.is_of_endpoint {
                lease.endpoint().fail(self.proxy.upstream.eject, self.worker.clock.process_tick());
            }
            self.table.tried.push(*place);
        }
        if !may {
            self.break_off();
            return false;
        }
        self.connection = None;
        self.watch.end();
        if !is_stale {
            self.lease = None;
        }
        self.wants_new = is_stale;
        self.download = Download::new();
        (self.phase, self.is_deaf, self.interims) = (Phase::Idle, false, 0);
        true
    }

    /// It may be sent once more, and the upstream's budget had room for it: that part is spent.
    fn spends_retry(&self, ask: &Ask<'_>, cause: Cause) -> bool {
        let upstream = self.proxy.upstream;
        let policy = upstream.retry.as_ref().map(|retry| Policy {
            attempts: retry.times.into(),
            on_connect: retry.on_connect,
            on_first_byte_timeout: retry.on_first_byte_timeout,
            on_reset: retry.on_reset,
            statuses: retry.statuses,
        });
        retry::may(&self.asked(ask), cause, policy.as_ref()) && (cause == Cause::Stale || upstream.budget.spend())
    }

    fn asked(&self, ask: &Ask<'_>) -> Asked {
        Asked {
            method: ask.head.method,
            is_sent: self.upload.has_left(),
            is_body_begun: !self.upload.is_whole(),
            retries: u32::try_from(self.table.tried.len()).unwrap_or(u32::MAX),
        }
    }
}
