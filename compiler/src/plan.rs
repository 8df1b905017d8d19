//! What is to be done: flat tables in canonical order, all defaults filled in. This is what people review, what the evaluator walks and what `emit` prints.

mod listener;
mod log;
mod places;
mod proxy;
mod tables;
mod upstream;

use semantics::{cidr::Prefix, client::ForwardingFields, guard::Protocol, method::Methods};

pub use self::tables::{
    Access, AccessId, AccessRule, Allowed, Asset, Cors, CorsId, Edit, Edits, EditsId, Embed, EmbedId, Encoding, EncodingId, ErrorPage,
    Errors, ErrorsId, Late, LateId, LateSource, Map, MapForm, MapId, Origins, Regex, RegexForm, RegexId, Sibling,
};
pub use self::{
    listener::{Address, Listener, ListenerOptions},
    log::{AccessLog, LogFormat, LogPart},
    places::Places,
    proxy::{Continuation, HostPolicy, Intercept, Intercepted, Intercepting, Page, Proxy, Target},
    upstream::{Balance, Eject, Endpoint, EndpointAddress, Pool, Retry, RetryOn, Upstream, UpstreamId, UpstreamTimeouts},
};
pub use crate::model::{Defaulted, Delivery, EncodedSlash, Metrics, Rules, Tried, Workers};
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
    pub delivery: Defaulted<Delivery>,
    pub access_log: Option<AccessLog>,
    /// A path; stderr without it.
    pub error_log: Option<Value>,
    pub metrics: Option<Metrics>,
    /// Peers whose word about their client counts.
    pub trusted_proxies: Option<TrustedProxies>,
    /// In written order.
    pub vhosts: Vec<Vhost>,
    /// One table for each set of vhosts that some listener sees, in the order of the listeners.
    pub hosts: Vec<Hosts>,
    /// For each listener the position of its table in `hosts`.
    pub listener_hosts: Vec<u16>,
    /// Edits shared by all routes that have equal ones; 0 is the empty one.
    pub edits: Vec<Edits>,
    /// Edits for answers where no vhost is chosen (421).
    pub site_edits: EditsId,
    /// What encodes answers where no vhost is chosen (421).
    pub site_encoding: Option<EncodingId>,
    /// Pages for answers where no vhost is chosen: faults of the engine, 421.
    pub site_errors: Option<ErrorsId>,
    /// Exchanges for which no vhost is chosen are written to the access log.
    pub site_is_logged: bool,
    /// Each once; the lists of a route are several of these.
    pub access: Vec<Access>,
    pub cors: Vec<Cors>,
    /// Each once.
    pub encodings: Vec<Encoding>,
    /// Sets of pages, each once.
    pub errors: Vec<Errors>,
    /// Those that a guard or a template names, in written order.
    pub maps: Vec<Map>,
    pub regexes: Vec<Regex>,
    /// Those that some route sends requests to: named ones in written order, then anonymous ones by their first use.
    pub upstreams: Vec<Upstream>,
    /// Values known on the host only, each once, in the order of their use.
    pub lates: Vec<Late>,
    /// Embedded trees, shared by routes that name the same directory and say the same of it.
    pub embeds: Vec<Embed>,
    /// Runtime cargo features that this site needs, sorted.
    pub features: Vec<&'static str>,
}

impl Plan {
    /// Bytes of the largest request body that some route takes: what the engine reads at most. Without routes it is the site's.
    pub fn largest_body(&self) -> u64 {
        let limits = self.vhosts.iter().flat_map(|vhost| &vhost.routes).map(|route| route.body_limit.value);
        limits.max().unwrap_or(self.limits.body.value)
    }

    /// The trees of the blob in the order of their numbers, each as the first embed has it that is answered from it.
    pub fn trees(&self) -> impl Iterator<Item = &Embed> {
        let mut next = 0;
        self.embeds.iter().filter(move |embed| {
            let is_first = embed.tree == next;
            next += u32::from(is_first);
            is_first
        })
    }
}

/// Proxies before the site, and the fields they write.
#[derive(Clone, Debug)]
pub struct TrustedProxies {
    /// As written.
    pub networks: Vec<Prefix>,
    pub fields: Defaulted<ForwardingFields>,
}

/// A text of the site file, or one that is known on the host only.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Value {
    Late(LateId),
    Text(String),
}

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
    /// Positions in [`Plan::listeners`], ascending; all of them where the site does not say `on`.
    pub on: Vec<usize>,
    pub canonical_host: Option<CanonicalHost>,
    pub provenance: Provenance,
    pub edits: EditsId,
    pub encoding: Option<EncodingId>,
    pub errors: Option<ErrorsId>,
    /// Exchanges for which no route is chosen are written to the access log.
    pub is_logged: bool,
    /// Best first, no two equal.
    pub patterns: Vec<Pattern>,
    pub routes: Vec<Route>,
    pub shape: Shape,
}

/// Requests for other hosts of the vhost are sent to this one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CanonicalHost {
    /// In normal form.
    pub host: String,
    pub status: Defaulted<u16>,
}

