//! `regex`: patterns that are searched in the normal form of a path, unanchored, by sparse DFAs that the compiler has built and embedded.
//!
//! A DFA reads each byte once, so that no pattern and no path can make a search slow; what may be large is the DFA, and that has a bound at build. Patterns are
//! ASCII: a path in normal form is, and Unicode classes would need tables in every binary. The bytes are checked once, when they are first used; bytes that
//! are no DFA match nothing, and [`Regex::check`] tells the start of the server so.

use std::sync::OnceLock;

use regex_automata::{
    Input,
    dfa::{Automaton as _, sparse::DFA},
};

#[cfg(feature = "build")]
mod build;
#[cfg(feature = "regex-captures")]
mod capturing;

#[cfg(feature = "build")]
pub use self::build::{Capture, RegexFault, build, build_capturing};
#[cfg(feature = "regex-captures")]
pub use self::capturing::{Capturing, RegexRoom};

/// Bytes that one embedded DFA may have.
pub const DFA_BYTES_MAX: usize = 1 << 20;

/// The embedded bytes are not what this version of kiln has written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DamagedRegex;

/// A regex without captures: does it match anywhere in a path?
#[derive(Debug)]
pub struct Regex<'a> {
    dfa: Embedded<'a>,
}

impl<'a> Regex<'a> {
    /// The regex that `build` has made these bytes of. Nothing is read yet.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { dfa: Embedded::new(bytes) }
    }

    /// Reads the bytes, once: the start of the server calls it, so that no request has to wait for it.
    pub fn check(&self) -> Result<(), DamagedRegex> {
        self.dfa.read().map(|_| ()).ok_or(DamagedRegex)
    }

    /// Whether it matches somewhere in `path`, which is in normal form.
    pub fn matches(&self, path: &str) -> bool {
        self.dfa.read().is_some_and(|dfa| dfa.try_search_fwd(&Input::new(path).earliest(true)).is_ok_and(|found| found.is_some()))
    }
}

/// A sparse DFA in bytes, read when it is first used.
#[derive(Debug)]
struct Embedded<'a> {
    bytes: &'a [u8],
    dfa: OnceLock<Option<DFA<&'a [u8]>>>,
}

impl<'a> Embedded<'a> {
    const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, dfa: OnceLock::new() }
    }

    fn read(&self) -> Option<&DFA<&'a [u8]>> {
        self.dfa.get_or_init(|| DFA::from_bytes(self.bytes).ok().map(|(dfa, _)| dfa)).as_ref()
    }
}

#[cfg(test)]
#[cfg(feature = "build")]
mod tests;
