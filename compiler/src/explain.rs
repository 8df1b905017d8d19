//! `kiln explain`: how one request is decided and answered, step by step, with the line of the site file behind each step.

mod mismatch;

use semantics::head::HeadFault;

use crate::{
    answer,
    dump::{
        action::{action, encoded_slash},
        words,
    },
    evaluate::{Answer, Evaluation, Fault, Outcome, PassedOver, Request, Tried, evaluate},
    plan::{EditsId, Plan, Route, Vhost},
};

/// Columns, characters: a row's word, its subject, and what is said of it.
const SUBJECT_COLUMN: usize = 10;
const REMARK_COLUMN: usize = 36;
/// Patterns that are shown although they do not take the path.
const NEAR_MISSES_MAX: usize = 8;

/// Explains a request; `blob` is that of the plan's trees ([`crate::assets::blob`]).
pub fn explain(plan: &Plan, request: &Request, blob: &[u8]) -> String {
    let evaluation = evaluate(plan, request, blob);
    let mut out = Rows::default();
    match evaluation.fault {
        Some(fault) => out.row("refused", &request.target, refusal(fault)),
        None => decision(plan, request, &evaluation, &mut out),
    }
    outcome(&evaluation.outcome, &mut out);
    out.text
}

const fn refusal(fault: Fault) -> &'static str {
    match fault {
        Fault::BodyTooLarge => "the body is over the limit",
        Fault::Head(HeadFault::BadRequest) => "the request is malformed, or its path has no normal form",
        Fault::Head(HeadFault::ExpectationFailed) => "the only expectation that is known is `100-continue`",
        Fault::Head(HeadFault::FieldsTooLarge) => "the head is over its limits",
        Fault::Head(HeadFault::NotImplemented) => "the method or the transfer coding is not implemented",
        Fault::Head(HeadFault::UriTooLong) => "the request line is over the limit of the head",
        Fault::Head(HeadFault::VersionNotSupported) => "the version of HTTP is not 1.0 or 1.1",
    }
}

fn decision(plan: &Plan, request: &Request, evaluation: &Evaluation, out: &mut Rows) {
    let path = evaluation.path.as_deref().unwrap_or_default();
    let host = evaluation.host.as_deref().unwrap_or_default();
    let raw = request.target.split('?').next().unwrap_or_default();
    out.row("path", path, &if raw == path { String::new() } else { format!("from {raw}") });
    let Some(vhost) = evaluation.vhost.map(|vhost| &plan.vhosts[vhost]) else {
        out.row("vhost", "none", &format!("no vhost has the host `{host}`"));
        edits(plan, plan.site_edits, &[], out);
        return;
    };
    out.row("vhost", vhost_name(vhost), &vhost.provenance.full());
    mismatches(vhost, evaluation, path, out);
    for tried in &evaluation.tried {
        passed_over(vhost, *tried, request, out);
    }
    match evaluation.route.map(|route| &vhost.routes[route]) {
        Some(route) => chosen(plan, vhost, route, evaluation, out),
        None => {
            let reason = if evaluation.tried.iter().any(|tried| tried.reason == PassedOver::Method) { "the method" } else { "the path" };
            out.row("chosen", "none", &format!("no route takes {reason}"));
            edits(plan, vhost.edits, &[], out);
        }
    }
}

fn vhost_name(vhost: &Vhost) -> &str {
    vhost.hosts.first().map_or("default", String::as_str)
}

/// Better patterns than the chosen one that came close.
fn mismatches(vhost: &Vhost, evaluation: &Evaluation, path: &str, out: &mut Rows) {
    let decided = evaluation.route.or_else(|| evaluation.tried.last().map(|tried| tried.route));
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

fn passed_over(vhost: &Vhost, tried: Tried, request: &Request, out: &mut Rows) {
    let route = &vhost.routes[tried.route];
    let reason = match (tried.reason, &route.guard) {
        (PassedOver::Guard, Some(guard)) => format!("not when {}", words::guard(guard)),
        (PassedOver::Guard, None) => "its guard refused".to_owned(),
        (PassedOver::Method, _) => format!("takes {}, not {}", words::methods(route.methods), request.method),
    };
    out.row("tried", &route.pattern, &format!("no: {reason}    {}", route.provenance.beside(&vhost.provenance)));
}

fn chosen(plan: &Plan, vhost: &Vhost, route: &Route, evaluation: &Evaluation, out: &mut Rows) {
    out.row("chosen", &route.pattern, &route.provenance.beside(&vhost.provenance));
    if let Some(guard) = &route.guard {
        out.row("when", &words::guard(guard), "");
    }
    for (name, value) in route.parameters.iter().zip(&evaluation.parameters) {
        out.row("parameter", &format!("{{{}}}", name.as_deref().unwrap_or("*")), &words::quoted(value));
    }
    out.row("checks", &format!("{}    body <= {}", encoded_slash(route), words::size(plan.limits.body.value)), "");
    out.row("action", &action(plan, route), "");
    edits(plan, route.edits, &route.parameters, out);
}

fn edits(plan: &Plan, id: EditsId, parameters: &[Option<String>], out: &mut Rows) {
    for edit in plan.edits[id.0 as usize].in_order() {
        out.row("headers", &words::edit(edit, parameters), "");
    }
}

fn outcome(outcome: &Outcome, out: &mut Rows) {
    match outcome {
        Outcome::Abort => out.row("answer", "none", "the connection is closed"),
        Outcome::Answer(answer) => answered(answer, out),
        Outcome::Root { directory, name } => out.row("answer", &format!("the file {name} below {directory}"), "404 if it is not there"),
    }
}

fn answered(answer: &Answer, out: &mut Rows) {
    out.row("answer", format!("{} {}", answer.status, answer::reason(answer.status)).trim_end(), "");
    for (name, value) in &answer.fields {
        out.row("answer", &format!("  {name}: {value}"), "");
    }
    if answer.unsent_edits > 0 {
        out.row("unsent", &format!("{} header edits: the value has a control byte", answer.unsent_edits), "");
    }
    match str::from_utf8(&answer.body) {
        Ok("") => {}
        Ok(text) => out.row("body", &words::quoted(text), ""),
        Err(_) => out.row("body", &words::rough_size(answer.body.len() as u64), ""),
    }
}

/// Rows of the same word name it once.
#[derive(Default)]
struct Rows {
    text: String,
    last: &'static str,
}

impl Rows {
    fn row(&mut self, word: &'static str, subject: &str, remark: &str) {
        let shown = if word == self.last { "" } else { word };
        self.last = word;
        let mut line = format!("{shown:SUBJECT_COLUMN$}{subject}");
        if !remark.is_empty() {
            let blanks = REMARK_COLUMN.saturating_sub(line.chars().count()).max(2);
            line.push_str(&" ".repeat(blanks));
            line.push_str(remark);
        }
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}
