//! `proxy`: an upstream answers (feature `proxy`).
//!
//! Never: a decision on what is sent on (`semantics::forward`) or on what an answer means (`semantics::reply`).

pub use semantics::forward::{HostPolicy, Policy, Target};

pub use crate::proxied::Proxy;
use crate::{answer::Answer, exchange::Exchange, later::Later, proxied::Waiting, step::Step};

/// The upstream's answer.
pub fn forward<'a>(exchange: Exchange<'a>, proxy: &'static Proxy) -> Step<'a> {
    match Waiting::begin(exchange, proxy) {
        Ok(waiting) => Step::Later(Later::waiting(waiting)),
        Err(response) => Step::Ready(response),
    }
}

/// The upstream's answer, or what the first case says that it is of; answers of kiln's own in its place (502, 503, 504) have statuses, too.
pub fn intercepted<'a>(exchange: Exchange<'a>, proxy: &'static Proxy, _intercepts: &'static [Intercept]) -> Step<'a> {
    forward(exchange, proxy)
}

/// Answers of an upstream that something else takes the place of.
#[derive(Clone, Copy, Debug)]
pub struct Intercept {
    /// Which.
    pub when: When,
    /// What.
    pub then: Then,
}

/// Which answers.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// Those with that field (lower case), which the client never sees.
    Field(&'static str),
    /// Those with one of these statuses.
    Statuses(&'static [u16]),
}

/// What takes the place of an answer.
#[derive(Clone, Copy, Debug)]
pub enum Then {
    /// What that handler gives for the path in the field's value, percent-decoded to its normal form; 502 where it is none.
    Accel(for<'a> fn(Exchange<'a>, &str) -> Step<'a>),
    /// What that handler gives.
    Handler(for<'a> fn(Exchange<'a>) -> Step<'a>),
    /// That answer.
    Page(&'static Answer),
}
