//! A node as written against its schema row: every word, argument and property is known and has its type, or there is an error.

use std::collections::BTreeMap;

use super::{
    late,
    raw::{Name, RawEntry, RawNode, RawValue},
    value,
};
use crate::{
    ast::{Argument, Node, Property},
    diagnostic::{Code, Diagnostic, Diagnostics, Severity},
    schema::{self, Block, Count, Kind, Repeat, Scope, Since, Word, foreign, nearest::nearest},
    source::{FileId, SourceMap, Span},
};

/// Lists of rules: those of a snippet stand beside those of the block that uses it.
const JOINED: [&str; 4] = ["errors", "headers", "request-headers", "upstream-headers"];

/// Checks a head; `None` where its word can't be used, after saying why. With the scope of the block that must be read into the node.
pub(super) fn head(raw: RawNode, has_block: bool, scope: Scope, diagnostics: &mut Diagnostics) -> Option<(Node, Option<Scope>)> {
    let Some(word) = schema::find(scope, &raw.name.text) else {
        if !diagnostics.count_beyond(Severity::Error) {
            diagnostics.push(unknown(&raw.name, scope));
        }
        return None;
    };
    if word.is_later() {
        let diagnostic = later(&raw.name, &format!("`{}`", word.name));
        diagnostics.push(match word.name {
            "timeouts" => {
                diagnostic.help("how long an endpoint is waited for is said in the block of `proxy`: `timeouts { first-byte \"2m\" }`")
            }
            _ => diagnostic,
        });
        return None;
    }
    if let Some(annotation) = &raw.annotation {
        let diagnostic = Diagnostic::new(Code::UnknownAnnotation, annotation.span, format!("`({})` stands before a word", annotation.text));
        diagnostics.push(diagnostic.label("only values have annotations"));
    }
    let (properties, arguments): (Vec<RawEntry>, Vec<RawEntry>) = raw.entries.into_iter().partition(|entry| entry.name.is_some());
    let mut node = Node {
        word,
        name: raw.name.span,
        span: raw.span,
        extent: raw.span,
        arguments: Vec::new(),
        properties: self::properties(word, raw.span, &properties, diagnostics),
        children: Vec::new(),
    };
    // An argument written as a block is one mistake, not two.
    let is_block_meant = word.block == Block::No && has_block;
    if !is_block_meant || !arguments.is_empty() {
        node.arguments = self::arguments(word, raw.span, &arguments, diagnostics);
    }
    late::check_default(&node, diagnostics);
    let inside = block_scope(&node, has_block, diagnostics);
    Some((node, inside))
}

/// The scope of the block that a node has, where it may have one.
fn block_scope(node: &Node, has_block: bool, diagnostics: &mut Diagnostics) -> Option<Scope> {
    let name = node.word.name;
    match (node.word.block, has_block) {
        (Block::No | Block::Optional(_), false) => None,
        (Block::Optional(scope) | Block::Required(scope), true) => Some(scope),
        (Block::No, true) => {
            let diagnostic = Diagnostic::new(Code::UnexpectedBlock, node.span, format!("`{name}` takes no block"));
            diagnostics.push(match foreign::block(name) {
                Some(help) => diagnostic.label("not kiln's way to say it").help(help),
                None => diagnostic.label("remove the `{ .. }` behind it"),
            });
            None
        }
        (Block::Required(scope), false) => {
            let diagnostic = Diagnostic::new(Code::EmptyBlock, node.span, format!("`{name}` needs a block"));
            diagnostics.push(diagnostic.label("expected `{ .. }` behind it").note(expected_words(scope)));
            None
        }
    }
}

/// Checks the children of a node against each other; `written` of them stand in its block, those that were not understood included.
pub(super) fn block(node: &Node, scope: Scope, written: usize, diagnostics: &mut Diagnostics) {
    repeats(&node.children, |child| node.extent.contains(child.span), diagnostics);
    // A word that was not understood may be the one that is missing.
    if node.children.len() == written {
        missing(scope, node.span, &node.children, diagnostics);
    }
    let may_be_empty = matches!(scope, Scope::Site | Scope::Vhost | Scope::Route);
    if written == 0 && !may_be_empty {
        let diagnostic = Diagnostic::new(Code::EmptyBlock, node.span, format!("the block of `{}` is empty", node.word.name));
        diagnostics.push(diagnostic.label("says nothing").note(expected_words(scope)));
    }
}

/// What must stand once in the whole site, or at least once.
pub(super) fn top_level(sources: &SourceMap, nodes: &[Node], diagnostics: &mut Diagnostics) {
    let entry = sources.source(FileId(0));
    let end = entry.text.trim_end().len();
    let start = entry.text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
    repeats(nodes, |_| true, diagnostics);
    missing(Scope::Top, Span::new(FileId(0), start as u32, end as u32), nodes, diagnostics);
}

