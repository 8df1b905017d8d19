//! The request on its way to an endpoint: its head, and its body as it comes from the client, framed anew.
//!
//! Holds at most one piece: the next is read when the last has been sent, so that the client is as fast as the endpoint takes.

use std::{
    io, mem,
    task::{Context, Poll},
};

use semantics::{edits::Edits, head::Framing, trailers};

use crate::{
    buffer::{BUFFER_BYTES_MAX, Buffer},
    fault::Fault,
    request_body::RequestBody,
    turn,
    upstream::Connection,
};

/// Bytes kept free in front of a chunk for its size: 16 digits at most, CRLF.
const SIZE_BYTES: usize = 18;
/// Of a body that may be longer than this, as much is read at once as a buffer may hold.
const SMALL_BYTES: u64 = 8 * 1024;

/// Bytes that are sent in one turn of the connection, so that a fast client keeps no others waiting.
const TURN_BYTES: u64 = 2 * 1024 * 1024;

/// How far it is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Progress {
    /// The client has not sent more yet.
    AwaitsClient,
    /// The endpoint has not said that it wants the body.
    AwaitsContinue,
    /// The endpoint takes no more for now.
    AwaitsEndpoint,
    /// All is sent.
    Sent,
}

/// Why it went no further.
#[derive(Debug)]
pub(super) enum Stopped {
    /// The request's body is not what it should be.
    Body(Fault),
    /// The endpoint takes no more for ever.
    Endpoint(io::Error),
}

/// A request.
#[derive(Debug)]
pub(super) struct Upload {
    /// What is to be sent next, from byte `sent` on.
    out: Buffer,
    sent: usize,
    /// Of head and body.
    sent_bytes: u64,
    /// What has not been read of the body; empty once all has.
    body: RequestBody,
    framing: Framing,
    /// `request-headers`: no trailer has the name of one of its rules.
    edits: &'static Edits<'static>,
    /// Its end is in `out`, or there never was a body.
    is_read: bool,
    /// Where the body begins in `out`.
    head_end: usize,
    /// Something of the body was taken from the client,
    is_begun: bool,
    /// and is not in `out` any more: it can't be sent a second time.
    is_lost: bool,
    awaits_continue: bool,
}

impl Upload {
    pub(super) fn new(body: RequestBody, edits: &'static Edits<'static>) -> Self {
        let framing = match body.remaining() {
            None => Framing::Chunked,
            Some(0) => Framing::Empty,
            Some(bytes) => Framing::Length(bytes),
        };
        let awaits_continue = body.awaits_continue();
        let is_read = framing == Framing::Empty;
        Self {
            out: Buffer::none(),
            sent: 0,
            sent_bytes: 0,
            body,
            framing,
            edits,
            is_read,
            head_end: 0,
            is_begun: false,
            is_lost: false,
            awaits_continue,
        }
    }

    /// Its buffer is a large one.
    pub(super) fn is_large(&self) -> bool {
        self.body.remaining().is_none_or(|left| left > SMALL_BYTES)
    }

    /// How the body is framed, also towards the endpoint.
    pub(super) fn framing(&self) -> Framing {
        self.framing
    }

    /// The client waits to be told to go on.
    pub(super) fn awaits_continue(&self) -> bool {
        self.awaits_continue
    }

    /// The body may be read.
    pub(super) fn go_on(&mut self) {
        self.awaits_continue = false;
    }

