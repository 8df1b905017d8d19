//! The way of a request through its vhost, in the order of generated code: canonical host, route, encoded separators, CORS preflight, access, body, action;
//! and once more from the route on where it is rewritten.

use std::net::IpAddr;

use semantics::{
    cors::Kind,
    head::{Framing, Head, Scheme},
    method::Methods,
    negotiate::Coding,
    pattern::Captures,
    rewrite::{self, Room},
};

use super::{
    Answer, Branch, Evaluation, Evaluator, Fault, Matched, Outcome, Request, RootSearch, Stop,
    act::{self, Acted},
    answered::{self, Raw, Scope, outcome},
    decide::{self, Decision},
    forwarded::{self, Replied},
    parts,
    request::Arrived,
    seen::{Lates, Seen},
};
use crate::{
    answer,
    plan::{Action, EncodedSlash, Part, Plan, Proxy, Route, Vhost},
};

/// The engine's own answer, which no edits touch.
pub(super) fn refusal(plan: &Plan, fault: Fault, is_head: bool) -> Evaluation {
    let page = plan.site_errors.and_then(|id| plan.errors[id.0 as usize].page(fault.status()));
    let own = answer::own(fault.status(), page, None);
    let body = if is_head { Vec::new() } else { own.body.clone() };
    let answer = Answer { status: own.status, fields: answered::fields(own.fields()), body, coding: Coding::Identity, unsent_edits: 0 };
    Evaluation { fault: Some(fault), ..Evaluation::of(Outcome::Answer(answer)) }
}

/// Vhost, route and answer for a head that the engine accepts.
pub(super) fn evaluation<'p>(evaluator: &Evaluator<'p>, request: &Request, lates: &Lates<'p>, arrived: Arrived<'_, '_>) -> Evaluation {
    let Arrived { head, framing, expects_continue } = arrived;
    let seen = Seen { evaluator, lates, head, framing, expects_continue, replies: &request.replies };
    let vhost = evaluator.vhost(request.listener, head.host);
    let mut evaluation = Evaluation {
        client: Some(head.client),
        host: Some(head.host.to_owned()),
        vhost,
        matched: Matched::of(head),
        ..Evaluation::of(Outcome::Abort)
    };
    let plan = evaluator.plan;
    evaluation.outcome = match vhost.map(|vhost| &plan.vhosts[vhost]) {
        None => {
            let scope = Scope { edits: plan.site_edits, errors: plan.site_errors, cors: None, encoding: plan.site_encoding };
            outcome(Raw::Own(421), scope, &Captures::default(), &seen)
        }
        Some(vhost) => match &vhost.canonical_host {
            Some(canonical) if head.host != canonical.host => {
                evaluation.is_sent_to_canonical_host = true;
                let location = canonical_location(&canonical.host, head);
                let raw = Raw::Answer(answer::redirect(canonical.status.value, location));
                outcome(raw, Scope::of_vhost(vhost), &Captures::default(), &seen)
            }
            Some(_) | None => vhost_outcome(vhost, &seen, &mut evaluation),
        },
    };
    evaluation
}

/// Same scheme, the port that was sent with the host, path and query in normal form; `OPTIONS *` asks for no path.
fn canonical_location(host: &str, head: &Head<'_>) -> String {
    let scheme = match head.scheme {
        Scheme::Http => "http",
        Scheme::Https => "https",
    };
    let port = head.port.map(|port| format!(":{port}")).unwrap_or_default();
    let path = if head.path.text == "*" { "/" } else { head.path.text };
    let query = head.query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("{scheme}://{host}{port}{path}{query}")
}

