//! Header edits: the merged rules of a scope chain, applied to the fields of an answer.

use crate::template::{Part, Subject};

/// What one rule does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Action { /// One more line.
    Add, /// A line, if the answer has none of that name.
    Default, /// No line of that name; `x-*` takes a prefix.
    Remove, /// Exactly one line of that name.
    Set }

/// One rule. Names are lower case; `value` is empty for `Remove`; `only` empty means every status.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'e> { pub action: Action, pub name: &'e str, pub value: &'e [Part<'e>], pub only: &'e [u16] }

/// The merged edits of one route (or of a vhost where only the vhost is chosen).
#[derive(Clone, Copy, Debug)]
pub struct Edits<'e> {
    /// Rules that depend on nothing and touch no name that an answer of our own can hold, as ready lines `name: value\r\n`.
    pub appended: &'e [u8],
    /// All others, in the order they apply.
    pub rules: &'e [Edit<'e>],
}

impl Edits<'_> { pub const NONE: Edits<'static> = Edits { appended: b"", rules: &[] }; }

/// Applies `edits` to `fields` (lines `name: value\r\n` of the answer, without status line, date and framing) and appends the result to `out`.
/// First removals, then defaults and sets, then additions, each in rule order, `appended` last. A rendered value with a control byte is not sent; gives how many were not.
pub fn apply(edits: &Edits<'_>, fields: &[u8], subject: &Subject<'_>, out: &mut Vec<u8>) -> u32 { todo!() }

/// Fields that are the engine's: naming them in `headers` is an error (framing, hop-by-hop, date; RFC 9110 §7.6.1).
pub fn is_reserved(name: &str) -> bool { todo!() }

/// Names that an answer of kiln's own can hold, so that a rule on them can't be `appended` blindly.
pub fn is_own(name: &str) -> bool { todo!() }
