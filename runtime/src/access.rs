//! `access`: which clients a scope lets in (feature `access`). No allocation: binary searches in constant data.

use semantics::access;
pub use semantics::access::{List, Rule, Verdict};

use crate::exchange::Exchange;

/// Whether every list of the chain, outermost first, lets the client in. Generated code answers 403 where not.
pub fn allows(exchange: &Exchange<'_>, chain: &[List<'_>]) -> bool {
    access::allows(chain, exchange.head.client)
}
