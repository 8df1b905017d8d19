//! Guards by regex: embedded DFAs, searched in the normal form of the path (feature `regex`). No allocation, one pass over the path.

use semantics::regexes::Regex;

use crate::{exchange::Exchange, settings::Embedded};

impl Exchange<'_> {
    /// Whether the regex matches anywhere in the path.
    pub fn matches_regex(&self, regex: &Regex<'_>) -> bool {
        regex.matches(self.path())
    }
}

impl Embedded for Regex<'_> {
    fn is_whole(&self) -> bool {
        self.check().is_ok()
    }
}
