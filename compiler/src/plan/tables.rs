//! What the routes of a plan share: each of these stands once and is named by its number.

use std::{fmt, net::IpAddr, sync::Arc};

use semantics::{access::Verdict, cidr::Prefix, maps, negotiate::Coding};

use super::{Part, Rules};
use crate::{model::Defaulted, source::Provenance};

/// Index into `Plan::access`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct AccessId(pub u32);
/// Index into `Plan::cors`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct CorsId(pub u32);
/// Index into `Plan::edits`; the default one is the empty one.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct EditsId(pub u32);
/// Index into `Plan::embeds`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct EmbedId(pub u32);
/// Index into `Plan::encodings`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct EncodingId(pub u32);
/// Index into `Plan::errors`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct ErrorsId(pub u32);
/// Index into `Plan::lates`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct LateId(pub u32);
/// Index into `Plan::maps`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct MapId(pub u32);
/// Index into `Plan::regexes`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct RegexId(pub u32);

/// One `access` list: the owned twin of [`semantics::access::List`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Access {
    /// In written order: the first that holds the client decides.
    pub rules: Vec<AccessRule>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AccessRule {
    pub verdict: Verdict,
    /// As written.
    pub networks: Vec<Prefix>,
}

impl Access {
    /// What the list says to a client, and the number of the rule that decided.
    pub fn verdict(&self, client: IpAddr) -> (Verdict, Option<usize>) {
        let holds = |rule: &AccessRule| rule.networks.iter().any(|network| network.contains(client));
        match self.rules.iter().position(holds) {
            Some(number) => (self.rules[number].verdict, Some(number)),
            None if self.rules.iter().any(|rule| rule.verdict == Verdict::Allow) => (Verdict::Refuse, None),
            None => (Verdict::Allow, None),
        }
    }
}

/// The owned twin of [`semantics::cors::Policy`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Cors {
    pub origins: Origins,
    /// Tokens.
    pub methods: Allowed,
    pub headers: Allowed,
    pub exposed: Allowed,
    /// Seconds; `None`: the browser's own.
    pub max_age_s: Option<u32>,
}

/// The owned twin of [`semantics::encode::Policy`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Encoding {
    /// In the order of preference.
    pub codings: Vec<Coding>,
    pub min_bytes: Defaulted<u64>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Origins {
    Any,
    Listed { origins: Vec<String>, has_credentials: bool },
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Allowed {
    Any,
    Listed(Vec<String>),
}

/// What kiln says instead of its own texts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Errors {
    /// By status, ascending, each once.
    pub pages: Vec<ErrorPage>,
}

impl Errors {
    /// The page for a status.
    pub fn page(&self, status: u16) -> Option<&ErrorPage> {
        self.pages.iter().find(|page| page.status == status)
    }
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ErrorPage {
    pub status: u16,
    /// Its file as written.
    pub file: String,
    pub content_type: String,
    pub body: Arc<[u8]>,
}

/// A value that is known on the host only, the owned twin of [`semantics::late::Late`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Late {
    /// Unique snake-case name of its static.
    pub name: String,
    pub source: LateSource,
    /// Where it is written first.
    pub provenance: Provenance,
}

#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum LateSource {
    Env { name: String, default: Option<String> },
    File { path: String },
}

impl fmt::Display for LateSource {
    /// As it is written: `(env)STAFF_KEY`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env { name, .. } => write!(out, "(env){name}"),
            Self::File { path } => write!(out, "(file){path}"),
        }
    }
}

/// A map that the site uses.
#[derive(Clone, Debug)]
pub struct Map {
    /// As written.
    pub name: String,
    /// What it is asked for.
    pub from: Vec<Part>,
    /// Ascending by the bytes of their keys, each key once.
    pub rows: Vec<(String, String)>,
    pub default: Option<String>,
    pub form: MapForm,
    /// Its rows come from a file of their own.
    pub is_file: bool,
    pub provenance: Provenance,
}

