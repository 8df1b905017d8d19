//! The plan's templates and edits as `semantics` takes them: borrowed twins, in which maps have been looked up.

use semantics::{
    edits,
    pattern::Captures,
    template::{self, Part, Place},
};

use super::seen::Seen;
use crate::plan;

/// The borrowed twin of a template for one answer.
pub(super) fn parts<'s>(owned: &'s [plan::Part], seen: &'s Seen<'_, '_>, captures: &Captures, status: u16) -> Vec<Part<'s>> {
    owned.iter().map(|part| twin(part, seen, captures, status)).collect()
}

fn twin<'s>(owned: &'s plan::Part, seen: &'s Seen<'_, '_>, captures: &Captures, status: u16) -> Part<'s> {
    match owned {
        plan::Part::ClientIp => Part::ClientIp,
        plan::Part::Cookie(name) => Part::Cookie(name),
        plan::Part::Header(name) => Part::Header(name),
        plan::Part::Host => Part::Host,
        plan::Part::Late(id) => seen.lates.known(*id).map_or_else(|| Part::Text(seen.lates.text(*id)), Part::Late),
        // As `Part::Map` is rendered: the value as it is.
        plan::Part::Map(id) => {
            let map = &seen.plan().maps[id.0 as usize];
            Part::Text(map.find(&key(map, seen, captures, status)).or(map.default.as_deref()).unwrap_or_default())
        }
        plan::Part::Method => Part::Method,
        plan::Part::Parameter(index) => Part::Parameter(*index),
        plan::Part::Path => Part::Path,
        plan::Part::Query => Part::Query,
        plan::Part::QueryValue(name) => Part::QueryValue(name),
        plan::Part::RequestId => Part::RequestId,
        plan::Part::Scheme => Part::Scheme,
        plan::Part::Status => Part::Status,
        plan::Part::Target => Part::Target,
        plan::Part::Text(text) => Part::Text(text),
    }
}

/// What a map is asked for.
pub(super) fn key(map: &plan::Map, seen: &Seen<'_, '_>, captures: &Captures, status: u16) -> Vec<u8> {
    let mut key = Vec::new();
    template::render(&parts(&map.from, seen, captures, status), &seen.subject(captures, status), Place::Value, &mut key);
    key
}

/// Applies edits to field lines and appends the result to `out`; gives how many values were not sent.
pub(super) fn apply(
    owned: &plan::Edits,
    fields: &[u8],
    seen: &Seen<'_, '_>,
    (captures, status): (&Captures, u16),
    out: &mut Vec<u8>,
) -> u32 {
    with_edits(owned, seen, (captures, status), |edits| edits::apply(edits, fields, &seen.subject(captures, status), out))
}

/// The borrowed twin of edits.
pub(super) fn with_edits<T>(
    owned: &plan::Edits,
    seen: &Seen<'_, '_>,
    (captures, status): (&Captures, u16),
    then: impl FnOnce(&edits::Edits<'_>) -> T,
) -> T {
    let values: Vec<_> = owned.rules.iter().map(|rule| parts(&rule.value, seen, captures, status)).collect();
    let rules: Vec<_> = owned
        .rules
        .iter()
        .zip(&values)
        .map(|(rule, value)| edits::Edit { action: rule.action, name: &rule.name, value, only: &rule.only, except: &rule.except })
        .collect();
    then(&edits::Edits { appended: &owned.appended, rules: &rules })
}
