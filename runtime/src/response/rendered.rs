//! An answer that was rendered for its request.

use crate::buffer::Buffer;

/// An answer in one pooled buffer: first the body, then the head, because the head names the body's length.
#[derive(Debug)]
pub struct Rendered {
    pub(super) status: u16,
    pub(super) buffer: Buffer,
    pub(super) body_bytes: usize,
}

impl Rendered {
    /// `buffer` holds `body_bytes` of body and then the head.
    pub(crate) fn new(status: u16, buffer: Buffer, body_bytes: usize) -> Self {
        Self { status, buffer, body_bytes }
    }
}
