//! The decision of a vhost with many patterns: a tree in a blob instead of comparisons in code. The same order, the same answers.
//!
//! At a pattern the routes whose guard accepts are asked in their order; the first that takes the method runs, else 405 with what they take. Without
//! an accepting route the next best pattern is asked; after the last one 404.

use semantics::{method::Methods, pattern::Captures, routes::Routes};

use crate::{builtin, exchange::Exchange, step::Step};

/// A handler.
pub type Handler = for<'a> fn(Exchange<'a>) -> Step<'a>;

/// One route as data.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// What it takes.
    pub methods: Methods,
    /// Its `when`.
    pub guard: Option<fn(&Exchange<'_>) -> bool>,
    /// What it does.
    pub handler: Handler,
}

/// All patterns of a vhost, best first.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Which patterns take a path.
    pub routes: Routes<'static>,
    /// The routes of each pattern, guarded ones first.
    pub patterns: &'static [&'static [Route]],
}

/// What an accepting pattern says.
enum Decision {
    Refused(Methods),
    Taken(Handler),
}

/// Runs the handler that takes the request.
pub fn decide<'a>(exchange: Exchange<'a>, table: &'static Table) -> Step<'a> {
    let mut captures = Captures::default();
    let decision = table.routes.find(exchange.path(), &mut captures, |pattern, captures| {
        let routes = table.patterns.get(pattern as usize)?;
        at_pattern(&exchange, routes, captures)
    });
    match decision {
        None => builtin::not_found(exchange),
        Some(Decision::Refused(methods)) => builtin::method_not_allowed(exchange, methods),
        Some(Decision::Taken(handler)) => handler(exchange),
    }
}

fn at_pattern(exchange: &Exchange<'_>, routes: &[Route], captures: &Captures) -> Option<Decision> {
    let mut methods = Methods::NONE;
    for route in routes {
        // Guards read the parameters, and those of regexes are added to them.
        *exchange.slot.captures.borrow_mut() = *captures;
        if route.guard.is_some_and(|accepts| !accepts(exchange)) {
            continue;
        }
        if exchange.is(route.methods) {
            return Some(Decision::Taken(route.handler));
        }
        methods = methods.union(route.methods);
    }
    (!methods.is_empty()).then_some(Decision::Refused(methods))
}
