//! The routes of a large site as data (feature `records`): generated code has a handler for each shape, and what it says is in the blob.
//!
//! The same order and the same answers as in code. At a pattern the routes whose guard accepts are asked in their order; the first that takes the method runs,
//! else 405 with what they take. Without an accepting route the next best pattern is asked; after the last one 404.

use semantics::{method::Methods, pattern::Captures, records};

use crate::{answer::Answer, builtin, exchange::Exchange, step::Step};

/// One route at one pattern.
pub type Record = records::Record<'static>;
/// All vhosts and routes.
pub type Records = records::Records<'static>;
/// One vhost.
pub type Vhost = records::Vhost<'static>;

/// The handler of a route.
#[derive(Clone, Copy, Debug)]
pub enum Handler {
    /// Of one route alone: no shape says what it does.
    Own(for<'a> fn(Exchange<'a>) -> Step<'a>),
    /// Of all routes of that shape.
    Shape(for<'a> fn(Exchange<'a>, Record) -> Step<'a>),
}

/// The guard of a route.
#[derive(Clone, Copy, Debug)]
pub enum Guard {
    /// Of one route alone.
    Own(fn(&Exchange<'_>) -> bool),
    /// Of all routes that ask the same of other names.
    Shape(fn(&Exchange<'_>, Record) -> bool),
}

/// All routes of the site, and what their numbers mean.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// What each route says.
    pub records: Records,
    /// By the numbers in the records.
    pub handlers: &'static [Handler],
    /// By the numbers in the records.
    pub guards: &'static [Guard],
}

/// What an accepting pattern says.
enum Decision {
    Refused(Methods),
    Taken(Record),
}

/// Runs the handler that takes the request.
pub fn decide<'a>(exchange: Exchange<'a>, vhost: Vhost, table: &'static Table) -> Step<'a> {
    let mut captures = Captures::default();
    let decision =
        vhost.routes().find(exchange.path(), &mut captures, |pattern, captures| at_pattern(&exchange, (vhost, table), pattern, captures));
    match decision {
        None => builtin::not_found(exchange),
        Some(Decision::Refused(methods)) => builtin::method_not_allowed(exchange, methods),
        Some(Decision::Taken(record)) => match table.handlers.get(record.handler()) {
            None => builtin::not_found(exchange),
            Some(Handler::Own(handler)) => handler(exchange),
            Some(Handler::Shape(handler)) => handler(exchange, record),
        },
    }
}

/// The constant answer of a record.
pub fn answer(record: Record) -> Answer {
    Answer { status: record.status(), head: record.head(), body: record.body() }
}

fn at_pattern(exchange: &Exchange<'_>, (vhost, table): (Vhost, &Table), pattern: u32, captures: &Captures) -> Option<Decision> {
    let mut methods = Methods::NONE;
    for record in vhost.at_pattern(pattern) {
        // Guards read the parameters, and those of regexes are added to them.
        *exchange.slot.captures.borrow_mut() = *captures;
        let guard = record.guard().and_then(|number| table.guards.get(number));
        let is_accepted = match guard {
            None => true,
            Some(Guard::Own(accepts)) => accepts(exchange),
            Some(Guard::Shape(accepts)) => accepts(exchange, record),
        };
        if !is_accepted {
            continue;
        }
        if exchange.is(record.methods()) {
            return Some(Decision::Taken(record));
        }
        methods = methods.union(record.methods());
    }
    (!methods.is_empty()).then_some(Decision::Refused(methods))
}
