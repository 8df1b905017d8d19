//! A file on its way to the client, or one part of it: head in a pooled buffer, body read at once or in chunks as the client takes them.
//!
//! The length was promised before the first byte: a file that shrank meanwhile is an error (the connection is closed, nothing is padded), of one that grew only the
//! promised bytes are sent.

use std::{
    io,
    os::fd::OwnedFd,
    task::{Context, Poll, ready},
};

use semantics::ranges::Part;

use crate::{
    buffer::{Buffer, CHUNK_BYTES, Chunk},
    file_reader::FileReader,
    ranged::Origin,
};

/// A 200 whose body is a file, or a 206 whose body is a part of one.
#[derive(Debug)]
pub struct SentFile {
    status: u16,
    head: Buffer,
    /// Of the whole body, as the head says.
    body_bytes: u64,
    source: Source,
}

/// Where the next bytes come from.
#[derive(Debug)]
enum Source {
    /// Nowhere: all is sent.
    End,
    /// The open file, from that offset on, so many bytes.
    File(FileReader, u64, u64),
    /// The whole body was read at once.
    Memory(Chunk),
}

impl SentFile {
    /// The body will be `body_bytes` of the open `file` from its start.
    pub(crate) fn new(head: Buffer, file: OwnedFd, body_bytes: u64) -> Self {
        Self { status: 200, head, body_bytes, source: Source::File(FileReader::Idle(file), 0, body_bytes) }
    }

    /// The body will be that part of the open `file`.
    pub(crate) fn part(head: Buffer, file: OwnedFd, part: Part) -> Self {
        let body_bytes = part.bytes();
        Self { status: 206, head, body_bytes, source: Source::File(FileReader::Idle(file), part.first, body_bytes) }
    }

    /// Reads a body of at most [`CHUNK_BYTES`] if it is in the page cache, so that head and body can be written together.
    pub(crate) fn read_at_once(mut self) -> Self {
        if let (Source::File(file, at, _), Ok(bytes)) = (&self.source, usize::try_from(self.body_bytes))
            && bytes <= CHUNK_BYTES
            && let Some(chunk) = file.read_cached(*at, bytes)
            && chunk.len() == bytes
        {
            self.source = Source::Memory(chunk);
        }
        self
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    pub(crate) fn head_lines(&self) -> &[u8] {
        &self.head
    }

    pub(crate) fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    pub(crate) fn ready_body(&self) -> &[u8] {
        match &self.source {
            Source::End | Source::File(..) => b"",
            Source::Memory(chunk) => chunk,
        }
    }

    pub(crate) fn is_streamed(&self) -> bool {
        !matches!(self.source, Source::Memory(_))
    }

    /// As [`crate::response::Response::poll_chunk`] says.
    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        let Source::File(file, at, left) = &mut self.source else {
            return Poll::Ready(match std::mem::replace(&mut self.source, Source::End) {
                Source::Memory(chunk) => Some(Ok(chunk)),
                Source::End | Source::File(..) => None,
            });
        };
        let wanted = usize::try_from(*left).unwrap_or(usize::MAX).min(room.clamp(1, CHUNK_BYTES));
        let result = if wanted == 0 { None } else { Some(ready!(file.poll_read(*at, wanted, context))) };
        match &result {
            Some(Ok(chunk)) => {
                *at = at.saturating_add(chunk.len() as u64);
                *left = left.saturating_sub(chunk.len() as u64);
            }
            Some(Err(_)) | None => self.source = Source::End,
        }
        Poll::Ready(result)
    }
}
