//! Regexes whose named groups become parameters of the route (feature `regex-captures`). Allocates once for each worker and regex size, then nothing.

use std::cell::RefCell;

use semantics::regexes::{Capturing, RegexRoom};

use crate::{exchange::Exchange, settings::Embedded};

thread_local! {
    /// One for all regexes: it grows to what the largest needs, which has a bound.
    static ROOM: RefCell<RegexRoom> = RefCell::default();
}

impl Exchange<'_> {
    /// Whether the regex matches anywhere in the path. Its named groups then follow the first `parameters` ones: the pattern's, and those of regexes before
    /// it in the same guard. What a guard that was refused half way has left behind goes.
    pub fn captures_regex(&self, regex: &Capturing<'_>, parameters: u8) -> bool {
        let mut captures = *self.slot.captures.borrow();
        captures.shorten(parameters);
        let is_match = ROOM.with_borrow_mut(|room| regex.find(self.path(), &mut captures, room));
        if is_match {
            *self.slot.captures.borrow_mut() = captures;
        }
        is_match
    }
}

impl Embedded for Capturing<'_> {
    fn is_whole(&self) -> bool {
        self.check().is_ok()
    }
}
