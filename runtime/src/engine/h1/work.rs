//! What a connection needs only while it has something to do: buffers, field table, normal forms, slot. Taken from a pool of the thread.

use std::cell::RefCell;

use semantics::head::{FieldSpan, Scratch};

use super::{
    input::{INPUT_BYTES, Input},
    tunnel::Traffic,
};
use crate::{exchange::Slot, memory::Grant};

/// Free ones that a thread keeps; a connection with half a head or a slow handler holds one.
pub(crate) const WORKS_MAX: usize = 64;
/// Bytes of output that are gathered at most, whatever the delivery says: an answer more, and it is written.
pub(crate) const OUT_BYTES_MAX: usize = 1024 * 1024;
/// Bytes of capacity that an output keeps in the pool.
pub(crate) const OUT_BYTES_KEPT: usize = 128 * 1024;
/// Bytes of capacity that an output starts with.
const OUT_BYTES_FIRST: usize = 8 * 1024;
thread_local! {
    // The box is what moves between pool and connection: one pointer.
    #[expect(clippy::vec_box, reason = "the pool hands out boxes")]
    static POOL: RefCell<Vec<Box<Work>>> = const { RefCell::new(Vec::new()) };
}

/// Everything that one turn of a connection uses.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) input: Input,
    /// Answers that are not written yet.
    pub(crate) out: Vec<u8>,
    /// Bytes of `out` that are written already.
    pub(crate) written: usize,
    /// Bounded by the limit on fields.
    pub(crate) table: Vec<FieldSpan>,
    /// Bounded by the limit on a head's bytes.
    pub(crate) scratch: Scratch,
    pub(crate) slot: Slot,
    /// What is left to do when the last request has switched.
    pub(crate) traffic: Option<Traffic>,
    /// What was charged for it, until it is given back,
    pub(crate) grant: Grant,
    /// and for output that a client is slow to take.
    pub(crate) output: Grant,
}

impl Work {
    /// One from the pool, or a new one; input and output are empty.
    pub(crate) fn take() -> Box<Self> {
        POOL.with_borrow_mut(Vec::pop).unwrap_or_else(|| {
            Box::new(Self {
                input: Input::new(),
                out: Vec::with_capacity(OUT_BYTES_FIRST),
                written: 0,
                table: Vec::new(),
                scratch: Scratch::default(),
                slot: Slot::default(),
                traffic: None,
                grant: Grant::default(),
                output: Grant::default(),
            })
        })
    }

    /// Back to the pool, without contents.
    pub(crate) fn give_back(mut self: Box<Self>) {
        self.input.reset();
        self.out.clear();
        self.written = 0;
        self.traffic = None;
        (self.grant, self.output) = (Grant::default(), Grant::default());
        if self.out.capacity() > OUT_BYTES_KEPT {
            self.out = Vec::with_capacity(OUT_BYTES_FIRST);
        }
        // While the thread ends its pool may be gone: it is freed then.
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            if pool.len() < WORKS_MAX {
                pool.push(self);
            }
        });
    }
}

/// Bytes that one holds for heads of up to so many, and the body's buffer beside it.
pub(crate) fn bytes(head_bytes: u32) -> usize {
    INPUT_BYTES.max(head_bytes as usize) + INPUT_BYTES + OUT_BYTES_FIRST
}

/// How many the thread's pool keeps.
#[cfg(test)]
pub(crate) fn kept() -> usize {
    POOL.with_borrow(Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_given_back_is_taken_again_empty() {
        let mut first = Work::take();
        first.out.extend_from_slice(b"text");
        first.input.replace(b"text");
        let address: *const Work = &raw const *first;
        first.give_back();
        let second = Work::take();
        assert!(second.out.is_empty() && second.input.is_empty());
        assert_eq!(&raw const *second, address);
    }

    #[test]
    fn pool_keeps_no_more_than_its_bound() {
        let all: Vec<_> = (0..WORKS_MAX + 3).map(|_| Work::take()).collect();
        all.into_iter().for_each(Work::give_back);
        assert_eq!(kept(), WORKS_MAX);
    }

    #[test]
    fn output_above_its_bound_is_not_kept() {
        let mut work = Work::take();
        work.out.reserve(OUT_BYTES_KEPT + 1);
        work.give_back();
        assert!(Work::take().out.capacity() <= OUT_BYTES_KEPT);
    }
}
