//! The one description of the site language: every word, where it stands, what it takes, what it means.
//!
//! Parsing, errors, did-you-mean and the reference are driven by these rows: a new word is one row here and the code in `resolve` that reads it. Words of later
//! versions are rows too, so that they are answered with "not in this version yet" and never with "unknown". Foreign words have their own table.

mod action;
pub mod excerpt;
mod files;
pub mod foreign;
mod guard;
mod later;
mod listen;
mod log;
pub mod nearest;
mod policy;
mod proxy;
mod reuse;
mod site;
mod upstream;
mod vhost;

pub use action::ACTIONS;
pub use files::CODINGS;
pub use upstream::RETRIED;

use std::{collections::BTreeMap, sync::LazyLock};

/// A block that words stand in.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Scope {
    Access,
    AccessLog,
    Auth,
    Cache,
    CacheKey,
    Cors,
    Errors,
    Files,
    Group,
    Guard,
    Headers,
    Intercept,
    Limits,
    Listen,
    Map,
    Miss,
    /// An action in `intercept`.
    On,
    OnlyHeaders,
    Php,
    Pool,
    Proxy,
    RequestHeaders,
    Retry,
    Route,
    Share,
    Site,
    /// Words of any block: which, is known where the snippet is used.
    Snippet,
    Split,
    Store,
    Test,
    Timeouts,
    Tls,
    Top,
    Upstream,
    UpstreamHeaders,
    UpstreamTimeouts,
    Vhost,
}

/// One word in the scopes where it means the same.
#[derive(Debug)]
pub struct Word {
    pub name: &'static str,
    pub scopes: &'static [Scope],
    pub arguments: &'static [Argument],
    pub properties: &'static [Property],
    pub block: Block,
    pub repeat: Repeat,
    /// Every block of its scopes must have it.
    pub is_required: bool,
    /// What holds without it, as it would be written; the texts are `resolve::inherit`'s.
    pub default: Option<&'static str>,
    /// One sentence for the reference.
    pub doc: &'static str,
    /// The word in use, for the reference: an excerpt that a test compiles. Words of later versions have none.
    pub example: &'static str,
    pub since: Since,
}

/// Arguments are matched from the left; an optional one whose kind does not fit is passed over.
#[derive(Debug)]
pub struct Argument {
    pub name: &'static str,
    pub kind: Kind,
    pub count: Count,
}

#[derive(Debug)]
pub struct Property {
    pub name: &'static str,
    pub kind: Kind,
    pub is_required: bool,
    pub doc: &'static str,
    pub since: Since,
}

/// How many values of an argument may stand.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Count {
    /// None or more.
    Any,
    /// One or more.
    Many,
    One,
    Optional,
}

/// What a value must be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    Bool,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// More than nothing, a year at most.
    Duration,
    /// The same, or `"off"`.
    DurationOrOff,
    /// From the first to the second, both included.
    Integer(i64, i64),
    /// A text, or a value that is known when the server starts: `(env)"NAME"`, `(file)"/path"`.
    LateText,
    /// Bytes, from the first to the second, both included.
    Size(u64, u64),
    /// An integer; which ones a word can use is `resolve`'s question.
    Status,
    Text,
}

