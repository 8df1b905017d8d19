//! Header edits: the merged rules of a scope chain, applied to the fields of an answer.
//!
//! Merging is the compiler's (`resolve`); here a list of rules meets one answer. Framing and hop-by-hop fields are never among them.

use crate::{
    ascii,
    template::{self, Part, Place, Subject},
};

/// What one rule does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Action {
    /// One more line.
    Add,
    /// A line, if the answer has none of that name.
    Default,
    /// No line of that name; `x-*` takes a prefix.
    Remove,
    /// Exactly one line of that name.
    Set,
}

/// One rule. Names are lower case; `value` is empty for `Remove`; `only` empty means every status.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'e> {
    /// What is done.
    pub action: Action,
    /// The field, lower case; a last `*` in `Remove` stands for any end.
    pub name: &'e str,
    /// The value's template.
    pub value: &'e [Part<'e>],
    /// The statuses that the rule is for; empty: all.
    pub only: &'e [u16],
    /// Of those the ones that a rule of an inner scope has taken it away from.
    pub except: &'e [u16],
}

/// The merged edits of one route (or of a vhost where only the vhost is chosen).
#[derive(Clone, Copy, Debug)]
pub struct Edits<'e> {
    /// Rules that depend on nothing and touch no name that an answer of our own can hold, as ready lines `name: value\r\n`.
    pub appended: &'e [u8],
    /// All others, in the order they apply.
    pub rules: &'e [Edit<'e>],
}

impl Edits<'_> {
    /// No edits.
    pub const NONE: Edits<'static> = Edits { appended: b"", rules: &[] };
}

/// Applies `edits` to `fields` (lines `name: value\r\n` of the answer, without status line, date and framing) and appends the result to `out`.
/// First removals, then defaults and sets, then additions, each in rule order, `appended` last. A rendered value with a control byte is not sent; gives how many were not.
///
/// Lines of [reserved](is_reserved) names stay whatever a rule says: `content-*` takes `content-type` and not the framing.
/// A `Set` whose value is not sent still takes the lines of its name away: what the rule replaces was not wanted.
pub fn apply(edits: &Edits<'_>, fields: &[u8], subject: &Subject<'_>, out: &mut Vec<u8>) -> u32 {
    let start = out.len();
    out.extend_from_slice(fields);
    apply_behind(start, edits, subject, out)
}

/// The same to the field lines that `out` holds already, from `start` on.
#[inline]
pub fn apply_behind(start: usize, edits: &Edits<'_>, subject: &Subject<'_>, out: &mut Vec<u8>) -> u32 {
    let unsent = if edits.rules.is_empty() { 0 } else { apply_rules(start, edits, subject, out) };
    if !edits.appended.is_empty() {
        out.extend_from_slice(edits.appended);
    }
    unsent
}

fn apply_rules(start: usize, edits: &Edits<'_>, subject: &Subject<'_>, out: &mut Vec<u8>) -> u32 {
    let mut unsent = 0;
    for rule in active(edits, subject).filter(|rule| rule.action == Action::Remove) {
        match rule.name.strip_suffix('*') {
            Some(prefix) => {
                drop_lines(out, start, |name| name.get(..prefix.len()).is_some_and(|front| front.eq_ignore_ascii_case(prefix.as_bytes())))
            }
            None => drop_lines(out, start, |name| name.eq_ignore_ascii_case(rule.name.as_bytes())),
        }
    }
    for rule in active(edits, subject) {
        match rule.action {
            Action::Default if has_line(out, start, rule.name) => {}
            Action::Default => unsent += append(rule, subject, out),
            Action::Set => {
                drop_lines(out, start, |name| name.eq_ignore_ascii_case(rule.name.as_bytes()));
                unsent += append(rule, subject, out);
            }
            Action::Add | Action::Remove => {}
        }
    }
    for rule in active(edits, subject).filter(|rule| rule.action == Action::Add) {
        unsent += append(rule, subject, out);
    }
    unsent
}

/// Whether a rule, of whatever status, sets or removes that name: what came with it is not to be seen.
pub(crate) fn takes_away(edits: &Edits<'_>, wanted: &[u8]) -> bool {
    edits.rules.iter().any(|rule| matches!(rule.action, Action::Remove | Action::Set) && is_about(rule, wanted))
}