/// How the patterns of a vhost become code.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Shape {
    /// Literals as a `match`, the others one after the other.
    Code,
    /// A blob of [`semantics::routes`], beside the records of all routes of the site.
    Records { tree: Vec<u8> },
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
    /// Names of the pattern's parameters (`None`: an unnamed rest), and behind them the groups of the guard's regexes.
    pub parameters: Vec<Option<String>>,
    /// How many of `parameters` are the pattern's own; if it has a rest, that is the last of them.
    pub pattern_parameters: usize,
    /// Never empty: what `methods` says, or what the action takes. GET brings HEAD.
    pub methods: Methods,
    pub guard: Option<Guard>,
    pub encoded_slash: EncodedSlash,
    pub edits: EditsId,
    /// Of what an upstream gets.
    pub request_edits: EditsId,
    /// Of what came from an upstream, before `edits`.
    pub upstream_edits: EditsId,
    pub encoding: Option<EncodingId>,
    /// Pages of its own refusals and faults.
    pub errors: Option<ErrorsId>,
    pub cors: Option<CorsId>,
    /// Outermost first; all of them must allow.
    pub access: Vec<AccessId>,
    /// Bytes that a request's body may have.
    pub body_limit: Defaulted<u64>,
    /// Its exchanges are written to the access log.
    pub is_logged: bool,
    pub action: Action,
    pub provenance: Provenance,
}

impl Route {
    /// Whether a path it is chosen for can hold `%2F` or `%5C`: in a parameter, or because its pattern is written with one.
    pub fn can_hold_separator(&self) -> bool {
        self.pattern_parameters > 0 || self.pattern.contains("%2F") || self.pattern.contains("%5C")
    }

    /// The position of the pattern's rest among the parameters.
    pub fn rest(&self) -> Option<usize> {
        let has_rest = self.pattern.ends_with('*') || self.pattern.ends_with("*}");
        if has_rest { self.pattern_parameters.checked_sub(1) } else { None }
    }
}

/// `when`, as a tree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Guard {
    All(Vec<Self>),
    Any(Vec<Self>),
    ClientIp(Vec<Prefix>),
    /// Any of the values; none: present.
    Cookie {
        name: String,
        values: Vec<Value>,
    },
    /// Without their dots; none: any extension.
    Extension(Vec<String>),
    /// Lower-case name; any of the values; none: present.
    Header {
        name: String,
        values: Vec<Value>,
    },
    Host(Vec<String>),
    /// A row of it, not its default, has the key.
    Map(MapId),
    Method(Methods),
    Not(Box<Self>),
    /// Canonical patterns.
    Path(Vec<String>),
    Protocol(Vec<Protocol>),
    Query {
        name: String,
        values: Vec<Value>,
    },
    /// A capturing one adds its groups to the route's parameters; it stands where the whole guard needs it.
    Regex(RegexId),
}

#[derive(Clone, Debug)]
pub enum Action {
    Abort,
    /// Files in the binary.
    Embed {
        embed: EmbedId,
        index_is_default: bool,
        miss: Option<Box<Continuation>>,
    },
    /// Sent on to an upstream.
    Proxy(Box<Proxy>),
    Redirect {
        target: Vec<Part>,
        status: Defaulted<u16>,
        drops_query: bool,
    },
    Refuse {
        status: Defaulted<u16>,
    },
    Respond {
        status: Defaulted<u16>,
        body: Vec<Part>,
        content_type: Option<String>,
    },
    /// Matching starts once more with another path.
    Rewrite {
        target: Vec<Part>,
    },
    /// Files from a directory of the host.
    Root {
        directory: Value,
        index_is_default: bool,
        rules: Rules,
        miss: Option<Box<Continuation>>,
    },
    Split {
        /// What a client is told apart by.
        by: Vec<Part>,
        /// Of [`semantics::shares::Shares`]: keeps the splits of a site independent of each other.
        salt: String,
        shares: Vec<Share>,
    },
}

impl Action {
    /// What answers where its directory has no file.
    pub fn miss(&self) -> Option<&Continuation> {
        match self {
            Self::Embed { miss, .. } | Self::Root { miss, .. } => miss.as_deref(),
            Self::Abort
            | Self::Proxy(_)
            | Self::Redirect { .. }
            | Self::Refuse { .. }
            | Self::Respond { .. }
            | Self::Rewrite { .. }
            | Self::Split { .. } => None,
        }
    }

    /// Files, and nothing else where there is none: they read `%5C` as part of a name.
    pub fn is_files(&self) -> bool {
        matches!(self, Self::Embed { .. } | Self::Root { .. }) && self.miss().is_none_or(|miss| miss.action.is_files())
    }

    /// It may send requests on to an upstream.
    pub fn may_proxy(&self) -> bool {
        matches!(self, Self::Proxy(_)) || self.inner().into_iter().any(Self::may_proxy)
    }

    /// The actions in it: those of its shares, that of its miss, or those that take the place of an upstream's answers.
    pub fn inner(&self) -> Vec<&Self> {
        match self {
            Self::Embed { miss, .. } | Self::Root { miss, .. } => miss.iter().map(|miss| &miss.action).collect(),
            Self::Proxy(proxy) => proxy.continuations().map(|continuation| &continuation.action).collect(),
            Self::Split { shares, .. } => shares.iter().map(|share| &share.action).collect(),
            Self::Abort | Self::Redirect { .. } | Self::Refuse { .. } | Self::Respond { .. } | Self::Rewrite { .. } => Vec::new(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Share {
    /// Snake-case name of its handler, unique within the vhost.
    pub name: String,
    pub weight: u32,
    pub action: Action,
}

/// The owned twin of [`semantics::template::Part`], parameters by index.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Part {
    ClientIp,
    /// By name, case-sensitive.
    Cookie(String),
    Header(String),
    Host,
    Late(LateId),
    Map(MapId),
    Method,
    Parameter(u8),
    Path,
    Query,
    QueryValue(String),
    RequestId,
    Scheme,
    Status,
    Target,
    Text(String),
}
