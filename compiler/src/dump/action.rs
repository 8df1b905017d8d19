//! What a route does, in the words of the site language.

use super::words::{self, Words};
use crate::{
    answer,
    model::EncodedSlash,
    plan::{Action, Part, Plan, Route, Share},
};

/// What a route does, its defaults marked.
pub(crate) fn action(plan: &Plan, route: &Route) -> String {
    described(plan, &route.action, &route.parameters)
}

/// One line for each share of a split, those of splits in it among them, and the positions that lead to it: its weight of all, and what it does.
pub(crate) fn shares(plan: &Plan, action: &Action, parameters: &[Option<String>]) -> Vec<(Vec<usize>, String)> {
    let Action::Split { shares: written, .. } = action else { return Vec::new() };
    let total: u64 = written.iter().map(|share| u64::from(share.weight)).sum();
    let lines = |(number, share): (usize, &Share)| {
        let own = format!("{} of {total}  {}", share.weight, described(plan, &share.action, parameters));
        let inner = shares(plan, &share.action, parameters).into_iter();
        let inner = inner.map(move |(path, line)| ([vec![number], path].concat(), format!("  {line}")));
        [(vec![number], own)].into_iter().chain(inner)
    };
    written.iter().enumerate().flat_map(lines).collect()
}

fn described(plan: &Plan, action: &Action, parameters: &[Option<String>]) -> String {
    let words = Words { plan, parameters };
    let template = |parts| words::quoted(&words.template(parts));
    let index = |index: &str, is_default| words::mark(&format!("index {index}"), is_default);
    match action {
        Action::Abort => "abort".to_owned(),
        Action::Embed { embed, index_is_default } => {
            let embed = &plan.embeds[embed.0 as usize];
            format!("files embed {}  {}", embed.directory, index(&embed.rules.index, *index_is_default))
        }
        Action::Redirect { target, status, drops_query } => {
            let query = if *drops_query { "query drop".to_owned() } else { words::mark("query keep", true) };
            format!("redirect {} {}  {query}", words::status(*status), template(target))
        }
        Action::Refuse { status } => format!("refuse {}", words::status(*status)),
        Action::Respond { status, body, content_type } => {
            let default = || match answer::default_content_type(status.value, body.is_empty()) {
                "" => String::new(),
                default => format!("  {}", words::mark(default, true)),
            };
            let content_type = content_type.as_ref().map_or_else(default, |written| format!("  {written}"));
            let body = match constant(body) {
                Some(text) => words::body(text),
                None => format!("template {}", words::body(&words.template(body))),
            };
            format!("respond {} {body}{content_type}", words::status(*status))
        }
        Action::Rewrite { target } => format!("rewrite {}", template(target)),
        Action::Root { directory, index_is_default, rules } => {
            format!("files {}  {}", words.value(directory), index(&rules.index, *index_is_default))
        }
        Action::Split { by, .. } => format!("split by {}", template(by)),
    }
}

/// The text of a template that needs no request.
pub(crate) fn constant(parts: &[Part]) -> Option<&str> {
    match parts {
        [] => Some(""),
        [Part::Text(text)] => Some(text),
        _ => None,
    }
}

/// What it does with `%2F` and `%5C` in its path.
pub(crate) fn encoded_slash(route: &Route) -> String {
    match route.encoded_slash {
        EncodedSlash::Keep => "path keep".to_owned(),
        EncodedSlash::Raw => "path raw".to_owned(),
        EncodedSlash::Refuse => words::mark("path refuse", true),
    }
}
