//! What makes encoders: one for each coding, each in a file of its own that only sites with that coding link.
//!
//! Encoders are taken for one body. Those that can be used again go back to a pool of their thread; how many live at once is bounded, because each holds up to some
//! MiB as long as its client takes to read.

use std::{
    cell::{Cell, RefCell},
    fmt::{self, Debug, Formatter},
    io,
};

use semantics::negotiate::Coding;

/// Encoders that a thread may have in use at once: with the largest, 256 MiB.
pub(crate) const ENCODERS_MAX: u32 = 128;
/// Unused encoders of one coding that a thread keeps.
pub(crate) const KEPT_MAX: usize = 4;

thread_local! {
    static IN_USE: Cell<u32> = const { Cell::new(0) };
}

/// One coding: a constant of the runtime that generated code names.
#[derive(Clone, Copy)]
pub struct Coder {
    pub(crate) coding: Coding,
    /// Bytes that one of its encoders holds at most.
    pub(crate) memory_bytes: usize,
    /// After each piece of the source it is flushed, which bounds what it holds.
    pub(crate) is_flushed_often: bool,
    pub(crate) make: fn() -> Box<dyn Encoder>,
}

impl Coder {
    /// An encoder for one body.
    pub(crate) fn take(&self) -> Lease {
        IN_USE.with(|in_use| in_use.set(in_use.get() + 1));
        Lease { encoder: Some((self.make)()) }
    }
}

impl Debug for Coder {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.coding.name())
    }
}

/// Codes one body.
pub(crate) trait Encoder {
    /// Takes from the front of `input` and gives to the front of `room`. What was asked for is asked again, with what is left of the input, until it is done.
    fn encode(&mut self, input: &[u8], room: &mut [u8], until: Until) -> io::Result<Progress>;

    /// The body is over, or broken off: the encoder may be kept for another.
    fn give_back(self: Box<Self>);
}

/// What is to come out of an encoder.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Until {
    /// All, and the end.
    End,
    /// All that was put in so far.
    Flush,
    /// What it likes to give.
    More,
}

/// How far an encoder came.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Progress {
    /// Bytes of the input.
    pub(crate) taken: usize,
    /// Bytes of the room.
    pub(crate) given: usize,
    /// What was asked for is done; for [`Until::More`] all of the input is taken.
    pub(crate) is_done: bool,
}

/// Whether one more encoder may live as long as its client wants.
pub(crate) fn has_room() -> bool {
    IN_USE.get() < ENCODERS_MAX
}

/// An encoder in use.
pub(crate) struct Lease {
    /// `None` only while it is dropped.
    encoder: Option<Box<dyn Encoder>>,
}

impl Lease {
    pub(crate) fn encode(&mut self, input: &[u8], room: &mut [u8], until: Until) -> io::Result<Progress> {
        match &mut self.encoder {
            Some(encoder) => encoder.encode(input, room, until),
            None => Err(io::ErrorKind::NotConnected.into()),
        }
    }
}

impl Debug for Lease {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("Lease")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let _ = IN_USE.try_with(|in_use| in_use.set(in_use.get().saturating_sub(1)));
        if let Some(encoder) = self.encoder.take() {
            encoder.give_back();
        }
    }
}

/// Adds an encoder to a pool that has room; frees it else.
pub(crate) fn keep<T>(pool: &RefCell<Vec<T>>, encoder: T) {
    let mut pool = pool.borrow_mut();
    if pool.len() < KEPT_MAX {
        pool.push(encoder);
    }
}
