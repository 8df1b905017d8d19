//! What goes back: owned, borrowing nothing, so that the engine can drive both directions at once.

use crate::answer::Answer;

/// An answer on its way to the client.
#[derive(Debug)]
pub enum Response {
    /// Close the connection without an answer.
    Abort,
    /// Head and body are constant data.
    Prebuilt(Answer),
    // Rendered(..) and File(..) join here.
}
