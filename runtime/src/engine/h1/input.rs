//! The bytes that have arrived and were not consumed, in memory that was initialised once.

use std::{
    io, mem,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, ReadBuf};

use super::Transport;

/// Bytes that one read takes at most, while no longer head asks for more.
pub(crate) const INPUT_BYTES: usize = 8 * 1024;

/// A read buffer. `start..end` of its memory is unread.
#[derive(Debug)]
pub(crate) struct Input {
    memory: Vec<u8>,
    start: usize,
    end: usize,
}

impl Input {
    pub(crate) fn new() -> Self {
        Self { memory: vec![0; INPUT_BYTES], start: 0, end: 0 }
    }

    /// What has arrived and was not consumed.
    pub(crate) fn unread(&self) -> &[u8] {
        self.memory.get(self.start..self.end).unwrap_or_default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The first `bytes` of what was unread (clamped) have been used.
    pub(crate) fn consume(&mut self, bytes: usize) {
        self.start = self.start.saturating_add(bytes).min(self.end);
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Holds a copy of `bytes` and nothing else.
    pub(crate) fn replace(&mut self, bytes: &[u8]) {
        if self.memory.len() < bytes.len() {
            self.memory.resize(bytes.len(), 0);
        }
        if let Some(front) = self.memory.get_mut(..bytes.len()) {
            front.copy_from_slice(bytes);
        }
        (self.start, self.end) = (0, bytes.len());
    }

    /// Empty again, and of the usual size.
    pub(crate) fn reset(&mut self) {
        (self.start, self.end) = (0, 0);
        if self.memory.len() > INPUT_BYTES {
            self.memory = vec![0; INPUT_BYTES];
        }
    }

    /// Makes room behind what is unread; memory grows to `bytes_max` at most. `false`: full.
    #[inline]
    pub(crate) fn make_room(&mut self, bytes_max: usize) -> bool {
        self.end < self.memory.len() || self.make_more_room(bytes_max)
    }

    #[cold]
    fn make_more_room(&mut self, bytes_max: usize) -> bool {
        if self.start > 0 {
            self.memory.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            return true;
        }
        let bytes = (2 * self.memory.len()).min(bytes_max);
        if bytes > self.memory.len() {
            self.memory.resize(bytes, 0);
        }
        self.end < self.memory.len()
    }

    /// There is no room behind what is unread.
    pub(crate) fn is_full(&self) -> bool {
        self.end == self.memory.len()
    }

    /// Has room for so many bytes from now on; `false`: it had.
    pub(crate) fn enlarge(&mut self, bytes: usize) -> bool {
        let is_less = self.memory.len() < bytes;
        if is_less {
            self.memory.resize(bytes, 0);
        }
        is_less
    }

    /// Reads once. Gives the number of new bytes: 0 at the stream's end. There must be room.
    pub(crate) fn poll_fill<S: AsyncRead + Unpin>(&mut self, stream: &mut S, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut room = ReadBuf::new(self.memory.get_mut(self.end..).unwrap_or_default());
        ready!(Pin::new(stream).poll_read(context, &mut room))?;
        let bytes = room.filled().len();
        self.end += bytes;
        Poll::Ready(Ok(bytes))
    }

    /// Reads once what has come already; `None`: the stream must be polled. There must be room.
    pub(crate) fn fill_now<S: Transport>(&mut self, stream: &S) -> Option<io::Result<usize>> {
        match stream.receive_now(self.memory.get_mut(self.end..).unwrap_or_default()) {
            Ok(bytes) => {
                self.end = self.memory.len().min(self.end + bytes);
                Some(Ok(bytes))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
            Err(error) => Some(Err(error)),
        }
    }

    /// Gives the contents away; empty afterwards.
    pub(crate) fn swap(&mut self, other: &mut Self) {
        mem::swap(self, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(bytes: usize) -> Input {
        let mut input = Input::new();
        input.replace(&vec![b'x'; bytes]);
        input
    }

    #[test]
    fn full_input_grows_to_its_bound() {
        let mut input = filled(INPUT_BYTES);
        assert!(input.make_room(INPUT_BYTES + 1));
        input.end += 1;
        assert!(!input.make_room(INPUT_BYTES + 1));
    }

    #[test]
    fn full_input_moves_what_is_unread_to_the_front() {
        let mut input = filled(INPUT_BYTES);
        input.consume(INPUT_BYTES - 3);
        assert!(input.make_room(INPUT_BYTES));
        assert_eq!((input.unread(), input.start), (&b"xxx"[..], 0));
    }

    #[test]
    fn consumed_input_starts_again_at_the_front() {
        let mut input = filled(10);
        input.consume(100);
        assert!(input.is_empty());
        assert_eq!((input.start, input.end), (0, 0));
    }
}
