//! An answer on its way from an endpoint: what has come of it, and how much of its body is to come.
//!
//! Memory is held only while something lies in it. Bytes behind the answer's end are thrown away and remembered: the connection is spent.

use std::{
    io,
    task::{Context, Poll, ready},
};

use semantics::{
    chunked::{Decoder, Progress},
    reply::{Framing, Reply},
};

use crate::{
    buffer::{Buffer, CHUNK_BYTES, Chunk},
    fault::Fault,
    upstream::Connection,
};

/// Up to so many bytes an incomplete head is scanned again whenever bytes arrive; above, only when a line has ended or it has doubled.
const RESCAN_BYTES: usize = 1024;

/// What has come, and what will.
#[derive(Debug)]
pub(super) struct Download {
    /// What has come and was not given on: of a head, or decoded bytes of a body.
    chunk: Option<Chunk>,
    /// Bytes of an incomplete head when it was scanned last.
    scanned_bytes: usize,
    rest: Rest,
    /// Field lines behind a chunked body, as received; bounded by the decoder.
    trailers: Option<Buffer>,
    /// Bytes came that belong to nothing.
    is_spent: bool,
}

/// What is to come of a body, beside what lies in the chunk.
#[derive(Debug)]
enum Rest {
    Chunked(Decoder),
    /// Nothing: the body is over.
    Ended,
    Length(u64),
    /// Until the connection ends.
    ToTheEnd,
}

impl Download {
    /// Nothing has come.
    pub(super) fn new() -> Self {
        Self { chunk: None, scanned_bytes: 0, rest: Rest::Ended, trailers: None, is_spent: false }
    }

    /// What has come.
    pub(super) fn unread(&self) -> &[u8] {
        self.chunk.as_deref().unwrap_or_default()
    }