/// `is_own` tells the nodes that were written in the block from those that a snippet put there.
fn repeats(nodes: &[Node], is_own: impl Fn(&Node) -> bool, diagnostics: &mut Diagnostics) {
    let mut first: BTreeMap<&str, &Node> = BTreeMap::new();
    for node in nodes.iter().filter(|node| node.word.repeat == Repeat::Once) {
        let Some(earlier) = first.get(node.word.name) else {
            first.insert(node.word.name, node);
            continue;
        };
        // The rules of a snippet and those of its user are one list, whose names are compared by `resolve`.
        let is_joined = JOINED.contains(&node.word.name) && !(is_own(node) && is_own(earlier));
        if !is_joined {
            let diagnostic = Diagnostic::new(Code::DuplicateWord, node.span, format!("`{}` stands twice", node.word.name));
            diagnostics.push(diagnostic.label("for the second time").secondary(earlier.span, "for the first time"));
        }
    }
}

fn missing(scope: Scope, span: Span, nodes: &[Node], diagnostics: &mut Diagnostics) {
    for word in schema::words_of(scope).iter().filter(|word| word.is_required) {
        if !nodes.iter().any(|node| node.is(word.name)) {
            let place = if scope == Scope::Top { "there is" } else { &format!("{} has", scope.title()) };
            let diagnostic = Diagnostic::new(Code::MissingWord, span, format!("{place} no `{}`", word.name));
            diagnostics.push(diagnostic.label(format!("`{}` is missing", word.name)).help(example(word.name)));
        }
    }
}

/// What to write for a required word.
fn example(word: &str) -> &'static str {
    match word {
        "endpoint" => "write where it is: `endpoint \"10.0.0.5:3000\"`",
        "listen" => "write where to accept connections: `listen \"0.0.0.0:8080\"`",
        "origin" => "write who may ask: `origin \"https://partner.example\"`",
        "share" => "write each action and its weight: `share 95 { .. }`",
        "site" => "begin with `site \"name\" language=1 { listen \"0.0.0.0:8080\" }`",
        _ => "write which hosts are answered: `vhost \"example.org\" { .. }`",
    }
}

fn unknown(name: &Name, scope: Scope) -> Diagnostic {
    let place = if scope == Scope::Top { "at the top level".to_owned() } else { format!("in {}", scope.title()) };
    let word = name.text.as_str();
    let shown = shortened(word);
    if let Some(foreign) = foreign::find(scope, word) {
        return Diagnostic::new(Code::UnknownWord, name.span, format!("unknown word `{shown}` {place}")).label(foreign.label());
    }
    let elsewhere = schema::scopes_of(word);
    if !elsewhere.is_empty() {
        let mut places: Vec<&str> = elsewhere.iter().map(|scope| scope.title()).collect();
        places.dedup();
        let diagnostic = Diagnostic::new(Code::MisplacedWord, name.span, format!("`{word}` does not stand {place}"));
        return diagnostic.label(format!("belongs in {}", listed(&places))).note(expected_words(scope));
    }
    let diagnostic = Diagnostic::new(Code::UnknownWord, name.span, format!("unknown word `{shown}` {place}"));
    match nearest(word, schema::words_of(scope).iter().map(|word| word.name)) {
        Some(near) => diagnostic.label(format!("did you mean `{near}`?")),
        None => diagnostic.label("not a word of the site language").note(expected_words(scope)),
    }
}

/// `` `route` takes: methods, when, .. ``: the words of this version.
fn expected_words(scope: Scope) -> String {
    if scope == Scope::Snippet {
        return "`snippet` takes the words of the blocks that use it".to_owned();
    }
    let words = schema::words_of(scope).iter().filter(|word| !word.is_later()).map(|word| word.name);
    format!("{} takes: {}", scope.title(), words.collect::<Vec<_>>().join(", "))
}

fn listed(places: &[&str]) -> String {
    match places {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [some @ .., last] => format!("{} or {last}", some.join(", ")),
    }
}

/// A word as a message shows it.
fn shortened(word: &str) -> String {
    const SHOWN_MAX: usize = 40;
    if word.chars().count() <= SHOWN_MAX {
        word.escape_debug().to_string()
    } else {
        format!("{}..", word.chars().take(SHOWN_MAX).collect::<String>().escape_debug())
    }
}

fn later(name: &Name, what: &str) -> Diagnostic {
    Diagnostic::new(Code::NotInThisVersion, name.span, format!("{what} is not in this version yet"))
        .label("a later version of kiln understands it")
}

