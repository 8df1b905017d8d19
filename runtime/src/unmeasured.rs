//! A body of which nobody knows the length before its last byte: coded while it is sent, or from somewhere that does not say (RFC 9112 §6).
//!
//! How its end is told is the engine's: by chunks, or by the end of the connection. A source that fails can't be told from one that has ended but by the
//! missing end, so it is never given one.

use std::{
    fmt::Debug,
    io,
    task::{Context, Poll},
};

use crate::{buffer::Chunk, fault::Fault};

/// Where the pieces of such a body come from.
pub(crate) trait Source: Debug {
    /// As [`crate::response::Response::head_lines`] has them; they name no length. Empty where the head has been written already.
    fn head_lines(&self) -> &[u8] {
        b""
    }

    /// The next piece, as [`crate::response::Response::poll_chunk`] has it.
    fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>>;

    /// The piece that was given last is known to have been the last: its end is sent with it.
    fn has_ended(&self) -> bool;

    /// As [`crate::response::Response::has_date`].
    fn has_date(&self) -> bool {
        false
    }

    /// As [`crate::response::Response::trailer_lines`].
    fn trailer_lines(&self) -> &[u8] {
        b""
    }

    /// As [`crate::response::Response::fault`].
    fn fault(&self) -> Option<Fault> {
        None
    }

    /// As [`crate::response::Response::go_on`].
    fn go_on(&mut self, _context: &mut Context<'_>) {}
}

/// An answer with such a body.
#[derive(Debug)]
pub struct Unmeasured {
    status: u16,
    source: Box<dyn Source>,
}

impl Unmeasured {
    /// An answer with that status and what the source gives.
    pub(crate) fn new(status: u16, source: Box<dyn Source>) -> Self {
        Self { status, source }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    pub(crate) fn head_lines(&self) -> &[u8] {
        self.source.head_lines()
    }

    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        self.source.poll_chunk(context, room)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.source.has_ended()
    }

    pub(crate) fn has_date(&self) -> bool {
        self.source.has_date()
    }

    pub(crate) fn trailer_lines(&self) -> &[u8] {
        self.source.trailer_lines()
    }

    pub(crate) fn fault(&self) -> Option<Fault> {
        self.source.fault()
    }

    pub(crate) fn go_on(&mut self, context: &mut Context<'_>) {
        self.source.go_on(context);
    }
}