fn vhost_outcome(vhost: &Vhost, seen: &Seen<'_, '_>, evaluation: &mut Evaluation) -> Outcome {
    let (decision, tried) = decide::decide(vhost, seen);
    evaluation.matched.tried = tried;
    let scope = Scope::of_vhost(vhost);
    match decision {
        Decision::Methods(methods) => outcome(Raw::OwnMethods(methods), scope, &Captures::default(), seen),
        Decision::None => outcome(Raw::Own(404), scope, &Captures::default(), seen),
        Decision::Route(number, captures) => {
            let path = seen.head.path.text;
            evaluation.matched.route = Some(number);
            evaluation.matched.parameters = (0..captures.count()).map(|index| captures.get(index, path).to_owned()).collect();
            route_outcome((vhost, &vhost.routes[number]), &captures, seen, evaluation)
        }
    }
}

fn route_outcome((vhost, route): (&Vhost, &Route), captures: &Captures, seen: &Seen<'_, '_>, evaluation: &mut Evaluation) -> Outcome {
    let scope = Scope::of_route(route);
    if is_separator_refused(route, seen.head) {
        evaluation.matched.stop = Some(Stop::EncodedSeparator);
        return outcome(Raw::Own(400), scope, captures, seen);
    }
    let scope = scope.shared(route.cors);
    let stop = checked(route, seen);
    evaluation.matched.stop = stop.map(|(stop, _)| stop);
    if let Some((_, raw)) = stop {
        return outcome(raw(), scope, captures, seen);
    }
    action_outcome((vhost, route), &route.action, (scope, captures, seen), evaluation)
}

/// What an action of the route comes to, or the one of its shares, or that of its miss.
fn action_outcome(
    (vhost, route): (&Vhost, &Route),
    action: &Action,
    (scope, captures, seen): (Scope, &Captures, &Seen<'_, '_>),
    evaluation: &mut Evaluation,
) -> Outcome {
    let (action, shares) = act::shared(action, captures, seen);
    evaluation.matched.taken.extend(shares.into_iter().map(Branch::Share));
    match action {
        Action::Proxy(proxy) => return proxied((vhost, route), proxy, (scope, captures, seen), evaluation),
        Action::Rewrite { target } => return restarted(vhost, target, (scope, captures, seen), evaluation),
        Action::Abort
        | Action::Embed { .. }
        | Action::Redirect { .. }
        | Action::Refuse { .. }
        | Action::Respond { .. }
        | Action::Root { .. }
        | Action::Split { .. } => {}
    }
    let missed = |evaluation: &mut Evaluation| match action.miss() {
        None => outcome(Raw::Own(404), scope, captures, seen),
        Some(miss) => {
            evaluation.matched.taken.push(Branch::Miss);
            action_outcome((vhost, route), &miss.action, (scope, captures, seen), evaluation)
        }
    };
    if action.miss().is_some() && !Methods::GET_HEAD.contains(seen.head.method) {
        return missed(evaluation);
    }
    match act::act(action, route, captures, seen) {
        Acted::Answered(raw) => outcome(raw, scope, captures, seen),
        Acted::File(raw, name) => {
            evaluation.matched.file = Some(name);
            outcome(raw, scope, captures, seen)
        }
        Acted::Missed => missed(evaluation),
        Acted::Root { directory, rules, below } => {
            // Whether there is a file is not known: what comes otherwise leaves no trace.
            let otherwise = Box::new(missed(&mut evaluation.clone()));
            let search = RootSearch { directory, rules, below, is_named: false, otherwise };
            if search.names().is_empty() { missed(evaluation) } else { Outcome::Root(search) }
        }
    }
}

