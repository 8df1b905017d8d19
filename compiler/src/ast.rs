//! The site as written: a tree whose words, arguments and properties were checked against the [`schema`](crate::schema), with their spans.
//!
//! A value here has the type its schema row says; what it means (is this text a pattern, does that host exist twice) is `resolve`'s.

use std::{collections::BTreeMap, fmt, time::Duration};

use crate::{
    diagnostic::uses::Use,
    schema::Word,
    source::{FileId, SourceMap, Span},
};

/// All top-level nodes, those of included files in the place of their `include`.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub nodes: Vec<Node>,
    /// The spans of what snippets say lie in the snippets; here is where they were used.
    pub uses: Vec<Use>,
    /// The files that nodes name and that are read as text, by the span of the name.
    pub files: BTreeMap<Span, FileId>,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub word: &'static Word,
    /// The word alone.
    pub name: Span,
    /// The word, its arguments and properties: what a diagnostic about the node as a whole underlines.
    pub span: Span,
    /// All of it, children included.
    pub extent: Span,
    pub arguments: Vec<Argument>,
    pub properties: Vec<Property>,
    pub children: Vec<Self>,
}

/// An argument and the schema's name for it.
#[derive(Clone, Debug)]
pub struct Argument {
    pub name: &'static str,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: &'static str,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub struct Value {
    pub datum: Datum,
    pub span: Span,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Datum {
    Bool(bool),
    Duration(Duration),
    Integer(i64),
    Late(Late),
    /// Bytes.
    Size(u64),
    Text(String),
}

/// A value that only the host knows.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Late {
    /// The name of a variable.
    Env(String),
    /// A path.
    File(String),
}

impl fmt::Display for Late {
    /// As it is written.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => write!(formatter, "(env)\"{}\"", name.escape_debug()),
            Self::File(path) => write!(formatter, "(file)\"{}\"", path.escape_debug()),
        }
    }
}

impl Node {
    pub fn is(&self, word: &str) -> bool {
        self.word.name == word
    }

    /// The first argument that has this name in the schema.
    pub fn argument(&self, name: &str) -> Option<&Value> {
        self.arguments.iter().find(|argument| argument.name == name).map(|argument| &argument.value)
    }

    /// All arguments in written order.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.arguments.iter().map(|argument| &argument.value)
    }

    pub fn property(&self, name: &str) -> Option<&Value> {
        self.properties.iter().find(|property| property.name == name).map(|property| &property.value)
    }

    /// A property that is a bool; absent ones are false.
    pub fn is_set(&self, name: &str) -> bool {
        self.property(name).is_some_and(Value::bool)
    }

    pub fn child<'a>(&'a self, word: &str) -> Option<&'a Self> {
        self.children.iter().find(|child| child.is(word))
    }

    pub fn children_named<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.is(word))
    }
}

/// The readers panic on another type: the schema row and the code that reads it disagree, which is a bug of kiln.
impl Value {
    pub fn bool(&self) -> bool {
        let Datum::Bool(value) = self.datum else { self.mistyped("a bool") };
        value
    }

    pub fn duration(&self) -> Duration {
        let Datum::Duration(value) = self.datum else { self.mistyped("a duration") };
        value
    }

    /// `None`: `"off"`.
    pub fn duration_or_off(&self) -> Option<Duration> {
        match self.datum {
            Datum::Duration(value) => Some(value),
            Datum::Text(_) => None,
            Datum::Bool(_) | Datum::Integer(_) | Datum::Late(_) | Datum::Size(_) => self.mistyped("a duration or `off`"),
        }
    }

    pub fn integer(&self) -> i64 {
        let Datum::Integer(value) = self.datum else { self.mistyped("an integer") };
        value
    }

    pub fn size(&self) -> u64 {
        let Datum::Size(value) = self.datum else { self.mistyped("a size") };
        value
    }

    pub fn text(&self) -> &str {
        let Datum::Text(value) = &self.datum else { self.mistyped("a text") };
        value
    }

    /// What only the host knows; `None`: the text is written.
    pub fn late(&self) -> Option<&Late> {
        match &self.datum {
            Datum::Late(late) => Some(late),
            Datum::Bool(_) | Datum::Duration(_) | Datum::Integer(_) | Datum::Size(_) | Datum::Text(_) => None,
        }
    }

    /// The span of `length` bytes at `at` of a text; the whole value where it was written with escapes or as a raw string.
    pub fn part(&self, sources: &SourceMap, at: usize, length: usize) -> Span {
        let written = sources.slice(self.span);
        let is_plain = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) == Some(self.text());
        if !is_plain || at + length > self.text().len() {
            return self.span;
        }
        let start = self.span.start + 1 + at as u32;
        Span::new(self.span.file, start, start + length as u32)
    }

    fn mistyped(&self, expected: &str) -> ! {
        panic!("bug in kiln: the schema promised {expected} at {:?}, the tree has {:?}", self.span, self.datum)
    }
}
