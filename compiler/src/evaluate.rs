//! The plan's evaluator: what the binary of a plan answers to a request, found out without it.
//!
//! A pure function of plan, request and blob. The request becomes HTTP/1.1 bytes and goes through the same scan, normal form, matcher, guards, edits
//! and negotiation as in the runtime (`semantics`), and the answers that generated code holds as constants come from [`crate::answer`], as `emit`'s do.
//! Files of a root are named, not read. Left out of every answer, as only the running engine knows them: `date` and `connection`.

mod act;
mod decide;
mod guard;
mod parts;
mod request;

use semantics::{head::HeadFault, hosts::Hosts};

pub use self::request::{Request, RequestFault};
use crate::plan::Plan;

/// What a request comes to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Evaluation {
    /// Why the engine refused the request itself; then there is nothing but its answer.
    pub fault: Option<Fault>,
    /// The normal form of the path.
    pub path: Option<String>,
    /// The normal form of the host.
    pub host: Option<String>,
    /// Position in [`Plan::vhosts`].
    pub vhost: Option<usize>,
    /// Routes whose pattern took the path and that were passed over, in the order of decision.
    pub tried: Vec<Tried>,
    /// Position in the routes of the vhost; none where the vhost answers (404, 405).
    pub route: Option<usize>,
    /// Texts of the route's parameters, in the order of its pattern.
    pub parameters: Vec<String>,
    pub outcome: Outcome,
}

/// The engine's refusals.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Fault {
    /// 413: `content-length` says more than the limit.
    BodyTooLarge,
    Head(HeadFault),
}

/// A route that was passed over.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Tried {
    /// Position in the routes of the vhost.
    pub route: usize,
    pub reason: PassedOver,
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
    /// A file of the host, if it is there: `name` is decoded and relative to `directory`. Its answer gets the edits of the route.
    Root {
        directory: String,
        name: String,
    },
}

/// An answer without `date` and `connection`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Answer {
    pub status: u16,
    /// Names and values in the order they are sent; bytes that are not UTF-8 are replaced.
    pub fields: Vec<(String, String)>,
    /// As sent: empty for HEAD and where the status has none.
    pub body: Vec<u8>,
    /// Header edits that were not sent because their value had a control byte.
    pub unsent_edits: u32,
}

/// A plan made ready for many requests.
#[derive(Clone, Debug)]
pub struct Evaluator<'p> {
    plan: &'p Plan,
    /// Host names as `semantics` wants them.
    names: Vec<(&'p str, u16)>,
    blob: &'p [u8],
}

impl<'p> Evaluator<'p> {
    /// `blob` is that of the plan's trees ([`crate::assets::blob`]); an empty one has no file.
    pub fn new(plan: &'p Plan, blob: &'p [u8]) -> Self {
        Self { plan, names: plan.hosts.names.iter().map(|(name, vhost)| (name.as_str(), *vhost)).collect(), blob }
    }

    /// Evaluates one request.
    pub fn evaluate(&self, request: &Request) -> Evaluation {
        request::with_head(request, self.plan, |seen| match seen {
            Ok(head) => act::evaluation(self, head),
            Err((fault, is_head)) => act::refusal(fault, is_head),
        })
    }

    fn vhost(&self, host: &str) -> Option<usize> {
        let hosts = &self.plan.hosts;
        Hosts { seed: hosts.seed, slots: &hosts.slots, names: &self.names, default: hosts.default }.find(host).map(usize::from)
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
            Self::BodyTooLarge => 413,
            Self::Head(fault) => fault.status(),
        }
    }
}
