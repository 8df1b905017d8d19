//! What may be asked a second time: nothing that an endpoint may have done already and that is not the same done twice.

use semantics::method::{Method, Methods};

use super::{
    attempt::{Ask, Failure},
    state::{Phase, State},
};
use crate::upstream::Retry;

/// Asked twice it has done the same (RFC 9110 §9.2.2).
pub(super) fn is_idempotent(method: Method) -> bool {
    const ALL: Methods = Methods::of(&[Method::DELETE, Method::GET, Method::HEAD, Method::OPTIONS, Method::PUT, Method::TRACE]);
    ALL.contains(method)
}

/// Why an attempt came to nothing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Cause {
    /// There is no connection.
    Connect,
    /// It would come to nothing elsewhere, too.
    Final,
    /// Nothing came in time.
    FirstByte,
    /// What came is in doubt.
    Framing,
    /// The connection ended.
    Reset,
    /// A kept connection had ended before anything came.
    Stale,
    /// The answer has a status that is not wanted.
    Status,
}

impl State {
    /// The answer's status is one that is asked for again.
    pub(super) fn is_retried(&self, ask: &Ask<'_>, status: u16) -> bool {
        let retry = self.proxy.upstream.retry.as_ref();
        retry.is_some_and(|retry| {
            retry.statuses.contains(&status) && self.may_repeat(ask) && self.has_attempts(retry) && self.proxy.upstream.budget.spend()
        })
    }

    /// Takes note of a failure. `true`: another attempt begins.
    pub(super) fn tries_again(&mut self, ask: &Ask<'_>, failure: Failure) -> bool {
        let is_stale = failure.cause == Cause::Stale;
        let may = if is_stale { self.may_repeat(ask) } else { self.is_wanted(ask, failure.cause) };
        // That a kept connection has ended says nothing about its endpoint.
        if let Some((lease, place)) = &self.lease
            && !is_stale
            && failure.cause != Cause::Final
        {
            lease.endpoint().fail(self.proxy.upstream.eject, self.worker.clock.process_tick());
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
        self.download = super::download::Download::new();
        (self.phase, self.is_deaf) = (Phase::Idle, false);
        true
    }

    /// The upstream's policy says so, and has not spent all.
    fn is_wanted(&self, ask: &Ask<'_>, cause: Cause) -> bool {
        let Some(retry) = &self.proxy.upstream.retry else { return false };
        let is_named = match cause {
            Cause::Connect => retry.on_connect && self.upload.is_whole(),
            Cause::FirstByte => retry.on_first_byte_timeout && self.may_repeat(ask),
            Cause::Reset => retry.on_reset && self.may_repeat(ask),
            Cause::Status => return true,
            Cause::Final | Cause::Framing | Cause::Stale => false,
        };
        is_named && self.has_attempts(retry) && self.proxy.upstream.budget.spend()
    }

    /// Nothing of it has left, or it is the same done twice; and it is there.
    fn may_repeat(&self, ask: &Ask<'_>) -> bool {
        self.upload.is_whole() && (is_idempotent(ask.head.method) || !self.upload.has_left())
    }

    fn has_attempts(&self, retry: &Retry) -> bool {
        self.table.tried.len() < usize::from(retry.attempts)
    }
}
