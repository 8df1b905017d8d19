//! `docs/kdl.md`: every word with what it takes, its default, one sentence and an example.

use std::fmt::Write;

use super::{argument, block, is_later, kind, scopes, times, usage};
use crate::schema::{Scope, Word, words, words_of};

const HEAD: &str = "# The site language

<!-- Written by `kiln reference docs` from the schema: edit compiler/src/schema, not this page. -->

A site is one file, `site.kdl`, and what it includes, in [KDL 2](https://kdl.dev). Unknown words, arguments and properties are errors; nothing is ignored.

How to read this page: `WORD` in capitals is an argument, `[..]` may be left out, `..` behind a name means several, `name=..` is a property and `{ .. }` a block.
An argument's value stands in quotes, numbers and `#true` excepted. Durations are written `\"250ms\"`, `\"30s\"`, `\"5m\"`, `\"1h\"`, `\"7d\"`; sizes `\"512B\"`,
`\"32KiB\"`, `\"16MiB\"`, `\"2GiB\"`. Defaults stand in `kiln plan` with everything else that a site does.

Examples are excerpts: a `site` with a `listen`, a vhost, a route or an action is to be thought around them. Each one is compiled by a test.
";

pub(super) fn page() -> String {
    let mut page = HEAD.to_owned();
    for scope in scopes() {
        section(&mut page, scope);
    }
    later(&mut page);
    page
}

/// A scope: its words in one table, then those that no scope before it has told of.
fn section(page: &mut String, scope: Scope) {
    if !has_section(scope) {
        return;
    }
    let words: Vec<&Word> = words_of(scope).iter().copied().filter(|word| !word.is_later()).collect();
    line(page, &format!("\n## {}\n\n| word | means | may stand |\n|---|---|---|", heading(scope)));
    for word in &words {
        line(page, &format!("| [`{}`](#{}) | {} | {} |", word.name, anchor(word), cell(word.doc), times(word)));
    }
    for word in words.into_iter().filter(|word| is_told_in(word, scope)) {
        entry(page, word);
    }
}

/// A word is told of where it first may stand.
fn is_told_in(word: &Word, scope: Scope) -> bool {
    scopes().into_iter().find(|scope| word.scopes.contains(scope)) == Some(scope)
}

fn entry(page: &mut String, word: &Word) {
    line(page, &format!("\n<a id=\"{}\"></a>\n### `{}`\n\n{}\n", anchor(word), word.name, word.doc));
    line(page, &format!("    {}\n", usage(word)));
    let places: Vec<String> = word.scopes.iter().filter(|scope| has_section(**scope)).map(|scope| scope_link(*scope)).collect();
    line(page, &format!("- stands in {}, {}", places.join(", "), times(word)));
    for row in word.arguments {
        line(page, &format!("- `{}`: {}", argument(row), kind(row.kind)));
    }
    for row in word.properties.iter().filter(|row| !is_later(row)) {
        let required = if row.is_required { ", required" } else { "" };
        line(page, &format!("- `{}=`: {}{required}. {}", row.name, kind(row.kind), row.doc));
    }
    if let Some(scope) = block(word).filter(|scope| has_section(*scope)) {
        line(page, &format!("- its block takes the words of {}", scope_link(scope)));
    }
    if let Some(default) = word.default {
        line(page, &format!("- default: `{default}`"));
    }
    line(page, &format!("\n```kdl excerpt\n{}\n```", word.example));
}

/// Words and properties that are known and not understood yet.
fn later(page: &mut String) {
    let words: Vec<&Word> = words().filter(|word| word.is_later()).collect();
    line(
        page,
        "\n## Later\n\nThese words are part of the language and not of this version: kiln says so (K0110) wherever they are used.\n",
    );
    line(page, "| word | in | means |\n|---|---|---|");
    for word in words {
        let places: Vec<&str> = word.scopes.iter().map(|scope| scope.title()).collect();
        line(page, &format!("| `{}` | {} | {} |", word.name, places.join(", "), cell(word.doc)));
    }
    for (word, row) in self::words().flat_map(|word| word.properties.iter().map(move |row| (word, row))).filter(|(_, row)| is_later(row)) {
        line(page, &format!("| `{}=` | `{}` | {} |", row.name, word.name, cell(row.doc)));
    }
}

/// Where a word is told of; its first scope tells it from others of the same name.
fn anchor(word: &Word) -> String {
    let scope = word.scopes.first().map_or_else(String::new, |scope| super::key(*scope));
    format!("{scope}-{}", word.name)
}

/// A block that can be reached, with a word of this version in it.
fn has_section(scope: Scope) -> bool {
    scopes().contains(&scope) && words_of(scope).iter().any(|word| !word.is_later())
}

fn scope_link(scope: Scope) -> String {
    format!("[{}](#{})", scope.title(), heading(scope).replace('`', "").replace(' ', "-").to_lowercase())
}

/// Two blocks of one name are told apart by what they are.
fn heading(scope: Scope) -> String {
    let is_shared = scopes().into_iter().filter(|other| other.title() == scope.title()).count() > 1;
    match scope {
        Scope::Top => "Top level".to_owned(),
        _ if is_shared => format!("{} ({})", scope.title(), super::key(scope).replace('-', " ")),
        _ => scope.title().to_owned(),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn line(page: &mut String, text: &str) {
    writeln!(page, "{text}").expect("a string takes everything");
}
