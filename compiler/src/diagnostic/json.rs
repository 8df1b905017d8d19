//! Diagnostics as one JSON document. Its shape is promised by `docs/diagnostics.md`: a change to it is a new `version`.

use serde_json::{Value, json};

use super::{
    Diagnostic, Diagnostics, Severity,
    place::{Place, Places},
};
use crate::source::{SourceMap, Span};

/// The version of the document's shape.
const VERSION: u32 = 1;

pub fn json(diagnostics: &Diagnostics, sources: &SourceMap) -> Value {
    let sorted = diagnostics.sorted();
    let (mut places, mut related_places) = (Places::new(sources), Places::new(sources));
    let all: Vec<Value> = sorted.iter().map(|diagnostic| one(diagnostic, sources, &mut places, &mut related_places)).collect();
    json!({
        "version": VERSION,
        "kiln": env!("CARGO_PKG_VERSION"),
        "files": sources.sources().iter().map(|source| source.name.as_str()).collect::<Vec<_>>(),
        "errors": diagnostics.errors(),
        "warnings": diagnostics.warnings(),
        "hidden": diagnostics.errors() + diagnostics.warnings() - all.len(),
        "diagnostics": all,
    })
}

fn one(diagnostic: &Diagnostic, sources: &SourceMap, places: &mut Places<'_>, related_places: &mut Places<'_>) -> Value {
    let related = diagnostic.secondary.iter().map(|label| {
        let region = region(label.span, sources, related_places);
        json!({ "region": region, "text": label.text })
    });
    json!({
        "code": diagnostic.code.to_string(),
        "severity": match diagnostic.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "message": diagnostic.message,
        "label": diagnostic.label,
        "region": diagnostic.span.map(|span| region(span, sources, places)),
        "related": related.collect::<Vec<_>>(),
        "note": diagnostic.note,
        "help": diagnostic.help,
    })
}

fn region(span: Span, sources: &SourceMap, places: &mut Places<'_>) -> Value {
    let (start, end) = places.of(span);
    json!({ "file": sources.source(span.file).name, "start": place(start), "end": place(end) })
}

fn place(place: Place) -> Value {
    json!({ "line": place.line, "column": place.column, "byte": place.byte })
}
