//! An open file that is read piece by piece.
//!
//! A read that the page cache can serve is made on the worker (`preadv2` with RWF_NOWAIT); any other goes to the blocking pool, one at a time for a file.

use std::{
    future::Future,
    io::{self, IoSliceMut},
    mem,
    os::fd::{AsFd, OwnedFd},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use rustix::io::{Errno, ReadWriteFlags, pread, preadv2};
use tokio::{runtime::Handle, task::JoinHandle};

use crate::{buffer::Chunk, ranged::Origin};

/// The file, wherever it is just now.
#[derive(Debug)]
pub(crate) enum FileReader {
    /// Reading failed: there is no file any more.
    Gone,
    /// Nothing is being read.
    Idle(Arc<OwnedFd>),
    /// The blocking pool reads.
    Reading(JoinHandle<Reading>),
}

/// What comes back from the blocking pool.
#[derive(Debug)]
pub(crate) struct Reading {
    file: Arc<OwnedFd>,
    memory: Box<[u8]>,
    result: io::Result<usize>,
}

impl FileReader {
    /// Reads what the page cache has, one call; `None` where the answer would have to be waited for (or the file system can't tell): the blocking pool is
    /// asked then, and meets any other error again.
    pub(crate) fn read_cached(&self, at: u64, bytes: usize) -> Option<Chunk> {
        let mut chunk = Chunk::take();
        let filled = self.fill_cached(at, chunk.memory().get_mut(..bytes)?)?;
        chunk.set_filled(filled);
        Some(chunk)
    }

    fn fill_cached(&self, at: u64, room: &mut [u8]) -> Option<usize> {
        let Self::Idle(file) = self else { return None };
        fill_cached(&**file, at, room)
    }

    fn poll_reading(&mut self, mut task: JoinHandle<Reading>, context: &mut Context<'_>) -> Poll<io::Result<Chunk>> {
        let Reading { file, memory, result } = match Pin::new(&mut task).poll(context) {
            Poll::Pending => {
                *self = Self::Reading(task);
                return Poll::Pending;
            }
            Poll::Ready(Ok(reading)) => reading,
            Poll::Ready(Err(_)) => return Poll::Ready(Err(io::ErrorKind::Other.into())),
        };
        let mut chunk = Chunk::from_memory(memory);
        chunk.set_filled(result?);
        *self = Self::Idle(file);
        Poll::Ready(present(chunk))
    }
}

impl Origin for FileReader {
    fn read_now(&mut self, at: u64, room: &mut [u8]) -> Option<usize> {
        self.fill_cached(at, room)
    }

    fn poll_read(&mut self, at: u64, bytes: usize, context: &mut Context<'_>) -> Poll<io::Result<Chunk>> {
        if matches!(self, Self::Idle(_))
            && let Some(chunk) = self.read_cached(at, bytes)
        {
            return Poll::Ready(present(chunk));
        }
        match mem::replace(self, Self::Gone) {
            Self::Gone => Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
            Self::Idle(file) => match read_in_pool(file, at, bytes) {
                Ok(task) => self.poll_reading(task, context),
                Err(error) => Poll::Ready(Err(error)),
            },
            Self::Reading(task) => self.poll_reading(task, context),
        }
    }
}

/// Reads what the page cache has; `None` as [`FileReader::read_cached`] says.
pub(crate) fn fill_cached(file: impl AsFd, at: u64, room: &mut [u8]) -> Option<usize> {
    preadv2(file, &mut [IoSliceMut::new(room)], at, ReadWriteFlags::NOWAIT).ok()
}

/// Nothing at all means that the file shrank.
fn present(chunk: Chunk) -> io::Result<Chunk> {
    if chunk.is_empty() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(chunk) }
}

/// Starts a read that may wait for the disk. Its queue holds at most one read for each open connection.
fn read_in_pool(file: Arc<OwnedFd>, at: u64, bytes: usize) -> io::Result<JoinHandle<Reading>> {
    let runtime = Handle::try_current().map_err(|_| io::ErrorKind::Unsupported)?;
    let mut memory = Chunk::take().into_memory();
    Ok(runtime.spawn_blocking(move || {
        let result = loop {
            let room = memory.get_mut(..bytes).unwrap_or_default();
            match pread(&*file, room, at) {
                Err(Errno::INTR) => {}
                other => break other.map_err(io::Error::from),
            }
        };
        Reading { file, memory, result }
    }))
}
