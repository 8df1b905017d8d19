//! Templates, resolved at build time to typed parts and rendered straight into an output buffer.

use crate::{head::Head, pattern::Captures};

/// One part of a template.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part<'t> {
    ClientIp,
    /// First value of the request field (lower-case name); empty where absent.
    Header(&'t str),
    Host,
    Method,
    /// The route's parameter by index, in normal form.
    Parameter(u8),
    Path,
    /// The query without `?`; empty where none.
    Query,
    /// First value of the query key. Undecoded in targets, decoded once elsewhere.
    QueryValue(&'t str),
    Scheme,
    /// Status of the answer that is being sent: three digits.
    Status,
    /// Path and query as matched: normal form, `?`, query.
    Target,
    Text(&'t str),
}

/// What a rendering reads.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> { pub head: &'a Head<'a>, pub captures: &'a Captures, pub status: u16 }

/// Where the rendered text goes: decides whether query values are decoded.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Place { Target, Value }

/// Appends the rendered template to `out`.
pub fn render(parts: &[Part<'_>], subject: &Subject<'_>, place: Place, out: &mut Vec<u8>) { todo!() }

/// Appends the location of a redirect: the rendered target, and the request's query unless `drops_query` or the rendered target has a `?`;
/// a fragment stays last. `false` (and `out` as before) where the rendered text holds a control byte.
pub fn location(parts: &[Part<'_>], subject: &Subject<'_>, drops_query: bool, out: &mut Vec<u8>) -> bool { todo!() }

/// Parses template text: `{name}`, `{{`, `}}`. Gives literal text and names with their byte offset, or the offset of the fault.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, usize> { todo!() }

/// A token of template text.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Token<'t> { /// The text between braces, and its offset.
    Name(&'t str, usize), Text(&'t str), /// `{{` or `}}`: one brace.
    Brace(char) }
