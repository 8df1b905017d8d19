//! The hold of an exchange on an endpoint, from the choice to the answer's last byte, or to the drop.

use std::sync::atomic::Ordering;

use super::{Counts, Endpoint};

/// One exchange of the endpoint's active ones, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    endpoint: &'static Endpoint,
}

impl Lease {
    pub(crate) fn new(endpoint: &'static Endpoint) -> Self {
        endpoint.counts.active.fetch_add(1, Ordering::Relaxed);
        Counts::add(&endpoint.counts.exchanges);
        Self { endpoint }
    }

    pub(crate) fn endpoint(&self) -> &'static Endpoint {
        self.endpoint
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.endpoint.counts.active.fetch_sub(1, Ordering::Relaxed);
    }
}
