//! Proxied routes that lead past the protection of others: an upstream may read a path otherwise than it was matched, or get it by another way.

use std::collections::{BTreeMap, BTreeSet};

use semantics::pattern::Pattern;

use super::{
    Resolver,
    outside::literal_prefix,
    raw::{has_lists, near, share_a_path},
};
use crate::{
    diagnostic::{Code, Diagnostic},
    model::{Action, Guard, Route, Spanned, Target},
};

/// Pairs of patterns that are held against each other in a vhost; of a larger one not every lint is found.
const PAIRS_MAX: usize = 1 << 20;

/// A pattern of a route, and where its requests are sent on to.
struct Sent<'r> {
    route: &'r Route,
    pattern: &'r Spanned<Pattern>,
    upstream: usize,
    /// What is taken away from its paths.
    prefix: &'r str,
    /// The pattern of the paths that the upstream gets.
    there: &'r str,
}

impl<'r> Sent<'r> {
    fn here(&self) -> &'r str {
        &self.pattern.value.text
    }
}

/// By their literal beginning.
type Index<'i, 'r> = BTreeMap<&'r str, Vec<&'i Sent<'r>>>;

/// What stands at a pattern and answers itself: the conditions of its refusals.
type Refused<'r> = BTreeMap<&'r str, Vec<Option<&'r Guard>>>;

impl Resolver<'_> {
    /// Looks at the proxied routes of a vhost.
    pub(super) fn lint_bypass(&mut self, routes: &[Route]) {
        let sent: Vec<Sent<'_>> = routes.iter().flat_map(sent).collect();
        let refused = refused(routes);
        let has_refusal = |way: &Sent<'_>| refused.get(way.here()).is_some_and(|guards| guards.contains(&None));
        let (mut here, mut there) = (Index::new(), Index::new());
        for protected in sent.iter().filter(|way| !way.route.access.is_empty() || has_refusal(way)) {
            here.entry(literal_prefix(protected.here())).or_default().push(protected);
            there.entry(literal_prefix(protected.there)).or_default().push(protected);
        }
        let known: BTreeSet<_> = sent.iter().map(|way| (way.prefix, way.there)).collect();
        let mut pairs = 0;
        for way in sent.iter().filter(|_| !here.is_empty()) {
            let lacks = |other: &Sent<'_>| other.upstream == way.upstream && !has_lists(way.route, &other.route.access);
            let hides = |other: &Sent<'_>| {
                let is_other = other.here() != way.here() && (lacks(other) || (other.upstream == way.upstream && has_refusal(other)));
                is_other && hidden(way.here(), other.here()).is_some()
            };
            // A route of the same way there may be the better one for the path.
            let reaches = |other: &Sent<'_>| {
                other.prefix != way.prefix
                    && lacks(other)
                    && share_a_path(way.there, other.there)
                    && !known.contains(&(way.prefix, other.there))
            };
            let mut in_reach = |_: &&Sent<'_>| {
                pairs += 1;
                pairs < PAIRS_MAX
            };
            let is_looked_for = refused.get(way.here()).is_some_and(|guards| guards.iter().flatten().any(|guard| finds_semicolon(guard)));
            let found =
                near(&here, literal_prefix(way.here())).copied().take_while(&mut in_reach).find(|other| !is_looked_for && hides(other));
            if let Some(other) = found {
                self.lint_hidden(way, other);
            }
            let found = near(&there, literal_prefix(way.there)).copied().take_while(&mut in_reach).find(|other| reaches(other));
            if let Some(other) = found {
                self.lint_around(way, other);
            }
        }
    }

    fn lint_hidden(&mut self, way: &Sent<'_>, protected: &Sent<'_>) {
        let message = format!("`{}` takes paths that an upstream may read as those of `{}`", way.here(), protected.here());
        let diagnostic = Diagnostic::new(Code::HiddenSegment, way.pattern.span, message);
        let example = hidden(way.here(), protected.here()).unwrap_or_default();
        let diagnostic = diagnostic.label(format!("such as `{example}`, where a `;` hides the segment"));
        self.lints.push(diagnostic.secondary(protected.pattern.span, "what protects this one does not hold there"));
    }

    fn lint_around(&mut self, way: &Sent<'_>, protected: &Sent<'_>) {
        let message = format!("`{}` leads to paths of the upstream that a route with `access` keeps", way.here());
        let diagnostic = Diagnostic::new(Code::ReachedAround, way.pattern.span, message);
        let diagnostic = diagnostic.label(format!("the upstream gets `{}`", way.there));
        self.lints.push(diagnostic.secondary(protected.pattern.span, format!("sends `{}` there", protected.there)));
    }
}

