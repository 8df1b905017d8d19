//! What a route sends on to an upstream, and what it does with some of the answers.

use super::{Action, Defaulted, Part, UpstreamId, UpstreamTimeouts, Value};
pub use crate::model::{HostPolicy, Intercepting, Page};

#[derive(Clone, Debug)]
pub struct Proxy {
    pub upstream: UpstreamId,
    pub target: Target,
    pub host: Defaulted<HostPolicy>,
    /// Protocols that may take the connection over, in lower case, each once; `*` alone: any.
    pub upgrades: Vec<String>,
    /// All of them, those of the upstream included.
    pub timeouts: UpstreamTimeouts,
    /// In the order they are asked: the first that holds takes the answer's place.
    pub intercepts: Vec<Intercept>,
}

impl Proxy {
    /// The actions that take the place of answers.
    pub fn continuations(&self) -> impl Iterator<Item = &Continuation> {
        self.intercepts.iter().filter_map(|intercept| match &intercept.then {
            Intercepted::Action(continuation) => Some(&**continuation),
            Intercepted::Accel { .. } | Intercepted::Page(_) => None,
        })
    }
}

/// The path and query that an upstream gets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Target {
    /// Those of the request.
    Same,
    /// Without this beginning, which every path of the route has: whole segments in normal form, no slash at its end. `/` where nothing is left.
    Strip(String),
    /// Begins with `/` where it begins with text; the query is kept unless it has one.
    Template(Vec<Part>),
}

#[derive(Clone, Debug)]
pub struct Intercept {
    pub when: Intercepting,
    pub then: Intercepted,
}

#[derive(Clone, Debug)]
pub enum Intercepted {
    /// The file that the field names, below this directory of the host. `when` is a header.
    Accel { root: Value },
    /// Another action answers the request.
    Action(Box<Continuation>),
    /// A text in place of the body; the status is kept.
    Page(Page),
}

/// An action that goes on with a request.
#[derive(Clone, Debug)]
pub struct Continuation {
    /// Snake-case name of its handler, unique within the vhost.
    pub name: String,
    pub action: Action,
}
