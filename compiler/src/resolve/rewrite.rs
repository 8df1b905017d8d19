//! `rewrite`: matching starts once more with another path, and only once.

use std::cmp::Ordering;

use semantics::{
    method::Methods,
    path,
    pattern::{self, Captures},
};

use super::{
    Resolver,
    template::{Names, Place},
};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic, Diagnostics},
    model::{Action, Part, Route, Template},
    source::Span,
};

impl Resolver<'_> {
    pub(super) fn rewrite(&mut self, node: &Node, names: Names<'_>) -> Option<Action> {
        let written = node.argument("target")?;
        let errors = self.diagnostics.errors();
        let target = self.template(written, Names { place: Place::Target, ..names });
        // A template with errors has lost parts.
        if self.diagnostics.errors() == errors {
            self.check_rewrite(written, &target);
        }
        Some(Action::Rewrite { target })
    }

    fn check_rewrite(&mut self, written: &Value, target: &Template) {
        let is_plain = |part: &Part| !matches!(part, Part::Text(text) if !text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#'));
        let label = match target.parts.first() {
            None => "the target is empty",
            Some(_) if !target.parts.iter().all(is_plain) => {
                "spaces, `#`, control bytes and text outside of ASCII are written percent-encoded"
            }
            Some(Part::Map(_) | Part::Path | Part::Target) => return,
            Some(Part::Text(text)) if !text.starts_with('/') => "expected a path that begins with `/`",
            Some(Part::Text(_)) => match constant_path(target) {
                Some(text) if path::normalize(text.as_bytes(), &mut Vec::new()).is_err() => "no request can have this path",
                _ => return,
            },
            Some(_) => "expected a path: write `/` before the value",
        };
        self.error(Code::BadTarget, written.span, "not a target to rewrite to", label);
    }
}

/// The path of a target without values.
pub(super) fn constant_path(target: &Template) -> Option<&str> {
    match target.parts.as_slice() {
        [Part::Text(text)] => text.split('?').next(),
        _ => None,
    }
}

/// Refuses constant rewrites that can only lead to a rewrite: the second is answered with 500.
pub(super) fn check(routes: &[Route], diagnostics: &mut Diagnostics) {
    let written: Vec<(&Route, &str)> =
        routes.iter().flat_map(|route| targets(&route.action).into_iter().map(move |path| (route, path))).collect();
    if written.is_empty() {
        return;
    }
    let mut ordered: Vec<(&str, &Route)> =
        routes.iter().flat_map(|route| route.patterns.iter().map(move |pattern| (pattern.value.text.as_str(), route))).collect();
    ordered.sort_by(|(a, _), (b, _)| pattern::order(a, b));
    for (route, target) in written {
        let mut scratch = Vec::new();
        let Ok(path) = path::normalize(target.as_bytes(), &mut scratch) else { continue };
        if let Some(next) = next_rewrite(&ordered, path.text, taken(route)) {
            let diagnostic = Diagnostic::new(Code::RewriteTwice, route.span, format!("`{target}` is rewritten once more"));
            let diagnostic = if next == route.span {
                diagnostic.label("rewrites to itself")
            } else {
                diagnostic.label("rewrites to it").secondary(next, "where it leads: a rewrite as well")
            };
            diagnostics.push(diagnostic.help("write the last target into the first `rewrite`: matching starts over once only"));
        }
    }
}

/// A rewrite that answers the path, where everything that may answer it is one.
fn next_rewrite(ordered: &[(&str, &Route)], path: &str, methods: Methods) -> Option<Span> {
    let mut found = None;
    let mut decided: Option<&str> = None;
    for (text, route) in ordered {
        if decided.is_some_and(|decided| pattern::order(decided, text) != Ordering::Equal) {
            break;
        }
        if !pattern::matches(text, path, &mut Captures::default()) {
            continue;
        }
        if route.guard.is_none() {
            decided = Some(text);
        }
        if taken(route).iter().any(|method| methods.contains(method)) {
            if !matches!(route.action, Action::Rewrite { .. }) {
                return None;
            }
            found = found.or(Some(route.span));
        }
    }
    found.filter(|_| decided.is_some())
}

/// The paths of the constant rewrites of a route.
fn targets(action: &Action) -> Vec<&str> {
    let own = if let Action::Rewrite { target } = action { constant_path(target) } else { None };
    own.into_iter().chain(action.inner().into_iter().flat_map(targets)).collect()
}

fn taken(route: &Route) -> Methods {
    route.methods.as_ref().map_or_else(|| route.action.methods(), |methods| methods.value)
}
