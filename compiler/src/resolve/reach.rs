//! Routes of one vhost against each other: equal patterns must be told apart by guards or methods, and every route must be reachable.
//!
//! At one pattern the guarded routes are asked in written order, the unguarded ones last; methods never move a request to another pattern. So only
//! routes of equal patterns can hide each other.

use std::{cmp::Ordering, collections::BTreeMap};

use semantics::{
    method::{Method, Methods},
    pattern::order,
};

use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    model::Route,
    source::Span,
};

/// Routes that one pattern of a vhost may have: each is compared with all before it, and a request asks their guards one after the other.
const ROUTES_MAX: usize = 256;

pub(super) fn check(routes: &[Route], diagnostics: &mut Diagnostics) {
    let mut groups: BTreeMap<ByOrder<&str>, Vec<At<'_>>> = BTreeMap::new();
    for route in routes {
        for pattern in &route.patterns {
            let text = pattern.value.text.as_str();
            groups.entry(ByOrder(text)).or_default().push(At { route, span: pattern.span, text });
        }
    }
    for group in groups.values() {
        if let Some(at) = group.get(ROUTES_MAX) {
            let message = format!("more than {ROUTES_MAX} routes have the pattern `{}`", at.text);
            let diagnostic = Diagnostic::new(Code::TooDeep, at.span, message).label("the first that is too much");
            diagnostics.push(diagnostic.help("choose by a `map` instead of a guard in each route"));
        }
        for (index, later) in group.iter().take(ROUTES_MAX).enumerate() {
            let earlier = &group[..index];
            let found = earlier.iter().find_map(|earlier| conflict(earlier, later)).or_else(|| hidden(earlier, later));
            if let Some(diagnostic) = found {
                diagnostics.push(diagnostic);
            }
        }
    }
}

/// A route at one of its patterns.
struct At<'r> {
    route: &'r Route,
    span: Span,
    text: &'r str,
}

/// A pattern compared by the paths it takes.
pub(super) struct ByOrder<T>(pub T);

impl<T: AsRef<str>> Ord for ByOrder<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        order(self.0.as_ref(), other.0.as_ref())
    }
}

impl<T: AsRef<str>> PartialOrd for ByOrder<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: AsRef<str>> Eq for ByOrder<T> {}

impl<T: AsRef<str>> PartialEq for ByOrder<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

fn conflict(earlier: &At<'_>, later: &At<'_>) -> Option<Diagnostic> {
    if earlier.route.guard != later.route.guard {
        return None;
    }
    let guard = if later.route.guard.is_some() { "same guard" } else { "no guard" };
    let (first, second) = (taken(earlier.route), taken(later.route));
    if second.iter().all(|method| first.contains(method)) {
        let diagnostic = Diagnostic::new(Code::Unreachable, later.span, format!("route `{}` can never be reached", later.text));
        let diagnostic =
            diagnostic.label(format!("same pattern, {guard}, {} methods", if first == second { "same" } else { "none but its" }));
        return Some(
            diagnostic.secondary(earlier.span, "this one takes every request first").help("give one of them a `when`, or remove it"),
        );
    }
    let shared: Vec<&str> = second.iter().filter(|method| first.contains(method)).map(|method| method.name().unwrap_or("others")).collect();
    if shared.is_empty() || later.route.guard.is_some() {
        return None;
    }
    let diagnostic = Diagnostic::new(Code::SharedMethods, later.span, format!("two routes for `{}` take {}", later.text, shown(&shared)));
    Some(
        diagnostic
            .label("this one does")
            .secondary(earlier.span, "this one does too")
            .help("give one of them a `when`, or `methods` that the other does not take"),
    )
}

/// A route whose methods are taken by several before it together. Without guards two of them would share methods, which is a fault already.
fn hidden(earlier: &[At<'_>], later: &At<'_>) -> Option<Diagnostic> {
    later.route.guard.as_ref()?;
    let methods = taken(later.route);
    let same: Vec<_> = earlier.iter().filter(|at| at.route.guard == later.route.guard).map(|at| (at, taken(at.route))).collect();
    if !methods.iter().all(|method| same.iter().any(|(_, first)| first.contains(method))) {
        return None;
    }
    let diagnostic = Diagnostic::new(Code::Unreachable, later.span, format!("route `{}` can never be reached", later.text));
    let diagnostic = diagnostic.label("same pattern, same guard, and each of its methods is taken by a route before it");
    let shares = same.iter().filter(|(_, first)| first.iter().any(|method| methods.contains(method)));
    let diagnostic = shares.fold(diagnostic, |diagnostic, (at, _)| diagnostic.secondary(at.span, "takes some of them"));
    Some(diagnostic.help("give it another `when`, or remove it"))
}

/// The methods that reach a route: GET brings HEAD.
fn taken(route: &Route) -> Vec<Method> {
    let methods = route.methods.as_ref().map_or_else(|| route.action.methods(), |methods| methods.value);
    let methods = if methods.contains(Method::GET) { methods.union(Methods::GET_HEAD) } else { methods };
    methods.iter().collect()
}

fn shown(methods: &[&str]) -> String {
    const SHOWN_MAX: usize = 4;
    match methods.get(..SHOWN_MAX) {
        Some(some) if methods.len() > SHOWN_MAX => format!("{} and {} more", some.join(", "), methods.len() - SHOWN_MAX),
        _ => methods.join(", "),
    }
}
