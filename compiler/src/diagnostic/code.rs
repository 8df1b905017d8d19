//! The codes of diagnostics: their numbers, and through [`catalogue`] a title and an explanation for each.
//!
//! A number never changes its meaning and is never used again. K00xx is about sources and syntax, K01xx about words, K02xx about hosts, listeners
//! and routes, K03xx about values, K04xx are lints (warnings, silenced in place by `allow-lint`), K05xx is about files and the build.

mod catalogue;

use super::{
    Severity,
    example::{self, Example},
};

/// The first number of the lints, and the first behind them.
const LINTS: std::ops::Range<u16> = 400..500;

#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[repr(u16)]
pub enum Code {
    FileUnreadable = 1,
    FileTooLarge = 2,
    NotUtf8 = 3,
    TooDeep = 4,
    Syntax = 5,
    OldKdl = 6,
    IncludeMiss = 7,
    IncludeCycle = 8,
    IncludeTwice = 9,
    Unclosed = 10,
    MissingWord = 101,
    MisplacedWord = 102,
    DuplicateWord = 103,
    UnexpectedArgument = 104,
    MissingArgument = 105,
    UnknownProperty = 106,
    UnknownWord = 107,
    DuplicateProperty = 108,
    MissingProperty = 109,
    NotInThisVersion = 110,
    UnexpectedBlock = 111,
    EmptyBlock = 112,
    UnknownAnnotation = 113,
    UnknownParameter = 114,
    MissingParameter = 115,
    UnusedParameter = 116,
    Contradiction = 117,
    BadHost = 201,
    HostTwice = 202,
    Unreachable = 203,
    DefaultTwice = 204,
    BadPattern = 205,
    SharedMethods = 206,
    MissingAction = 207,
    ActionTwice = 208,
    MethodsNotTaken = 209,
    BadAddress = 210,
    ListenerTwice = 211,
    HostlessVhost = 212,
    NameTwice = 213,
    UnknownName = 214,
    Circle = 215,
    OutsideGroup = 216,
    ForeignCanonicalHost = 217,
    RewriteTwice = 218,
    BadCapture = 219,
    ListenerMisfit = 220,
    BadEndpoint = 221,
    OutsidePrefix = 222,
    WrongType = 301,
    BadDuration = 302,
    BadSize = 303,
    BadStatus = 304,
    BadMethod = 305,
    OutOfRange = 306,
    BadChoice = 307,
    BadTemplate = 308,
    UnknownTemplateName = 309,
    BadHeaderName = 310,
    BadHeaderValue = 311,
    ReservedHeader = 312,
    HeaderTwice = 313,
    BodyNotAllowed = 314,
    BadTarget = 315,
    UnknownLanguage = 316,
    BadName = 317,
    RepeatedValue = 318,
    UnknownLint = 319,
    MissingReason = 320,
    MisplacedLate = 321,
    BadLate = 322,
    BadNetwork = 323,
    BadRegex = 324,
    BadOrigin = 325,
    CredentialsForAll = 326,
    BadRow = 327,
    RepeatedKey = 328,
    EmptyTable = 329,
    BadMode = 330,
    BadLogFile = 331,
    BadLogLine = 332,
    BadTry = 333,
    BadGlob = 334,
    BadPercent = 335,
    BadUpgrade = 336,
    BadRetry = 337,
    UnusedAllowance = 401,
    EmptyVhost = 402,
    RedirectToItself = 403,
    RouteOutsideGroup = 404,
    LeftOut = 405,
    LogWithoutLog = 406,
    OpenRedirect = 407,
    RawBesideAccess = 408,
    NothingMatched = 409,
    UnusedUpstream = 410,
    HiddenSegment = 411,
    ReadableSource = 412,
    ReachedAround = 413,
    ForgedForwarding = 414,
    LateRetry = 415,
    MissingDirectory = 501,
    MissingFile = 502,
}

/// What `kiln codes` says about one code.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub code: Code,
    pub title: &'static str,
    pub explanation: &'static str,
}

impl Code {
    /// The number behind the `K`.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// Lints warn, all else are errors.
    pub fn severity(self) -> Severity {
        if self.is_lint() { Severity::Warning } else { Severity::Error }
    }

    pub fn is_lint(self) -> bool {
        LINTS.contains(&self.number())
    }

    /// All codes in the order of their numbers.
    pub fn all() -> &'static [Entry] {
        &catalogue::ENTRIES
    }

    /// `K0107`, also without the `K` or in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let number: u16 = text.trim_start_matches(['K', 'k']).parse().ok()?;
        Self::all().iter().map(|entry| entry.code).find(|code| code.number() == number)
    }

    pub fn entry(self) -> &'static Entry {
        Self::all().iter().find(|entry| entry.code == self).expect("a test compares the catalogue with the enum")
    }
}

impl Entry {
    /// The whole page of `kiln codes K0107`.
    pub fn page(&self) -> String {
        let severity = match self.code.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let example = example::find(self.code).map_or_else(String::new, Example::page);
        format!("{severity}[{}]: {}\n\n{}\n{example}", self.code, self.title, self.explanation)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "K{:04}", self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn catalogue_in_order_names_each_code_once() {
        let numbers: Vec<u16> = Code::all().iter().map(|entry| entry.code.number()).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        let source = include_str!("code.rs");
        let body = source.split("pub enum Code {").nth(1).and_then(|rest| rest.split('}').next()).unwrap();
        let variants = body.lines().filter(|line| line.contains(" = ")).count();
        assert_eq!(variants, numbers.len(), "a code has no entry in the catalogue");
    }

    #[test]
    fn parse_with_and_without_letter_finds_code() {
        assert_eq!(Code::parse("K0107"), Some(Code::UnknownWord));
        assert_eq!(Code::parse("107"), Some(Code::UnknownWord));
        assert_eq!(Code::parse("K9999"), None);
        assert_eq!(Code::parse(""), None);
    }
}
