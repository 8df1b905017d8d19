//! What a handler returns.

use crate::{later::Later, response::Response};

/// Ready now, or later.
pub enum Step<'a> {
    /// The answer; borrows nothing.
    Ready(Response),
    /// A future that borrows the exchange.
    Later(Later<'a>),
}
