//! A proxied request: the head that each endpoint would get, and what comes of a reply, where one is known.

use semantics::{
    forward::{self, Hop},
    head::Fields,
    path,
    pattern::Captures,
    reply::{self, Asked},
};

use super::{Outcome, answered::Raw, parts, seen::Seen};
use crate::{
    answer::{self, Prebuilt},
    model::EncodedSlash,
    plan::{Action, EndpointAddress, HostPolicy, Intercept, Intercepted, Intercepting, Proxy, Route, Target, UpstreamId, Value},
};

/// What an upstream gets, and what the client does.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Forwarded {
    pub upstream: UpstreamId,
    /// The head that each of its endpoints would get, in their order: request line, field lines, empty line.
    pub heads: Vec<Vec<u8>>,
    /// The client asks for a protocol that the route lets through.
    pub asks_upgrade: bool,
    /// Edits of the request that are not sent because their value has a control byte.
    pub unsent_edits: u32,
    /// What the client gets, where the request knows what an endpoint replies.
    pub answer: Option<Box<Outcome>>,
}

/// What an endpoint replies.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Reply {
    /// Status line, field lines and the empty line.
    pub head: Vec<u8>,
    /// Without its framing.
    pub body: Vec<u8>,
}

/// What is sent on, without what comes of it; `None`: what would be asked for is no request-target.
pub(super) fn sent(proxy: &Proxy, route: &Route, captures: &Captures, seen: &Seen<'_, '_>) -> Option<Forwarded> {
    let plan = seen.plan();
    let upstream = &plan.upstreams[usize::from(proxy.upstream.0)];
    let template = match &proxy.target {
        Target::Same | Target::Strip(_) => Vec::new(),
        Target::Template(template) => parts::parts(template, seen, captures, 0),
    };
    let upgrades: Vec<_> = proxy.upgrades.iter().map(String::as_str).collect();
    parts::with_edits(&plan.edits[route.request_edits.0 as usize], seen, (captures, 0), |edits| {
        let policy = forward::Policy {
            target: match &proxy.target {
                Target::Same => forward::Target::Same,
                Target::Strip(prefix) => forward::Target::Strip(prefix),
                Target::Template(_) => forward::Target::Template(&template),
            },
            host: match &proxy.host.value {
                HostPolicy::Endpoint => forward::HostPolicy::Endpoint,
                HostPolicy::Literal(host) => forward::HostPolicy::Literal(host),
                HostPolicy::Preserve => forward::HostPolicy::Preserve,
            },
            edits,
            is_raw: route.encoded_slash == EncodedSlash::Raw,
            upgrades: &upgrades,
        };
        let (subject, trust) = (seen.subject(captures, 0), seen.evaluator.trust());
        let mut forwarded = Forwarded { upstream: proxy.upstream, heads: Vec::new(), asks_upgrade: false, unsent_edits: 0, answer: None };
        for endpoint in &upstream.endpoints {
            let hop = Hop {
                endpoint: &authority(&endpoint.address, seen),
                trust: trust.as_ref(),
                framing: seen.framing,
                expects_continue: seen.expects_continue,
                is_last: upstream.pool.idle_connections.value == 0,
            };
            let mut head = Vec::new();
            let said = forward::head(&policy, &subject, &hop, &mut head).ok()?;
            (forwarded.asks_upgrade, forwarded.unsent_edits) = (said.asks_upgrade, said.unsent);
            forwarded.heads.push(head);
        }
        Some(forwarded)
    })
}

/// How a Host field names the endpoint.
fn authority(address: &EndpointAddress, seen: &Seen<'_, '_>) -> String {
    let text = match address {
        EndpointAddress::Known(address) => return address.to_string(),
        EndpointAddress::Late(id) => seen.lates.text(*id),
        EndpointAddress::Unix(_) => "unix:",
    };
    if text.starts_with("unix:") { "localhost".to_owned() } else { text.to_owned() }
}

/// 502: what an endpoint has said is in doubt.
const FRAMING: Raw = Raw::OwnFault(502, "upstream-framing");

/// What a reply comes to.
pub(super) enum Replied<'p> {
    /// Another action answers.
    Action(&'p Action),
    /// The file of that path below that directory.
    Named(String, String),
    Raw(Raw),
}

/// What is answered instead of a reply, and by which intercept; the reply itself where none of them holds.
pub(super) fn replied<'p>(
    (proxy, route): (&'p Proxy, &Route),
    given: &Reply,
    captures: &Captures,
    seen: &Seen<'_, '_>,
) -> (Option<usize>, Replied<'p>) {
    let mut table = Vec::new();
    let asked = Asked { method: seen.head.method, upgrade: None };
    let scanned = reply::scan(&given.head, reply::LIMITS, asked, &mut table);
    let received = Fields::new(&given.head, &table);
    let status = scanned.as_ref().ok().and_then(Option::as_ref).map_or(502, |scanned| scanned.status);
    let holds = |intercept: &Intercept| match &intercept.when {
        Intercepting::Header(name) => received.all(name).next().is_some(),
        Intercepting::Statuses(statuses) => statuses.contains(&status),
    };
    if let Some(position) = proxy.intercepts.iter().position(holds) {
        return (Some(position), instead(&proxy.intercepts[position], status, received, seen));
    }
    let Ok(Some(scanned)) = scanned else { return (None, Replied::Raw(FRAMING)) };
    let mut head = Vec::new();
    let edits = &seen.plan().edits[route.upstream_edits.0 as usize];
    parts::with_edits(edits, seen, (captures, status), |edits| {
        reply::append(&scanned, received, edits, &seen.subject(captures, status), &mut head)
    });
    (None, Replied::Raw(Raw::Answer(Prebuilt { status, head, body: given.body.clone() })))
}

fn instead<'p>(intercept: &'p Intercept, status: u16, received: Fields<'_>, seen: &Seen<'_, '_>) -> Replied<'p> {
    match (&intercept.then, &intercept.when) {
        (Intercepted::Accel { root }, Intercepting::Header(name)) => {
            let (mut room, value) = (Vec::new(), received.all(name).next().unwrap_or_default());
            let raw = value.split(|&byte| byte == b'?').next().unwrap_or_default();
            let Ok(path) = path::normalize(raw, &mut room) else { return Replied::Raw(FRAMING) };
            let directory = match root {
                Value::Late(id) => seen.lates.text(*id),
                Value::Text(directory) => directory,
            };
            Replied::Named(directory.to_owned(), path.text.trim_start_matches('/').to_owned())
        }
        (Intercepted::Accel { .. }, Intercepting::Statuses(_)) => unreachable!("a field names the file"),
        (Intercepted::Action(continuation), _) => Replied::Action(&continuation.action),
        (Intercepted::Page(page), _) => Replied::Raw(Raw::Answer(answer::page_of(status, &page.content_type, &page.body))),
    }
}
