//! `when` on a request: the tree of the plan over the leaves of `semantics`.

use semantics::{guard, head::Head};

use crate::{model::Text, plan::Guard};

pub(super) fn accepts(written: &Guard, head: &Head<'_>) -> bool {
    match written {
        Guard::All(guards) => guards.iter().all(|inner| accepts(inner, head)),
        Guard::Any(guards) => guards.iter().any(|inner| accepts(inner, head)),
        Guard::Header { name, values } => guard::header(head, name, &known(values)),
        Guard::Host(patterns) => guard::host(head, &texts(patterns)),
        Guard::Method(methods) => methods.contains(head.method),
        Guard::Not(inner) => !accepts(inner, head),
        Guard::Path(patterns) => guard::path(head, &texts(patterns)),
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Map(_)
        | Guard::Protocol(_)
        | Guard::Query { .. }
        | Guard::Regex(_) => unreachable!("resolve gives none of these yet"),
    }
}

fn known(values: &[Text]) -> Vec<&str> {
    values.iter().filter_map(Text::known).collect()
}

fn texts(values: &[String]) -> Vec<&str> {
    values.iter().map(String::as_str).collect()
}
