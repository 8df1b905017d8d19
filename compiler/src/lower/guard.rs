//! Guards: maps, regexes and late values become numbers.

use super::Tables;
use crate::{
    model::{self, Text},
    plan::{Guard, RegexId, Value},
    source::Span,
};

/// The guard of a route that is written at `span`.
pub(super) fn lower(guard: &model::Guard, span: Span, tables: &mut Tables<'_>) -> Guard {
    let all = |guards: &[model::Guard], tables: &mut Tables<'_>| guards.iter().map(|inner| lower(inner, span, tables)).collect();
    match guard {
        model::Guard::All(guards) => Guard::All(all(guards, tables)),
        model::Guard::Any(guards) => Guard::Any(all(guards, tables)),
        model::Guard::ClientIp(networks) => Guard::ClientIp(networks.clone()),
        model::Guard::Cookie { name, values } => Guard::Cookie { name: name.clone(), values: texts(values, tables) },
        model::Guard::Extension(extensions) => Guard::Extension(extensions.clone()),
        model::Guard::Header { name, values } => Guard::Header { name: name.clone(), values: texts(values, tables) },
        model::Guard::Host(hosts) => Guard::Host(hosts.clone()),
        model::Guard::Map(name) => Guard::Map(tables.map(name, span)),
        model::Guard::Method(methods) => Guard::Method(*methods),
        model::Guard::Not(inner) => Guard::Not(Box::new(lower(inner, span, tables))),
        model::Guard::Path(patterns) => Guard::Path(patterns.clone()),
        model::Guard::Protocol(protocols) => Guard::Protocol(protocols.clone()),
        model::Guard::Query { name, values } => Guard::Query { name: name.clone(), values: texts(values, tables) },
        model::Guard::Regex(regex) => Guard::Regex(RegexId(tables.regex(&regex.text, span))),
    }
}

/// The groups of the regexes in a guard, in the order they are searched: parameters behind those of the pattern.
pub(super) fn groups(guard: &model::Guard) -> Vec<&str> {
    match guard {
        model::Guard::All(guards) | model::Guard::Any(guards) => guards.iter().flat_map(groups).collect(),
        model::Guard::Not(inner) => groups(inner),
        model::Guard::Regex(regex) => regex.groups.iter().map(String::as_str).collect(),
        model::Guard::ClientIp(_)
        | model::Guard::Cookie { .. }
        | model::Guard::Extension(_)
        | model::Guard::Header { .. }
        | model::Guard::Host(_)
        | model::Guard::Map(_)
        | model::Guard::Method(_)
        | model::Guard::Path(_)
        | model::Guard::Protocol(_)
        | model::Guard::Query { .. } => Vec::new(),
    }
}

fn texts(values: &[Text], tables: &mut Tables<'_>) -> Vec<Value> {
    values.iter().map(|text| tables.value(text)).collect()
}
