//! `when` on a request: the tree of the plan over the leaves of `semantics`.

use semantics::{
    guard, late,
    pattern::Captures,
    regexes::{Capturing, Regex, RegexRoom},
};

use super::{parts, seen::Seen};
use crate::plan::{Guard, RegexForm, Value};

/// A regex of the plan, ready to search.
#[derive(Debug)]
pub(super) enum Search<'p> {
    Capturing(Box<Capturing<'p>>),
    Matching(Box<Regex<'p>>),
}

impl<'p> Search<'p> {
    pub(super) fn new(regex: &'p crate::plan::Regex) -> Self {
        match &regex.form {
            RegexForm::Capturing { forward, reverse, .. } => Self::Capturing(Box::new(Capturing::new(forward, reverse, &regex.text))),
            RegexForm::Matching { dfa } => Self::Matching(Box::new(Regex::new(dfa))),
        }
    }
}

/// Whether the guard accepts; groups of its regexes join `captures`.
pub(super) fn accepts(written: &Guard, seen: &Seen<'_, '_>, captures: &mut Captures) -> bool {
    let head = seen.head;
    match written {
        Guard::All(guards) => guards.iter().all(|inner| accepts(inner, seen, captures)),
        Guard::Any(guards) => guards.iter().any(|inner| accepts(inner, seen, captures)),
        Guard::ClientIp(networks) => networks.iter().any(|network| network.contains(head.client)),
        Guard::Cookie { name, values } => match known(values) {
            Some(values) => guard::cookie(head, name, &values),
            None => guard::cookie_late(head, name, &late_values(values, seen)),
        },
        Guard::Extension(extensions) => guard::extension(head, &texts(extensions)),
        Guard::Header { name, values } => match known(values) {
            Some(values) => guard::header(head, name, &values),
            None => guard::header_late(head, name, &late_values(values, seen)),
        },
        Guard::Host(patterns) => guard::host(head, &texts(patterns)),
        Guard::Map(id) => {
            let map = &seen.plan().maps[id.0 as usize];
            map.find(&parts::key(map, seen, captures, 0)).is_some()
        }
        Guard::Method(methods) => methods.contains(head.method),
        Guard::Not(inner) => !accepts(inner, seen, captures),
        Guard::Path(patterns) => guard::path(head, &texts(patterns)),
        Guard::Protocol(protocols) => guard::protocol(head, protocols),
        Guard::Query { name, values } => match known(values) {
            Some(values) => guard::query(head, name, &values),
            None => guard::query_late(head, name, &late_values(values, seen)),
        },
        Guard::Regex(id) => match &seen.evaluator.searches[id.0 as usize] {
            Search::Capturing(regex) => regex.find(head.path.text, captures, &mut RegexRoom::default()),
            Search::Matching(regex) => regex.matches(head.path.text),
        },
    }
}

/// Which condition of an `all` refuses; `None` where the guard is one condition alone.
pub(super) fn refusing(written: &Guard, seen: &Seen<'_, '_>) -> Option<usize> {
    let Guard::All(guards) = written else { return None };
    guards.iter().position(|inner| !accepts(inner, seen, &mut Captures::default()))
}

fn texts(values: &[String]) -> Vec<&str> {
    values.iter().map(String::as_str).collect()
}

/// The values, unless one of them is known on the host only.
fn known(values: &[Value]) -> Option<Vec<&str>> {
    let text = |value| match value {
        &Value::Late(_) => None,
        Value::Text(text) => Some(text.as_str()),
    };
    values.iter().map(text).collect()
}

fn late_values<'s>(values: &'s [Value], seen: &'s Seen<'_, '_>) -> Vec<late::Value<'s>> {
    let value = |value: &'s Value| match value {
        Value::Late(id) => seen.lates.value(*id),
        Value::Text(text) => late::Value::Text(text),
    };
    values.iter().map(value).collect()
}
