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
    buffer::{Buffer, CHUNK_BYTES, Chunk, PIECE_BYTES},
    file_pages::Pages,
    file_reader::FileReader,
    open_file::{BODY_BYTES_MAX, OpenFile},
    ranged::Origin,
    response::{FilePiece, Place},
};

/// A 200 whose body is a file, or a 206 whose body is a part of one.
#[derive(Debug)]
pub struct SentFile {
    file: Rc<OpenFile>,
    /// That of a 206: a 200 has the file's own.
    head: Option<Buffer>,
    /// Where the bytes that are not given out yet begin,
    at: u64,
    /// and how many they are.
    left: u64,
    source: Source,
}

/// A 200 whose body is a whole file that is kept in memory.
#[derive(Debug)]
pub struct KeptFile(Rc<OpenFile>);

impl KeptFile {
    /// The file, if its body is kept.
    #[inline]
    pub(crate) fn new(file: Rc<OpenFile>) -> Result<Self, Rc<OpenFile>> {
        if file.body().is_some() { Ok(Self(file)) } else { Err(file) }
    }

    pub(crate) fn head_lines(&self) -> &[u8] {
        self.0.head()
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.0.body().unwrap_or_default()
    }
}

/// Where the next bytes come from.
#[derive(Debug)]
enum Source {
    /// The whole body was read at once.
    Chunk(Chunk),
    /// Nowhere: all is sent.
    End,
    /// The file, by chunks or from its pages.
    File(FileReader, Pages),
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
        let source = if file.body().is_some() { Source::Kept } else { Source::File(FileReader::Idle(file.file()), Pages::default()) };
        Self { file, head, at, left: bytes, source }
    }

    /// Reads a body of at most [`BODY_BYTES_MAX`] if it is in the page cache, so that head and body can be written together.
    pub(crate) fn read_at_once(mut self) -> Self {
        if let (Source::File(file, _), Ok(bytes)) = (&self.source, usize::try_from(self.left))
            && self.left <= BODY_BYTES_MAX
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

    /// As [`crate::response::Response::body_bytes`] says.
    pub(crate) fn body_bytes(&self) -> u64 {
        self.left
    }

    pub(crate) fn ready_body(&self) -> &[u8] {
        match &self.source {
            Source::Chunk(chunk) => chunk,
            Source::End | Source::File(..) => b"",
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

    pub(crate) fn is_in_file(&self) -> bool {
        matches!(self.source, Source::File(..)) && self.file.is_sendable()
    }

    pub(crate) fn read_instead(&self) {
        self.file.set_unsendable();
    }

    /// As [`crate::response::Response::poll_piece`] says.
    pub(crate) fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<usize>>> {
        // Even ones: of 1 MiB each half is still in the core's own cache when it is sent.
        let pieces = self.left.div_ceil(PIECE_BYTES as u64).max(1);
        let bytes = usize::try_from(self.left.div_ceil(pieces)).map_or(PIECE_BYTES, |bytes| bytes.min(PIECE_BYTES));
        if bytes == 0 {
            return Poll::Ready(None);
        }
        match &mut self.source {
            Source::File(_, pages) => pages.poll(&self.file, self.at, bytes, context).map(Some),
            Source::Chunk(_) | Source::End | Source::Kept => Poll::Ready(None),
        }
    }

    pub(crate) fn piece(&self, bytes: usize) -> FilePiece<'_> {
        let is_copied = matches!(&self.source, Source::File(_, pages) if pages.are_copied(bytes));
        FilePiece { place: Place::File(self.file.descriptor(), self.at), bytes, is_copied }
    }

    /// As [`crate::response::Response::copy_piece`] says.
    pub(crate) fn copy_piece(&mut self, bytes: usize, room: &mut [u8]) -> Option<usize> {
        let Source::File(_, pages) = &mut self.source else { return None };
        pages.copy(&self.file, self.at, room.get_mut(..bytes)?)
    }

    pub(crate) fn advance(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes as u64);
        self.left = self.left.saturating_sub(bytes as u64);
        if let Source::File(_, pages) = &mut self.source {
            pages.advance(bytes);
        }
    }

    /// As [`crate::response::Response::poll_chunk`] says.
    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        let Source::File(file, _) = &mut self.source else {
            return Poll::Ready(match mem::replace(&mut self.source, Source::End) {
                Source::Chunk(chunk) => Some(Ok(chunk)),
                Source::End | Source::File(..) | Source::Kept => None,
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
