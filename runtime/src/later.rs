//! An answer that is not ready yet: an opaque future that only the runtime makes.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use crate::{proxied::Waiting, response::Response, step::Step};

/// A future of a [`Response`] that borrows the exchange. Opaque: how it is stored is this module's secret.
pub struct Later<'a> {
    kind: Kind<'a>,
}

enum Kind<'a> {
    /// Any future, on the heap.
    Boxed(Pin<Box<dyn Future<Output = Response> + 'a>>),
    /// An upstream's answer: its memory is of the thread's pool.
    Waiting(Waiting<'a>),
}

impl<'a> Later<'a> {
    /// Runtime features put their async bodies behind plain functions with this.
    #[cfg_attr(not(any(feature = "files", feature = "rewrite", test)), expect(dead_code, reason = "only features that wait make one"))]
    pub(crate) fn new(future: impl Future<Output = Response> + 'a) -> Self {
        Self { kind: Kind::Boxed(Box::pin(future)) }
    }

    /// One that waits for an upstream.
    #[cfg_attr(not(feature = "proxy"), expect(dead_code, reason = "there is no upstream"))]
    pub(crate) fn waiting(waiting: Waiting<'a>) -> Self {
        Self { kind: Kind::Waiting(waiting) }
    }
}

impl Future for Later<'_> {
    type Output = Response;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Response> {
        loop {
            match &mut self.kind {
                Kind::Boxed(future) => return future.as_mut().poll(context),
                Kind::Waiting(waiting) => match ready!(waiting.poll(context)) {
                    Step::Ready(response) => return Poll::Ready(response),
                    // Something else answers in the upstream's place.
                    Step::Later(later) => self.kind = later.kind,
                },
            }
        }
    }
}
