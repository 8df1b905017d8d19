//! `proxy`: what of a request is sent on to an upstream, and which of its answers are not passed on.

use std::sync::Arc;

use super::{Action, Defaulted, Spanned, Template, Text, UpstreamTimeouts};
use crate::source::Span;

#[derive(Clone, Debug)]
pub struct Proxy {
    /// Index of the site's upstreams.
    pub upstream: usize,
    /// With the place of the word that says it.
    pub target: Spanned<Target>,
    pub host: Defaulted<HostPolicy>,
    /// Protocols that may take the connection over, in lower case, each once; `*` alone: any.
    pub upgrades: Vec<String>,
    /// Those of the upstream where the action says nothing else.
    pub timeouts: UpstreamTimeouts,
    /// In the order they are asked: headers, then statuses.
    pub intercepts: Vec<Intercept>,
    pub span: Span,
}

impl Proxy {
    /// The actions that take the place of answers.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.intercepts.iter().filter_map(|intercept| match &intercept.then {
            Intercepted::Action(action) => Some(&**action),
            Intercepted::Accel { .. } | Intercepted::Page(_) => None,
        })
    }
}

/// The path and query that an upstream gets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Target {
    /// Those of the request.
    Same,
    /// Without this beginning, which ends with a segment and has no slash behind it.
    Strip(String),
    /// The query is kept unless it has one.
    Template(Template),
}

/// The host that an upstream gets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum HostPolicy {
    /// The endpoint's address.
    Endpoint,
    /// This one.
    Literal(String),
    /// The client's.
    Preserve,
}

/// Answers of an upstream that something else takes the place of.
#[derive(Clone, Debug)]
pub struct Intercept {
    pub when: Intercepting,
    pub then: Intercepted,
    pub span: Span,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Intercepting {
    /// Answers with a field of this name, in lower case.
    Header(String),
    /// Answers with one of these statuses, as written.
    Statuses(Vec<u16>),
}

#[derive(Clone, Debug)]
pub enum Intercepted {
    /// The file that the field names, below this directory of the host.
    Accel {
        root: Text,
    },
    Action(Box<Action>),
    /// A text in place of the body; the status is kept.
    Page(Page),
}

/// A file that was read at build time.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Page {
    /// As written, the parameters of a snippet filled in.
    pub file: String,
    pub content_type: String,
    pub body: Arc<[u8]>,
}
