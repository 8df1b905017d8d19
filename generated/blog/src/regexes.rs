//! Regexes of guards, as automata.

use runtime::Regex;

/// `^/20[0-9][0-9]/(0[1-9]|1[0-2])/[a-z0-9-]+/?$`
pub static YEAR_MONTH_SLUG_IF_REGEX_REGEX: Regex<'static> = Regex::new(
    include_bytes!("../regexes/year_month_slug_if_regex_regex.dfa"),
);