fn is_about(rule: &Edit<'_>, wanted: &[u8]) -> bool {
    match rule.name.strip_suffix('*') {
        Some(prefix) => wanted.get(..prefix.len()).is_some_and(|front| front.eq_ignore_ascii_case(prefix.as_bytes())),
        None => wanted.eq_ignore_ascii_case(rule.name.as_bytes()),
    }
}

/// Whether a rule, of whatever status, is about that name.
pub(crate) fn names(edits: &Edits<'_>, wanted: &[u8]) -> bool {
    let is_ruled = edits.rules.iter().any(|rule| is_about(rule, wanted));
    let mut at = 0;
    while let Some((name, end)) = line(edits.appended, at).filter(|_| !is_ruled) {
        if wanted.eq_ignore_ascii_case(name) {
            return true;
        }
        at = end;
    }
    is_ruled
}

/// The rules that are for the answer's status.
fn active<'e>(edits: &Edits<'e>, subject: &Subject<'_>) -> impl Iterator<Item = &'e Edit<'e>> {
    let status = subject.status;
    edits.rules.iter().filter(move |rule| (rule.only.is_empty() || rule.only.contains(&status)) && !rule.except.contains(&status))
}

/// Appends one line; 1 if its value must not be sent.
fn append(rule: &Edit<'_>, subject: &Subject<'_>, out: &mut Vec<u8>) -> u32 {
    let start = out.len();
    out.extend_from_slice(rule.name.as_bytes());
    out.extend_from_slice(b": ");
    let value = out.len();
    template::render(rule.value, subject, Place::Value, out);
    // HTAB may stand in a value (RFC 9110 §5.5).
    if out.iter().skip(value).any(|&byte| ascii::is(byte, ascii::CONTROL) && byte != b'\t') {
        out.truncate(start);
        return 1;
    }
    out.extend_from_slice(b"\r\n");
    0
}

/// The name of the line that begins at `at`, and where the line ends.
pub(crate) fn line(fields: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = fields.get(at..).filter(|rest| !rest.is_empty())?;
    let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
    let name = rest.get(..memchr::memchr(b':', rest).unwrap_or(length).min(length))?;
    Some((name, at + length))
}

fn has_line(out: &[u8], start: usize, wanted: &str) -> bool {
    let mut at = start;
    while let Some((name, end)) = line(out, at) {
        if name.eq_ignore_ascii_case(wanted.as_bytes()) {
            return true;
        }
        at = end;
    }
    false
}

fn drop_lines(out: &mut Vec<u8>, start: usize, is_dropped: impl Fn(&[u8]) -> bool) {
    drop_any_lines(out, start, |name| is_dropped(name) && !std::str::from_utf8(name).is_ok_and(is_reserved));
}

/// Drops lines of reserved names, too.
pub(crate) fn drop_any_lines(out: &mut Vec<u8>, start: usize, is_dropped: impl Fn(&[u8]) -> bool) {
    let mut at = start;
    while let Some((name, end)) = line(out, at) {
        if is_dropped(name) {
            out.drain(at..end);
        } else {
            at = end;
        }
    }
}

/// Fields that are the engine's: naming them in `headers` is an error (framing, hop-by-hop, date; RFC 9110 §7.6.1).
pub fn is_reserved(name: &str) -> bool {
    const NAMES: [&str; 9] =
        ["connection", "content-length", "date", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"];
    NAMES.iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
}

/// Names that an answer of kiln's own can hold, so that a rule on them can't be `appended` blindly.
///
/// An answer from an upstream can hold any name: on a route that can answer with one, only `Add` rules are appended blindly.
pub fn is_own(name: &str) -> bool {
    const NAMES: [&str; 21] = [
        "accept-ranges",
        "age",
        "allow",
        "alt-svc",
        "cache-control",
        "cache-status",
        "content-encoding",
        "content-language",
        "content-range",
        "content-type",
        "etag",
        "expires",
        "last-modified",
        "location",
        "proxy-authenticate",
        "retry-after",
        "server",
        "strict-transport-security",
        "vary",
        "via",
        "www-authenticate",
    ];
    let is_cors = name.get(..15).is_some_and(|front| front.eq_ignore_ascii_case("access-control-"));
    is_cors || is_reserved(name) || NAMES.iter().any(|own| name.eq_ignore_ascii_case(own))
}
