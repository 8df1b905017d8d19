//! One matching of a request: the routes that were passed over and why, the one that was chosen, and what it checks and does.

use std::net::IpAddr;

use semantics::access::Verdict;

use super::{edits, edits_of, encoding, mismatch, rows::Rows};
use crate::{
    dump::{
        action::{action, encoded_slash, inner},
        policies,
        words::{self, Words},
    },
    evaluate::{Matched, PassedOver, Request, Stop, Tried},
    plan::{AccessId, Action, Guard, Plan, Route, Vhost},
};

/// Patterns that are shown although they do not take the path.
const NEAR_MISSES_MAX: usize = 8;

/// Where and for whom is matched.
#[derive(Clone, Copy)]
pub(super) struct Scene<'p> {
    pub(super) plan: &'p Plan,
    pub(super) vhost: &'p Vhost,
    pub(super) request: &'p Request,
    pub(super) client: Option<IpAddr>,
}

pub(super) fn rows(scene: Scene<'_>, matched: &Matched, out: &mut Rows) {
    let Scene { plan, vhost, .. } = scene;
    mismatches(vhost, matched, out);
    for tried in &matched.tried {
        passed_over(scene, *tried, out);
    }
    match matched.route.map(|route| &vhost.routes[route]) {
        Some(route) => chosen(scene, route, matched, out),
        None => {
            let reason = if matched.tried.iter().any(|tried| tried.reason == PassedOver::Method) { "the method" } else { "the path" };
            out.row("chosen", "none", &format!("no route takes {reason}"));
            edits(plan, vhost.edits, &[], out);
            encoding(plan, vhost.encoding, out);
        }
    }
}

/// Better patterns than the chosen one that came close.
fn mismatches(vhost: &Vhost, matched: &Matched, out: &mut Rows) {
    let path = matched.path.as_deref().unwrap_or_default();
    let decided = matched.route.or_else(|| matched.tried.last().map(|tried| tried.route));
    let position =
        decided.and_then(|route| vhost.patterns.iter().position(|pattern| pattern.routes.iter().any(|number| *number as usize == route)));
    let better = &vhost.patterns[..position.unwrap_or(vhost.patterns.len())];
    let near: Vec<_> = better.iter().filter_map(|pattern| Some((&pattern.text, mismatch::near(&pattern.text, path)?))).collect();
    for (pattern, reason) in near.iter().take(NEAR_MISSES_MAX) {
        out.row("tried", pattern, &format!("no: {reason}"));
    }
    if near.len() > NEAR_MISSES_MAX {
        out.row("tried", &format!("and {} more", near.len() - NEAR_MISSES_MAX), "");
    }
}

fn passed_over(Scene { plan, vhost, request, .. }: Scene<'_>, tried: Tried, out: &mut Rows) {
    let route = &vhost.routes[tried.route];
    let words = Words { plan, parameters: &route.parameters };
    let reason = match (tried.reason, &route.guard, tried.condition) {
        (PassedOver::Guard, Some(Guard::All(guards)), Some(condition)) => format!("not when {}", words.guard(&guards[condition])),
        (PassedOver::Guard, Some(guard), _) => format!("not when {}", words.guard(guard)),
        (PassedOver::Guard, None, _) => "its guard refused".to_owned(),
        (PassedOver::Method, _, _) => format!("takes {}, not {}", words::methods(route.methods), request.method),
    };
    out.row("tried", &route.pattern, &format!("no: {reason}    {}", route.provenance.beside(&vhost.provenance)));
}

fn chosen(scene: Scene<'_>, route: &Route, matched: &Matched, out: &mut Rows) {
    let Scene { plan, vhost, .. } = scene;
    out.row("chosen", &route.pattern, &route.provenance.beside(&vhost.provenance));
    if let Some(guard) = &route.guard {
        out.row("when", &Words { plan, parameters: &route.parameters }.guard(guard), "");
    }
    for (name, value) in route.parameters.iter().zip(&matched.parameters) {
        out.row("parameter", &format!("{{{}}}", name.as_deref().unwrap_or("*")), &words::quoted(value));
    }
    checks(scene, route, matched, out);
    let is_asked = matched.stop.is_none_or(|stop| matches!(stop, Stop::Rewrite | Stop::Target));
    out.row("action", &action(plan, route), if is_asked { "" } else { "not asked" });
    for line in inner(plan, &route.action, &route.parameters) {
        out.row(line.word, &line.text, if matched.taken.starts_with(&line.path) { "this one" } else { "" });
    }
    if let Some(file) = &matched.file {
        out.row("file", &words::path(file), "");
    }
    if is_proxied(&route.action) {
        edits_of("request", plan, (route.request_edits, &route.parameters), out);
        edits_of("upstream", plan, (route.upstream_edits, &route.parameters), out);
    }
    edits(plan, route.edits, &route.parameters, out);
    encoding(plan, route.encoding, out);
}

/// Some request to it may go to an upstream.
fn is_proxied(action: &Action) -> bool {
    matches!(action, Action::Proxy(_)) || action.inner().into_iter().any(is_proxied)
}

fn checks(scene: Scene<'_>, route: &Route, matched: &Matched, out: &mut Rows) {
    let is = |stop: Stop| matched.stop == Some(stop);
    let separators = if is(Stop::EncodedSeparator) { "no: the path has an encoded separator" } else { "" };
    out.row("checks", &encoded_slash(route), separators);
    if let Some(id) = route.cors {
        let verdict = if is(Stop::Preflight) { "a preflight: answered here" } else { "" };
        out.row("checks", &format!("cors {}", policies::cors(&scene.plan.cors[id.0 as usize])), verdict);
    }
    if route.access.is_empty() {
        out.row("checks", "access: none", "");
    }
    for list in &route.access {
        let text = format!("access {}", policies::access(&scene.plan.access[list.0 as usize]));
        out.row("checks", &text, &access(scene, *list));
    }
    let too_large = if is(Stop::BodyTooLarge) { "no: `content-length` says more" } else { "" };
    out.row("checks", &words::body_limit(route), too_large);
    if is(Stop::Rewrite) {
        out.row("checks", "rewrite", "no: the target has no normal form, or the request has been rewritten before");
    }
    if is(Stop::Target) {
        out.row("checks", "target", "no: what the upstream would be asked for is no path in normal form");
    }
}

/// What a list says to the client, and by which of its rules.
fn access(scene: Scene<'_>, list: AccessId) -> String {
    let Some(client) = scene.client else { return String::new() };
    let list = &scene.plan.access[list.0 as usize];
    let (verdict, rule) = list.verdict(client);
    let answer = match verdict {
        Verdict::Allow => "yes",
        Verdict::Refuse => "no",
    };
    match rule {
        Some(rule) => format!("{answer}: rule {} holds {client}", rule + 1),
        None => format!("{answer}: no rule holds {client}"),
    }
}
