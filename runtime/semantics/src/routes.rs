//! The table form of a vhost's patterns: above a measured size a tree in one blob is walked instead of comparing pattern after pattern.
//!
//! It gives the same candidates in the same order as [`crate::pattern::matches`] over the sorted list; a property test holds them together.

use crate::pattern::Captures;

/// A tree of patterns in its encoded form (offsets, no pointers); made by [`encode`], read without copying.
#[derive(Clone, Copy, Debug)]
pub struct Routes<'a> { blob: &'a [u8] }

impl<'a> Routes<'a> {
    pub const fn new(blob: &'a [u8]) -> Self { Self { blob } }
    /// Calls `decide` with the index of each pattern that takes `path`, best first, until it returns `Some`.
    pub fn find<T>(&self, path: &str, captures: &mut Captures, mut decide: impl FnMut(u32, &Captures) -> Option<T>) -> Option<T> { todo!() }
}

/// Encodes patterns (sorted best first, canonical, no two equal); the index given to `decide` is the position in `patterns`.
pub fn encode(patterns: &[&str]) -> Vec<u8> { todo!() }
