//! A file on its way to the client, or one part of it: its head is ready or in a pooled buffer, its body is kept, read at once, or read in chunks as the client takes them.
//!
//! The length was promised before the first byte: a file that shrank meanwhile is an error (the connection is closed, nothing is padded), of one that grew only the
//! promised bytes are sent.

use std::{
    io, mem,
    rc::Rc,
    task::{Context, Poll, ready},
};

use semantics::ranges::Part;

use crate::{
    buffer::{Buffer, CHUNK_BYTES, Chunk},
    file_reader::FileReader,
    open_file::OpenFile,
    ranged::Origin,
};

/// A 200 whose body is a file, or a 206 whose body is a part of one.
#[derive(Debug)]
pub struct SentFile {
    file: Rc<OpenFile>,
    /// That of a 206: a 200 has the file's own.
    head: Option<Buffer>,
    /// Where the bytes that are not given out yet begin,
    at: u64,
    /// how many they are,
    left: u64,
    /// and how many they were, as the head says.
    body_bytes: u64,
    source: Source,
}

/// Where the next bytes come from.
#[derive(Debug)]
enum Source {
    /// The whole body was read at once.
    Chunk(Chunk),
    /// Nowhere: all is sent.
    End,
    File(FileReader),
    /// The open file has its body in memory.
    Kept,
}

impl SentFile {
    /// The whole file.
    pub(crate) fn new(file: Rc<OpenFile>) -> Self {
        let bytes = file.bytes();
        Self::of(file, None, 0, bytes)
    }

    /// That part of it, with its head.
    pub(crate) fn part(file: Rc<OpenFile>, head: Buffer, part: Part) -> Self {
        Self::of(file, Some(head), part.first, part.bytes())
    }

    fn of(file: Rc<OpenFile>, head: Option<Buffer>, at: u64, bytes: u64) -> Self {
        let source = if file.body().is_some() { Source::Kept } else { Source::File(FileReader::Idle(file.file())) };
        Self { file, head, at, left: bytes, body_bytes: bytes, source }
    }

    /// Reads a body of at most [`CHUNK_BYTES`] if it is in the page cache, so that head and body can be written together.
    pub(crate) fn read_at_once(mut self) -> Self {
        if let (Source::File(file), Ok(bytes)) = (&self.source, usize::try_from(self.body_bytes))
            && bytes <= CHUNK_BYTES
            && let Some(chunk) = file.read_cached(self.at, bytes)
            && chunk.len() == bytes
        {
            self.source = Source::Chunk(chunk);
        }
        self
    }

    pub(crate) fn status(&self) -> u16 {
        if self.head.is_some() { 206 } else { 200 }
    }

    pub(crate) fn head_lines(&self) -> &[u8] {
        match &self.head {
            Some(head) => head,
            None => self.file.head(),
        }
    }

    pub(crate) fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    pub(crate) fn ready_body(&self) -> &[u8] {
        match &self.source {
            Source::Chunk(chunk) => chunk,
            Source::End | Source::File(_) => b"",
            Source::Kept => self.kept().unwrap_or_default(),
        }
    }

    fn kept(&self) -> Option<&[u8]> {
        let (start, bytes) = (usize::try_from(self.at).ok()?, usize::try_from(self.left).ok()?);
        self.file.body()?.get(start..)?.get(..bytes)
    }

    pub(crate) fn is_streamed(&self) -> bool {
        !matches!(self.source, Source::Chunk(_) | Source::Kept)
    }

    /// As [`crate::response::Response::poll_chunk`] says.
    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        let Source::File(file) = &mut self.source else {
            return Poll::Ready(match mem::replace(&mut self.source, Source::End) {
                Source::Chunk(chunk) => Some(Ok(chunk)),
                Source::End | Source::File(_) | Source::Kept => None,
            });
        };
        let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(room.clamp(1, CHUNK_BYTES));
        let result = if wanted == 0 { None } else { Some(ready!(file.poll_read(self.at, wanted, context))) };
        match &result {
            Some(Ok(chunk)) => {
                self.at = self.at.saturating_add(chunk.len() as u64);
                self.left = self.left.saturating_sub(chunk.len() as u64);
            }
            Some(Err(_)) | None => self.source = Source::End,
        }
        Poll::Ready(result)
    }
}
