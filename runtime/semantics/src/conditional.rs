//! Conditional requests (RFC 9110 §13): If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range, in the order of §13.2.2.

use crate::{ascii::trim, date, head::Head, method::Methods};

/// What the conditions say.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// 304 (GET and HEAD).
    NotModified,
    /// 412.
    PreconditionFailed,
    /// Go on.
    Proceed,
}

/// The validators of the selected representation.
#[derive(Clone, Copy, Debug)]
pub struct Validators<'a> {
    /// With quotes, and `W/` where weak.
    pub etag: Option<&'a str>,
    /// Seconds since the epoch.
    pub modified: Option<u64>,
}

/// The lengths of the names of conditions, and of `range`: if-range alone says nothing.
const LENGTHS: u64 = 1 << "if-match".len()
    | 1 << "if-none-match".len()
    | 1 << "if-modified-since".len()
    | 1 << "if-unmodified-since".len()
    | 1 << "range".len();

/// How two entity tags are compared (RFC 9110 §8.8.3.2).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Comparison {
    Strong,
    Weak,
}

/// Whether the request may have conditions or ranges: else there is nothing to evaluate, and no validator to look up. Told by the lengths of its fields' names.
#[inline]
pub fn may_be_conditional(head: &Head<'_>) -> bool {
    head.fields.has_length(LENGTHS)
}

/// Evaluates the request's conditions on a representation that exists. A date that is none is as if it were absent.
pub fn evaluate(head: &Head<'_>, validators: Validators<'_>) -> Verdict {
    let is_read = Methods::GET_HEAD.contains(head.method);
    match any_tag(head, "if-match", validators.etag, Comparison::Strong) {
        Some(false) => return Verdict::PreconditionFailed,
        Some(true) => {}
        None if is_unmodified(head, "if-unmodified-since", validators) == Some(false) => return Verdict::PreconditionFailed,
        None => {}
    }
    match any_tag(head, "if-none-match", validators.etag, Comparison::Weak) {
        Some(true) if is_read => Verdict::NotModified,
        Some(true) => Verdict::PreconditionFailed,
        Some(false) => Verdict::Proceed,
        None if is_read && is_unmodified(head, "if-modified-since", validators) == Some(true) => Verdict::NotModified,
        None => Verdict::Proceed,
    }
}

/// Whether the request's Range counts, where all other conditions let it proceed: it has no If-Range, or one that names this representation. Tags are compared
/// strongly; a date must be exactly `modified`, which has to be `None` where the representation may have changed since within the same second (§8.8.2.2).
pub fn is_range_current(head: &Head<'_>, validators: Validators<'_>) -> bool {
    let mut values = head.fields.all("if-range");
    match (values.next(), values.next()) {
        (None, _) => true,
        (Some(tag), None) if tag.ends_with(b"\"") => validators.etag.is_some_and(|etag| is_same(tag, etag.as_bytes(), Comparison::Strong)),
        (Some(date), None) => validators.modified.is_some_and(|modified| date::parse(date, modified) == Some(modified)),
        (Some(_), Some(_)) => false,
    }
}

/// Whether the representation was last modified at the field's date or before; `None` where that can't be said.
fn is_unmodified(head: &Head<'_>, name: &str, validators: Validators<'_>) -> Option<bool> {
    let mut values = head.fields.all(name);
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    let modified = validators.modified?;
    // A two-digit year is read as seen from the day of the representation: there is no clock here.
    Some(modified <= date::parse(value, modified)?)
}

/// The client says that it has the representation with the strong tag `etag` by its weak name only: it got that coded on the way.
pub(crate) fn has_weakened(head: &Head<'_>, etag: &[u8]) -> bool {
    let mut is_weak = false;
    for tag in head.fields.all("if-none-match").flat_map(tags) {
        if tag == etag {
            return false;
        }
        is_weak |= is_same(tag, etag, Comparison::Weak);
    }
    is_weak
}

/// Whether a tag of the field's lines, or `*`, is that of the representation; `None` without the field.
fn any_tag(head: &Head<'_>, name: &str, etag: Option<&str>, comparison: Comparison) -> Option<bool> {
    let mut found = None;
    for line in head.fields.all(name) {
        let is_match = trim(line) == b"*" || etag.is_some_and(|etag| tags(line).any(|tag| is_same(tag, etag.as_bytes(), comparison)));
        found = Some(found == Some(true) || is_match);
    }
    found
}

/// The entity tags of one line, up to the first thing that is none.
fn tags(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = line;
    std::iter::from_fn(move || {
        while let [b' ' | b'\t' | b',', behind @ ..] = rest {
            rest = behind;
        }
        let prefix = if rest.starts_with(b"W/") { 2 } else { 0 };
        let opaque = rest.get(prefix..)?.strip_prefix(b"\"")?;
        let length = memchr::memchr(b'"', opaque)?;
        let (tag, behind) = rest.split_at_checked(prefix + length + 2)?;
        rest = behind;
        if matches!(trim(rest), [] | [b',', ..]) { Some(tag) } else { None }
    })
}

fn is_same(a: &[u8], b: &[u8], comparison: Comparison) -> bool {
    match comparison {
        Comparison::Strong => a == b && !a.starts_with(b"W/"),
        Comparison::Weak => a.strip_prefix(b"W/").unwrap_or(a) == b.strip_prefix(b"W/").unwrap_or(b),
    }
}
