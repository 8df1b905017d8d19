//! The site has no error pages (feature `errors` is off): the built-in answers are all.

use crate::{
    answer::{Answer, Errors},
    builtin::builtin,
    exchange::Slot,
    fault::Fault,
};

/// The built-in answer.
#[inline(always)]
pub(crate) fn answer(_slot: &Slot, status: u16) -> &'static Answer {
    builtin(status)
}

/// The built-in answer of a fault.
pub(crate) fn of_fault(fault: Fault, _slot: &Slot, _site: Option<&'static Errors>) -> &'static Answer {
    builtin(fault.status())
}
