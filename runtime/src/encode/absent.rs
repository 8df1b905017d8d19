//! The site encodes nothing (feature `encode` is off).

use semantics::head::Head;

use crate::{exchange::Slot, memory::Memory, response::Response};

/// Nothing is taken.
#[inline(always)]
pub(crate) fn afford(_response: &Response, _head: &Head<'_>, _slot: &Slot, _memory: &Memory) -> Option<crate::memory::Grant> {
    None
}

/// Nothing is coded.
#[inline(always)]
pub(crate) fn answer(_response: &mut Response, _head: &Head<'_>, _slot: &Slot, _start: usize, _out: &mut Vec<u8>) -> bool {
    false
}

/// It is left alone anyway.
#[cfg(feature = "embed")]
#[inline(always)]
pub(crate) fn leave(_slot: &Slot) {}