/// The patterns of a route, for each upstream that its requests may be sent on to with a path that is known.
fn sent(route: &Route) -> Vec<Sent<'_>> {
    let mut ways: BTreeSet<(usize, &str)> = BTreeSet::new();
    let mut open = vec![&route.action];
    while let Some(action) = open.pop() {
        if let Action::Proxy(proxy) = action {
            match &proxy.target.value {
                Target::Same => drop(ways.insert((proxy.upstream, ""))),
                Target::Strip(prefix) => drop(ways.insert((proxy.upstream, prefix))),
                Target::Template(_) => {}
            }
        }
        open.extend(action.inner());
    }
    let mut sent = Vec::new();
    for (upstream, prefix) in ways {
        for pattern in &route.patterns {
            let there = pattern.value.text.strip_prefix(prefix).unwrap_or_default();
            sent.push(Sent { route, pattern, upstream, prefix, there: if there.is_empty() { "/" } else { there } });
        }
    }
    sent
}

fn refused(routes: &[Route]) -> Refused<'_> {
    let mut refused = Refused::new();
    for route in routes.iter().filter(|route| matches!(route.action, Action::Abort | Action::Refuse { .. })) {
        for pattern in &route.patterns {
            refused.entry(pattern.value.text.as_str()).or_default().push(route.guard.as_ref());
        }
    }
    refused
}

/// A path of `protected` with a `;` behind one of its literal segments that `way` takes, if there is one.
fn hidden(way: &str, protected: &str) -> Option<String> {
    let starts = protected.match_indices('/').map(|(at, _)| at + 1);
    let segments = starts.map(|start| start..protected[start..].find('/').map_or(protected.len(), |length| start + length));
    let mut literals = segments.filter(|range| !range.is_empty() && !protected[range.clone()].starts_with(['{', '*']));
    // No literal of a pattern is a semicolon alone.
    let found = literals.find(|range| share_a_path(way, &format!("{};{}", &protected[..range.start], &protected[range.end..])))?;
    Some(format!("{};x{}", &protected[..found.end], &protected[found.end..]))
}

/// The guard asks for a `;` in the path.
fn finds_semicolon(guard: &Guard) -> bool {
    match guard {
        Guard::All(guards) | Guard::Any(guards) => guards.iter().any(finds_semicolon),
        Guard::Regex(regex) => regex.text.contains(';'),
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Header { .. }
        | Guard::Host(_)
        | Guard::Map(_)
        | Guard::Method(_)
        | Guard::Not(_)
        | Guard::Path(_)
        | Guard::Protocol(_)
        | Guard::Query { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::hidden;

    #[test]
    fn semicolon_hides_a_literal_segment_behind_a_parameter_or_rest() {
        for (way, protected, path) in [
            ("/*", "/admin/*", "/admin;x/*"),
            ("/{x}/*", "/admin/*", "/admin;x/*"),
            ("/a/{x}", "/a/b", "/a/b;x"),
            ("/{r*}", "/a", "/a;x"),
            ("/a/{x}/c", "/a/b/c", "/a/b;x/c"),
        ] {
            assert_eq!(hidden(way, protected).as_deref(), Some(path), "{way} {protected}");
        }
        for (way, protected) in [("/*", "/*"), ("/admin/*", "/admin/{x}"), ("/b/*", "/a/*"), ("/a/b", "/a/b"), ("/{x}", "/a/b")] {
            assert_eq!(hidden(way, protected), None, "{way} {protected}");
        }
    }
}