/// The `{ .. }` of a word.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Block {
    No,
    Optional(Scope),
    Required(Scope),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Repeat {
    Many,
    Once,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Since {
    /// Known, and not in this version yet.
    Later,
    /// The version of kiln that brought it.
    Version(&'static str),
}

impl Word {
    /// The defaults of a row.
    const NEW: Self = Self {
        name: "",
        scopes: &[],
        arguments: &[],
        properties: &[],
        block: Block::No,
        repeat: Repeat::Once,
        is_required: false,
        default: None,
        doc: "",
        example: "",
        since: Since::Version("0.1.0"),
    };

    pub fn is_later(&self) -> bool {
        self.since == Since::Later
    }

    pub fn find_property(&self, name: &str) -> Option<&'static Property>
    where
        Self: 'static,
    {
        self.properties.iter().find(|property| property.name == name)
    }
}

/// What a late value is where the host has none.
const LATE_DEFAULT: Property = Property {
    name: "default",
    kind: Kind::Text,
    is_required: false,
    doc: "What an `(env)` value is where the variable is not set.",
    since: Since::Version("0.1.0"),
};

impl Scope {
    /// How a message names the block: `` `route` ``.
    pub fn title(self) -> &'static str {
        match self {
            Self::Access => "`access`",
            Self::AccessLog => "`access-log`",
            Self::Auth => "`auth`",
            Self::Cache => "`cache`",
            Self::CacheKey => "`key`",
            Self::Cors => "`cors`",
            Self::Errors => "`errors`",
            Self::Files => "`files`",
            Self::Group => "`group`",
            Self::Guard => "`when`",
            Self::Headers => "`headers`",
            Self::Intercept => "`intercept`",
            Self::Limits => "`limits`",
            Self::Listen => "`listen`",
            Self::Map => "`map`",
            Self::Miss => "`miss`",
            Self::On => "`on`",
            Self::OnlyHeaders => "`only`",
            Self::Php => "`php`",
            Self::Pool => "`pool`",
            Self::Proxy => "`proxy`",
            Self::RequestHeaders => "`request-headers`",
            Self::Retry => "`retry`",
            Self::Route => "`route`",
            Self::Share => "`share`",
            Self::Site => "`site`",
            Self::Snippet => "`snippet`",
            Self::Split => "`split`",
            Self::Store => "`cache-store`",
            Self::Test => "`test`",
            Self::Timeouts => "`timeouts` of `site`",
            Self::Tls => "`tls`",
            Self::Top => "the top level",
            Self::Upstream => "`upstream`",
            Self::UpstreamHeaders => "`upstream-headers`",
            Self::UpstreamTimeouts => "`timeouts` of an upstream",
            Self::Vhost => "`vhost`",
        }
    }
}

impl Kind {
    /// What a message expects.
    pub fn title(self) -> String {
        match self {
            Self::Bool => "`#true` or `#false`".to_owned(),
            Self::Choice(choices) => choices.iter().map(|choice| format!("`\"{choice}\"`")).collect::<Vec<_>>().join(", "),
            Self::Duration => "a duration such as `\"30s\"`".to_owned(),
            Self::DurationOrOff => "a duration such as `\"30s\"`, or `\"off\"`".to_owned(),
            Self::Integer(from, to) => format!("a number from {from} to {to}"),
            Self::Size(..) => "a size such as `\"16MiB\"`".to_owned(),
            Self::Status => "a status such as `404`".to_owned(),
            Self::LateText | Self::Text => "a text in quotes".to_owned(),
        }
    }
}

/// All rows, in the order of the reference.
pub fn words() -> impl Iterator<Item = &'static Word> {
    [
        site::WORDS,
        listen::WORDS,
        log::WORDS,
        reuse::WORDS,
        vhost::WORDS,
        action::WORDS,
        files::WORDS,
        proxy::WORDS,
        upstream::WORDS,
        policy::WORDS,
        guard::WORDS,
        later::WORDS,
    ]
    .into_iter()
    .flatten()
}

/// The words of each scope in the order of the rows, and each by its name.
struct Table {
    ordered: Vec<&'static Word>,
    by_name: BTreeMap<&'static str, &'static Word>,
}

static TABLES: LazyLock<BTreeMap<Scope, Table>> = LazyLock::new(|| {
    let mut tables: BTreeMap<Scope, Table> = BTreeMap::new();
    for word in words() {
        for scope in word.scopes {
            let table = tables.entry(*scope).or_insert_with(|| Table { ordered: Vec::new(), by_name: BTreeMap::new() });
            table.ordered.push(word);
            let earlier = table.by_name.insert(word.name, word);
            assert!(earlier.is_none(), "bug in kiln: two rows for `{}` in {}", word.name, scope.title());
        }
    }
    tables
});

/// The row of a word in a scope.
pub fn find(scope: Scope, name: &str) -> Option<&'static Word> {
    TABLES.get(&scope)?.by_name.get(name).copied()
}

/// The words that may stand in a scope, in the order of the rows.
pub fn words_of(scope: Scope) -> &'static [&'static Word] {
    TABLES.get(&scope).map_or(&[], |table| &table.ordered)
}

/// The scopes in which a word means something.
pub fn scopes_of(name: &str) -> Vec<Scope> {
    TABLES.iter().filter(|(_, table)| table.by_name.contains_key(name)).map(|(scope, _)| *scope).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_documented_and_named_in_kebab_case() {
        for word in words() {
            assert!(word.doc.ends_with('.') && word.doc.len() > 10, "`{}` has no sentence", word.name);
            assert!(word.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'), "{}", word.name);
            assert!(!word.scopes.is_empty(), "`{}` stands nowhere", word.name);
        }
    }

    #[test]
    fn optional_arguments_before_others_differ_in_kind() {
        for word in words() {
            for pair in word.arguments.windows(2) {
                let is_open = matches!(pair[0].count, Count::Any | Count::Many | Count::Optional);
                assert!(!is_open || pair[0].kind != pair[1].kind, "arguments of `{}` can't be told apart", word.name);
            }
        }
    }
}
