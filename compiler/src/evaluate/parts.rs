//! The plan's templates and edits as `semantics` takes them: borrowed twins.

use semantics::{
    edits,
    template::{Part, Subject},
};

use crate::plan;

/// The borrowed twin of a template.
pub(super) fn parts(owned: &[plan::Part]) -> Vec<Part<'_>> {
    owned.iter().map(part).collect()
}

fn part(owned: &plan::Part) -> Part<'_> {
    match owned {
        plan::Part::ClientIp => Part::ClientIp,
        plan::Part::Header(name) => Part::Header(name),
        plan::Part::Host => Part::Host,
        plan::Part::Method => Part::Method,
        plan::Part::Parameter(index) => Part::Parameter(*index),
        plan::Part::Path => Part::Path,
        plan::Part::Query => Part::Query,
        plan::Part::QueryValue(name) => Part::QueryValue(name),
        plan::Part::Scheme => Part::Scheme,
        plan::Part::Status => Part::Status,
        plan::Part::Target => Part::Target,
        plan::Part::Text(text) => Part::Text(text),
    }
}

/// Applies edits to field lines and appends the result to `out`; gives how many values were not sent.
pub(super) fn apply(owned: &plan::Edits, fields: &[u8], subject: &Subject<'_>, out: &mut Vec<u8>) -> u32 {
    let values: Vec<_> = owned.rules.iter().map(|rule| parts(&rule.value)).collect();
    let rules: Vec<_> = owned
        .rules
        .iter()
        .zip(&values)
        .map(|(rule, value)| edits::Edit { action: rule.action, name: &rule.name, value, only: &rule.only })
        .collect();
    edits::apply(&edits::Edits { appended: &owned.appended, rules: &rules }, fields, subject, out)
}
