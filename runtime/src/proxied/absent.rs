//! The site proxies nothing (feature `proxy` is off): no exchange waits for an upstream.

use std::{
    marker::PhantomData,
    task::{Context, Poll},
};

use crate::step::Step;

/// None.
pub(crate) struct Waiting<'a> {
    never: std::convert::Infallible,
    exchange: PhantomData<&'a ()>,
}

impl<'a> Waiting<'a> {
    #[expect(clippy::needless_pass_by_ref_mut, reason = "as where there is one")]
    pub(crate) fn poll(&mut self, _context: &mut Context<'_>) -> Poll<Step<'a>> {
        match self.never {}
    }
}
