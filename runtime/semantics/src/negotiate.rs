//! Content coding negotiation by Accept-Encoding (RFC 9110 §12.5.3).

use crate::head::Head;

/// Codings kiln can offer, in the order of preference at equal weight.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Coding { Zstd, Brotli, Gzip, Identity }

/// A set of codings that a representation exists in; identity is always in it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Codings(pub u8);

/// The best coding of `offered`; identity where nothing else is acceptable (also with `identity;q=0`, where only a 406 would be left: RFC 9110 allows to disregard).
pub fn coding(head: &Head<'_>, offered: Codings) -> Coding { todo!() }
