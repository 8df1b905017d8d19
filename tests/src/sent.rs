//! What goes through to upstreams: each reader says what it sends on, and is told what an echo replies to that.

use kiln::{
    evaluate::{Evaluator, Forwarded, Outcome, Reply},
    model::Site,
    plan::{EndpointAddress, LateSource, Plan},
};
use reference::{
    Answer, Request, World,
    forward::{Line, Sent},
};

use crate::{
    echo::Received,
    oracle::{Evaluated, evaluator_request, reply_of},
};

/// Upstreams that one request goes to, one after the other: an intercept may ask a second one.
const HOPS_MAX: usize = 4;

/// What an endpoint got, and its name: the variable that says where it is.
#[derive(Clone, Debug, Default)]
pub struct Hop {
    pub endpoint: String,
    pub received: Received,
}

impl Hop {
    fn reply(&self) -> Reply {
        let [head, body] = self.received.answer(&self.endpoint);
        Reply { head, body }
    }

    fn answer(&self) -> Answer {
        let Reply { head, body } = self.reply();
        let Line { line, fields } = line(&head);
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("an echo has a status");
        Answer { status, fields, body }
    }
}

/// Asks the evaluator, and tells it what was replied to each hop; to those that are not known, what an echo would.
pub fn evaluated(evaluator: &Evaluator<'_>, request: &Request, world: &World, hops: &[Hop]) -> Evaluated {
    let mut asked = evaluator_request(request, world);
    loop {
        let outcome = evaluator.evaluate(&asked).outcome;
        let mut sent = Vec::new();
        let is_waiting = follow(&outcome, &mut sent);
        let sent: Vec<Forwarded> = sent.into_iter().map(|forwarded| Forwarded { answer: None, ..forwarded.clone() }).collect();
        if !is_waiting {
            return Evaluated { reply: reply_of(&outcome), sent };
        }
        assert!(asked.replies.len() < HOPS_MAX, "{request:?} goes from upstream to upstream");
        let number = asked.replies.len();
        let unknown = || Hop {
            received: Received { head: sent[number].heads[0].clone(), body: request.body(), ..Received::default() },
            ..Hop::default()
        };
        asked.replies.push(hops.get(number).cloned().unwrap_or_else(unknown).reply());
    }
}

/// Collects what is sent on, also where a root has no file; whether the last of it waits for a reply.
fn follow<'o>(outcome: &'o Outcome, sent: &mut Vec<&'o Forwarded>) -> bool {
    match outcome {
        Outcome::Abort | Outcome::Answer(_) => false,
        Outcome::Forwarded(forwarded) => {
            sent.push(forwarded);
            forwarded.answer.as_ref().is_none_or(|answer| follow(answer, sent))
        }
        Outcome::Root(search) => follow(&search.otherwise, sent),
    }
}

/// Asks the reference in the same way.
pub fn referred(site: &Site, request: &Request, world: &World, hops: &[Hop]) -> reference::Outcome {
    let mut request = Request { replies: Vec::new(), ..request.clone() };
    loop {
        let outcome = reference::answer(site, &request, world);
        let number = request.replies.len();
        let Some(sent) = outcome.sent.get(number) else { return outcome };
        assert!(number < HOPS_MAX, "{request:?} goes from upstream to upstream");
        let unknown =
            || Hop { received: Received { head: sent.requests[0].head(), body: request.body(), ..Received::default() }, ..Hop::default() };
        let reply = hops.get(number).cloned().unwrap_or_else(unknown).answer();
        request.replies.push(reply);
    }
}

/// What is different between what reference and evaluator send on.
pub fn difference(referred: &[Sent], evaluated: &[Forwarded]) -> Option<String> {
    let evaluated = evaluated.iter().map(|forwarded| {
        let requests = forwarded.heads.iter().map(|head| line(head)).collect();
        sorted(Sent { upstream: forwarded.upstream.0.into(), requests })
    });
    let evaluated: Vec<Sent> = evaluated.collect();
    let referred: Vec<Sent> = referred.iter().cloned().map(sorted).collect();
    (referred != evaluated).then(|| format!("expected to be sent on: {referred:?}, is: {evaluated:?}"))
}

/// What is wrong with what endpoints got: one of the upstream's must have got exactly the head that the evaluator says.
pub fn missed(plan: &Plan, evaluated: &[Forwarded], hops: &[Hop]) -> Option<String> {
    if evaluated.len() < hops.len() {
        return Some(format!("sent on more than is evaluated: {hops:?}"));
    }
    let is_right = |(hop, forwarded): (&Hop, &Forwarded)| {
        let endpoints = &plan.upstreams[usize::from(forwarded.upstream.0)].endpoints;
        let is_this = |address: &EndpointAddress| match address {
            EndpointAddress::Known(_) | EndpointAddress::Unix(_) => false,
            EndpointAddress::Late(id) => {
                matches!(&plan.lates[id.0 as usize].source, LateSource::Env { name, .. } if *name == hop.endpoint)
            }
        };
        let at = endpoints.iter().position(|endpoint| is_this(&endpoint.address));
        at.is_some_and(|at| forwarded.heads[at] == hop.received.head)
    };
    let wrong = hops.iter().zip(evaluated).position(|pair| !is_right(pair))?;
    let heads: Vec<_> = evaluated[wrong].heads.iter().map(|head| String::from_utf8_lossy(head).into_owned()).collect();
    let Hop { endpoint, received } = &hops[wrong];
    Some(format!("{endpoint} got {:?}, evaluated for each endpoint: {heads:?}", String::from_utf8_lossy(&received.head)))
}

/// A head as the reference tells of one: names in lower case, no white space around values.
fn line(head: &[u8]) -> Line {
    let text = String::from_utf8_lossy(head).into_owned();
    let mut lines = text.split("\r\n");
    let line = lines.next().unwrap_or_default().to_owned();
    let pairs = lines.filter_map(|line| line.split_once(':'));
    let fields = pairs.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
    Line { line, fields }
}

fn sorted(mut sent: Sent) -> Sent {
    for request in &mut sent.requests {
        // White space around a value is not part of it; a template may render some.
        request.fields.iter_mut().for_each(|(_, value)| *value = value.trim().to_owned());
        request.fields.sort_by(|a, b| a.0.cmp(&b.0));
    }
    sent
}
