//! The site as meant: names resolved, scopes inherited, defaults filled in. Everything still knows its span.

mod files;
mod guard;
mod late;
mod listener;
mod log;
mod proxy;
mod template;
mod upstream;

use std::{collections::BTreeMap, num::NonZeroU16, path::PathBuf, sync::Arc, time::Duration};

use semantics::{access::Verdict, cidr::Prefix, client::ForwardingFields, method::Methods, negotiate::Coding, regexes::Capture};

pub use self::{
    files::{Rules, Tried},
    guard::{Guard, Regex},
    late::{LateKind, LateValue, Text},
    listener::{Address, Listener, ListenerOptions},
    log::{AccessLog, Delivery, LogFormat, LogPart, Metrics},
    proxy::{HostPolicy, Intercept, Intercepted, Intercepting, Page, Proxy, Target},
    template::{Part, Template},
    upstream::{Balance, Eject, Endpoint, EndpointAddress, Pool, Retry, RetryOn, Upstream, UpstreamTimeouts},
};
use crate::source::Span;

/// A value and where it was written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Spanned<T> {
    pub value: T,
    pub span: Span,
}

/// A value that a default may have given.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Defaulted<T> {
    pub value: T,
    pub is_default: bool,
}

impl<T> Defaulted<T> {
    /// What the site file says.
    pub const fn written(value: T) -> Self {
        Self { value, is_default: false }
    }
}

/// One site: what becomes one binary.
#[derive(Clone, Debug)]
pub struct Site {
    pub name: String,
    pub language: u32,
    pub span: Span,
    pub listeners: Vec<Listener>,
    pub workers: Defaulted<Workers>,
    pub limits: Limits,
    pub timeouts: Timeouts,
    pub delivery: Defaulted<Delivery>,
    pub access_log: Option<AccessLog>,
    /// A path; stderr without it.
    pub error_log: Option<Text>,
    pub metrics: Option<Metrics>,
    pub trusted_proxies: Option<TrustedProxies>,
    /// Site-level headers alone: for answers where no vhost is chosen.
    pub headers: Vec<HeaderRule>,
    /// The site's own `encode`: for answers where no vhost is chosen.
    pub encoding: Option<Encoding>,
    /// Site-level pages alone, by status: for answers where no vhost is chosen.
    pub errors: Vec<ErrorPage>,
    /// Exchanges for which no vhost is chosen are written to the access log.
    pub is_logged: bool,
    /// In written order.
    pub maps: Vec<Map>,
    /// Named ones in written order, then anonymous ones by their first use.
    pub upstreams: Vec<Upstream>,
    /// What each regex of a guard was built to, by its text.
    pub regexes: BTreeMap<String, BuiltRegex>,
    pub vhosts: Vec<Vhost>,
    pub allowed_lints: Vec<AllowedLint>,
}

/// Proxies whose word about the client counts, and the fields in which they give it.
#[derive(Clone, Debug)]
pub struct TrustedProxies {
    pub networks: Vec<Spanned<Prefix>>,
    pub fields: Defaulted<ForwardingFields>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Workers {
    Count(NonZeroU16),
    /// One for each core the process may run on.
    PerCore,
}

/// Upper bounds, per process; sizes in bytes.
#[derive(Clone, Debug)]
pub struct Limits {
    pub connections: Defaulted<u32>,
    /// Of one client; no limit without it.
    pub connections_per_client: Option<u32>,
    pub requests: Defaulted<u32>,
    /// No limit without it.
    pub memory: Option<u64>,
    pub head: Defaulted<u32>,
    pub fields: Defaulted<u16>,
    pub body: Defaulted<u64>,
}

#[derive(Clone, Debug)]
pub struct Timeouts {
    pub head: Defaulted<Duration>,
    pub body: Defaulted<Duration>,
    pub idle: Defaulted<Duration>,
    pub write: Defaulted<Duration>,
    pub drain: Defaulted<Duration>,
}

#[derive(Clone, Debug)]
pub struct AllowedLint {
    pub code: String,
    pub reason: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Vhost {
    /// Exact names and wildcards (`*.example`), lower case, as written order; empty only for a `default` one.
    pub hosts: Vec<Spanned<String>>,
    pub is_default: bool,
    /// Indices of the site's listeners, ascending; `None`: all of them.
    pub on: Option<Vec<usize>>,
    pub canonical_host: Option<CanonicalHost>,
    pub span: Span,
    /// Those of groups among them, in written order.
    pub routes: Vec<Route>,
    /// Site and vhost rules, outer to inner, merged as the language says: for answers where only the vhost is chosen.
    pub headers: Vec<HeaderRule>,
    /// That of the site, or its own.
    pub encoding: Option<Encoding>,
    /// Site and vhost pages, by status, each status once.
    pub errors: Vec<ErrorPage>,
    /// Exchanges for which no route is chosen are written to the access log.
    pub is_logged: bool,
}

/// The one host of a vhost that is answered; its others are redirected to it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CanonicalHost {
    pub host: String,
    pub status: Defaulted<u16>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Route {
    pub patterns: Vec<Spanned<semantics::pattern::Pattern>>,
    /// As written; `None`: what the action takes.
    pub methods: Option<Spanned<Methods>>,
    /// That of its groups and its own.
    pub guard: Option<Guard>,
    pub encoded_slash: EncodedSlash,
    pub action: Action,
    /// Site, vhost, group and route rules merged.
    pub headers: Vec<HeaderRule>,
    /// The same of `request-headers`: what an upstream gets.
    pub request_headers: Vec<HeaderRule>,
    /// The same of `upstream-headers`: what came from an upstream.
    pub upstream_headers: Vec<HeaderRule>,
    /// Outermost first; every list must allow. `replace` has cut the chain already.
    pub access: Vec<AccessList>,
    pub cors: Option<Cors>,
    /// The innermost.
    pub encoding: Option<Encoding>,
    /// Site, vhost, group and route pages, by status, each status once.
    pub errors: Vec<ErrorPage>,
    /// Bytes of a request's body.
    pub body_limit: Defaulted<u64>,
    /// Its exchanges are written to the access log.
    pub is_logged: bool,
    pub span: Span,
}

/// The rules of one `access`, in written order.
#[derive(Clone, Debug)]
pub struct AccessList {
    pub rules: Vec<AccessRule>,
    pub span: Span,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AccessRule {
    pub verdict: Verdict,
    pub networks: Vec<Prefix>,
}

/// The owned twin of [`semantics::encode::Policy`].
#[derive(Clone, Debug)]
pub struct Encoding {
    /// In the order of preference, each once, at least one.
    pub codings: Vec<Coding>,
    pub min_bytes: Defaulted<u64>,
    pub span: Span,
}

/// The owned twin of [`semantics::cors::Policy`].
#[derive(Clone, Debug)]
pub struct Cors {
    pub origins: Origins,
    pub methods: Allowed,
    pub headers: Allowed,
    pub exposed: Allowed,
    pub max_age_s: Option<u32>,
    pub span: Span,
}

/// The owned twin of [`semantics::cors::Origins`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Origins {
    Any,
    Listed { origins: Vec<String>, has_credentials: bool },
}

/// The owned twin of [`semantics::cors::Allowed`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Allowed {
    Any,
    Listed(Vec<String>),
}

/// What kiln itself answers with a status, read at build time.
#[derive(Clone, Debug)]
pub struct ErrorPage {
    pub status: u16,
    /// As written, the parameters of a snippet filled in.
    pub file: String,
    pub body: Arc<[u8]>,
    pub content_type: String,
    /// The path of its file, as written.
    pub span: Span,
}

/// A table from texts to texts.
#[derive(Clone, Debug)]
pub struct Map {
    pub name: String,
    pub from: Template,
    /// In written order, each key once.
    pub rows: Vec<(String, String)>,
    pub default: Option<String>,
    /// The rows come from a file of their own.
    pub is_file: bool,
    pub span: Span,
}

/// What a regex was built to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum BuiltRegex {
    /// It has named groups, which are parameters.
    Capturing(Capture),
    Matching(Vec<u8>),
}

