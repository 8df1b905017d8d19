//! An upstream's answer on its way to the client.

use std::{
    io,
    task::{Context, Poll, ready},
};

use super::{
    spliced::Piece,
    state::{Held, State},
    watch::For,
};
use crate::{
    buffer::{Chunk, LARGE_BYTES},
    fault::{Fault, Side},
    response::{FilePiece, Place},
};

/// Bodies up to this many bytes are copied by engines, and hold nothing while a client takes them.
const SHORT_BYTES: usize = 16 * 1024;

/// An answer whose head is there; of its body, what has come.
#[derive(Debug)]
pub struct Proxied {
    held: Held,
    /// Whether the body was whole when the head was there.
    is_ready: bool,
}

impl Proxied {
    pub(super) fn new(held: Held) -> Self {
        let is_ready = held.get().is_some_and(|state| state.download.is_whole() && !state.is_unmeasured);
        Self { held, is_ready }
    }

    pub(crate) fn status(&self) -> u16 {
        self.held.get().map_or(502, |state| state.status)
    }

    pub(crate) fn head_lines(&self) -> &[u8] {
        self.held.get().and_then(|state| state.lines.as_deref()).map_or(b"", Vec::as_slice)
    }

    pub(crate) fn has_date(&self) -> bool {
        self.held.get().is_some_and(|state| state.has_date)
    }

    pub(crate) fn body_bytes(&self) -> Option<u64> {
        let Some(state) = self.held.get() else { return Some(0) };
        state.download.body_bytes().filter(|_| !state.is_unmeasured).map(|bytes| bytes + state.spliced.bytes())
    }

    /// Memory that a body which is not copied at once keeps as long as the client takes.
    pub(crate) fn own_bytes(&self) -> usize {
        if self.ready_body().len() > SHORT_BYTES { LARGE_BYTES } else { 0 }
    }

    pub(crate) fn ready_body(&self) -> &[u8] {
        self.held.get().filter(|_| self.is_ready).map_or(b"", |state| state.download.unread())
    }

    pub(crate) fn is_streamed(&self) -> bool {
        !self.is_ready
    }

    pub(crate) fn is_unmeasured(&self) -> bool {
        self.held.get().is_some_and(|state| state.is_unmeasured)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.held.get().is_none_or(|state| state.download.has_ended())
    }

    pub(crate) fn trailer_lines(&self) -> &[u8] {
        self.held.get().and_then(|state| state.trailer_lines.as_deref()).map_or(b"", Vec::as_slice)
    }

    /// What went wrong behind the head.
    pub(crate) fn fault(&self) -> Option<Fault> {
        self.held.get().and_then(|state| state.fault)
    }

    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        let Some(state) = self.held.get_mut() else { return Poll::Ready(None) };
        let chunk = ready!(state.poll_chunk(context, room));
        Poll::Ready(chunk.map_err(|fault| state.fail(fault)).transpose())
    }

    /// What comes next can go to the client without a copy.
    pub(crate) fn may_splice(&self) -> bool {
        self.held.get().is_some_and(State::may_splice)
    }

    /// As [`crate::response::Response::poll_piece`] says.
    pub(crate) fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<usize>>> {
        let Some(state) = self.held.get_mut() else { return Poll::Ready(None) };
        let piece = ready!(state.poll_piece(context));
        Poll::Ready(match piece {
            Piece::Bytes(bytes) => Some(Ok(bytes)),
            Piece::End => None,
            Piece::Fault(fault) => Some(Err(state.fail(fault))),
            Piece::Refused => Some(Err(io::ErrorKind::Unsupported.into())),
        })
    }

    /// So many bytes of what has come.
    pub(crate) fn piece(&self, bytes: usize) -> Option<FilePiece<'_>> {
        let outlet = self.held.get()?.spliced.outlet()?;
        Some(FilePiece { place: Place::Pipe(outlet), bytes, is_copied: false })
    }

    /// So many bytes of it are sent.
    pub(crate) fn advance(&mut self, bytes: usize) {
        if let Some(state) = self.held.get_mut() {
            state.spliced.advance(bytes);
        }
    }

    /// What is left is copied.
    pub(crate) fn read_instead(&mut self) {
        if let Some(state) = self.held.get_mut() {
            state.spliced.refuse();
        }
    }

    /// The client takes nothing for now: what is left of the request goes on.
    pub(crate) fn go_on(&mut self, context: &mut Context<'_>) {
        if let Some(state) = self.held.get_mut()
            && !state.upload.is_sent()
        {
            // A fault of the body is told to whoever waits for the next piece.
            let _ = state.drive_upload(context);
        }
    }
}

impl State {
    /// Nothing more comes of the answer.
    fn fail(&mut self, fault: Fault) -> io::Error {
        if let Some((lease, _)) = self.lease.as_ref().filter(|_| fault.side() == Side::Upstream) {
            lease.endpoint().fail(self.proxy.upstream.eject, self.worker.clock.process_tick());
        }
        self.fault = Some(fault);
        self.break_off();
        io::ErrorKind::ConnectionReset.into()
    }

    fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Result<Option<Chunk>, Fault>> {
        if let Some(piece) = self.spliced.read(room).map_err(|_broken| Fault::UpstreamReset)? {
            return Poll::Ready(Ok(Some(piece)));
        }
        let is_sent = self.upload.is_sent() || self.is_deaf;
        let awaits_client = !is_sent && self.drive_upload(context)? == super::upload::Progress::AwaitsClient;
        match self.download.poll_chunk(context, self.connection.as_ref(), room) {
            Poll::Pending => self.poll_wait(if awaits_client { For::Nothing } else { For::Bytes }).map(Err),
            Poll::Ready(done) => {
                self.watch.end();
                if self.watch.is_over() && !self.download.is_whole() {
                    return Poll::Ready(Err(Fault::UpstreamTotalTimedOut));
                }
                let chunk = done?;
                if self.download.is_whole() && self.lease.is_some() {
                    self.complete();
                }
                Poll::Ready(Ok(chunk))
            }
        }
    }
}
