//! The site has no error pages (feature `errors` is off): the built-in answers are all.

use crate::{
    answer::{Answer, Errors},
    builtin::builtin,
    exchange::Slot,
};

/// The built-in answer.
#[inline(always)]
pub(crate) fn answer(_slot: &Slot, status: u16) -> &'static Answer {
    builtin(status)
}

/// The built-in answer.
pub(crate) fn of_site(_site: Option<&'static Errors>, status: u16) -> &'static Answer {
    builtin(status)
}
