//! Route patterns: `/products/{id}`, `/assets/*`, `/old/{rest*}`: how they are ordered and how they match a path in normal form.
//!
//! A pattern in canonical form is a `&str`: literals in normal form, `{name}` for one non-empty segment, a last `*` or `{name*}` for the rest (may be empty).
//! A pattern that ends in a rest also takes its prefix without the slash: `/docs/*` takes `/docs`, with `Captures::is_bare_prefix`.

use std::cmp::Ordering;

mod parse;

pub use self::parse::parse;

/// At most this many parameters in one pattern (the rest included); the compiler refuses more.
pub const PARAMETERS_MAX: usize = 16;

/// Where the parameters lie in the path, in the pattern's order: start and end, bytes. An unnamed `*` counts as a parameter too.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Captures {
    spans: [(u32, u32); PARAMETERS_MAX],
    count: u8,
    is_bare_prefix: bool,
}

impl Captures {
    /// The text of a parameter in `path`, which is the path that was matched; empty where there is no such parameter.
    pub fn get<'p>(&self, index: usize, path: &'p str) -> &'p str {
        if index >= self.count() {
            return "";
        }
        self.spans.get(index).and_then(|&(start, end)| path.get(start as usize..end as usize)).unwrap_or_default()
    }

    /// The number of parameters.
    pub fn count(&self) -> usize {
        self.count.into()
    }

    /// The pattern ends in a rest and the path is its prefix without the last slash (`/docs` for `/docs/*`).
    pub fn is_bare_prefix(&self) -> bool {
        self.is_bare_prefix
    }

    /// Forgets the parameters from number `count` on.
    pub fn shorten(&mut self, count: u8) {
        self.count = self.count.min(count);
    }

    /// Forgets all parameters.
    #[inline]
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Forgets the parameters from number `count` on, and that the path was a bare prefix.
    #[inline]
    pub(crate) fn truncate(&mut self, count: u8) {
        self.count = count;
        self.is_bare_prefix = false;
    }

    #[inline]
    pub(crate) fn push(&mut self, start: usize, end: usize) {
        if let Some(span) = self.spans.get_mut(usize::from(self.count)) {
            *span = (start as u32, end as u32);
            self.count += 1;
        }
    }

    /// The rest is empty because the path is the pattern's prefix without the slash.
    #[inline]
    pub(crate) fn push_bare_prefix(&mut self, end: usize) {
        self.push(end, end);
        self.is_bare_prefix = true;
    }
}

/// One segment of a canonical pattern.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Segment<'p> {
    // In the order of preference.
    Literal(&'p str),
    Parameter,
    Rest,
}

/// The segments of a canonical pattern, from the left.
pub(crate) fn segments(pattern: &str) -> impl Iterator<Item = Segment<'_>> {
    let mut rest = Some(pattern.strip_prefix('/').unwrap_or(pattern));
    // Segments are short: a loop over their bytes is cheaper than the vector search behind `split`.
    std::iter::from_fn(move || {
        let text = rest?;
        let end = text.bytes().position(|byte| byte == b'/').unwrap_or(text.len());
        rest = text.get(end + 1..);
        text.get(..end).map(segment)
    })
}

#[inline]
fn segment(text: &str) -> Segment<'_> {
    match text.as_bytes() {
        [b'*'] | [b'{', .., b'*', b'}'] => Segment::Rest,
        [b'{', .., b'}'] => Segment::Parameter,
        _ => Segment::Literal(text),
    }
}

/// Whether `pattern` takes `path`; on `true` the captures are those of this pattern, on `false` they are unspecified.
///
/// In canonical form `{` only begins a parameter, and a `*` behind a slash at the end is the rest: all else is compared byte by byte.
pub fn matches(pattern: &str, path: &str, captures: &mut Captures) -> bool {
    captures.clear();
    let (mut wanted, given) = (pattern.as_bytes(), path.as_bytes());
    let mut at = 0;
    loop {
        let left = given.get(at..).unwrap_or_default();
        let same = same_bytes(wanted, left);
        // A path may have a `*` of its own where the pattern has its rest.
        let same = if same == wanted.len() && wanted.ends_with(b"/*") { same - 1 } else { same };
        at += same;
        let is_behind_slash = at > 0 && given.get(at - 1) == Some(&b'/');
        wanted = wanted.get(same..).unwrap_or_default();
        match wanted {
            [] => return at == given.len(),
            [b'/', rest @ ..] if at == given.len() && is_rest(rest) => {
                captures.push_bare_prefix(at);
                return at > 0;
            }
            rest if is_behind_slash && is_rest(rest) => {
                captures.push(at, given.len());
                return true;
            }
            [b'{', ..] => {
                let length = segment_length(given.get(at..).unwrap_or_default());
                if length == 0 {
                    return false;
                }
                captures.push(at, at + length);
                at += length;
                wanted = wanted.get(segment_length(wanted)..).unwrap_or_default();
            }
            _ => return false,
        }
    }
}

