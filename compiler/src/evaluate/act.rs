//! What an action says: the same answers as its handler in generated code.

use semantics::{
    blob,
    files::{self, InTree, Selected},
    listing,
    partial::{self, Multipart},
    pattern::Captures,
    ranges::{self, Parts, Ranged},
    shares::Shares,
    template::{self, Place},
};

use super::{answered::Raw, parts, seen::Seen};
use crate::{
    answer::{self, Prebuilt},
    plan::{Action, EmbedId, Part, Route, Rules, Value},
};

/// The action that a split comes to, and the positions of the shares that lead there.
pub(super) fn shared<'p>(mut action: &'p Action, captures: &Captures, seen: &Seen<'_, '_>) -> (&'p Action, Vec<usize>) {
    let mut picked = Vec::new();
    while let Action::Split { by, salt, shares } = action {
        let mut key = Vec::new();
        template::render(&parts::parts(by, seen, captures, 0), &seen.subject(captures, 0), Place::Value, &mut key);
        let weights: Vec<_> = shares.iter().map(|share| share.weight).collect();
        let share = Shares { salt, weights: &weights }.pick(&key);
        picked.push(share);
        action = &shares[share].action;
    }
    (action, picked)
}

/// What comes of an action that answers itself.
pub(super) enum Acted {
    Answered(Raw),
    /// An embedded file, by its path below the directory.
    File(Raw, String),
    /// There is no file.
    Missed,
    /// A root would have to be looked at.
    Root {
        directory: String,
        rules: Rules,
        below: Option<String>,
    },
}

pub(super) fn act(action: &Action, route: &Route, captures: &Captures, seen: &Seen<'_, '_>) -> Acted {
    Acted::Answered(match action {
        Action::Abort => Raw::Abort,
        Action::Embed { embed, .. } => return embedded(*embed, below(route, captures, seen), seen),
        Action::Redirect { target, status, drops_query } => redirect(target, status.value, *drops_query, (captures, seen)),
        Action::Refuse { status } => Raw::Own(status.value),
        Action::Respond { status, body, content_type } => {
            Raw::Answer(respond(status.value, body, content_type.as_deref(), (captures, seen)))
        }
        Action::Proxy(_) | Action::Rewrite { .. } | Action::Split { .. } => unreachable!("the caller has followed it"),
        Action::Root { directory, rules, .. } => {
            let directory = match directory {
                Value::Late(id) => seen.lates.text(*id),
                Value::Text(directory) => directory,
            };
            let below = below(route, captures, seen).map(str::to_owned);
            return Acted::Root { directory: directory.to_owned(), rules: rules.clone(), below };
        }
    })
}

/// The path below the pattern's rest; the whole path where it has none. `None`: the bare prefix.
fn below<'s>(route: &Route, captures: &Captures, seen: &Seen<'s, '_>) -> Option<&'s str> {
    let path = seen.head.path.text;
    match route.rest() {
        Some(_) if captures.is_bare_prefix() => None,
        Some(rest) => Some(captures.get(rest, path)),
        None => Some(path.strip_prefix('/').unwrap_or(path)),
    }
}

fn embedded(id: EmbedId, below: Option<&str>, seen: &Seen<'_, '_>) -> Acted {
    let embed = &seen.plan().embeds[id.0 as usize];
    let tree = blob::Tree::new(seen.evaluator.blob, embed.tree);
    let mut name = Vec::new();
    let (asset, is_listing) = match embed.rules.with(|rules| files::in_tree(&tree, rules, below, &mut name)) {
        InTree::File(asset) => (asset, false),
        InTree::Listing => match listing::embedded(&tree, &mut name, seen.head) {
            Some(asset) => (asset, true),
            None => return Acted::Missed,
        },
        InTree::Nothing => return Acted::Missed,
        InTree::Slash => return Acted::Answered(slash_redirect(seen)),
    };
    let raw = match files::select(&asset, seen.head) {
        Selected::Full(form) => full(&form),
        Selected::NotModified(form) => Raw::Stored(Prebuilt { status: 304, head: form.not_modified().to_vec(), body: Vec::new() }),
        Selected::PreconditionFailed => Raw::Own(412),
        Selected::Ranged(form) => match files::ranged(&form, seen.head) {
            Ranged::Parts(parts) => partly(&form, parts),
            Ranged::Unsatisfiable => Raw::OwnUnsatisfiable(form.body().len() as u64),
            Ranged::Whole => full(&form),
        },
    };
    if is_listing { Acted::Answered(raw) } else { Acted::File(raw, String::from_utf8_lossy(&name).into_owned()) }
}

fn full(form: &blob::Form<'_>) -> Raw {
    Raw::Stored(Prebuilt { status: 200, head: form.head().to_vec(), body: form.body().to_vec() })
}

fn partly(form: &blob::Form<'_>, parts: Parts) -> Raw {
    let (full, length, mut head, mut body) = (form.head(), form.body().len() as u64, Vec::new(), Vec::new());
    let bytes = |part: ranges::Part| &form.body()[part.first as usize..=part.last as usize];
    if let Some(part) = parts.single() {
        partial::head(full, part, length, &mut head);
        body.extend_from_slice(bytes(part));
    } else {
        let multipart = Multipart::new(full, parts, length);
        multipart.head(full, &mut head);
        for (text, part) in (0..).map_while(|number| multipart.piece(number)) {
            body.extend_from_slice(text);
            body.extend_from_slice(part.map_or(&[], bytes));
        }
    }
    Raw::Stored(Prebuilt { status: 206, head, body })
}

fn slash_redirect(seen: &Seen<'_, '_>) -> Raw {
    let mut location = Vec::new();
    files::slash_location(seen.head, &mut location);
    Raw::Answer(answer::redirect(308, &location))
}

fn redirect(target: &[Part], status: u16, drops_query: bool, (captures, seen): (&Captures, &Seen<'_, '_>)) -> Raw {
    let mut location = Vec::new();
    let is_written = matches!(target.first(), Some(Part::Text(_)));
    let mut target = parts::parts(target, seen, captures, status);
    if !is_written {
        // The text that a map gave is none that the target begins with.
        target.insert(0, template::Part::Text(""));
    }
    if !template::location(&target, &seen.subject(captures, status), drops_query, &mut location) {
        return Raw::Own(400);
    }
    Raw::Answer(answer::redirect(status, &location))
}

fn respond(status: u16, body: &[Part], content_type: Option<&str>, (captures, seen): (&Captures, &Seen<'_, '_>)) -> Prebuilt {
    match body {
        [] => answer::respond(status, b"", content_type),
        [Part::Text(text)] => answer::respond(status, text.as_bytes(), content_type),
        parts => {
            let mut text = Vec::new();
            let parts = parts::parts(parts, seen, captures, status);
            template::render(&parts, &seen.subject(captures, status), Place::Value, &mut text);
            answer::respond(status, &text, content_type.or(Some(answer::TEXT)))
        }
    }
}
