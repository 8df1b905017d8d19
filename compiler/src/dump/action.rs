//! What a route does, in the words of the site language.

use super::words;
use crate::{
    answer,
    model::EncodedSlash,
    plan::{Action, Part, Plan, Route},
};

/// What a route does, its defaults marked.
pub(crate) fn action(plan: &Plan, route: &Route) -> String {
    let template = |parts| words::quoted(&words::template(parts, &route.parameters));
    let index = |index: &str| words::mark(&format!("index {index}"), route.index_is_default);
    match &route.action {
        Action::Abort => "abort".to_owned(),
        Action::Embed { embed } => {
            let embed = &plan.embeds[embed.0 as usize];
            format!("files embed {}  {}", embed.directory, index(&embed.index))
        }
        Action::Redirect { target, status, drops_query } => {
            let query = if *drops_query { "query drop".to_owned() } else { words::mark("query keep", true) };
            format!("redirect {status} {}  {query}", template(target))
        }
        Action::Refuse { status } => format!("refuse {status}"),
        Action::Respond { status, body, content_type } => {
            let default = || match answer::default_content_type(*status, body.is_empty()) {
                "" => String::new(),
                default => format!("  {}", words::mark(default, true)),
            };
            let content_type = content_type.as_ref().map_or_else(default, |written| format!("  {written}"));
            let body = match constant(body) {
                Some(text) => words::quoted(text),
                None => format!("template {}", template(body)),
            };
            format!("respond {status} {body}{content_type}")
        }
        Action::Root { directory, index: name } => format!("files {directory}  {}", index(name)),
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