    /// Receives more of a head, and of what is behind it; 0: the endpoint sends no more.
    pub(super) fn poll_head(&mut self, context: &mut Context<'_>, connection: &Connection) -> Poll<io::Result<usize>> {
        loop {
            // No memory is held while nothing has come.
            ready!(connection.poll_readable(context))?;
            let chunk = self.chunk.get_or_insert_with(Chunk::take_large);
            if chunk.room().is_empty() {
                chunk.compact();
            }
            match connection.receive(chunk.room()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if chunk.is_empty() {
                        self.chunk = None;
                    }
                }
                received => {
                    chunk.add_filled(*received.as_ref().unwrap_or(&0));
                    return Poll::Ready(received);
                }
            }
        }
    }

    /// Whether another scan of an incomplete head can tell more than the last one.
    pub(super) fn may_scan(&mut self) -> bool {
        let (before, unread) = (self.scanned_bytes, self.unread());
        let bytes = unread.len();
        let news = unread.get(before..).unwrap_or_default();
        let may = bytes > 0 && (before == 0 || bytes <= RESCAN_BYTES || bytes >= 2 * before || news.contains(&b'\n'));
        self.scanned_bytes = if may { bytes } else { before };
        may
    }

    /// An informational answer has been read.
    pub(super) fn skip(&mut self, head_bytes: usize) {
        self.scanned_bytes = 0;
        if let Some(chunk) = &mut self.chunk {
            chunk.consume(head_bytes);
        }
    }

    /// The head has been read: what is behind it is of the body.
    pub(super) fn begin(&mut self, reply: &Reply) -> Result<(), Fault> {
        self.skip(reply.head_bytes);
        self.rest = match reply.framing {
            Framing::Chunked => Rest::Chunked(Decoder::of_answer()),
            Framing::Empty => Rest::Ended,
            Framing::Length(bytes) => Rest::Length(bytes),
            Framing::ToTheEnd => Rest::ToTheEnd,
        };
        self.decode()
    }

    /// Takes what is behind a head that has no body.
    pub(super) fn take_behind(&mut self, head_bytes: usize) -> Option<Chunk> {
        self.skip(head_bytes);
        self.chunk.take().filter(|chunk| !chunk.is_empty())
    }

    /// All has come: what is unread is the whole body.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.rest, Rest::Ended)
    }

    /// Bytes that are to be given, where they are known.
    pub(super) fn body_bytes(&self) -> Option<u64> {
        let here = self.unread().len() as u64;
        match self.rest {
            Rest::Chunked(_) | Rest::ToTheEnd => None,
            Rest::Ended => Some(here),
            Rest::Length(left) => Some(here + left),
        }
    }

    /// Bytes that are to come of a body with a length, where none that have come are left to be given.
    pub(super) fn bare_bytes(&self) -> Option<u64> {
        match self.rest {
            Rest::Length(left) if self.chunk.is_none() => Some(left),
            Rest::Chunked(_) | Rest::Ended | Rest::Length(_) | Rest::ToTheEnd => None,
        }
    }

    /// So many of them have come, and went another way.
    pub(super) fn pass(&mut self, bytes: usize) {
        if let Rest::Length(left) = &mut self.rest {
            *left = left.saturating_sub(bytes as u64);
            if *left == 0 {
                self.rest = Rest::Ended;
            }
        }
    }

    /// Nothing is left.
    pub(super) fn has_ended(&self) -> bool {
        self.is_whole() && self.unread().is_empty()
    }

    /// Takes the field lines that stood behind the body, once it is whole.
    pub(super) fn take_trailers(&mut self) -> Option<Buffer> {
        self.trailers.take()
    }

    /// Something came that does not belong to the answer: its connection can't be used again.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }

    /// The next piece of the body, never empty, of at most `room` bytes; `None` at its end.
    pub(super) fn poll_chunk(
        &mut self,
        context: &mut Context<'_>,
        connection: Option<&Connection>,
        room: usize,
    ) -> Poll<Result<Option<Chunk>, Fault>> {
        loop {
            if let Some(piece) = self.piece(room) {
                return Poll::Ready(Ok(Some(piece)));
            }
            let room = match self.rest {
                Rest::Ended => return Poll::Ready(Ok(None)),
                Rest::Length(left) => usize::try_from(left).map_or(room, |left| left.min(room)),
                Rest::Chunked(_) | Rest::ToTheEnd => room,
            };
            let Some(connection) = connection else { return Poll::Ready(Err(Fault::UpstreamReset)) };
            ready!(connection.poll_readable(context)).map_err(|_reset| Fault::UpstreamReset)?;
            let mut chunk = Chunk::take();
            let memory = chunk.memory();
            let end = room.clamp(1, memory.len());
            let received = ready!(connection.poll_receive(context, memory.get_mut(..end).unwrap_or_default()));
            match received {
                Ok(0) if matches!(self.rest, Rest::ToTheEnd) => self.rest = Rest::Ended,
                Ok(0) | Err(_) => return Poll::Ready(Err(Fault::UpstreamReset)),
                Ok(bytes) => {
                    chunk.set_filled(bytes);
                    self.chunk = Some(chunk);
                    self.decode()?;
                }
            }
        }
    }

    /// What has come, up to `room` bytes of it.
    fn piece(&mut self, room: usize) -> Option<Chunk> {
        let chunk = self.chunk.as_mut()?;
        if chunk.len() <= room {
            return self.chunk.take().filter(|chunk| !chunk.is_empty());
        }
        let mut piece = Chunk::take();
        let bytes = room.clamp(1, CHUNK_BYTES).min(chunk.len());
        if let (Some(to), Some(from)) = (piece.memory().get_mut(..bytes), chunk.get(..bytes)) {
            to.copy_from_slice(from);
        }
        piece.set_filled(bytes);
        chunk.consume(bytes);
        Some(piece)
    }

    /// Takes out of the chunk what frames the body, and what is behind it.
    fn decode(&mut self) -> Result<(), Fault> {
        let Some(chunk) = &mut self.chunk else { return Ok(()) };
        let bytes = chunk.len();
        match &mut self.rest {
            Rest::Chunked(decoder) => {
                let decoded = unchunk(decoder, chunk, &mut self.trailers)?;
                self.is_spent |= decoded.has_more;
                if decoded.is_end {
                    self.rest = Rest::Ended;
                }
            }
            Rest::Ended => {
                self.is_spent |= bytes > 0;
                chunk.truncate(0);
            }
            Rest::Length(left) => {
                let body = usize::try_from(*left).map_or(bytes, |left| left.min(bytes));
                *left -= body as u64;
                self.is_spent |= bytes > body;
                chunk.truncate(body);
                if *left == 0 {
                    self.rest = Rest::Ended;
                }
            }
            Rest::ToTheEnd => {}
        }
        if chunk.is_empty() {
            self.chunk = None;
        }
        Ok(())
    }
}

/// What lay in a chunk.
struct Unchunked {
    /// The body is over.
    is_end: bool,
    /// Bytes are behind it.
    has_more: bool,
}

/// Leaves in `chunk` what is data, in one piece.
fn unchunk(decoder: &mut Decoder, chunk: &mut Chunk, trailers: &mut Option<Buffer>) -> Result<Unchunked, Fault> {
    let memory = chunk.data();
    let (mut read, mut data) = (0, 0..0);
    let mut lines = trailers.take().unwrap_or_else(Buffer::take);
    let is_end = loop {
        let rest = memory.get(read..).unwrap_or_default();
        match decoder.advance_keeping(rest, &mut lines).map_err(|_broken| Fault::UpstreamFraming)? {
            Progress::Data { skip, data: bytes } => {
                let from = read + skip;
                if data.is_empty() {
                    data = from..from;
                } else if data.end != from {
                    memory.copy_within(from..from + bytes, data.end);
                }
                data.end += bytes;
                read = from + bytes;
            }
            Progress::End { skip } => {
                read += skip;
                break true;
            }
            Progress::More { .. } => {
                read = memory.len();
                break false;
            }
        }
    };
    let has_more = read < memory.len();
    *trailers = Some(lines).filter(|lines| !lines.is_empty());
    chunk.truncate(data.end);
    chunk.consume(data.start);
    Ok(Unchunked { is_end, has_more })
}
