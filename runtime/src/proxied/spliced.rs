//! Long bodies that go from the upstream's socket to the client's by a pipe, without a copy.
//!
//! Only what nobody has to look at: a body with a length, of which all that lay in memory has been given, when the request has been sent. Where there is no pipe, or a socket can't
//! be spliced, the body is copied.

use std::{
    io,
    task::{Context, Poll},
};

use super::{state::State, watch::For};
use crate::{
    buffer::{CHUNK_BYTES, Chunk},
    fault::Fault,
    pipes::{Outlet, Pipe},
};

/// Bytes of a body above which a pipe is worth its calls.
const SPLICED_BYTES_MIN: u64 = 64 * 1024;

/// The pipe of one answer.
#[derive(Debug, Default)]
pub(super) struct Spliced {
    pipe: Option<Pipe>,
    /// What is left is copied.
    is_refused: bool,
}

/// What has come of a look at the upstream.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    /// So many bytes lie in the pipe.
    Bytes(usize),
    /// The body is over.
    End,
    /// It broke off.
    Fault(Fault),
    /// There is no pipe.
    Refused,
}

impl Spliced {
    /// Bytes that lie in the pipe.
    pub(super) fn bytes(&self) -> u64 {
        self.pipe.as_ref().map_or(0, |pipe| pipe.bytes() as u64)
    }

    /// Where to take them.
    pub(super) fn outlet(&self) -> Option<Outlet<'_>> {
        self.pipe.as_ref()?.outlet()
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        if let Some(pipe) = &mut self.pipe {
            pipe.advance(bytes);
        }
    }

    /// What is left is to be copied.
    pub(super) fn refuse(&mut self) {
        self.is_refused = true;
    }

    /// Copies what lies in the pipe, up to `room` bytes; `None`: nothing does.
    pub(super) fn read(&mut self, room: usize) -> io::Result<Option<Chunk>> {
        let Some(pipe) = self.pipe.as_mut().filter(|pipe| pipe.bytes() > 0) else { return Ok(None) };
        let mut chunk = Chunk::take();
        let bytes = pipe.read(chunk.memory().get_mut(..room.clamp(1, CHUNK_BYTES)).unwrap_or_default())?;
        chunk.set_filled(bytes);
        Ok(Some(chunk))
    }
}

impl State {
    /// What comes next of the body may go by a pipe.
    pub(super) fn may_splice(&self) -> bool {
        let is_long = || self.download.bare_bytes().is_some_and(|bytes| bytes >= SPLICED_BYTES_MIN);
        !self.spliced.is_refused && (self.spliced.bytes() > 0 || (is_long() && self.upload.is_sent()))
    }

    /// What lies in the pipe, or has come and goes there.
    pub(super) fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Piece> {
        let bytes = self.spliced.bytes();
        if bytes > 0 {
            return Poll::Ready(Piece::Bytes(usize::try_from(bytes).unwrap_or(usize::MAX)));
        }
        let Some(left) = self.download.bare_bytes() else {
            self.spliced.pipe = None;
            return Poll::Ready(Piece::End);
        };
        let Some(pipe) = self.spliced.pipe.take().or_else(Pipe::take) else { return Poll::Ready(Piece::Refused) };
        let pipe = self.spliced.pipe.insert(pipe);
        let Some(connection) = &self.connection else { return Poll::Ready(Piece::Fault(Fault::UpstreamReset)) };
        match connection.poll_fill(context, pipe, usize::try_from(left).unwrap_or(usize::MAX)) {
            Poll::Pending => self.poll_wait(For::Bytes).map(Piece::Fault),
            Poll::Ready(Ok(bytes)) if bytes > 0 => {
                self.watch.end();
                self.download.pass(bytes);
                if self.download.is_whole() {
                    self.complete();
                } else if self.watch.is_over() {
                    return Poll::Ready(Piece::Fault(Fault::UpstreamTotalTimedOut));
                }
                Poll::Ready(Piece::Bytes(bytes))
            }
            Poll::Ready(Err(error)) if is_unsupported(&error) => Poll::Ready(Piece::Refused),
            Poll::Ready(Ok(_) | Err(_)) => Poll::Ready(Piece::Fault(Fault::UpstreamReset)),
        }
    }
}

/// The system does not splice such sockets, or does not let us.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::PermissionDenied | io::ErrorKind::Unsupported)
}
