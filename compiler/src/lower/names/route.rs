//! Names of handlers.

use std::collections::{BTreeMap, BTreeSet};

use semantics::method::{Method, Methods};

use super::{escaped, first_free, snake::snake};
use crate::plan::{Action, Guard, Route, Value};

/// One name for each route, in their order.
pub(super) fn names(routes: &[Route]) -> Vec<String> {
    let mut sharing: BTreeMap<String, u32> = BTreeMap::new();
    for route in routes {
        *sharing.entry(base(route)).or_default() += 1;
    }
    let mut taken: BTreeSet<_> = sharing.iter().filter(|(_, count)| **count == 1).map(|(base, _)| escaped(base, "route")).collect();
    let mut names = Vec::with_capacity(routes.len());
    for route in routes {
        let base = base(route);
        if sharing.get(&base) == Some(&1) {
            names.push(escaped(&base, "route"));
            continue;
        }
        let name = first_free(&candidates(route, &base), &taken, "route");
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

/// Bytes of a guard's words in a name; more where fewer do not tell routes apart.
const GUARD_BYTES: [usize; 3] = [24, 48, usize::MAX];

/// From the shortest to the most telling. A route that takes every request of its pattern may have the plain name.
fn candidates(route: &Route, base: &str) -> Vec<String> {
    let methods = methods_words(route);
    let guard = route.guard.as_ref().map(guard_words);
    let mut names = Vec::new();
    if methods.is_empty() && guard.is_none() {
        names.push(base.to_owned());
    }
    for tail in ["", &shape_words(&route.pattern), action_words(&route.action)] {
        names.push(format!("{base}{methods}{tail}"));
        for words in guard.iter().flat_map(|words| GUARD_BYTES.map(|bytes| cut(words, bytes))) {
            names.extend([format!("{base}_if_{words}{tail}"), format!("{base}{methods}_if_{words}{tail}")]);
        }
    }
    names.retain(|name| name != base || (methods.is_empty() && guard.is_none()));
    names
}

/// Literals and named parameters; a rest has no word unless it is all there is.
fn base(route: &Route) -> String {
    match route.pattern.as_str() {
        "/" => "root".to_owned(),
        "*" => "star".to_owned(),
        pattern => {
            let (segments, rest) = pattern.rsplit_once('/').unwrap_or(("", pattern));
            let is_rest = rest == "*" || rest.ends_with("*}");
            match (segments, is_rest) {
                ("", true) => "rest".to_owned(),
                (segments, true) => snake(segments),
                (_, false) => snake(pattern),
            }
        }
    }
}

fn methods_words(route: &Route) -> String {
    let is_default = match route.action {
        Action::Embed { .. } | Action::Root { .. } if route.action.miss().is_none() => route.methods == Methods::GET_HEAD,
        Action::Embed { .. } | Action::Root { .. } | Action::Split { .. } => route.methods.is_any() || route.methods == Methods::GET_HEAD,
        Action::Abort
        | Action::Proxy(_)
        | Action::Redirect { .. }
        | Action::Refuse { .. }
        | Action::Respond { .. }
        | Action::Rewrite { .. } => route.methods.is_any(),
    };
    if is_default {
        return String::new();
    }
    let brings_head = route.methods.contains(Method::GET);
    let written = route.methods.iter().filter(|method| !(brings_head && *method == Method::HEAD));
    written.filter_map(Method::name).map(|name| format!("_{}", snake(name))).collect()
}

fn guard_words(guard: &Guard) -> String {
    match guard {
        Guard::All(guards) | Guard::Any(guards) => {
            let words: Vec<_> = guards.iter().take(2).map(guard_words).collect();
            words.join(if matches!(guard, Guard::All(_)) { "_and_" } else { "_or_" })
        }
        Guard::ClientIp(networks) => snake(&format!("client {}", listed(networks))),
        Guard::Cookie { name, values } | Guard::Header { name, values } | Guard::Query { name, values } => match values.as_slice() {
            [Value::Text(value)] => snake(&format!("{name} {value}")),
            _ => snake(name),
        },
        Guard::Extension(extensions) => snake(&format!("extension {}", extensions.join(" "))),
        Guard::Host(hosts) => snake(&hosts.join(" ")),
        Guard::Map(_) => "mapped".to_owned(),
        Guard::Method(methods) => snake(&methods.iter().filter_map(Method::name).collect::<Vec<_>>().join(" ")),
        Guard::Not(guard) => format!("not_{}", guard_words(guard)),
        Guard::Path(patterns) => snake(&patterns.join(" ")),
        Guard::Protocol(protocols) => {
            protocols.iter().map(|protocol| format!("{protocol:?}").to_ascii_lowercase()).collect::<Vec<_>>().join("_")
        }
        Guard::Regex(_) => "regex".to_owned(),
    }
}

/// The first conditions of a guard, as many as fit whole; the first words where even the first condition is longer.
fn cut(words: &str, bytes: usize) -> &str {
    let ends = words.match_indices('_').map(|(at, _)| at).chain([words.len()]).filter(|end| *end <= bytes);
    let (mut of_words, mut of_conditions) = (None, None);
    for end in ends {
        let is_border = end == words.len() || words[end..].starts_with("_and_") || words[end..].starts_with("_or_");
        of_words = Some(end);
        of_conditions = if is_border { Some(end) } else { of_conditions };
    }
    &words[..of_conditions.or(of_words).unwrap_or(words.len())]
}

fn listed<T: ToString>(items: &[T]) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

fn shape_words(pattern: &str) -> String {
    let mut words = String::new();
    if pattern.contains('{') && !pattern.ends_with("*}") {
        words.push_str("_each");
    }
    if pattern.ends_with('*') || pattern.ends_with("*}") {
        words.push_str("_rest");
    }
    if pattern.ends_with('/') {
        words.push_str("_slash");
    }
    words
}

const fn action_words(action: &Action) -> &'static str {
    match action {
        Action::Abort => "_abort",
        Action::Embed { .. } | Action::Root { .. } => "_files",
        Action::Proxy(_) => "_proxy",
        Action::Redirect { .. } => "_redirect",
        Action::Refuse { .. } => "_refuse",
        Action::Respond { .. } => "_respond",
        Action::Rewrite { .. } => "_rewrite",
        Action::Split { .. } => "_split",
    }
}
