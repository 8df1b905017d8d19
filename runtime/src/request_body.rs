//! The request's body as an owned handle: it may outlive the handler that got it and moves with the exchange.

/// An owned handle on the request's body. Back-pressure is the reader's pace.
#[derive(Debug)]
pub enum RequestBody {
    /// No body: costs nothing.
    Empty,
    // The h1 engine's read half joins here (engine/h1/inbound.rs).
}
