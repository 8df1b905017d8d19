//! A file on its way to the client: head in a pooled buffer, body read at once or in chunks as the client takes them.
//!
//! A read that the page cache can serve is made on the worker (`preadv2` with RWF_NOWAIT); any other goes to the blocking pool, one at a time for a file.
//! The length was promised before the first byte: a file that shrank meanwhile is an error (the connection is closed, nothing is padded), of one that grew only the
//! promised bytes are sent.

use std::{
    future::Future,
    io::{self, IoSliceMut},
    os::fd::OwnedFd,
    pin::Pin,
    task::{Context, Poll},
};

use rustix::io::{Errno, ReadWriteFlags, pread, preadv2};
use tokio::{runtime::Handle, task::JoinHandle};

use crate::buffer::{Buffer, CHUNK_BYTES, Chunk};

/// A 200 whose body is a file.
#[derive(Debug)]
pub struct SentFile {
    head: Buffer,
    /// Of the whole body, as the head says.
    body_bytes: u64,
    source: Source,
}

/// Where the next bytes come from.
#[derive(Debug)]
enum Source {
    /// Nowhere: all is sent, or reading failed.
    End,
    /// The open file, sent up to that offset.
    File(OwnedFd, u64),
    /// The whole body was read at once.
    Memory(Chunk),
    /// The blocking pool reads from that offset.
    Reading(JoinHandle<Reading>, u64),
}

/// What comes back from the blocking pool.
#[derive(Debug)]
struct Reading {
    file: OwnedFd,
    memory: Box<[u8]>,
    result: io::Result<usize>,
}

impl SentFile {
    /// The body will be `body_bytes` of the open `file` from its start.
    pub(crate) fn new(head: Buffer, file: OwnedFd, body_bytes: u64) -> Self {
        Self { head, body_bytes, source: Source::File(file, 0) }
    }

    /// Reads a body of at most [`CHUNK_BYTES`] if it is in the page cache, so that head and body can be written together.
    pub(crate) fn read_at_once(mut self) -> Self {
        if let (Source::File(file, 0), Ok(bytes)) = (&self.source, usize::try_from(self.body_bytes))
            && bytes <= CHUNK_BYTES
            && let Some(chunk) = read_cached(file, 0, bytes)
            && chunk.len() == bytes
        {
            self.source = Source::Memory(chunk);
        }
        self
    }

    pub(crate) fn status(&self) -> u16 {
        200
    }

    pub(crate) fn head_lines(&self) -> &[u8] {
        &self.head
    }

    pub(crate) fn body_bytes(&self) -> u64 {
        self.body_bytes
    }

    pub(crate) fn ready_body(&self) -> &[u8] {
        match &self.source {
            Source::End | Source::File(..) | Source::Reading(..) => b"",
            Source::Memory(chunk) => chunk,
        }
    }

    pub(crate) fn is_streamed(&self) -> bool {
        !matches!(self.source, Source::Memory(_))
    }

    /// As [`crate::response::Response::poll_chunk`] says.
    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        match std::mem::replace(&mut self.source, Source::End) {
            Source::End => Poll::Ready(None),
            Source::File(file, at) => {
                let left = self.body_bytes.saturating_sub(at);
                let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(room.clamp(1, CHUNK_BYTES));
                if wanted == 0 {
                    return Poll::Ready(None);
                }
                if let Some(chunk) = read_cached(&file, at, wanted) {
                    return self.give(file, at, chunk);
                }
                match read_in_pool(file, at, wanted) {
                    Ok(task) => self.poll_reading(task, at, context),
                    Err(error) => Poll::Ready(Some(Err(error))),
                }
            }
            Source::Memory(chunk) => Poll::Ready(Some(Ok(chunk))),
            Source::Reading(task, at) => self.poll_reading(task, at, context),
        }
    }

    fn poll_reading(&mut self, mut task: JoinHandle<Reading>, at: u64, context: &mut Context<'_>) -> Poll<Option<io::Result<Chunk>>> {
        let Reading { file, memory, result } = match Pin::new(&mut task).poll(context) {
            Poll::Pending => {
                self.source = Source::Reading(task, at);
                return Poll::Pending;
            }
            Poll::Ready(Ok(reading)) => reading,
            Poll::Ready(Err(_)) => return Poll::Ready(Some(Err(io::ErrorKind::Other.into()))),
        };
        let mut chunk = Chunk::from_memory(memory);
        match result {
            Ok(bytes) => {
                chunk.set_filled(bytes);
                self.give(file, at, chunk)
            }
            Err(error) => Poll::Ready(Some(Err(error))),
        }
    }

    /// Hands out what was read at `at`; nothing at all means that the file shrank.
    fn give(&mut self, file: OwnedFd, at: u64, chunk: Chunk) -> Poll<Option<io::Result<Chunk>>> {
        if chunk.is_empty() {
            return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into())));
        }
        self.source = Source::File(file, at.saturating_add(chunk.len() as u64));
        Poll::Ready(Some(Ok(chunk)))
    }
}

/// Reads what the page cache has; `None` where the answer would have to be waited for (or the file system can't tell): the blocking pool is asked then, and
/// meets any other error again.
fn read_cached(file: &OwnedFd, at: u64, bytes: usize) -> Option<Chunk> {
    let mut chunk = Chunk::take();
    let memory = chunk.memory().get_mut(..bytes)?;
    let filled = preadv2(file, &mut [IoSliceMut::new(memory)], at, ReadWriteFlags::NOWAIT).ok()?;
    chunk.set_filled(filled);
    Some(chunk)
}

/// Starts a read that may wait for the disk. Its queue holds at most one read for each open connection.
fn read_in_pool(file: OwnedFd, at: u64, bytes: usize) -> io::Result<JoinHandle<Reading>> {
    let runtime = Handle::try_current().map_err(|_| io::ErrorKind::Unsupported)?;
    let mut memory = Chunk::take().into_memory();
    Ok(runtime.spawn_blocking(move || {
        let result = loop {
            let room = memory.get_mut(..bytes).unwrap_or_default();
            match pread(&file, room, at) {
                Err(Errno::INTR) => {}
                other => break other.map_err(io::Error::from),
            }
        };
        Reading { file, memory, result }
    }))
}
