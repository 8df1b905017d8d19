//! The site encodes nothing (feature `encode` is off).

use semantics::head::Head;

use crate::{
    exchange::Slot,
    memory::{Grant, Memory},
    response::Response,
};

/// Nothing is taken.
#[inline(always)]
pub(crate) fn afford(_response: &Response, _head: &Head<'_>, _slot: &Slot, _memory: &Memory) -> Option<Grant> {
    None
}

/// Nothing is coded.
#[inline(always)]
pub(crate) fn answer(_response: &mut Response, _head: &Head<'_>, _slot: &Slot, _start: usize, _out: &mut Vec<u8>) -> bool {
    false
}

/// It is left alone anyway.
#[cfg_attr(not(feature = "embed"), expect(dead_code, reason = "embedded files alone have a coding of their own"))]
#[inline(always)]
pub(crate) fn leave(_slot: &Slot) {}

/// Never.
#[cfg_attr(not(feature = "files"), expect(dead_code, reason = "files alone are read for HEAD where that counts"))]
#[inline(always)]
pub(crate) fn is_chosen(_slot: &Slot) -> bool {
    false
}
