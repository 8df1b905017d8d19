//! Templates: parameters by name become parameters by index, maps and late values become numbers, constants are folded.

use super::Tables;
use crate::{model, plan::Part, source::Span};

/// Where a template stands: the parameters it can name, and the line to blame.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) parameters: &'a [Option<String>],
    pub(super) span: Span,
}

/// The parts of a template, adjacent text joined.
pub(super) fn lower(template: &model::Template, scope: &Scope<'_>, tables: &mut Tables<'_>) -> Vec<Part> {
    let mut parts = Vec::with_capacity(template.parts.len());
    for part in &template.parts {
        match (part, parts.last_mut()) {
            (model::Part::Text(text), _) if text.is_empty() => {}
            (model::Part::Text(text), Some(Part::Text(last))) => last.push_str(text),
            _ => parts.push(lower_part(part, scope, tables)),
        }
    }
    parts
}

pub(super) fn lower_part(part: &model::Part, scope: &Scope<'_>, tables: &mut Tables<'_>) -> Part {
    match part {
        model::Part::ClientIp => Part::ClientIp,
        model::Part::Cookie(name) => Part::Cookie(name.clone()),
        model::Part::Header(name) => Part::Header(name.clone()),
        model::Part::Host => Part::Host,
        model::Part::Late(value) => Part::Late(tables.late(value)),
        model::Part::Map(name) => Part::Map(tables.map(name, scope.span)),
        model::Part::Method => Part::Method,
        model::Part::Parameter(name) => Part::Parameter(index(name, scope, tables)),
        model::Part::Path => Part::Path,
        model::Part::Query => Part::Query,
        model::Part::QueryValue(name) => Part::QueryValue(name.clone()),
        model::Part::RequestId => Part::RequestId,
        model::Part::Scheme => Part::Scheme,
        model::Part::Status => Part::Status,
        model::Part::Target => Part::Target,
        model::Part::Text(text) => Part::Text(text.clone()),
    }
}

fn index(name: &str, scope: &Scope<'_>, tables: &Tables<'_>) -> u8 {
    let index = scope.parameters.iter().position(|parameter| parameter.as_deref() == Some(name));
    let Some(index) = index.and_then(|index| u8::try_from(index).ok()) else {
        tables.broken(&format!("parameter `{name}` passed `resolve` without a pattern that has it"), scope.span);
    };
    index
}