fn properties(word: &'static Word, span: Span, entries: &[RawEntry], diagnostics: &mut Diagnostics) -> Vec<Property> {
    let mut properties: Vec<Property> = Vec::new();
    let mut written: BTreeMap<&str, Span> = BTreeMap::new();
    for entry in entries {
        let Some(name) = &entry.name else { continue };
        let Some(row) = word.find_property(&name.text) else {
            diagnostics.push(unknown_property(word, name));
            continue;
        };
        if let Some(earlier) = written.insert(row.name, entry.span) {
            let diagnostic = Diagnostic::new(Code::DuplicateProperty, entry.span, format!("`{}=` stands twice", row.name));
            diagnostics.push(diagnostic.label("for the second time").secondary(earlier, "for the first time"));
            continue;
        }
        if row.since == Since::Later {
            diagnostics.push(later(name, &format!("`{}=` of `{}`", row.name, word.name)));
            continue;
        }
        match late::misplaced(entry, row.kind).map_or_else(|| value::typed(entry, row.kind), Err) {
            Ok(value) => properties.push(Property { name: row.name, value }),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    for row in word.properties.iter().filter(|row| row.is_required && !written.contains_key(row.name)) {
        let diagnostic = Diagnostic::new(Code::MissingProperty, span, format!("`{}` needs `{}=`", word.name, row.name));
        let label = if row.name == "language" {
            "expected `language=1` behind the name".to_owned()
        } else {
            format!("expected `{}=` with {}", row.name, row.kind.title())
        };
        diagnostics.push(diagnostic.label(label));
    }
    properties
}

fn unknown_property(word: &Word, name: &Name) -> Diagnostic {
    let diagnostic =
        Diagnostic::new(Code::UnknownProperty, name.span, format!("`{}` has no property `{}`", word.name, shortened(&name.text)));
    let known: Vec<String> = word.properties.iter().filter(|row| row.since != Since::Later).map(|row| format!("{}=", row.name)).collect();
    if let Some(near) = nearest(&name.text, word.properties.iter().map(|row| row.name)) {
        return diagnostic.label(format!("did you mean `{near}=`?"));
    }
    if let Some(foreign) = foreign::find(Scope::Upstream, &name.text).filter(|_| word.name == "endpoint") {
        return diagnostic.label(foreign.label());
    }
    let label = if known.is_empty() { "it has no properties".to_owned() } else { format!("expected {}", known.join(", ")) };
    let child = match word.block {
        Block::No => None,
        Block::Optional(scope) | Block::Required(scope) => schema::find(scope, &name.text),
    };
    let diagnostic = diagnostic.label(label);
    match child {
        Some(child) => diagnostic.help(format!("`{}` is a word of its own: write it inside `{{ .. }}`", child.name)),
        None => diagnostic,
    }
}

fn arguments(word: &'static Word, span: Span, entries: &[RawEntry], diagnostics: &mut Diagnostics) -> Vec<Argument> {
    let mut arguments: Vec<Argument> = Vec::new();
    let mut rows = word.arguments.iter();
    let mut row = rows.next();
    let mut taken = 0;
    for entry in entries {
        while let Some(current) = row.filter(|row| is_passed_over(row.count, taken, value::fits(entry, row.kind), rows.len() > 0)) {
            debug_assert!(current.count != Count::One, "a required argument is never passed over");
            row = rows.next();
            taken = 0;
        }
        let Some(current) = row else {
            diagnostics.push(unexpected(word, entry));
            return arguments;
        };
        match late::misplaced(entry, current.kind).map_or_else(|| value::typed(entry, current.kind), Err) {
            Ok(value) => arguments.push(Argument { name: current.name, value }),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
        taken += 1;
        if matches!(current.count, Count::One | Count::Optional) {
            row = rows.next();
            taken = 0;
        }
    }
    let needed = row.into_iter().chain(rows).zip(std::iter::once(taken).chain(std::iter::repeat(0)));
    let absent =
        needed.filter(|(row, taken)| row.count == Count::One || (row.count == Count::Many && *taken == 0)).map(|(row, _)| row).next();
    if let Some(row) = absent {
        let diagnostic = Diagnostic::new(Code::MissingArgument, span, format!("`{}` needs {}", word.name, with_article(row.name)));
        diagnostics.push(diagnostic.label(format!("expected {} behind it", row.kind.title())));
    }
    arguments
}

fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    if name == "times" { "a number of times".to_owned() } else { format!("{article} {name}") }
}

/// Whether an argument's row is left for the next one.
fn is_passed_over(count: Count, taken: usize, fits: bool, has_next: bool) -> bool {
    match count {
        Count::Any | Count::Optional => !fits && has_next,
        Count::Many => taken > 0 && !fits && has_next,
        Count::One => false,
    }
}

fn unexpected(word: &Word, entry: &RawEntry) -> Diagnostic {
    let takes = match word.arguments {
        [] => "no arguments".to_owned(),
        rows => rows.iter().map(|row| format!("{} ({})", row.name, row.kind.title())).collect::<Vec<_>>().join(", then "),
    };
    let diagnostic = Diagnostic::new(Code::UnexpectedArgument, entry.span, format!("`{}` does not take this argument", word.name))
        .label(format!("it takes {takes}"));
    let RawValue::Text(text) = &entry.value else { return diagnostic };
    match word.find_property(text) {
        Some(property) if property.kind == Kind::Bool => diagnostic.help(format!("write `{}=#true`", property.name)),
        _ => diagnostic,
    }
}
