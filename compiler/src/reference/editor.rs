//! `docs/editor-schema.json`: the words for whatever completes or explains them while a site is written.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{block, is_later, key};
use crate::schema::{Block, Count, Kind, Repeat, Scope, Since, Word, words, words_of};

/// The version of the document's shape.
const VERSION: u32 = 1;

pub(super) fn schema() -> Value {
    let scopes: BTreeSet<Scope> = words().flat_map(|word| word.scopes).copied().collect();
    json!({
        "version": VERSION,
        "kiln": env!("CARGO_PKG_VERSION"),
        "about": "Written by `kiln reference docs`: the words of site.kdl. `scopes` lists what may stand in a block, `words` says what each takes.",
        "scopes": scopes.into_iter().map(|scope| (key(scope), self::scope(scope))).collect::<Map<_, _>>(),
        "words": words().map(word).collect::<Vec<_>>(),
    })
}

fn scope(scope: Scope) -> Value {
    let words: Vec<&str> = words_of(scope).iter().filter(|word| !word.is_later()).map(|word| word.name).collect();
    json!({ "title": scope.title(), "words": words })
}

fn word(word: &Word) -> Value {
    let arguments = word.arguments.iter().map(|row| json!({ "name": row.name, "count": count(row.count), "value": kind(row.kind) }));
    let properties = word.properties.iter().map(|row| {
        json!({
            "name": row.name,
            "value": kind(row.kind),
            "required": row.is_required,
            "doc": row.doc,
            "since": since(row.since),
            "later": is_later(row),
        })
    });
    json!({
        "name": word.name,
        "scopes": word.scopes.iter().map(|scope| key(*scope)).collect::<Vec<_>>(),
        "arguments": arguments.collect::<Vec<_>>(),
        "properties": properties.collect::<Vec<_>>(),
        "block": block(word).map(|scope| json!({ "scope": key(scope), "required": matches!(word.block, Block::Required(_)) })),
        "repeats": word.repeat == Repeat::Many,
        "required": word.is_required,
        "default": word.default,
        "doc": word.doc,
        "example": word.example,
        "since": since(word.since),
        "later": word.is_later(),
    })
}

/// The version that brought it; `null` for what is to come.
fn since(since: Since) -> Option<&'static str> {
    match since {
        Since::Later => None,
        Since::Version(version) => Some(version),
    }
}

fn count(count: Count) -> Value {
    let (min, max) = match count {
        Count::Any => (0, None),
        Count::Many => (1, None),
        Count::One => (1, Some(1)),
        Count::Optional => (0, Some(1)),
    };
    json!({ "min": min, "max": max })
}

/// `expects` is for people; `type` is `value` where nothing more can be said to a machine.
fn kind(kind: Kind) -> Value {
    let mut value = match kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Choice(choices) => json!({ "type": "choice", "choices": choices }),
        Kind::Integer(from, to) => json!({ "type": "integer", "min": from, "max": to }),
        Kind::Size(from, to) => json!({ "type": "size", "min": from, "max": to }),
        _ => json!({ "type": "value" }),
    };
    value["expects"] = json!(super::kind(kind));
    value
}