/// What a route does with `%2F` and `%5C` in its path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EncodedSlash {
    Keep,
    Raw,
    Refuse,
}

#[derive(Clone, Debug)]
pub enum Action {
    /// Close the connection without an answer.
    Abort,
    Files(Files),
    Proxy(Box<Proxy>),
    Redirect {
        target: Template,
        status: Defaulted<u16>,
        drops_query: bool,
    },
    Refuse {
        status: Defaulted<u16>,
    },
    Respond {
        status: Defaulted<u16>,
        body: Template,
        content_type: Option<String>,
    },
    /// Matching starts once more with this path.
    Rewrite {
        target: Template,
    },
    Split {
        by: Template,
        shares: Vec<Share>,
    },
}

impl Action {
    /// Files, and nothing else where there is none: they read `%5C` as part of a name.
    pub fn is_files(&self) -> bool {
        matches!(self, Self::Files(files) if files.miss.as_ref().is_none_or(|miss| miss.is_files()))
    }

    /// The actions in it: those of its shares, that of its miss, or those that take the place of an upstream's answers.
    pub fn inner(&self) -> Vec<&Self> {
        match self {
            Self::Files(files) => files.miss.iter().map(|miss| &**miss).collect(),
            Self::Proxy(proxy) => proxy.actions().collect(),
            Self::Split { shares, .. } => shares.iter().map(|share| &share.action).collect(),
            Self::Abort | Self::Redirect { .. } | Self::Refuse { .. } | Self::Respond { .. } | Self::Rewrite { .. } => Vec::new(),
        }
    }

    /// The methods that it takes where the route names none.
    pub fn methods(&self) -> Methods {
        match self {
            Self::Files(files) => match &files.miss {
                None => Methods::GET_HEAD,
                Some(miss) => miss.methods().union(Methods::GET_HEAD),
            },
            Self::Split { shares, .. } if shares.iter().any(|share| share.action.methods() == Methods::GET_HEAD) => Methods::GET_HEAD,
            Self::Abort
            | Self::Proxy(_)
            | Self::Redirect { .. }
            | Self::Refuse { .. }
            | Self::Respond { .. }
            | Self::Rewrite { .. }
            | Self::Split { .. } => Methods::ANY,
        }
    }
}

/// A part of the traffic: its weight of the sum of all weights.
#[derive(Clone, Debug)]
pub struct Share {
    pub weight: u32,
    pub action: Action,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Files {
    /// As written.
    pub directory: Spanned<String>,
    /// Where it lies: relative to the file that names it, at build time for embedded ones; as written, at run time, for roots (relative to the working directory).
    pub path: PathBuf,
    pub is_embedded: bool,
    /// The root that is known at start only; `directory` and `path` then hold no path. Never with `is_embedded`.
    pub late: Option<LateValue>,
    pub index_is_default: bool,
    pub rules: Rules,
    /// Embedded files say when they were changed.
    pub has_dates: bool,
    /// What answers where there is no file.
    pub miss: Option<Box<Action>>,
}

/// A rule of `headers` after merging, in the order it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderRule {
    pub action: semantics::edits::Action,
    pub name: String,
    pub value: Template,
    /// Statuses that it is for; empty: all.
    pub only: Vec<u16>,
    /// Statuses that a rule of an inner scope has taken it away from; empty where `only` is not.
    pub except: Vec<u16>,
    pub span: Span,
}
