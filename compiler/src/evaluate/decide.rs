//! Which route of a vhost answers: patterns best first, at each one the guards in their order, then the methods.

use semantics::{
    head::Head,
    method::Methods,
    pattern::{self, Captures},
    routes::Routes,
};

use super::{PassedOver, Tried, guard};
use crate::plan::{Pattern, Shape, Vhost};

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
pub(super) fn decide(vhost: &Vhost, head: &Head<'_>) -> (Decision, Vec<Tried>) {
    let mut tried = Vec::new();
    let mut captures = Captures::default();
    let path = head.path.text;
    let decision = match &vhost.shape {
        Shape::Code => vhost.patterns.iter().find_map(|pattern| {
            let takes_path = pattern::matches(&pattern.text, path, &mut captures);
            if takes_path { at_pattern(vhost, pattern, (head, &captures), &mut tried) } else { None }
        }),
        Shape::Table { blob } => Routes::new(blob).find(path, &mut captures, |pattern, captures| {
            at_pattern(vhost, &vhost.patterns[pattern as usize], (head, captures), &mut tried)
        }),
    };
    (decision.unwrap_or(Decision::None), tried)
}

/// The first accepted route that takes the method; `None` where no route is accepted and the next pattern decides.
fn at_pattern(vhost: &Vhost, pattern: &Pattern, (head, captures): (&Head<'_>, &Captures), tried: &mut Vec<Tried>) -> Option<Decision> {
    let mut methods = Methods::NONE;
    for number in pattern.routes.iter().map(|number| *number as usize) {
        let route = &vhost.routes[number];
        if route.guard.as_ref().is_some_and(|written| !guard::accepts(written, head)) {
            tried.push(Tried { route: number, reason: PassedOver::Guard });
            continue;
        }
        if route.methods.contains(head.method) {
            return Some(Decision::Route(number, *captures));
        }
        tried.push(Tried { route: number, reason: PassedOver::Method });
        methods = methods.union(route.methods);
    }
    (!methods.is_empty()).then_some(Decision::Methods(methods))
}
