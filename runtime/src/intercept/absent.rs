//! The site intercepts no answer (feature `proxy-intercept` is off).

use semantics::head::Fields;

use crate::{
    exchange::{Exchange, Slot},
    step::Step,
};

/// There is none.
#[derive(Clone, Copy, Debug)]
pub enum Intercept {}

/// Nothing was chosen.
#[derive(Debug)]
pub(crate) enum Chosen {}

/// Never.
#[inline(always)]
pub(crate) fn choose(_intercepts: &[Intercept], _status: u16, _received: Option<Fields<'_>>, _slot: &Slot) -> Option<Chosen> {
    None
}

impl Chosen {
    /// Never.
    pub(crate) fn answer(self, _exchange: Exchange<'_>) -> Option<Step<'_>> {
        match self {}
    }
}
