//! `kiln explain`: how one request is decided and answered, step by step, with the line of the site file behind each step.

mod matched;
mod mismatch;
mod rows;

use semantics::{files::Asked, head::HeadFault, negotiate::Coding};

use self::rows::Rows;
use crate::{
    answer,
    dump::{
        policies, upstream,
        words::{self, Words},
    },
    evaluate::{Answer, Evaluation, Fault, Forwarded, Outcome, Request, RootSearch, evaluate},
    plan::{EditsId, EncodingId, Plan, Vhost},
};

/// Explains a request; `blob` is that of the plan's trees ([`crate::assets::blob`]).
pub fn explain(plan: &Plan, request: &Request, blob: &[u8]) -> String {
    let evaluation = evaluate(plan, request, blob);
    let mut out = Rows::default();
    match evaluation.fault {
        Some(fault) => out.row("refused", &request.target, refusal(fault)),
        None => decision(plan, request, &evaluation, &mut out),
    }
    outcome(plan, &evaluation.outcome, &mut out);
    out.into_text()
}

const fn refusal(fault: Fault) -> &'static str {
    match fault {
        Fault::ForwardingContradiction => "trusted proxies name two different clients",
        Fault::Head(HeadFault::BadRequest) => "the request is malformed, or its path has no normal form",
        Fault::Head(HeadFault::ExpectationFailed) => "the only expectation that is known is `100-continue`",
        Fault::Head(HeadFault::FieldsTooLarge) => "the head is over its limits",
        Fault::Head(HeadFault::LengthRequired) => "HTTP/1.0 tells a body's end by `content-length` only",
        Fault::Head(HeadFault::NotImplemented) => "the method or the transfer coding is not implemented",
        Fault::Head(HeadFault::UriTooLong) => "the request line is over the limit of the head",
        Fault::Head(HeadFault::VersionNotSupported) => "the version of HTTP is not 1.0 or 1.1",
    }
}

fn decision(plan: &Plan, request: &Request, evaluation: &Evaluation, out: &mut Rows) {
    let first = evaluation.rewritten.as_ref().unwrap_or(&evaluation.matched);
    let path = first.path.as_deref().unwrap_or_default();
    let host = evaluation.host.as_deref().unwrap_or_default();
    let raw = request.target.split('?').next().unwrap_or_default();
    out.row("path", path, &if raw == path { String::new() } else { format!("from {raw}") });
    if let Some(client) = evaluation.client.filter(|client| *client != request.client) {
        out.row("client", &client.to_string(), &format!("as the trusted proxy {} says", request.client));
    }
    if let Some(listener) = plan.listeners.get(request.listener).filter(|_| plan.listeners.len() > 1) {
        out.row("listener", &listener.name, &listener.provenance.full());
    }
    if plan.access_log.is_some() && !is_logged(plan, evaluation) {
        out.row("log", "#false", "kept from the access log");
    }
    let Some(vhost) = evaluation.vhost.map(|vhost| &plan.vhosts[vhost]) else {
        out.row("vhost", "none", &format!("no vhost has the host `{host}`"));
        edits(plan, plan.site_edits, &[], out);
        encoding(plan, plan.site_encoding, out);
        return;
    };
    out.row("vhost", vhost_name(vhost), &vhost.provenance.full());
    if let Some(canonical) = &vhost.canonical_host {
        let remark = if evaluation.is_sent_to_canonical_host { format!("`{host}` is sent there") } else { "yes".to_owned() };
        out.row("canonical", &canonical.host, &remark);
    }
    if evaluation.is_sent_to_canonical_host {
        edits(plan, vhost.edits, &[], out);
        encoding(plan, vhost.encoding, out);
        return;
    }
    let scene = matched::Scene { plan, vhost, request, client: evaluation.client };
    if let Some(first) = &evaluation.rewritten {
        matched::rows(scene, first, out);
        out.row("rewritten", evaluation.matched.path.as_deref().unwrap_or_default(), "matched once more");
    }
    matched::rows(scene, &evaluation.matched, out);
}