/// What is sent on, and what the client gets of the next reply, if there is one.
fn proxied(
    (vhost, route): (&Vhost, &Route),
    proxy: &Proxy,
    (scope, captures, seen): (Scope, &Captures, &Seen<'_, '_>),
    evaluation: &mut Evaluation,
) -> Outcome {
    let Some(mut sent) = forwarded::sent(proxy, route, captures, seen) else {
        evaluation.matched.stop = Some(Stop::Target);
        return outcome(Raw::Own(400), scope, captures, seen);
    };
    let Some((reply, replies)) = seen.replies.split_first() else { return Outcome::Forwarded(Box::new(sent)) };
    let seen = &Seen { replies, ..*seen };
    let (position, replied) = forwarded::replied((proxy, route), reply, captures, seen);
    evaluation.matched.taken.extend(position.map(Branch::Intercept));
    let answer = match replied {
        Replied::Action(action) => action_outcome((vhost, route), action, (scope, captures, seen), evaluation),
        Replied::Named(directory, below) => {
            let otherwise = Box::new(outcome(Raw::Own(404), scope, captures, seen));
            Outcome::Root(RootSearch::named(directory, below, otherwise))
        }
        Replied::Raw(raw) => outcome(raw, scope, captures, seen),
    };
    sent.answer = Some(Box::new(answer));
    Outcome::Forwarded(Box::new(sent))
}

/// What the request comes to with another path.
fn restarted(
    vhost: &Vhost,
    target: &[Part],
    (scope, captures, seen): (Scope, &Captures, &Seen<'_, '_>),
    evaluation: &mut Evaluation,
) -> Outcome {
    match rewritten(target, captures, seen, evaluation) {
        Err(status) => {
            evaluation.matched.stop = Some(Stop::Rewrite);
            outcome(Raw::Own(status), scope, captures, seen)
        }
        Ok((path, query)) => {
            let mut room = Vec::new();
            let path = semantics::path::normalize(path.as_bytes(), &mut room).expect("a path in normal form has one");
            let head = Head { path, query: query.as_deref(), ..*seen.head };
            evaluation.rewritten = Some(std::mem::replace(&mut evaluation.matched, Matched::of(&head)));
            vhost_outcome(vhost, &Seen { head: &head, ..*seen }, evaluation)
        }
    }
}

/// Path and query of the next matching, or the status of the refusal.
fn rewritten(target: &[Part], captures: &Captures, seen: &Seen<'_, '_>, evaluation: &Evaluation) -> Result<(String, Option<String>), u16> {
    let mut room = Room::default();
    let before = u8::from(evaluation.rewritten.is_some());
    let parts = parts::parts(target, seen, captures, 0);
    let found = rewrite::rewrite(&parts, &seen.subject(captures, 0), before, &mut room).map_err(rewrite::RewriteFault::status)?;
    Ok((found.path.text.to_owned(), found.query.map(str::to_owned)))
}

/// What keeps the request from the route's action, and the answer.
fn checked(route: &Route, seen: &Seen<'_, '_>) -> Option<(Stop, fn() -> Raw)> {
    if route.cors.is_some() && answered::kind(seen) == Kind::Preflight {
        return Some((Stop::Preflight, || Raw::Answer(answer::preflight())));
    }
    let client: IpAddr = seen.head.client;
    if let Some(list) = route.access.iter().find(|list| !seen.evaluator.is_let_in(**list, client)) {
        return Some((Stop::Access(*list), || Raw::Own(403)));
    }
    if matches!(seen.framing, Framing::Length(bytes) if bytes > route.body_limit.value) {
        return Some((Stop::BodyTooLarge, || Raw::Own(413)));
    }
    None
}

/// Files read `%5C` as part of a name.
fn is_separator_refused(route: &Route, head: &Head<'_>) -> bool {
    let is_file = route.action.is_files();
    match route.encoded_slash {
        EncodedSlash::Keep | EncodedSlash::Raw => false,
        EncodedSlash::Refuse => head.path.has_encoded_slash || (head.path.has_encoded_backslash && !is_file),
    }
}

impl Evaluation {
    fn of(outcome: Outcome) -> Self {
        Self {
            fault: None,
            client: None,
            host: None,
            vhost: None,
            is_sent_to_canonical_host: false,
            rewritten: None,
            matched: Matched::default(),
            outcome,
        }
    }
}

impl Matched {
    fn of(head: &Head<'_>) -> Self {
        Self { path: Some(head.path.text.to_owned()), ..Self::default() }
    }
}
