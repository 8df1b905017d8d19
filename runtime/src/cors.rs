//! `cors`: what scripts of other origins may ask for (feature `cors`; without it `cors/absent.rs` stands here).
//!
//! What is said is `semantics::cors`; here is when: a preflight is answered before access and auth, and any other answer of the exchange, errors among them,
//! gets the policy's fields while its head is written, before the edits. Fetch standard §3.3.

pub use semantics::cors::{Allowed, Origins, Policy};
use semantics::{cors, cors::Kind, head::Head, method::Methods};

use crate::{
    answer::Answer,
    exchange::{Exchange, Slot},
    response::Response,
    step::Step,
};

/// Status and framing; the policy's fields come with the edits.
const PREFLIGHT: Answer = Answer { status: 204, head: b"HTTP/1.1 204 No Content\r\n", body: b"" };

impl Exchange<'_> {
    /// The policy of the route that has been chosen: every answer of this exchange tells it.
    #[must_use]
    pub fn shared(self, policy: &'static Policy<'static>) -> Self {
        self.slot.cors.set(Some(policy));
        self
    }
}

/// A preflight that asks for one of these methods: it belongs to the route that takes them.
pub fn asks_for(exchange: &Exchange<'_>, methods: Methods) -> bool {
    cors::preflight_method(exchange.head).is_some_and(|method| methods.contains(method))
}

/// OPTIONS with Origin and Access-Control-Request-Method.
pub fn is_preflight(exchange: &Exchange<'_>) -> bool {
    cors::kind(exchange.head) == Kind::Preflight
}

/// 204 with the policy's fields and no body.
pub fn preflight<'a>(exchange: Exchange<'a>, policy: &'static Policy<'static>) -> Step<'a> {
    let _ = exchange.shared(policy);
    Step::Ready(Response::Prebuilt(PREFLIGHT))
}

/// Appends the policy's fields, where the exchange has one.
pub(crate) fn push_fields(slot: &Slot, head: &Head<'_>, out: &mut Vec<u8>) {
    if let Some(policy) = slot.cors.get() {
        cors::fields(policy, head, cors::kind(head), out);
    }
}
