//! `docs/site.schema.kdl`: the words in KDL's own schema language (kdl-org/kdl, SCHEMA-SPEC 1.0), for tools that read it.
//!
//! It says which nodes, values and properties may stand where; what a text must look like is beyond it.

use super::{block, is_later, key, scopes};
use crate::{
    format::format,
    schema::{Block, Count, Kind, Repeat, Scope, Word, words_of},
};

const HEAD: &str = "// Written by `kiln reference docs`.\ndocument {\ninfo {\ntitle \"The site language of kiln\" lang=\"en\"\n}\n";

pub(super) fn document() -> String {
    let definitions: String =
        scopes().into_iter().skip(1).map(|scope| format!("children id={:?} {{\n{}}}\n", key(scope), nodes(scope))).collect();
    format(&format!("{HEAD}{}definitions {{\n{definitions}}}\n}}\n", nodes(Scope::Top)))
}

fn nodes(scope: Scope) -> String {
    words_of(scope).iter().filter(|word| !word.is_later()).map(|word| node(word)).collect()
}

fn node(word: &Word) -> String {
    let min = if word.is_required { "min 1\n" } else { "" };
    let max = if word.repeat == Repeat::Once { "max 1\n" } else { "" };
    let properties = word.properties.iter().filter(|row| !is_later(row)).map(|row| {
        let required = if row.is_required { "required #true\n" } else { "" };
        format!("prop {:?} {{\n{required}{}}}\n", row.name, kind(row.kind))
    });
    let properties: String = properties.collect();
    let children = block(word).map_or_else(String::new, |scope| {
        let min = if matches!(word.block, Block::Required(_)) { " { min 1; }" } else { "" };
        format!("children ref=#\"[id=\"{}\"]\"#{min}\n", key(scope))
    });
    format!("node {:?} description={} {{\n{min}{max}{}{properties}{children}}}\n", word.name, quoted(word.doc), value(word))
}

/// Schemas know one kind of value for a node: all of its arguments.
fn value(word: &Word) -> String {
    let Some(first) = word.arguments.first() else { return "value { max 0; }\n".to_owned() };
    let min = word.arguments.iter().filter(|row| matches!(row.count, Count::Many | Count::One)).count();
    let is_open = word.arguments.iter().any(|row| matches!(row.count, Count::Any | Count::Many));
    let max = if is_open { String::new() } else { format!("max {}\n", word.arguments.len()) };
    let is_alike = word.arguments.iter().all(|row| row.kind == first.kind);
    let kind = if is_alike { kind(first.kind) } else { String::new() };
    format!("value {{\nmin {min}\n{max}{kind}}}\n")
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Bool => "type \"boolean\"\n".to_owned(),
        Kind::Choice(choices) => {
            let choices: Vec<String> = choices.iter().map(|choice| quoted(choice)).collect();
            format!("type \"string\"\nenum {}\n", choices.join(" "))
        }
        Kind::Integer(from, to) => format!("type \"number\"\n\">=\" {from}\n\"<=\" {to}\n"),
        Kind::Status => "type \"number\"\n".to_owned(),
        _ => "type \"string\"\n".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
