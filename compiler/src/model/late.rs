//! Values that only the host knows, named at build time and read when the server starts.

use std::cmp::Ordering;

use crate::source::Span;

/// A text that is known now, or when the server starts.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Text {
    Known(String),
    Late(LateValue),
}

impl Text {
    /// The text, unless only the host knows it.
    pub fn known(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::Late(_) => None,
        }
    }
}

/// A value that only the host knows. Two are equal if they read the same; where they stand does not matter.
#[derive(Clone, Debug)]
pub struct LateValue {
    pub kind: LateKind,
    pub span: Span,
}

#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum LateKind {
    /// A variable of the environment.
    Env { name: String, default: Option<String> },
    /// The content of a file, without the line feed at its end.
    File { path: String },
}

impl PartialEq for LateValue {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for LateValue {}

impl PartialOrd for LateValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for LateValue {
    fn cmp(&self, other: &Self) -> Ordering {
        self.kind.cmp(&other.kind)
    }
}
