//! The plan's evaluator: what the binary of a plan answers to a request, found out without it.
//!
//! A pure function of plan, request and blob. The request becomes HTTP/1.1 bytes and goes through the same scan, normal form, matcher, guards, edits
//! and negotiation as in the runtime (`semantics`), and the answers that generated code holds as constants come from [`crate::answer`], as `emit`'s do.
//! Files of a root are named, not read. Left out of every answer, as only the running engine knows them: `date` and `connection`.

mod act;
mod answered;
mod decide;
mod forwarded;
mod guard;
mod parts;
mod request;
mod root;
mod seen;
mod walk;

use std::net::IpAddr;

use semantics::{
    access::{self, Verdict},
    cidr::Ranges,
    client::Trust,
    head::HeadFault,
    hosts::Hosts,
    negotiate::Coding,
};

pub use self::{
    forwarded::{Forwarded, Reply},
    request::{Request, RequestFault},
    root::{InRoot, RootSearch},
};
use self::{guard::Search, seen::Lates};
use crate::plan::{AccessId, Plan};

/// What a request comes to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Evaluation {
    /// Why the engine refused the request itself; then there is nothing but its answer.
    pub fault: Option<Fault>,
    /// The client's address, as trusted proxies say.
    pub client: Option<IpAddr>,
    /// The normal form of the host.
    pub host: Option<String>,
    /// Position in [`Plan::vhosts`].
    pub vhost: Option<usize>,
    /// The vhost sends it to its canonical host, before it looks for a route.
    pub is_sent_to_canonical_host: bool,
    /// The route that had it matched once more.
    pub rewritten: Option<Matched>,
    /// By which the answer came about.
    pub matched: Matched,
    pub outcome: Outcome,
}

/// One matching of the request against the routes of its vhost.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Matched {
    /// The normal form of the path.
    pub path: Option<String>,
    /// Routes whose pattern took the path and that were passed over, in the order of decision.
    pub tried: Vec<Tried>,
    /// Position in the routes of the vhost; none where the vhost answers (404, 405).
    pub route: Option<usize>,
    /// Texts of the route's parameters, in the order of its pattern, and of the groups of its regexes.
    pub parameters: Vec<String>,
    /// Why its action does not come to be asked.
    pub stop: Option<Stop>,
    /// What led to the action that answers, the outer one first.
    pub taken: Vec<Branch>,
    /// The embedded file that answers, by its path below its directory.
    pub file: Option<String>,
}

/// One of the actions in an action.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Branch {
    /// The intercept of that position holds for the upstream's reply.
    Intercept(usize),
    /// That of `miss`: there is no file.
    Miss,
    /// The share of that position.
    Share(usize),
}

/// What answers before a route's action.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stop {
    /// 403: this list of the route does not let the client in.
    Access(AccessId),
    /// 413: `content-length` says more than the route's limit.
    BodyTooLarge,
    /// 400: the path has an encoded separator, and the route does not take them.
    EncodedSeparator,
    /// 204: a browser asks first.
    Preflight,
    /// 400 or 500: the request can't be matched once more.
    Rewrite,
    /// 400: what an upstream would be asked for is no request-target.
    Target,
}

/// The engine's refusals.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    /// 400: trusted proxies name two different clients.
    ForwardingContradiction,
    Head(HeadFault),
}

/// A route that was passed over.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Tried {
    /// Position in the routes of the vhost.
    pub route: usize,
    pub reason: PassedOver,
    /// Which of the conditions refused, where the guard is several that must all hold.
    pub condition: Option<usize>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PassedOver {
    /// Its `when` refused.
    Guard,
    /// It does not take the method; its pattern decides all the same.
    Method,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Outcome {
    /// The connection is closed without an answer.
    Abort,
    Answer(Answer),
    /// An endpoint of an upstream is asked.
    Forwarded(Box<Forwarded>),
    /// A file of the host, if it is there. Its answer gets the edits of the route.
    Root(RootSearch),
}

/// An answer without `date` and `connection`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Answer {
    pub status: u16,
    /// Names and values in the order they are sent; bytes that are not UTF-8 are replaced.
    pub fields: Vec<(String, String)>,
    /// As sent: empty for HEAD and where the status has none.
    pub body: Vec<u8>,
    /// What `body` is coded in on its way; it stands here as it is before.
    pub coding: Coding,
    /// Header edits that were not sent because their value had a control byte.
    pub unsent_edits: u32,
}

/// A plan made ready for many requests.
#[derive(Debug)]
pub struct Evaluator<'p> {
    plan: &'p Plan,
    /// Host names as `semantics` wants them, for each table.
    names: Vec<Vec<(&'p str, u16)>>,
    searches: Vec<Search<'p>>,
    /// The rules of each access list.
    access: Vec<Vec<(Verdict, Ranges)>>,
    trusted: Ranges,
    blob: &'p [u8],
}

impl<'p> Evaluator<'p> {
    /// `blob` is that of the plan's trees ([`crate::assets::blob`]); an empty one has no file.
    pub fn new(plan: &'p Plan, blob: &'p [u8]) -> Self {
        let names = plan.hosts.iter().map(|hosts| hosts.names.iter().map(|(name, vhost)| (name.as_str(), *vhost)).collect());
        let rules = plan.access.iter().map(|list| list.rules.iter().map(|rule| (rule.verdict, Ranges::build(&rule.networks))).collect());
        Self {
            plan,
            names: names.collect(),
            searches: plan.regexes.iter().map(Search::new).collect(),
            access: rules.collect(),
            trusted: plan.trusted_proxies.as_ref().map(|trusted| Ranges::build(&trusted.networks)).unwrap_or_default(),
            blob,
        }
    }

    /// Evaluates one request.
    pub fn evaluate(&self, request: &Request) -> Evaluation {
        let lates = Lates::new(self.plan, &request.late);
        request::with_head(request, self, |arrived| match arrived {
            Ok(arrived) => walk::evaluation(self, request, &lates, arrived),
            Err((fault, is_head)) => walk::refusal(self.plan, fault, is_head),
        })
    }

    /// By the table of the request's listener; one that the plan does not have is taken for the first.
    fn vhost(&self, listener: usize, host: &str) -> Option<usize> {
        let table = usize::from(self.plan.listener_hosts.get(listener).copied().unwrap_or_default());
        let (hosts, names) = (self.plan.hosts.get(table)?, self.names.get(table)?);
        Hosts { seed: hosts.seed, slots: &hosts.slots, names, default: hosts.default }.find(host).map(usize::from)
    }

    fn trust(&self) -> Option<Trust<'_>> {
        let fields = self.plan.trusted_proxies.as_ref()?.fields.value;
        Some(Trust { networks: self.trusted.networks(), fields })
    }

    fn is_let_in(&self, list: AccessId, client: IpAddr) -> bool {
        let rules = &self.access[list.0 as usize];
        let rules: Vec<_> = rules.iter().map(|(verdict, ranges)| access::Rule { verdict: *verdict, networks: ranges.networks() }).collect();
        access::allows(&[access::List { rules: &rules }], client)
    }
}

/// Evaluates one request; for many, make an [`Evaluator`].
pub fn evaluate(plan: &Plan, request: &Request, blob: &[u8]) -> Evaluation {
    Evaluator::new(plan, blob).evaluate(request)
}

impl Fault {
    /// The status of its answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::ForwardingContradiction => 400,
            Self::Head(fault) => fault.status(),
        }
    }
}