/// Bytes that both texts begin with.
#[inline]
fn same_bytes(one: &[u8], other: &[u8]) -> usize {
    let words = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0).take_while(|(one, other)| one == other).count();
    let tails = one.get(words * 8..).unwrap_or_default().iter().zip(other.get(words * 8..).unwrap_or_default());
    words * 8 + tails.take_while(|(one, other)| one == other).count()
}

/// Whether what is left of a canonical pattern, behind a slash, is its rest.
#[inline]
fn is_rest(left: &[u8]) -> bool {
    match left {
        [b'*'] => true,
        [b'{', name @ .., b'*', b'}'] => segment_length(name) == name.len(),
        _ => false,
    }
}

/// Bytes up to the next slash. Segments are short: a loop is cheaper than a call of a vector search.
#[inline]
fn segment_length(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte != b'/').count()
}

/// Best first: segment by segment from the left a literal is before a parameter before a rest; a pattern that has ended is before one that goes on.
/// Equal for patterns that take the same paths (names don't matter). Two literals are in the order of their bytes.
pub fn order(a: &str, b: &str) -> Ordering {
    segments(a).cmp(segments(b))
}

/// Why a text is no pattern; `at` and `length` are bytes of the text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PatternFault {
    /// Where the fault begins.
    pub at: usize,
    /// How long it is; zero where something is missing.
    pub length: usize,
    /// What it is.
    pub kind: PatternFaultKind,
}

/// The kinds of fault, each one diagnostic of the compiler.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PatternFaultKind {
    /// A broken escape, `%00`, or a byte that may not stand in a path (a control byte, a backslash).
    BadEscape,
    /// A parameter's name that is not a letter followed by letters, digits, `-` and `_`.
    BadName,
    /// A segment `.` or `..`, also when its dots are encoded.
    DotSegment,
    /// `//`.
    EmptySegment,
    /// Text beside a parameter or `*` in one segment.
    MixedSegment,
    /// The pattern does not begin with `/`.
    NoLeadingSlash,
    /// A parameter's name holds a byte that is not ASCII.
    NotAscii,
    /// Two parameters have one name.
    RepeatedName,
    /// `*` or `{name*}` before the last segment.
    RestNotLast,
    /// More than [`PARAMETERS_MAX`].
    TooManyParameters,
}

/// A pattern as written, in canonical form and with its parameters' names.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pattern {
    /// The canonical form.
    pub text: String,
    /// One for each parameter; `None` for an unnamed `*`.
    pub parameters: Vec<Option<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, path: &str, expected: Option<&[&str]>) {
        let mut captures = Captures::default();
        let found =
            matches(pattern, path, &mut captures).then(|| (0..captures.count()).map(|index| captures.get(index, path)).collect::<Vec<_>>());
        assert_eq!(found.as_deref(), expected, "{pattern} on {path}");
    }

    #[test]
    fn patterns_take_what_the_language_says() {
        check("/", "/", Some(&[]));
        check("/", "/a", None);
        check("/*", "/", Some(&[""]));
        check("/*", "/a/b", Some(&["a/b"]));
        check("/*", "*", None);
        check("/a", "/a", Some(&[]));
        check("/a", "/a/", None);
        check("/a/", "/a", None);
        check("/a/", "/a/", Some(&[]));
        check("/a/", "/a/b", None);
        check("/{x}", "/", None);
        check("/{x}", "/a", Some(&["a"]));
        check("/{x}", "/a/", None);
        check("/{x}/", "/a/", Some(&["a"]));
        check("/a/{b}/c/{rest*}", "/a/1/c/d/e", Some(&["1", "d/e"]));
        check("/a/{b}/c/{rest*}", "/a/1/c", Some(&["1", ""]));
        check("/a/{b}/c/{rest*}", "/a//c", None);
        check("/a", "/A", None);
        check("/{x}", "/a%2Fb", Some(&["a%2Fb"]));
        check("/docs/*", "/docs", Some(&[""]));
        check("/docs/*", "/docsx", None);
        check("/docs/*", "/", None);
        check("/{x}/*", "/a", Some(&["a", ""]));
    }

    #[test]
    fn bare_prefix_is_told() {
        let mut captures = Captures::default();
        assert!(matches("/docs/*", "/docs", &mut captures) && captures.is_bare_prefix());
        assert!(matches("/docs/*", "/docs/", &mut captures) && !captures.is_bare_prefix());
        assert_eq!(captures.get(0, "/docs/"), "");
        assert_eq!(captures.get(1, "/docs/"), "");
    }

    #[test]
    fn order_is_best_first() {
        let sorted = [
            "/",
            "/a",
            "/a/",
            "/a/b",
            "/a/{x}",
            "/a/{x}/c",
            "/a/*",
            "/b",
            "/en/*",
            "/{lang}",
            "/{lang}/about",
            "/{lang}/{x}",
            "/{lang}/*",
            "/*",
        ];
        for (left, a) in sorted.iter().enumerate() {
            for (right, b) in sorted.iter().enumerate() {
                assert_eq!(order(a, b), left.cmp(&right), "{a} {b}");
            }
        }
        assert_eq!(order("/{a}/{b*}", "/{x}/*"), Ordering::Equal);
    }
}
