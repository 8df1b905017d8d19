//! From a pattern as written in KDL to the bytes that are embedded. The compiler's side only.

use std::{error::Error, fmt};

use regex_automata::{
    MatchKind,
    dfa::{StartKind, dense, onepass},
    nfa::thompson,
};

use super::{
    DFA_BYTES_MAX,
    capturing::{self, AUTOMATON_BYTES_MAX, GROUPS_MAX},
};

/// Bytes that a DFA may take while it is built: a dense one is several times its sparse form. What has no end is built up to here before it is refused.
const DENSE_BYTES_MAX: usize = 2 << 20;
/// Bytes that the construction itself may take.
const CONSTRUCTION_BYTES_MAX: usize = 4 << 20;

/// Why a text is no regex for a guard.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum RegexFault {
    /// No named group takes part in anything: `build` is for it.
    NoNamedGroup,
    /// A path in normal form is ASCII (`ä` is `%C3%A4` there), so this text, at that byte, can't be in it.
    NotAscii(usize),
    /// Its groups can't be told apart in one pass; the reason in the crate's words.
    NotOnePass(String),
    /// Syntax, in the regex crate's words; several lines with a marker.
    Syntax(String),
    /// Its DFA, or its automaton with captures, is larger than this many bytes.
    TooLarge(usize),
    /// More than 16 groups, those without a name counted.
    TooManyGroups,
    /// The flag `u` at that byte: Unicode classes can't match an ASCII path.
    Unicode(usize),
}

impl fmt::Display for RegexFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNamedGroup => write!(out, "the regex has no named group"),
            Self::NotAscii(at) => write!(out, "byte {at} is not ASCII, but a path in normal form is"),
            Self::NotOnePass(reason) => write!(out, "its groups can't be told apart in one pass: {reason}"),
            Self::Syntax(message) => write!(out, "{message}"),
            Self::TooLarge(limit) => write!(out, "it needs more than {limit} bytes"),
            Self::TooManyGroups => write!(out, "it has more than {GROUPS_MAX} groups; those without a name count, `(?:..)` does not"),
            Self::Unicode(at) => write!(out, "the flag `u` at byte {at} has no meaning for an ASCII path"),
        }
    }
}

/// What [`build_capturing`] gives: the arguments of `Capturing::new` but the pattern, and the parameters.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Capture {
    /// Finds where the leftmost match ends.
    pub forward: Vec<u8>,
    /// Finds where it begins.
    pub reverse: Vec<u8>,
    /// The named groups in written order.
    pub names: Vec<String>,
}

/// The bytes of a regex whose groups nobody uses. Deterministic.
pub fn build(pattern: &str) -> Result<Vec<u8>, RegexFault> {
    check(pattern)?;
    dfa(pattern, Direction::Forward)
}

/// The bytes of a regex whose named groups become parameters. Deterministic.
pub fn build_capturing(pattern: &str) -> Result<Capture, RegexFault> {
    check(pattern)?;
    let (forward, reverse) = (dfa(pattern, Direction::Forward)?, dfa(pattern, Direction::Reverse)?);
    let automaton = capturing::automaton(pattern).map_err(|error| not_one_pass(&error))?;
    let names: Vec<String> = automaton.get_nfa().group_info().all_names().filter_map(|(_, _, name)| name.map(str::to_owned)).collect();
    if names.is_empty() { Err(RegexFault::NoNamedGroup) } else { Ok(Capture { forward, reverse, names }) }
}

#[derive(Clone, Copy)]
enum Direction {
    Forward,
    Reverse,
}

fn dfa(pattern: &str, direction: Direction) -> Result<Vec<u8>, RegexFault> {
    let (start, kind) = match direction {
        Direction::Forward => (StartKind::Unanchored, MatchKind::LeftmostFirst),
        // From the end of the leftmost match the longest way back is its beginning.
        Direction::Reverse => (StartKind::Anchored, MatchKind::All),
    };
    let is_reverse = matches!(direction, Direction::Reverse);
    let config = dense::Config::new()
        .start_kind(start)
        .match_kind(kind)
        .dfa_size_limit(Some(DENSE_BYTES_MAX))
        .determinize_size_limit(Some(CONSTRUCTION_BYTES_MAX));
    let nfa = thompson::Config::new().nfa_size_limit(Some(AUTOMATON_BYTES_MAX)).utf8(false).reverse(is_reverse);
    let dense = dense::Builder::new()
        .configure(config)
        .thompson(nfa.which_captures(thompson::WhichCaptures::None))
        .syntax(capturing::syntax())
        .build(pattern)
        .map_err(|error| refusal(&error))?;
    let bytes = dense.to_sparse().map_err(|error| refusal(&error))?.to_bytes_little_endian();
    if bytes.len() > DFA_BYTES_MAX { Err(RegexFault::TooLarge(DFA_BYTES_MAX)) } else { Ok(bytes) }
}

fn check(pattern: &str) -> Result<(), RegexFault> {
    if let Some(at) = pattern.bytes().position(|byte| !byte.is_ascii()) {
        return Err(RegexFault::NotAscii(at));
    }
    unicode_flag(pattern).map_or(Ok(()), |at| Err(RegexFault::Unicode(at)))
}

/// Where a `(?u)`, `(?iu:` or the like stands. It would be parsed by tables that the compiler may have and a site has not. `[(?u)]` is taken for one as well.
fn unicode_flag(pattern: &str) -> Option<usize> {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        if let [b'(', b'?', flags @ ..] = rest {
            let length = flags.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'-').count();
            let on = flags.iter().take(length).take_while(|&&byte| byte != b'-').position(|&byte| byte == b'u');
            if let (Some(flag), Some(b')' | b':')) = (on, flags.get(length)) {
                return Some(at + 2 + flag);
            }
        }
        at += if rest.starts_with(b"\\") { 2 } else { 1 };
    }
    None
}

/// What is wrong with a pattern that has no DFA.
fn refusal(error: &dense::BuildError) -> RegexFault {
    let nfa = error.source().and_then(|source| source.downcast_ref::<thompson::BuildError>());
    if error.is_size_limit_exceeded() || nfa.is_some_and(|error| error.size_limit().is_some()) {
        return RegexFault::TooLarge(DFA_BYTES_MAX);
    }
    RegexFault::Syntax(innermost(error))
}

/// What is wrong with a pattern that has a DFA but no one-pass automaton.
fn not_one_pass(error: &onepass::BuildError) -> RegexFault {
    let text = innermost(error);
    match text.split_once("not one-pass: ") {
        Some((_, reason)) if reason.starts_with("too many explicit") => RegexFault::TooManyGroups,
        Some((_, reason)) => RegexFault::NotOnePass(reason.to_owned()),
        // The syntax has been checked, so that what is left are limits.
        None => RegexFault::TooLarge(AUTOMATON_BYTES_MAX),
    }
}

/// The innermost reason is the one that says what is wrong with the pattern.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
