//! Route patterns: `/products/{id}`, `/assets/*`, `/old/{rest*}`: how they are ordered and how they match a path in normal form.
//!
//! A pattern in canonical form is a `&str`: literals in normal form, `{name}` for one non-empty segment, a last `*` or `{name*}` for the rest (may be empty).
//! A pattern that ends in a rest also takes its prefix without the slash: `/docs/*` takes `/docs`, with `Captures::is_bare_prefix`.

use std::cmp::Ordering;

/// At most this many parameters in one pattern (the rest included); the compiler refuses more.
pub const PARAMETERS_MAX: usize = 16;

/// Where the parameters lie in the path, in the pattern's order: start and end, bytes. An unnamed `*` counts as a parameter too.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Captures { spans: [(u32, u32); PARAMETERS_MAX], count: u8, is_bare_prefix: bool }

impl Captures {
    pub fn get<'p>(&self, index: usize, path: &'p str) -> &'p str { todo!() }
    pub fn count(&self) -> usize { self.count.into() }
    /// The pattern ends in a rest and the path is its prefix without the last slash (`/docs` for `/docs/*`).
    pub fn is_bare_prefix(&self) -> bool { self.is_bare_prefix }
}

/// Whether `pattern` takes `path`; on `true` the captures are those of this pattern, on `false` they are unspecified.
pub fn matches(pattern: &str, path: &str, captures: &mut Captures) -> bool { todo!() }

/// Best first: segment by segment from the left a literal is before a parameter before a rest; a pattern that has ended is before one that goes on.
/// Equal for patterns that take the same paths (names don't matter).
pub fn order(a: &str, b: &str) -> Ordering { todo!() }

/// Why a text is no pattern; `at` and `length` are bytes of the text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PatternFault { pub at: usize, pub length: usize, pub kind: PatternFaultKind }

/// The kinds of fault, each one diagnostic of the compiler.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PatternFaultKind { BadEscape, BadName, DotSegment, EmptySegment, MixedSegment, NoLeadingSlash, NotAscii, RepeatedName, RestNotLast, TooManyParameters }

/// A pattern as written, in canonical form and with its parameters' names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pattern { pub text: String, /// One for each parameter; `None` for an unnamed `*`.
    pub parameters: Vec<Option<String>> }

/// Parses a pattern as written in KDL. Literals are brought to normal form (non-ASCII text is encoded).
pub fn parse(written: &str) -> Result<Pattern, PatternFault> { todo!() }
