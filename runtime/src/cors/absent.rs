//! The site has no CORS policy (feature `cors` is off).

use semantics::head::Head;

use crate::exchange::Slot;

/// Nothing is appended.
#[inline(always)]
pub(crate) fn push_fields(_slot: &Slot, _head: &Head<'_>, _out: &mut Vec<u8>) {}
