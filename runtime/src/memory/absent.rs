//! Where no site of the binary has a `memory` limit: nothing is counted.

use std::task::{Context, Poll};

#[derive(Clone, Debug)]
pub(crate) struct Memory;

#[derive(Debug, Default)]
pub(crate) struct Grant;

#[derive(Debug, Default)]
pub(crate) struct Place;

impl Memory {
    pub(crate) fn new(_bytes: Option<u64>) -> Self {
        Self
    }

    pub(crate) fn poll_take(&self, _context: &Context<'_>, _place: &mut Place, _bytes: usize) -> Poll<Grant> {
        Poll::Ready(Grant)
    }

    pub(crate) fn take(&self, _bytes: usize) -> Option<Grant> {
        Some(Grant)
    }

    #[cfg_attr(not(feature = "encode"), expect(dead_code, reason = "encoders alone are done without"))]
    pub(crate) fn take_spare(&self, _bytes: usize) -> Option<Grant> {
        Some(Grant)
    }

    pub(crate) fn take_spare_for_whole(&self, _bytes: usize) -> Option<Grant> {
        Some(Grant)
    }

    pub(crate) fn charge(&self, _bytes: usize) -> Grant {
        Grant
    }
}

impl Grant {
    #[inline(always)]
    pub(crate) fn keep(&mut self, _bytes: usize) {}
}

impl Place {
    pub(crate) fn is_queued(&self) -> bool {
        false
    }

    pub(crate) fn leave(&mut self) {}
}
