//! `snippet` and `use`: a snippet's words are kept as written and put in the place of each `use`, checked against the block they come into.
//!
//! Every node keeps its span in the snippet's text; [`ast::Use`] says where it was used. A parameter stands as `$name` in a text and is replaced there; any
//! other `$` is literal. A text that is nothing but a parameter becomes its value, which may be a number.

mod expand;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use self::expand::{Written, expand};
use super::raw::{Name, RawEntry, RawNode, RawTree, RawValue};
use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::Span,
};

/// Words for reuse.
#[derive(Debug)]
pub(super) struct Snippet {
    pub name: Name,
    /// All of it.
    pub extent: Span,
    pub parameters: Vec<Parameter>,
    pub body: Vec<RawTree>,
}

#[derive(Debug)]
pub(super) struct Parameter {
    pub name: Name,
    /// `None`: each use must say one.
    pub default: Option<RawValue>,
}

/// The entries of a head that are no properties, and those that are.
pub(super) fn parted(mut raw: RawNode) -> (RawNode, Vec<RawEntry>) {
    let (properties, arguments) = raw.entries.into_iter().partition(|entry| entry.name.is_some());
    raw.entries = arguments;
    (raw, properties)
}

/// The parameters that the properties of a `snippet` declare.
pub(super) fn declared(entries: Vec<RawEntry>, body: &[RawTree], diagnostics: &mut Diagnostics) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for entry in entries {
        let RawEntry { name: Some(name), annotation, value, .. } = entry else { continue };
        if let Some(annotation) = annotation {
            diagnostics.push(late(&annotation));
        }
        let is_name = name.text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && name.text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
        if !is_name {
            let diagnostic = Diagnostic::new(Code::BadName, name.span, "not a name for a parameter");
            diagnostics.push(diagnostic.label("expected lower-case letters, digits and `-`"));
        } else if let Some(earlier) = parameters.iter().find(|known| known.name.text == name.text) {
            diagnostics.push(twice(&name, earlier.name.span));
            continue;
        }
        parameters.push(Parameter { name, default: (value != RawValue::Null).then_some(value) });
    }
    let mut used = BTreeSet::new();
    for tree in body {
        collect_used(tree, &parameters, &mut used);
    }
    for unused in parameters.iter().filter(|parameter| !used.contains(parameter.name.text.as_str())) {
        let diagnostic =
            Diagnostic::new(Code::UnusedParameter, unused.name.span, format!("the snippet never uses `${}`", unused.name.text));
        diagnostics.push(diagnostic.label("declared here").help("remove it, or write it into a text of the snippet"));
    }
    parameters
}

fn collect_used<'p>(tree: &RawTree, parameters: &'p [Parameter], used: &mut BTreeSet<&'p str>) {
    for entry in &tree.head.entries {
        if let RawValue::Text(text) = &entry.value {
            for (_, name) in
                places(text, |name| parameters.iter().find(|known| known.name.text == name).map(|known| known.name.text.as_str()))
            {
                used.insert(name);
            }
        }
    }
    for child in tree.block.iter().flatten() {
        collect_used(child, parameters, used);
    }
}

fn twice(name: &Name, earlier: Span) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::DuplicateProperty, name.span, format!("`{}=` stands twice", name.text.escape_debug()));
    diagnostic.label("for the second time").secondary(earlier, "for the first time")
}

fn late(annotation: &Name) -> Diagnostic {
    let message = format!("`({})` can't stand here", annotation.text.escape_debug());
    let diagnostic = Diagnostic::new(Code::MisplacedLate, annotation.span, message);
    diagnostic.label("snippets are put together when the site is built").help("write the late value in the snippet itself")
}

/// The parameters in a text: where each `$` stands, and what `find` gives for the name behind it. Of `$a-b` first `a-b` is looked for, then `a`.
fn places<T>(text: &str, find: impl Fn(&str) -> Option<T>) -> Vec<(std::ops::Range<usize>, T)> {
    let mut places = Vec::new();
    for (at, _) in text.match_indices('$') {
        let rest = &text[at + 1..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).count();
        let mut name = &rest[..length];
        while !name.is_empty() {
            if let Some(found) = find(name) {
                places.push((at..at + 1 + name.len(), found));
                break;
            }
            name = name.rfind('-').map_or("", |cut| &name[..cut]);
        }
    }
    places
}

/// The values of a snippet's parameters in one use.
type Values = BTreeMap<String, RawValue>;

/// A head with the values in the place of its parameters.
fn filled(head: &RawNode, values: &Values) -> RawNode {
    let mut head = head.clone();
    for entry in &mut head.entries {
        if let RawValue::Text(text) = &entry.value
            && let Some(value) = filled_text(text, values)
        {
            entry.value = value;
        }
    }
    head
}

/// `None` where the text names no parameter.
fn filled_text(text: &str, values: &Values) -> Option<RawValue> {
    let places = places(text, |name| values.get(name));
    let (first, only) = places.first()?;
    if *first == (0..text.len()) {
        return Some((*only).clone());
    }
    let mut out = String::new();
    let mut end = 0;
    for (place, value) in &places {
        out.push_str(&text[end..place.start]);
        match value {
            RawValue::Bool(value) => out.push_str(if *value { "#true" } else { "#false" }),
            RawValue::Integer(value) => out.push_str(&value.to_string()),
            RawValue::Text(value) => out.push_str(value),
            RawValue::Float | RawValue::Null => {}
        }
        end = place.end;
    }
    out.push_str(&text[end..]);
    Some(RawValue::Text(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_in_texts_are_replaced_and_other_dollars_kept() {
        let values: Values = [
            ("age".to_owned(), RawValue::Text("60".to_owned())),
            ("port".to_owned(), RawValue::Integer(8080)),
            ("a-b".to_owned(), RawValue::Integer(8080)),
        ]
        .into();
        let text = |text: &str| filled_text(text, &values);
        assert_eq!(text("max-age=$age; x"), Some(RawValue::Text("max-age=60; x".to_owned())));
        assert_eq!(text("$age-days$age"), Some(RawValue::Text("60-days60".to_owned())));
        assert_eq!(text("$a-b"), Some(RawValue::Integer(8080)));
        assert_eq!(text("x$a-b-c"), Some(RawValue::Text("x8080-c".to_owned())));
        for literal in ["", "$", "$$", "$agenda", "$Age", "a$ b", "$5", "$-age"] {
            assert_eq!(text(literal), None, "{literal}");
        }
    }
}
