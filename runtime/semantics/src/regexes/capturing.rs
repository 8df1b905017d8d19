//! A regex whose named groups are parameters.
//!
//! The DFAs find where the leftmost match ends and begins, a one-pass automaton then finds the groups from its beginning: three passes, each linear. One-pass
//! automata can't be embedded, so this one is built at start from the pattern that was checked at build, under the same limit.

use std::sync::OnceLock;

use regex_automata::{
    Anchored, Input,
    dfa::{Automaton as _, onepass},
    nfa::thompson,
    util::{primitives::NonMaxUsize, syntax},
};

use super::{DamagedRegex, Embedded};
use crate::pattern::Captures;

/// Groups that a pattern may have, named or not, the whole match not counted: the one-pass automaton's own bound, and that of a route's parameters.
pub(super) const GROUPS_MAX: usize = 16;
/// Bytes that an automaton may take while it is built and afterwards.
pub(super) const AUTOMATON_BYTES_MAX: usize = 1 << 20;

/// A regex with captures.
#[derive(Debug)]
pub struct Capturing<'a> {
    forward: Embedded<'a>,
    reverse: Embedded<'a>,
    pattern: &'a str,
    groups: OnceLock<Option<onepass::DFA>>,
}

/// What a search writes to; reused from request to request, for all regexes.
#[derive(Debug, Default)]
pub struct RegexRoom {
    cache: Option<onepass::Cache>,
}

impl<'a> Capturing<'a> {
    /// The regex that `build_capturing` has made these bytes of `pattern`. Nothing is read or built yet.
    pub const fn new(forward: &'a [u8], reverse: &'a [u8], pattern: &'a str) -> Self {
        Self { forward: Embedded::new(forward), reverse: Embedded::new(reverse), pattern, groups: OnceLock::new() }
    }

    /// Reads the bytes and builds the automaton, once: the start of the server calls it, so that no request has to wait for it.
    pub fn check(&self) -> Result<(), DamagedRegex> {
        let is_whole = self.forward.read().is_some() && self.reverse.read().is_some() && self.groups().is_some();
        if is_whole { Ok(()) } else { Err(DamagedRegex) }
    }

    /// Whether it matches somewhere in `path`, which is in normal form. Then its named groups join `captures` in the order they are written, empty where a group
    /// has no part in the match; the compiler keeps their sum with the route's own parameters within `PARAMETERS_MAX`.
    pub fn find(&self, path: &str, captures: &mut Captures, room: &mut RegexRoom) -> bool {
        self.search(path, captures, room).is_some()
    }

    fn search(&self, path: &str, captures: &mut Captures, room: &mut RegexRoom) -> Option<()> {
        let end = self.forward.read()?.try_search_fwd(&Input::new(path)).ok()??.offset();
        let before = Input::new(path).range(..end).anchored(Anchored::Yes);
        let start = self.reverse.read()?.try_search_rev(&before).ok()??.offset();
        let groups = self.groups()?;
        let cache = match &mut room.cache {
            Some(cache) => {
                cache.reset(groups);
                cache
            }
            empty => empty.insert(groups.create_cache()),
        };
        let mut slots = [None::<NonMaxUsize>; 2 * (GROUPS_MAX + 1)];
        let input = Input::new(path).range(start..).anchored(Anchored::Yes);
        let found = groups.try_search_slots(cache, &input, &mut slots).ok()??;
        for (group, name) in groups.get_nfa().group_info().pattern_names(found).enumerate() {
            if name.is_some() {
                let at = |slot: usize| slots.get(slot).copied().flatten().map_or(0, NonMaxUsize::get);
                captures.push(at(2 * group), at(2 * group + 1));
            }
        }
        Some(())
    }

    fn groups(&self) -> Option<&onepass::DFA> {
        self.groups.get_or_init(|| automaton(self.pattern).ok()).as_ref()
    }
}

/// The one-pass automaton of a pattern, built the same way by the compiler and at start.
pub(super) fn automaton(pattern: &str) -> Result<onepass::DFA, Box<onepass::BuildError>> {
    onepass::DFA::builder()
        .configure(onepass::Config::new().size_limit(Some(AUTOMATON_BYTES_MAX)))
        .thompson(thompson::Config::new().nfa_size_limit(Some(AUTOMATON_BYTES_MAX)).utf8(false))
        .syntax(syntax())
        .build(pattern)
        .map_err(Box::new)
}

/// What a pattern may be written in: bytes, so that no Unicode table is needed.
pub(super) fn syntax() -> syntax::Config {
    syntax::Config::new().unicode(false).utf8(false)
}
