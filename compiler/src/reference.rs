//! What is written from the schema and the catalogue of codes: the reference for people, and descriptions of the language for editors.
//!
//! Each file is a function of the tables alone. `kiln reference docs` writes them, a test compares them with what is committed.

mod codes;
mod editor;
mod kdl_schema;
mod words;

use crate::schema::{Argument, Block, Count, Kind, Property, Repeat, Scope, Since, Word};

/// Names below the directory of documents, and texts.
pub fn files() -> [(&'static str, String); 4] {
    [
        ("kdl.md", words::page()),
        ("codes.md", codes::page()),
        ("editor-schema.json", format!("{:#}\n", editor::schema())),
        ("site.schema.kdl", kdl_schema::document()),
    ]
}

/// The scopes in the order of the reference: what stands in one comes behind it.
fn scopes() -> Vec<Scope> {
    let mut scopes = vec![Scope::Top];
    let mut at = 0;
    while let Some(scope) = scopes.get(at).copied() {
        let inside = crate::schema::words_of(scope).iter().filter_map(|word| block(word));
        let new: Vec<Scope> = inside.filter(|scope| !scopes.contains(scope)).collect();
        for scope in new {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        at += 1;
    }
    scopes
}

/// The scope that a word's block is.
fn block(word: &Word) -> Option<Scope> {
    match word.block {
        Block::No => None,
        Block::Optional(scope) | Block::Required(scope) => Some(scope),
    }
}

/// The name of a scope in documents for machines: `route`, `upstream-timeouts`.
fn key(scope: Scope) -> String {
    let name = format!("{scope:?}");
    let letters = name.chars().enumerate().flat_map(|(at, letter)| {
        let dash = (at > 0 && letter.is_ascii_uppercase()).then_some('-');
        dash.into_iter().chain([letter.to_ascii_lowercase()])
    });
    letters.collect()
}

/// What may stand in a value's place, in a few words.
fn kind(kind: Kind) -> String {
    match kind {
        Kind::Integer(from, to) => format!("a number from {} to {}", grouped(from), grouped(to)),
        Kind::Size(from, to) => format!("a size such as `\"16MiB\"`, from {} to {}", size(from), size(to)),
        other => other.title(),
    }
}

/// `10,000,000`.
fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let start = digits.len() % 3;
    let groups = digits.as_bytes().iter().enumerate().flat_map(|(at, digit)| {
        let comma = (at > 0 && at % 3 == start).then_some(',');
        comma.into_iter().chain([char::from(*digit)])
    });
    groups.collect()
}

/// `16 KiB`: the largest unit that gives a whole number.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    let mut count = bytes;
    while count >= 1024 && count.is_multiple_of(1024) && unit + 1 < UNITS.len() {
        count /= 1024;
        unit += 1;
    }
    format!("{count} {}", UNITS[unit])
}

fn is_later(property: &Property) -> bool {
    property.since == Since::Later
}

/// The word with all that may stand behind it: `redirect TARGET [status=..] [query=..]`.
fn usage(word: &Word) -> String {
    let arguments = word.arguments.iter().map(argument);
    let properties = word.properties.iter().filter(|property| !is_later(property)).map(|property| {
        let text = format!("{}=..", property.name);
        if property.is_required { text } else { format!("[{text}]") }
    });
    let block = match word.block {
        Block::No => None,
        Block::Optional(_) => Some("[{ .. }]".to_owned()),
        Block::Required(_) => Some("{ .. }".to_owned()),
    };
    std::iter::once(word.name.to_owned()).chain(arguments).chain(properties).chain(block).collect::<Vec<_>>().join(" ")
}

fn argument(argument: &Argument) -> String {
    let name = argument.name.to_uppercase();
    match argument.count {
        Count::Any => format!("[{name}..]"),
        Count::Many => format!("{name}.."),
        Count::One => name,
        Count::Optional => format!("[{name}]"),
    }
}

/// How often a word may or must stand in its block.
fn times(word: &Word) -> &'static str {
    match (word.is_required, word.repeat) {
        (false, Repeat::Many) => "any number of times",
        (false, Repeat::Once) => "once",
        (true, Repeat::Many) => "at least once",
        (true, Repeat::Once) => "exactly once",
    }
}