impl Map {
    /// The value of the row with exactly this key, found as the binary finds it.
    pub fn find(&self, key: &[u8]) -> Option<&str> {
        match &self.form {
            MapForm::Blob(blob) => maps::Map { rows: maps::Rows::Blob(blob), default: None }.find(key),
            MapForm::Inline => {
                let found = self.rows.binary_search_by(|(row, _)| row.as_bytes().cmp(key)).ok()?;
                Some(&self.rows[found].1)
            }
        }
    }
}

/// How a map's rows become part of the binary.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum MapForm {
    /// What [`semantics::maps::encode`] gave.
    Blob(Vec<u8>),
    /// A sorted slice in the generated code.
    Inline,
}

/// A regex of a guard.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Regex {
    /// Unique snake-case name of its static and its files.
    pub name: String,
    /// As written.
    pub text: String,
    pub form: RegexForm,
}

/// The bytes of a regex, as [`semantics::regexes`] takes them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum RegexForm {
    /// Its named groups are parameters, in this order.
    Capturing {
        forward: Vec<u8>,
        reverse: Vec<u8>,
        groups: Vec<String>,
    },
    Matching {
        dfa: Vec<u8>,
    },
}

impl RegexForm {
    /// Bytes that it embeds.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Capturing { forward, reverse, .. } => forward.len() + reverse.len(),
            Self::Matching { dfa } => dfa.len(),
        }
    }
}

#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Edits {
    pub rules: Vec<Edit>,
    /// Ready lines (see [`semantics::edits::Edits`]); the rules in it are not in `rules`.
    pub appended: Vec<u8>,
    /// The rules that `appended` has rendered, for people.
    pub appended_rules: Vec<Edit>,
}

impl Edits {
    /// All rules in the order they apply: removals, then sets and defaults, then additions, each as written.
    pub fn in_order(&self) -> Vec<&Edit> {
        let mut rules: Vec<_> = self.rules.iter().chain(&self.appended_rules).collect();
        rules.sort_by_key(|rule| rule.turn());
        rules
    }
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Edit {
    pub action: semantics::edits::Action,
    pub name: String,
    pub value: Vec<Part>,
    /// Statuses that it is for; empty: all.
    pub only: Vec<u16>,
    /// Statuses that an inner rule has taken it away from.
    pub except: Vec<u16>,
}

impl Edit {
    /// When it applies, among the rules of its scope ([`semantics::edits::apply`]).
    pub const fn turn(&self) -> u8 {
        match self.action {
            semantics::edits::Action::Remove => 0,
            semantics::edits::Action::Default | semantics::edits::Action::Set => 1,
            semantics::edits::Action::Add => 2,
        }
    }
}

/// One embedded tree.
#[derive(Clone, Debug)]
pub struct Embed {
    /// Unique snake-case name.
    pub name: String,
    /// Number of its tree in the blob: embeds of which the binary holds the same share one.
    pub tree: u32,
    /// As written, `/` between parts.
    pub directory: String,
    pub rules: Rules,
    /// Its files say when they were changed.
    pub has_dates: bool,
    /// Sorted by path.
    pub assets: Vec<Asset>,
}

impl Embed {
    /// Whether that file of it never changes under its name.
    pub fn is_immutable(&self, asset: &Asset) -> bool {
        self.rules.with(|rules| rules.is_immutable(asset.path.as_bytes()))
    }
}

/// One embedded file; its bytes are read again by `assets` when the blob is written, and must still have this hash.
#[derive(Clone, Debug)]
pub struct Asset {
    /// Relative to the tree, decoded (a file name, not a URL), `/` between parts.
    pub path: String,
    pub source: std::path::PathBuf,
    pub content_type: String,
    /// SHA-256 of the bytes.
    pub hash: [u8; 32],
    pub bytes: u64,
    /// Precompressed forms that are smaller: coding and size in bytes, in order of [`semantics::negotiate::Coding`].
    pub codings: Vec<(Coding, u64)>,
    /// Those of the forms that lie beside the file.
    pub siblings: Vec<Sibling>,
    /// When it was changed, in seconds since 1970; none where its tree does not say.
    pub modified: Option<u64>,
}

/// A compressed file beside a plain one.
#[derive(Clone, Debug)]
pub struct Sibling {
    pub coding: Coding,
    pub source: std::path::PathBuf,
    /// SHA-256 of its bytes.
    pub hash: [u8; 32],
}
