//! `proxy`: an upstream answers (feature `proxy`).
//!
//! Never: a decision on what is sent on (`semantics::forward`) or on what an answer means (`semantics::reply`).

pub use semantics::forward::{HostPolicy, Policy, Target};

use crate::{exchange::Exchange, later::Later, proxied::Waiting, step::Step};
pub use crate::{intercept::*, proxied::Proxy};

/// The upstream's answer.
pub fn forward<'a>(exchange: Exchange<'a>, proxy: &'static Proxy) -> Step<'a> {
    intercepted(exchange, proxy, &[])
}

/// The upstream's answer, or what the first case says that it is of; answers of kiln's own in its place (502, 503, 504) have statuses, too (feature `proxy-intercept`).
pub fn intercepted<'a>(exchange: Exchange<'a>, proxy: &'static Proxy, intercepts: &'static [Intercept]) -> Step<'a> {
    match Waiting::begin(exchange, proxy, intercepts) {
        Ok(waiting) => Step::Later(Later::waiting(waiting)),
        Err(response) => Step::Ready(response),
    }
}
