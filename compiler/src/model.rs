//! The site as meant: names resolved, scopes inherited, defaults filled in. Everything still knows its span.

use std::{net::SocketAddr, num::NonZeroU16, path::PathBuf, time::Duration};

use semantics::method::Methods;

use crate::source::Span;

/// A value and where it was written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Spanned<T> { pub value: T, pub span: Span }

/// A value that a default may have given.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Defaulted<T> { pub value: T, pub is_default: bool }

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
    /// Site-level headers alone: for answers where no vhost is chosen.
    pub headers: Vec<HeaderRule>,
    pub vhosts: Vec<Vhost>,
    pub allowed_lints: Vec<AllowedLint>,
}

#[derive(Clone, Debug)]
pub struct Listener { pub name: Option<String>, pub address: SocketAddr, pub span: Span }

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Workers { Count(NonZeroU16), /// One for each core the process may run on.
    PerCore }

/// Upper bounds, per process; sizes in bytes.
#[derive(Clone, Debug)]
pub struct Limits { pub connections: Defaulted<u32>, pub head: Defaulted<u32>, pub fields: Defaulted<u16>, pub body: Defaulted<u64> }

#[derive(Clone, Debug)]
pub struct Timeouts { pub head: Defaulted<Duration>, pub body: Defaulted<Duration>, pub idle: Defaulted<Duration>, pub write: Defaulted<Duration>, pub drain: Defaulted<Duration> }

#[derive(Clone, Debug)]
pub struct AllowedLint { pub code: String, pub reason: String, pub span: Span }

#[derive(Clone, Debug)]
pub struct Vhost {
    /// Exact names and wildcards (`*.example`), lower case, as written order; empty only for a `default` one.
    pub hosts: Vec<Spanned<String>>,
    pub is_default: bool,
    pub span: Span,
    pub routes: Vec<Route>,
    /// Site and vhost rules, outer to inner, merged as the language says: for answers where only the vhost is chosen.
    pub headers: Vec<HeaderRule>,
}

#[derive(Clone, Debug)]
pub struct Route {
    pub patterns: Vec<Spanned<semantics::pattern::Pattern>>,
    /// As written; `None`: what the action takes.
    pub methods: Option<Spanned<Methods>>,
    pub guard: Option<Guard>,
    pub encoded_slash: EncodedSlash,
    pub action: Action,
    /// Site, vhost and route rules merged.
    pub headers: Vec<HeaderRule>,
    pub span: Span,
}

/// What a route does with `%2F` and `%5C` in its path.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EncodedSlash { Keep, Raw, Refuse }

/// `when`, as a tree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Guard {
    All(Vec<Self>),
    Any(Vec<Self>),
    /// Lower-case name; any of the values; none: present.
    Header { name: String, values: Vec<String> },
    Host(Vec<String>),
    Method(Methods),
    Not(Box<Self>),
    /// Canonical patterns.
    Path(Vec<String>),
}

#[derive(Clone, Debug)]
pub enum Action {
    /// Close the connection without an answer.
    Abort,
    Files(Files),
    Redirect { target: Template, status: u16, drops_query: bool },
    Refuse { status: u16 },
    Respond { status: u16, body: Template, content_type: Option<String> },
}

#[derive(Clone, Debug)]
pub struct Files {
    /// As written.
    pub directory: Spanned<String>,
    /// Where it lies: relative to the file that names it, at build time for embedded ones; as written, at run time, for roots (relative to the working directory).
    pub path: PathBuf,
    pub is_embedded: bool,
    /// Names tried for a path that ends in `/`.
    pub index: Defaulted<String>,
}

/// A rule of `headers` after merging, in the order it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderRule { pub action: semantics::edits::Action, pub name: String, pub value: Template, pub only: Vec<u16>, pub span: Span }

/// Template text resolved to typed parts. Adjacent text is one part; empty text is no part.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Template { pub parts: Vec<Part> }

/// The owned twin of [`semantics::template::Part`].
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Part {
    ClientIp,
    Header(String),
    Host,
    Method,
    /// By name here: `lower` turns it into the index of the route's pattern.
    Parameter(String),
    Path,
    Query,
    QueryValue(String),
    Scheme,
    Status,
    Target,
    Text(String),
}
