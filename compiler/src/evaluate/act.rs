//! What the chosen route does: the same answers as its handler in generated code, with the edits of its scope.

use semantics::{
    blob,
    files::{self, Selected},
    head::Head,
    method::Method,
    pattern::Captures,
    status::may_have_body,
    template::{self, Place, Subject},
};

use super::{Answer, Evaluation, Evaluator, Fault, Outcome, decide, decide::Decision, parts};
use crate::{
    answer::{self, Prebuilt},
    plan::{Action, EditsId, EncodedSlash, Part, Plan, Route},
};

/// An answer before its edits.
enum Raw {
    Abort,
    Answer(Prebuilt),
    Root { directory: String, name: String },
}

/// The engine's own answer, which no edits touch.
pub(super) fn refusal(fault: Fault, is_head: bool) -> Evaluation {
    let builtin = answer::builtin(fault.status());
    let body = if is_head { Vec::new() } else { builtin.body.clone() };
    let answer = Answer { status: builtin.status, fields: fields(builtin.fields()), body, unsent_edits: 0 };
    Evaluation {
        fault: Some(fault),
        path: None,
        host: None,
        vhost: None,
        tried: Vec::new(),
        route: None,
        parameters: Vec::new(),
        outcome: Outcome::Answer(answer),
    }
}

/// Vhost, route and answer for a head that the engine accepts.
pub(super) fn evaluation(evaluator: &Evaluator<'_>, head: &Head<'_>) -> Evaluation {
    let plan = evaluator.plan;
    let mut captures = Captures::default();
    let (mut tried, mut route) = (Vec::new(), None);
    let vhost = evaluator.vhost(head.host);
    let (raw, edits) = match vhost.map(|vhost| &plan.vhosts[vhost]) {
        None => (Raw::Answer(answer::builtin(421)), plan.site_edits),
        Some(vhost) => {
            let (decision, passed_over) = decide::decide(vhost, head);
            tried = passed_over;
            match decision {
                Decision::Methods(methods) => (Raw::Answer(answer::method_not_allowed(methods)), vhost.edits),
                Decision::None => (Raw::Answer(answer::builtin(404)), vhost.edits),
                Decision::Route(number, found) => {
                    (route, captures) = (Some(number), found);
                    let chosen = &vhost.routes[number];
                    (act(evaluator, chosen, &Seen { head, captures: &captures }), chosen.edits)
                }
            }
        }
    };
    Evaluation {
        fault: None,
        path: Some(head.path.text.to_owned()),
        host: Some(head.host.to_owned()),
        vhost,
        tried,
        route,
        parameters: (0..captures.count()).map(|index| captures.get(index, head.path.text).to_owned()).collect(),
        outcome: outcome(plan, raw, edits, &Seen { head, captures: &captures }),
    }
}

/// The request as a handler sees it.
struct Seen<'s> {
    head: &'s Head<'s>,
    captures: &'s Captures,
}

impl<'s> Seen<'s> {
    const fn subject(&self, status: u16) -> Subject<'s> {
        Subject { head: self.head, captures: self.captures, status }
    }
}

fn outcome(plan: &Plan, raw: Raw, edits: EditsId, seen: &Seen<'_>) -> Outcome {
    let prebuilt = match raw {
        Raw::Abort => return Outcome::Abort,
        Raw::Answer(prebuilt) => prebuilt,
        Raw::Root { directory, name } => return Outcome::Root { directory, name },
    };
    let mut out = Vec::new();
    let subject = seen.subject(prebuilt.status);
    let unsent_edits = parts::apply(&plan.edits[edits.0 as usize], prebuilt.fields(), &subject, &mut out);
    let has_body = seen.head.method != Method::HEAD && may_have_body(prebuilt.status);
    let body = if has_body { prebuilt.body } else { Vec::new() };
    Outcome::Answer(Answer { status: prebuilt.status, fields: fields(&out), body, unsent_edits })
}

