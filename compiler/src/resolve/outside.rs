//! Routes beside a group with `access` that take paths of the group: a group is lexical, so that its `access` does not hold for them.

use std::collections::{BTreeMap, BTreeSet};

use semantics::pattern::Pattern;

use super::{Resolver, group::lies_in};
use crate::{
    diagnostic::{Code, Diagnostic},
    model::{AccessList, Route, Spanned},
    source::Span,
};

/// A group with an `access` of its own.
pub(super) struct Guarded {
    pub patterns: Vec<Spanned<Pattern>>,
    /// Its routes and those of its groups.
    pub routes: BTreeSet<Span>,
}

impl Resolver<'_> {
    /// Looks at the routes of a vhost that have no `access` beyond that of the vhost.
    pub(super) fn check_outside(&mut self, routes: &[Route], access: &[AccessList]) {
        let groups = std::mem::take(&mut self.guarded);
        let mut by_prefix: BTreeMap<&str, Vec<(&Guarded, &Spanned<Pattern>)>> = BTreeMap::new();
        for group in &groups {
            for pattern in &group.patterns {
                by_prefix.entry(literal_prefix(&pattern.value.text)).or_default().push((group, pattern));
            }
        }
        let is_of_vhost = |list: &AccessList| access.iter().any(|outer| outer.span == list.span);
        for route in routes.iter().filter(|_| !groups.is_empty()).filter(|route| route.access.iter().all(is_of_vhost)) {
            for pattern in &route.patterns {
                let text = pattern.value.text.as_str();
                let prefixes = text.match_indices('/').map(|(at, _)| &text[..at]).chain([text]);
                let mut around = prefixes.filter_map(|prefix| by_prefix.get(prefix)).flatten();
                let found = around.find(|(group, outer)| lies_in(text, &outer.value.text) && !group.routes.contains(&route.span));
                if let Some((_, outer)) = found {
                    let message = format!("`{text}` is outside of the group whose paths it takes");
                    let diagnostic = Diagnostic::new(Code::RouteOutsideGroup, pattern.span, message);
                    let diagnostic = diagnostic.label("the group's `access` does not hold here");
                    self.lints.push(diagnostic.secondary(outer.span, "this group has `access`"));
                }
            }
        }
    }
}

/// The segments before the first parameter or rest, without a slash at the end.
pub(super) fn literal_prefix(pattern: &str) -> &str {
    let end = pattern.match_indices('/').map(|(at, _)| at).find(|at| pattern[at + 1..].starts_with(['{', '*']));
    end.map_or(pattern, |end| &pattern[..end])
}
