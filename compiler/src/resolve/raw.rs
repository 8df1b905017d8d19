//! Routes with `path "raw"` beside protected ones: what they send on can mean another path than the one that was matched.

use std::collections::BTreeMap;

use semantics::pattern::Pattern;

use super::{Resolver, group::is_rest, outside::literal_prefix};
use crate::{
    diagnostic::{Code, Diagnostic},
    model::{AccessList, EncodedSlash, Route, Spanned},
};

impl Resolver<'_> {
    /// Looks for a route with `path "raw"` that takes a path of a route whose `access` it has not.
    pub(super) fn lint_raw(&mut self, routes: &[Route]) {
        let is_raw = |route: &&Route| route.encoded_slash == EncodedSlash::Raw;
        if !routes.iter().any(|route| is_raw(&route)) {
            return;
        }
        let mut protected: BTreeMap<&str, Vec<(&Route, &Spanned<Pattern>)>> = BTreeMap::new();
        for route in routes.iter().filter(|route| !route.access.is_empty()) {
            for pattern in &route.patterns {
                protected.entry(literal_prefix(&pattern.value.text)).or_default().push((route, pattern));
            }
        }
        for route in routes.iter().filter(is_raw) {
            for pattern in &route.patterns {
                let text = pattern.value.text.as_str();
                let mut others = near(&protected, literal_prefix(text));
                let found = others.find(|(other, its)| !has_lists(route, &other.access) && share_a_path(text, &its.value.text));
                if let Some((_, other)) = found {
                    let message = format!("`{text}` takes paths of a route with `access`, and sends them on as they were written");
                    let diagnostic = Diagnostic::new(Code::RawBesideAccess, pattern.span, message);
                    let diagnostic = diagnostic.label("this route has `path \"raw\"`");
                    self.lints.push(diagnostic.secondary(other.span, "the `access` of this one does not hold there"));
                }
            }
        }
    }
}

/// What is indexed by the literal beginning of its patterns, of those that may share a path with one that begins so.
pub(super) fn near<'i, T>(index: &'i BTreeMap<&str, Vec<T>>, prefix: &'i str) -> impl Iterator<Item = &'i T> {
    // Two patterns share a path only where the literal beginning of one is that of the other.
    let around = prefix.match_indices('/').map(|(at, _)| &prefix[..at]);
    let around = around.filter_map(|outer| index.get(outer)).flatten();
    let inside = index.range(prefix..).take_while(move |(inner, _)| inner.starts_with(prefix)).flat_map(|(_, found)| found);
    around.chain(inside)
}

pub(super) fn has_lists(route: &Route, lists: &[AccessList]) -> bool {
    lists.iter().all(|list| route.access.iter().any(|own| own.span == list.span))
}

/// Whether some path is taken by both patterns. A rest also takes the path without it.
pub(super) fn share_a_path(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.split('/').skip(1), b.split('/').skip(1));
    loop {
        let (one, other) = (a.next(), b.next());
        if [one, other].into_iter().flatten().any(is_rest) {
            return true;
        }
        match (one, other) {
            (None, None) => return true,
            (None, Some(_)) | (Some(_), None) => return false,
            (Some(one), Some(other)) => {
                let is_parameter = |segment: &str| segment.starts_with('{');
                let is_shared = match (is_parameter(one), is_parameter(other)) {
                    (false, false) => one == other,
                    (true, false) => !other.is_empty(),
                    (false, true) => !one.is_empty(),
                    (true, true) => true,
                };
                if !is_shared {
                    return false;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::share_a_path;

    #[test]
    fn patterns_that_share_a_path() {
        for (a, b) in [("/a/*", "/a/b"), ("/a/*", "/a"), ("/{x}/b", "/a/{y}"), ("/*", "/a/{y}"), ("/a", "/a"), ("/{r*}", "/")] {
            assert!(share_a_path(a, b) && share_a_path(b, a), "{a} {b}");
        }
        for (a, b) in [("/a", "/b"), ("/a/*", "/b/*"), ("/{x}", "/"), ("/{x}/b", "/a/c"), ("/a", "/a/b")] {
            assert!(!share_a_path(a, b) && !share_a_path(b, a), "{a} {b}");
        }
    }
}
