//! An exchange that an upstream answers: from the choice of an endpoint to the answer's last byte (feature `proxy`; without it `proxied/absent.rs` stands here).
//!
//! All of it runs in the task of the client's connection. Whatever ends it early closes the upstream's connection.

use std::task::{Context, Poll};

use semantics::{edits::Edits, forward::Policy};

use crate::{
    errors,
    exchange::{Exchange, Slot},
    response::Response,
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
    slot: &'a Slot,
}

impl<'a> Waiting<'a> {
    pub(crate) fn new(exchange: Exchange<'a>, proxy: &'static Proxy) -> Self {
        exchange.slot.passage.upstream.set(Some(proxy.upstream));
        let _of_worker = exchange.worker.map(|worker| (&worker.pools, worker.trusted_proxies));
        Self { slot: exchange.slot }
    }

    /// The answer.
    #[expect(clippy::needless_pass_by_ref_mut, reason = "it does nothing yet")]
    pub(crate) fn poll(&mut self, _context: &mut Context<'_>) -> Poll<Response> {
        Poll::Ready(Response::Prebuilt(*errors::answer(self.slot, 502)))
    }
}
