//! An exchange that an upstream answers: from the choice of an endpoint to the answer's last byte (feature `proxy`; without it `proxied/absent.rs` stands here).
//!
//! All of it runs in the task of the client's connection, and nothing of it outlives that task's interest: whoever drops it closes the upstream's connection. An answer
//! is only taken from a connection on which exactly one request is outstanding. Never: a whole body in memory, a second opinion on framing.

mod answer;
mod attempt;
mod download;
mod refusal;
mod retry;
mod spliced;
mod state;
mod upload;
mod watch;

use std::task::{Context, Poll, ready};

use semantics::{edits::Edits, forward::Policy, head::Head};

pub(crate) use self::answer::Proxied;
use self::{
    attempt::{Ask, Outcome},
    state::Held,
};
use crate::{
    exchange::{Exchange, Interim, Served, Slot},
    fault::{Fault, Side},
    intercept::{self, Intercept},
    request_body::RequestBody,
    response::Response,
    step::Step,
    upstream::{Timeouts, Upstream},
};

/// What is sent on, to whom, and how long is waited: a `static` of generated code.
#[derive(Clone, Copy, Debug)]
pub struct Proxy {
    /// Who is asked.
    pub upstream: &'static Upstream,
    /// What an endpoint is asked.
    pub policy: Policy<'static>,
    /// Edits of the answer's fields before anything else sees them.
    pub upstream_edits: &'static Edits<'static>,
    /// The route's.
    pub timeouts: Timeouts,
}

/// An exchange that waits for its upstream. Small, because each connection has room for one.
pub(crate) struct Waiting<'a> {
    head: &'a Head<'a>,
    slot: &'a Slot,
    interim: &'a dyn Interim,
    held: Held,
}

impl<'a> Waiting<'a> {
    /// Begins; the answer at once where there can't be another.
    pub(crate) fn begin(mut exchange: Exchange<'a>, proxy: &'static Proxy, intercepts: &'static [Intercept]) -> Result<Self, Response> {
        let body = exchange.take_body();
        let Exchange { head, slot, interim, listener, .. } = exchange;
        // A handler that is called without a worker has no connections.
        let Some(Served { worker }) = interim.served() else { return Err(refusal(slot, Fault::UpstreamNoEndpoint)) };
        slot.passage.upstream.set(Some(proxy.upstream));
        if let Some(retry) = &proxy.upstream.retry {
            proxy.upstream.budget.earn(retry.budget_percent);
        }
        let held = Held::new((proxy, intercepts), worker, (body, listener));
        Ok(Self { head, slot, interim, held })
    }

    /// The answer, or what takes its place.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Step<'a>> {
        let Some(state) = self.held.get_mut() else { return Poll::Ready(Step::Ready(Response::Abort)) };
        let ask = Ask { head: self.head, slot: self.slot, interim: self.interim };
        let (intercepts, listener) = (state.intercepts, state.listener);
        let chosen = match ready!(state.poll(context, &ask)) {
            Outcome::Answered => return Poll::Ready(Step::Ready(Response::Proxied(Proxied::new(self.held.take())))),
            Outcome::Failed(fault) => {
                state.worker.counters.add_fault(fault);
                let refusal = refusal(self.slot, fault);
                // What a client did wrong is no answer of the upstream's.
                let intercepts = if fault.side() == Side::Upstream { intercepts } else { &[] };
                match intercept::choose(intercepts, fault.status(), None, self.slot) {
                    None => {
                        drop(self.held.take());
                        return Poll::Ready(Step::Ready(refusal));
                    }
                    Some(chosen) => chosen,
                }
            }
            Outcome::Intercepted(chosen) => chosen,
            Outcome::Switched(response) => return Poll::Ready(Step::Ready(response)),
        };
        drop(self.held.take());
        let exchange = Exchange::new(self.head, self.slot, RequestBody::Empty, self.interim).by_listener(listener);
        Poll::Ready(chosen.answer(exchange).unwrap_or_else(|| Step::Ready(refusal(self.slot, Fault::UpstreamFraming))))
    }
}

/// The answer of a fault.
fn refusal(slot: &Slot, fault: Fault) -> Response {
    slot.passage.fault.set(Some(fault));
    Response::Prebuilt(*refusal::answer(slot, fault))
}
