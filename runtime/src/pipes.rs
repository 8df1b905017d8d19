//! `pipes`: what carries a body from one socket to another without a copy (feature `proxy`; without it `pipes/absent.rs` stands here).
//!
//! A pipe belongs to one answer while anything lies in it, and to its thread's pool else: one in which something was left is closed. Bounded: a thread has [`PIPES_MAX`] at a
//! time, of [`PIPE_BYTES`] each where the system allows that (it bounds the pipes of each user); whoever finds none copies.

use std::{
    cell::{Cell, RefCell},
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::{
    io::retry_on_intr,
    pipe::{PipeFlags, SpliceFlags, fcntl_setpipe_size, pipe_with, splice},
};

/// Bytes that a pipe holds at most.
pub(crate) const PIPE_BYTES: usize = 1024 * 1024;
/// One that holds fewer is not worth its calls: what a pipe has that nobody has enlarged.
const PIPE_BYTES_MIN: usize = 64 * 1024;
/// Pipes that a thread has at a time, two descriptors each.
const PIPES_MAX: usize = 64;

thread_local! {
    static FREE: RefCell<Vec<Ends>> = const { RefCell::new(Vec::new()) };
    /// Pipes that there are.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// A pipe, until it is dropped.
#[derive(Debug)]
pub(crate) struct Pipe {
    /// There until the drop.
    ends: Option<Ends>,
    /// What lies in it.
    bytes: usize,
}

#[derive(Debug)]
struct Ends {
    inlet: OwnedFd,
    outlet: OwnedFd,
}

/// Where to take the next bytes of a body from.
#[derive(Clone, Copy, Debug)]
pub struct Outlet<'a> {
    outlet: BorrowedFd<'a>,
}

impl Ends {
    fn new() -> io::Result<Self> {
        let (outlet, inlet) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let bytes = fcntl_setpipe_size(&inlet, PIPE_BYTES).or_else(|_bounded| rustix::pipe::fcntl_getpipe_size(&inlet))?;
        if bytes < PIPE_BYTES_MIN {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        Ok(Self { inlet, outlet })
    }
}

impl Pipe {
    /// One of the pool, or a new one; `None`: there are too many already, or the system gives no more.
    pub(crate) fn take() -> Option<Self> {
        if let Some(ends) = FREE.with_borrow_mut(Vec::pop) {
            return Some(Self { ends: Some(ends), bytes: 0 });
        }
        if COUNT.get() >= PIPES_MAX {
            return None;
        }
        let ends = Ends::new().ok()?;
        COUNT.set(COUNT.get() + 1);
        Some(Self { ends: Some(ends), bytes: 0 })
    }

    /// What lies in it.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Moves into the empty pipe what has come on `socket`, `bytes` at most, and gives how much that is; 0: the other end sends no more.
    pub(crate) fn fill(&mut self, socket: &impl AsFd, bytes: usize) -> io::Result<usize> {
        let Some(ends) = &self.ends else { return Ok(0) };
        let flags = SpliceFlags::MOVE | SpliceFlags::NONBLOCK;
        let moved = retry_on_intr(|| splice(socket, None, &ends.inlet, None, bytes.min(PIPE_BYTES), flags))?;
        self.bytes += moved;
        Ok(moved)
    }

    /// Where to take what lies in it from.
    pub(crate) fn outlet(&self) -> Option<Outlet<'_>> {
        self.ends.as_ref().map(|ends| Outlet { outlet: ends.outlet.as_fd() })
    }

    /// So much was taken from its outlet.
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// Copies what lies in it to `room`, as far as that goes.
    pub(crate) fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let Some(ends) = &self.ends else { return Ok(0) };
        let read = retry_on_intr(|| rustix::io::read(&ends.outlet, &mut *room))?;
        self.advance(read);
        Ok(read)
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let Some(ends) = self.ends.take().filter(|_| self.bytes == 0) else {
            COUNT.set(COUNT.get().saturating_sub(1));
            return;
        };
        // While the thread ends its pool may be gone: it is closed then.
        let _ = FREE.try_with(|free| free.borrow_mut().push(ends));
    }
}

impl Outlet<'_> {
    /// Moves to `socket` what it takes of `bytes`, which lie in the pipe. Not with `MORE`: what comes slowly would wait for a full packet.
    pub(crate) fn send(&self, socket: &impl AsFd, bytes: usize) -> io::Result<usize> {
        let flags = SpliceFlags::MOVE | SpliceFlags::NONBLOCK;
        Ok(retry_on_intr(|| splice(self.outlet, None, socket, None, bytes, flags))?)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read, Write},
        os::unix::net::UnixStream,
    };

    use super::*;

    fn filled(bytes: &[u8]) -> Pipe {
        let (mut from, to) = UnixStream::pair().unwrap();
        from.write_all(bytes).unwrap();
        let mut pipe = Pipe::take().unwrap();
        assert_eq!(pipe.fill(&to, PIPE_BYTES).unwrap(), bytes.len());
        pipe
    }

    #[test]
    fn bytes_go_from_socket_to_socket() {
        let mut pipe = filled(b"abcdef");
        let (near, mut far) = UnixStream::pair().unwrap();
        assert_eq!(pipe.outlet().unwrap().send(&near, 4).unwrap(), 4);
        pipe.advance(4);
        assert_eq!(pipe.bytes(), 2);
        assert_eq!(pipe.outlet().unwrap().send(&near, 2).unwrap(), 2);
        pipe.advance(2);
        let mut got = [0; 6];
        far.read_exact(&mut got).unwrap();
        assert_eq!(&got, b"abcdef");
    }

    #[test]
    fn pipe_that_holds_bytes_is_not_used_again() {
        let pipe = filled(b"secret of another answer");
        assert_eq!(COUNT.get(), 1);
        drop(pipe);
        assert_eq!((COUNT.get(), FREE.with_borrow(Vec::len)), (0, 0));
        let mut pipe = filled(b"abc");
        let mut room = [0; 10];
        assert_eq!(pipe.read(&mut room).unwrap(), 3);
        drop(pipe);
        assert_eq!((COUNT.get(), FREE.with_borrow(Vec::len)), (1, 1));
        assert_eq!(filled(b"x").bytes(), 1);
        assert_eq!(COUNT.get(), 0);
    }

    #[test]
    fn thread_has_no_more_than_its_bound() {
        // The system may have fewer for its user.
        let pipes: Vec<Pipe> = std::iter::from_fn(Pipe::take).collect();
        assert!(!pipes.is_empty() && pipes.len() <= PIPES_MAX);
        assert!(Pipe::take().is_none());
        drop(pipes);
        assert!(Pipe::take().is_some());
    }

    #[test]
    fn socket_without_bytes_blocks_and_its_end_is_none() {
        let (from, to) = UnixStream::pair().unwrap();
        let mut pipe = Pipe::take().unwrap();
        assert_eq!(pipe.fill(&to, 1).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(from);
        assert_eq!(pipe.fill(&to, 1).unwrap(), 0);
    }
}
