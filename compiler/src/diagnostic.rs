//! What kiln has to say about a site: collected while a stage runs, shown together, in the order of the files.
//!
//! A diagnostic has a code (see [`code`]), a span, what was found, what was expected and help. Stages push and go on with a placeholder; they stop at
//! their border. Never two codes for one cause.

pub mod code;
pub mod example;
pub mod json;
mod place;
pub mod render;
pub mod sarif;
pub mod uses;

pub use code::Code;

use crate::source::Span;

/// Diagnostics kept with their text; more are only counted.
const KEPT_MAX: usize = 1000;

/// Errors counted; beyond them the rest of a file is not read.
pub const COUNTED_MAX: usize = 100_000;

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    Error,
    Warning,
}

/// One finding. Texts are lower case, without a full stop.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Diagnostic {
    pub code: Code,
    /// `None` where no file can be shown (the entry file is missing).
    pub span: Option<Span>,
    pub message: Box<str>,
    /// What stands under the span; may be empty.
    pub label: Box<str>,
    pub secondary: Vec<Label>,
    /// What is so.
    pub note: Option<Box<str>>,
    /// What to do.
    pub help: Option<Box<str>>,
}

/// A second place that explains the first.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// All that was found so far.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Diagnostic {
    pub fn new(code: Code, span: Span, message: impl Into<Box<str>>) -> Self {
        Self { span: Some(span), ..Self::without_span(code, message) }
    }

    pub fn without_span(code: Code, message: impl Into<Box<str>>) -> Self {
        let message = message.into();
        Self { code, span: None, message, label: Box::default(), secondary: Vec::new(), note: None, help: None }
    }

    #[must_use]
    pub fn label(mut self, text: impl Into<Box<str>>) -> Self {
        self.label = text.into();
        self
    }

    #[must_use]
    pub fn secondary(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    #[must_use]
    pub fn note(mut self, text: impl Into<Box<str>>) -> Self {
        self.note = Some(text.into());
        self
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<Box<str>>) -> Self {
        self.help = Some(text.into());
        self
    }

    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

impl Diagnostics {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.count(diagnostic.severity());
        if self.kept.len() < KEPT_MAX {
            self.kept.push(diagnostic);
        }
    }

    /// Counts one that would not be kept, so that it need not be worded; `false` while there is room.
    pub fn count_beyond(&mut self, severity: Severity) -> bool {
        if self.kept.len() < KEPT_MAX {
            return false;
        }
        self.count(severity);
        true
    }

    /// Takes over what another collection found.
    pub fn append(&mut self, other: Self) {
        self.errors += other.errors;
        self.warnings += other.warnings;
        let room = KEPT_MAX - self.kept.len();
        self.kept.extend(other.kept.into_iter().take(room));
    }

    fn count(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
        }
    }

    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// There are so many errors that nothing more need be read.
    pub fn is_full(&self) -> bool {
        self.errors > COUNTED_MAX
    }

    pub fn is_empty(&self) -> bool {
        self.errors + self.warnings == 0
    }

    /// At most one more than [`COUNTED_MAX`], which stands for any number beyond.
    pub fn errors(&self) -> usize {
        self.errors.min(COUNTED_MAX + 1)
    }

    pub fn warnings(&self) -> usize {
        self.warnings
    }

    /// How many are kept: what comes behind was found later.
    pub fn kept(&self) -> usize {
        self.kept.len()
    }

    /// Those kept, by file, then position; those without a place first.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut sorted: Vec<&Diagnostic> = self.kept.iter().collect();
        sorted.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
        sorted
    }
}
