//! An answer that is not ready yet: an opaque future that only the runtime makes.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use crate::response::Response;

/// A future of a [`Response`] that borrows the exchange. Opaque: how it is stored is this module's secret (one box today, a slab of size classes
/// per worker when a hot path needs it).
pub struct Later<'a> {
    future: Pin<Box<dyn Future<Output = Response> + 'a>>,
}

impl<'a> Later<'a> {
    /// Runtime features put their async bodies behind plain functions with this.
    #[cfg_attr(not(any(feature = "files", feature = "rewrite", test)), expect(dead_code, reason = "only features that wait make one"))]
    pub(crate) fn new(future: impl Future<Output = Response> + 'a) -> Self {
        Self { future: Box::pin(future) }
    }
}

impl Future for Later<'_> {
    type Output = Response;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Response> {
        self.future.as_mut().poll(context)
    }
}
