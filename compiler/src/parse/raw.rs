//! The head of a node as written, before the schema has seen it.

use crate::source::Span;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct RawNode {
    pub annotation: Option<Name>,
    pub name: Name,
    pub entries: Vec<RawEntry>,
    /// From the word to the last entry.
    pub span: Span,
}

/// An argument, or with a name a property.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RawEntry {
    pub name: Option<Name>,
    pub annotation: Option<Name>,
    pub value: RawValue,
    /// The value alone.
    pub value_span: Span,
    /// Name and value.
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum RawValue {
    Bool(bool),
    Float,
    Integer(i128),
    Null,
    Text(String),
}

/// A node and all in its block, for which no scope is known yet.
#[derive(Debug)]
pub(super) struct RawTree {
    pub head: RawNode,
    pub block: Option<Vec<Self>>,
    /// Behind the block, or behind the head.
    pub end: u32,
}

/// The text of one node's head and where it lies.
#[derive(Clone, Copy)]
pub(super) struct Head<'a> {
    pub text: &'a str,
    /// Where `text` stands in its file.
    pub span: Span,
}

impl Head<'_> {
    /// The span of some bytes of the head.
    pub(super) fn part(self, offset: usize, length: usize) -> Span {
        let start = self.span.start + offset as u32;
        Span { start, end: start + length as u32, ..self.span }
    }
}