fn act(evaluator: &Evaluator<'_>, route: &Route, seen: &Seen<'_>) -> Raw {
    if is_separator_refused(route, seen.head) {
        return Raw::Answer(answer::builtin(400));
    }
    match &route.action {
        Action::Abort => Raw::Abort,
        Action::Embed { embed } => match wanted(route, &evaluator.plan.embeds[embed.0 as usize].index, seen) {
            Wanted::Absent => Raw::Answer(answer::builtin(404)),
            Wanted::Name(name) => Raw::Answer(embedded(&blob::Tree::new(evaluator.blob, embed.0), &name, seen)),
            Wanted::Slash => Raw::Answer(slash_redirect(seen)),
        },
        Action::Redirect { target, status, drops_query } => Raw::Answer(redirect(target, *status, *drops_query, seen)),
        Action::Refuse { status } => Raw::Answer(answer::builtin(*status)),
        Action::Respond { status, body, content_type } => Raw::Answer(respond(*status, body, content_type.as_deref(), seen)),
        Action::Root { directory, index } => match wanted(route, index, seen) {
            Wanted::Absent => Raw::Answer(answer::builtin(404)),
            Wanted::Name(name) => Raw::Root { directory: directory.clone(), name: String::from_utf8_lossy(&name).into_owned() },
            Wanted::Slash => Raw::Answer(slash_redirect(seen)),
        },
    }
}

/// An escaped separator can hide in a parameter alone; files read `%5C` as part of a name, and never take `%2F`.
fn is_separator_refused(route: &Route, head: &Head<'_>) -> bool {
    let is_file = matches!(route.action, Action::Embed { .. } | Action::Root { .. });
    match route.encoded_slash {
        _ if route.parameters.is_empty() => false,
        _ if is_file => head.path.has_encoded_slash,
        EncodedSlash::Keep | EncodedSlash::Raw => false,
        EncodedSlash::Refuse => head.path.has_encoded_slash || head.path.has_encoded_backslash,
    }
}

/// What a request asks a tree or a root for.
enum Wanted {
    Absent,
    /// Decoded and relative, the index named.
    Name(Vec<u8>),
    Slash,
}

/// The name below the pattern's rest; the whole path where it has none.
fn wanted(route: &Route, index: &str, seen: &Seen<'_>) -> Wanted {
    let path = seen.head.path.text;
    let has_rest = route.pattern.ends_with('*') || route.pattern.ends_with("*}");
    let below = match has_rest {
        true if seen.captures.is_bare_prefix() => return Wanted::Slash,
        true => seen.captures.get(route.parameters.len().saturating_sub(1), path),
        false => path.strip_prefix('/').unwrap_or_default(),
    };
    let mut name = Vec::new();
    if files::name(below, index, &mut name) { Wanted::Name(name) } else { Wanted::Absent }
}

fn embedded(tree: &blob::Tree<'_>, name: &[u8], seen: &Seen<'_>) -> Prebuilt {
    match files::select(tree, name, seen.head) {
        Selected::Absent => answer::builtin(404),
        Selected::Directory => slash_redirect(seen),
        Selected::Full(asset, coding) => Prebuilt { status: 200, head: asset.head(coding).to_vec(), body: asset.body(coding).to_vec() },
        Selected::NotModified(asset, coding) => Prebuilt { status: 304, head: asset.not_modified(coding).to_vec(), body: Vec::new() },
        Selected::PreconditionFailed => answer::builtin(412),
    }
}

fn slash_redirect(seen: &Seen<'_>) -> Prebuilt {
    let mut location = Vec::new();
    files::slash_location(seen.head, &mut location);
    answer::redirect(308, &location)
}

fn redirect(target: &[Part], status: u16, drops_query: bool, seen: &Seen<'_>) -> Prebuilt {
    let mut location = Vec::new();
    if !template::location(&parts::parts(target), &seen.subject(status), drops_query, &mut location) {
        return answer::builtin(400);
    }
    answer::redirect(status, &location)
}

fn respond(status: u16, body: &[Part], content_type: Option<&str>, seen: &Seen<'_>) -> Prebuilt {
    match body {
        [] => answer::respond(status, b"", content_type),
        [Part::Text(text)] => answer::respond(status, text.as_bytes(), content_type),
        parts => {
            let mut text = Vec::new();
            template::render(&parts::parts(parts), &seen.subject(status), Place::Value, &mut text);
            answer::respond(status, &text, content_type.or(Some(answer::TEXT)))
        }
    }
}

/// Field lines as names and values.
fn fields(lines: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(lines);
    let pairs = text.split_terminator("\r\n").filter_map(|line| line.split_once(": ").or_else(|| line.split_once(':')));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
