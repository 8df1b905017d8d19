//! Why something could not be measured, built or read.

use std::{fmt, io, path::Path};

/// Ends a run or an analysis.
#[derive(Debug)]
pub enum Fault {
    /// An answer is not the one it should be.
    Answer(String),
    /// A site or its kiln.
    Build(String),
    Io {
        what: String,
        error: io::Error,
    },
    /// `plan.kdl`, or what the command line wants of it.
    Plan(String),
    /// Data that must not be read, or written over.
    Refused(String),
    /// A server did not start, or did not stay.
    Server(String),
}

impl Fault {
    /// Says what was touched when an operation failed.
    pub fn io(what: impl fmt::Display) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io { what: what.to_string(), error }
    }

    /// The same for a file.
    pub fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        Self::io(path.display())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer(text) => write!(formatter, "answer: {text}"),
            Self::Build(text) => write!(formatter, "build: {text}"),
            Self::Io { what, error } => write!(formatter, "{what}: {error}"),
            Self::Plan(text) => write!(formatter, "plan: {text}"),
            Self::Refused(text) => write!(formatter, "refused: {text}"),
            Self::Server(text) => write!(formatter, "server: {text}"),
        }
    }
}
