//! The one trait between engines and generated code.

use crate::{exchange::Exchange, step::Step};

/// A compiled site. Engines see it as `&'static dyn Site`, so that they are compiled once, here.
pub trait Site: Sync {
    /// Answers one request, or says that the answer comes later. Synchronous: it never blocks and never allocates for what is ready at once.
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a>;
}
