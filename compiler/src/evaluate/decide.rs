//! Which route of a vhost answers: patterns best first, at each one the guards in their order, then the methods.

use semantics::{
    cors,
    method::Methods,
    pattern::{self, Captures},
    routes::Routes,
};

use super::{PassedOver, Tried, guard, seen::Seen};
use crate::plan::{Pattern, Route, Shape, Vhost};

/// What the vhost decides.
pub(super) enum Decision {
    /// A pattern decides, but none of its accepted routes takes the method: 405 with these.
    Methods(Methods),
    /// No pattern decides: 404.
    None,
    /// Position of the route.
    Route(usize, Captures),
}

/// Decides, and tells which routes were passed over on the way.
pub(super) fn decide(vhost: &Vhost, seen: &Seen<'_, '_>) -> (Decision, Vec<Tried>) {
    let mut tried = Vec::new();
    let mut captures = Captures::default();
    let path = seen.head.path.text;
    let decision = match &vhost.shape {
        Shape::Code => vhost.patterns.iter().find_map(|pattern| {
            let takes_path = pattern::matches(&pattern.text, path, &mut captures);
            if takes_path { at_pattern(vhost, pattern, (seen, captures), &mut tried) } else { None }
        }),
        Shape::Records { tree: blob } | Shape::Table { blob } => Routes::new(blob).find(path, &mut captures, |pattern, captures| {
            at_pattern(vhost, &vhost.patterns[pattern as usize], (seen, *captures), &mut tried)
        }),
    };
    (decision.unwrap_or(Decision::None), tried)
}

/// The first accepted route that takes the method; `None` where no route is accepted and the next pattern decides.
fn at_pattern(vhost: &Vhost, pattern: &Pattern, (seen, captures): (&Seen<'_, '_>, Captures), tried: &mut Vec<Tried>) -> Option<Decision> {
    let mut methods = Methods::NONE;
    for number in pattern.routes.iter().map(|number| *number as usize) {
        let route = &vhost.routes[number];
        let mut captures = captures;
        if let Some(written) = route.guard.as_ref().filter(|written| !guard::accepts(written, seen, &mut captures)) {
            tried.push(Tried { route: number, reason: PassedOver::Guard, condition: guard::refusing(written, seen) });
            continue;
        }
        if takes_method(route, seen) {
            return Some(Decision::Route(number, captures));
        }
        tried.push(Tried { route: number, reason: PassedOver::Method, condition: None });
        methods = methods.union(route.methods);
    }
    (!methods.is_empty()).then_some(Decision::Methods(methods))
}

/// A route with `cors` also takes the preflights that ask for its methods.
fn takes_method(route: &Route, seen: &Seen<'_, '_>) -> bool {
    let asked = || cors::preflight_method(seen.head).is_some_and(|method| route.methods.contains(method));
    route.methods.contains(seen.head.method) || (route.cors.is_some() && asked())
}
