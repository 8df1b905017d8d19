//! An upstream's answer on its way to the client.

use std::{
    io,
    task::{Context, Poll},
};

use super::{
    state::{Held, State},
    watch::For,
};
use crate::{buffer::Chunk, fault::Fault};

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
        self.held.get().map_or(Some(0), |state| state.download.body_bytes().filter(|_| !state.is_unmeasured))
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
        match state.poll_chunk(context, room) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(chunk)) => Poll::Ready(chunk.map(Ok)),
            Poll::Ready(Err(fault)) => {
                state.fault = Some(fault);
                state.break_off();
                Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())))
            }
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
    fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Result<Option<Chunk>, Fault>> {
        let is_sent = self.upload.is_sent() || self.is_deaf;
        let awaits_client = !is_sent && self.drive_upload(context)? == super::upload::Progress::AwaitsClient;
        match self.download.poll_chunk(context, self.connection.as_ref(), room) {
            Poll::Pending if self.watch.is_over() => Poll::Ready(Err(Fault::UpstreamTotalTimedOut)),
            Poll::Pending => {
                let wanted = if awaits_client { For::Nothing } else { For::Bytes };
                match self.watch.wait(wanted, &self.worker, &self.proxy.timeouts) {
                    true => Poll::Pending,
                    false => Poll::Ready(Err(wanted.fault())),
                }
            }
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