/// As the route says that answers, else its vhost, else the site.
fn is_logged(plan: &Plan, evaluation: &Evaluation) -> bool {
    let Some(vhost) = evaluation.vhost.map(|vhost| &plan.vhosts[vhost]) else { return plan.site_is_logged };
    evaluation.matched.route.map_or(vhost.is_logged, |route| vhost.routes[route].is_logged)
}

fn vhost_name(vhost: &Vhost) -> &str {
    vhost.hosts.first().map_or("default", String::as_str)
}

fn edits(plan: &Plan, id: EditsId, parameters: &[Option<String>], out: &mut Rows) {
    edits_of("headers", plan, (id, parameters), out);
}

/// `word` is the policy that they are of.
fn edits_of(word: &'static str, plan: &Plan, (id, parameters): (EditsId, &[Option<String>]), out: &mut Rows) {
    for edit in plan.edits[id.0 as usize].in_order() {
        out.row(word, &Words { plan, parameters }.edit(edit), "");
    }
}

fn encoding(plan: &Plan, id: Option<EncodingId>, out: &mut Rows) {
    if let Some(id) = id {
        out.row("encode", &policies::encoding(&plan.encodings[id.0 as usize]), "");
    }
}

fn outcome(plan: &Plan, told: &Outcome, out: &mut Rows) {
    match told {
        Outcome::Abort => out.row("answer", "none", "the connection is closed"),
        Outcome::Answer(answer) => answered(answer, out),
        Outcome::Forwarded(sent) => forwarded(plan, sent, out),
        Outcome::Root(search) => root(plan, search, out),
    }
}

/// The names that are asked for in order, and what comes where none of them is there.
fn root(plan: &Plan, search: &RootSearch, out: &mut Rows) {
    let directory = words::path(&search.directory);
    let asked = search.asked();
    for (number, (name, asked_for)) in asked.iter().enumerate() {
        let name = words::path(name);
        let text = match asked_for {
            Asked::File => format!("the file {name} below {directory}"),
            Asked::Listing => format!("what {name}/ below {directory} holds"),
            Asked::Slash => format!("308 to the last slash, for {name} below {directory}"),
        };
        let remark = match (&*search.otherwise, number + 1 == asked.len()) {
            (Outcome::Answer(answer), true) => format!("{} if it is not there", answer.status),
            (Outcome::Abort | Outcome::Answer(_) | Outcome::Forwarded(_) | Outcome::Root(_), _) => "if it is there".to_owned(),
        };
        out.row("answer", &text, &remark);
    }
    if !matches!(*search.otherwise, Outcome::Answer(_)) {
        outcome(plan, &search.otherwise, out);
    }
}

/// The upstream, its endpoints, and the head that they get.
fn forwarded(plan: &Plan, sent: &Forwarded, out: &mut Rows) {
    let upstream = &plan.upstreams[usize::from(sent.upstream.0)];
    out.row("answer", &format!("an endpoint of upstream {}", words::path(&upstream.title)), &upstream.provenance.full());
    for endpoint in &upstream.endpoints {
        out.row("endpoint", &upstream::endpoint(plan, endpoint), "");
    }
    let first = sent.heads.first().map(Vec::as_slice).unwrap_or_default();
    let is_same = sent.heads.iter().all(|head| head == first);
    for (number, line) in String::from_utf8_lossy(first).split_terminator("\r\n").filter(|line| !line.is_empty()).enumerate() {
        let (line, remark) = match number {
            0 => (line.to_owned(), if is_same { "" } else { "to the first endpoint" }),
            _ => (format!("  {line}"), ""),
        };
        out.row("sent", &line, remark);
    }
    if sent.unsent_edits > 0 {
        out.row("unsent", &format!("{} edits of the request: the value has a control byte", sent.unsent_edits), "");
    }
    if sent.asks_upgrade {
        out.row("upgrade", "if the endpoint answers 101", "");
    }
    if let Some(answer) = &sent.answer {
        outcome(plan, answer, out);
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
    if answer.coding != Coding::Identity && !answer.body.is_empty() {
        out.row("coded", answer.coding.name(), "the body below is shown as it is before");
    }
    match str::from_utf8(&answer.body) {
        Ok("") => {}
        Ok(text) => out.row("body", &words::body(text), ""),
        Err(_) => out.row("body", &words::rough_size(answer.body.len() as u64), ""),
    }
}
