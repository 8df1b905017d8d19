//! What is to be done: flat tables in canonical order, all defaults filled in. This is what people review, what the evaluator walks and what `emit` prints.

use std::net::SocketAddr;

use semantics::method::Methods;

pub use crate::model::{Defaulted, EncodedSlash, Guard, Workers};
use crate::source::Provenance;

/// The whole site. Indices are positions in these tables.
#[derive(Clone, Debug)]
pub struct Plan {
    pub site: String,
    pub language: u32,
    pub listeners: Vec<Listener>,
    pub workers: Defaulted<Workers>,
    pub limits: crate::model::Limits,
    pub timeouts: crate::model::Timeouts,
    /// In written order.
    pub vhosts: Vec<Vhost>,
    pub hosts: Hosts,
    /// Edits shared by all routes that have equal ones; 0 is the empty one.
    pub edits: Vec<Edits>,
    /// Edits for answers where no vhost is chosen (421).
    pub site_edits: EditsId,
    /// Embedded trees, shared by routes that name the same directory and index.
    pub embeds: Vec<Embed>,
    /// Runtime cargo features that this site needs, sorted.
    pub features: Vec<&'static str>,
}

#[derive(Clone, Debug)]
pub struct Listener {
    pub name: String,
    pub address: SocketAddr,
    pub provenance: Provenance,
}

/// Index into `Plan::edits`.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct EditsId(pub u32);
/// Index into `Plan::embeds`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct EmbedId(pub u32);

/// The host table as [`semantics::hosts::Hosts`] has it.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    pub seed: u64,
    pub slots: Vec<u16>,
    pub names: Vec<(String, u16)>,
    pub default: Option<u16>,
}

#[derive(Clone, Debug)]
pub struct Vhost {
    /// Unique snake-case name of its generated function, from its first host (`default` for the default one).
    pub name: String,
    pub hosts: Vec<String>,
    pub is_default: bool,
    pub provenance: Provenance,
    pub edits: EditsId,
    /// Best first, no two equal.
    pub patterns: Vec<Pattern>,
    pub routes: Vec<Route>,
    pub shape: Shape,
}

/// How the patterns of a vhost become code.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Shape {
    /// Literals as a `match`, the others one after the other.
    Code,
    /// A blob of [`semantics::routes`] and a table of functions.
    Table { blob: Vec<u8> },
}

#[derive(Clone, Debug)]
pub struct Pattern {
    /// Canonical.
    pub text: String,
    /// Positions in the vhost's `routes`: the guarded ones in written order, the unguarded ones last.
    pub routes: Vec<u32>,
}

impl Pattern {
    /// It has no parameter and no rest: it takes one path alone.
    pub fn is_literal(&self) -> bool {
        !self.text.contains('{') && !self.text.ends_with('*')
    }
}

/// One route at one pattern (a route written with two patterns is two of these).
#[derive(Clone, Debug)]
pub struct Route {
    /// Snake-case name of its handler, unique within the vhost (its generated module).
    pub name: String,
    pub pattern: String,
    /// Names of the pattern's parameters, for the dump.
    pub parameters: Vec<Option<String>>,
    /// Never empty: what `methods` says, or what the action takes. GET brings HEAD.
    pub methods: Methods,
    pub guard: Option<Guard>,
    pub encoded_slash: EncodedSlash,
    pub edits: EditsId,
    pub action: Action,
    /// The `index` of its files is the language's, not the site's; `false` for other actions.
    pub index_is_default: bool,
    pub provenance: Provenance,
}

#[derive(Clone, Debug)]
pub enum Action {
    Abort,
    /// Files in the binary.
    Embed {
        embed: EmbedId,
    },
    Redirect {
        target: Vec<Part>,
        status: u16,
        drops_query: bool,
    },
    Refuse {
        status: u16,
    },
    Respond {
        status: u16,
        body: Vec<Part>,
        content_type: Option<String>,
    },
    /// Files from a directory of the host.
    Root {
        directory: String,
        index: String,
    },
}

/// The owned twin of [`semantics::template::Part`], parameters by index.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Part {
    ClientIp,
    Header(String),
    Host,
    Method,
    Parameter(u8),
    Path,
    Query,
    QueryValue(String),
    Scheme,
    Status,
    Target,
    Text(String),
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
    pub only: Vec<u16>,
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
    /// As written, `/` between parts.
    pub directory: String,
    pub index: String,
    /// Sorted by path.
    pub assets: Vec<Asset>,
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
    pub encodings: Vec<(semantics::negotiate::Coding, u64)>,
}