    /// Takes the head that `write` writes, for the first time or anew, and begins with it.
    pub(super) fn set_head<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        (self.sent, self.sent_bytes) = (0, 0);
        if self.out.is_empty() {
            self.out = Buffer::take();
            write(&mut self.out)?;
            self.head_end = self.out.len();
            return Ok(());
        }
        let former = mem::replace(&mut self.out, Buffer::take());
        write(&mut self.out)?;
        let body = former.get(self.head_end..).unwrap_or_default();
        self.head_end = self.out.len();
        self.out.extend_from_slice(body);
        Ok(())
    }

    /// Memory for the answer's head: that of the request's, where it is sent and will not be again.
    pub(super) fn take_memory(&mut self) -> Buffer {
        if !self.is_sent() {
            return Buffer::take();
        }
        let mut memory = mem::replace(&mut self.out, Buffer::none());
        memory.clear();
        self.sent = 0;
        self.is_lost |= self.is_begun;
        memory
    }

    /// It can be sent a second time.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_lost
    }

    /// What has not been read of the body is not wanted any more.
    pub(super) fn give_up(&mut self) {
        self.body = RequestBody::Empty;
        self.is_lost |= !self.is_read;
        self.is_read = true;
    }

    /// Bytes that have left.
    pub(super) fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    /// A byte has left.
    pub(super) fn has_left(&self) -> bool {
        self.sent_bytes > 0
    }

    /// All has been sent.
    pub(super) fn is_sent(&self) -> bool {
        self.is_read && self.sent >= self.out.len()
    }

    /// Sends what can be sent.
    pub(super) fn drive(&mut self, context: &mut Context<'_>, connection: &Connection) -> Result<Progress, Stopped> {
        let begun = self.sent_bytes;
        loop {
            if self.sent_bytes - begun >= TURN_BYTES {
                let _: Poll<()> = turn::end(context);
                return Ok(Progress::AwaitsClient);
            }
            if !self.is_read && self.sent == 0 && !self.awaits_continue && !self.is_begun {
                // What has come of the body goes with the head.
                self.read(context)?;
            }
            while let Some(rest) = self.out.get(self.sent..).filter(|rest| !rest.is_empty()) {
                match connection.poll_send(context, rest) {
                    Poll::Pending => return Ok(Progress::AwaitsEndpoint),
                    Poll::Ready(Ok(bytes)) => {
                        self.sent += bytes;
                        self.sent_bytes += bytes as u64;
                    }
                    Poll::Ready(Err(error)) => return Err(Stopped::Endpoint(error)),
                }
            }
            if self.is_read {
                return Ok(Progress::Sent);
            }
            if self.awaits_continue {
                return Ok(Progress::AwaitsContinue);
            }
            self.out.clear();
            self.is_lost |= self.is_begun;
            (self.sent, self.head_end) = (0, 0);
            if !self.read(context)? {
                return Ok(Progress::AwaitsClient);
            }
        }
    }

    /// Appends the next piece of the body, or its end; `false`: the client has sent nothing.
    fn read(&mut self, context: &mut Context<'_>) -> Result<bool, Stopped> {
        let start = self.out.len();
        if self.is_large() {
            self.out.reserve_exact(BUFFER_BYTES_MAX.saturating_sub(start));
        }
        let is_chunked = self.framing == Framing::Chunked;
        if is_chunked {
            self.out.extend_from_slice(&[0; SIZE_BYTES]);
        }
        let read = self.body.poll_read(context, &mut self.out);
        self.is_begun |= read.is_ready();
        let Poll::Ready(bytes) = read else {
            self.out.truncate(start);
            return Ok(false);
        };
        let bytes = bytes.map_err(Stopped::Body)?;
        match (is_chunked, bytes) {
            (true, 0) => {
                self.out.truncate(start);
                self.out.extend_from_slice(b"0\r\n");
                let mut lines = Buffer::take();
                self.body.push_trailer_lines(&mut lines);
                trailers::push_to_upstream(&lines, self.edits, &mut self.out);
                self.out.extend_from_slice(b"\r\n");
            }
            (true, _) => self.frame(start, bytes),
            (false, 0) => return Err(Stopped::Body(Fault::BodyFraming)),
            (false, _) => {}
        }
        if bytes == 0 || self.body.remaining() == Some(0) {
            self.is_read = true;
            self.body = RequestBody::Empty;
        }
        Ok(true)
    }

    /// Writes a chunk's size into the room that was kept in front of it, and moves what is left of that room away.
    fn frame(&mut self, start: usize, bytes: usize) {
        let mut size = [0; SIZE_BYTES];
        let mut at = SIZE_BYTES - 2;
        size[at..].copy_from_slice(b"\r\n");
        let mut rest = bytes;
        while at > 0 && (rest > 0 || at == SIZE_BYTES - 2) {
            at -= 1;
            size[at] = b"0123456789abcdef"[rest & 15];
            rest >>= 4;
        }
        if let Some(room) = self.out.get_mut(start..start + SIZE_BYTES) {
            room.copy_from_slice(&size);
        }
        self.out.extend_from_slice(b"\r\n");
        if start == 0 {
            (self.sent, self.head_end) = (at, at);
        } else {
            self.out.drain(start..start + at);
        }
    }
}
