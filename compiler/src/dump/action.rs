//! What a route does, in the words of the site language.

use semantics::negotiate::{Coding, Codings};

use super::{
    upstream,
    words::{self, Words},
};
use crate::{
    answer,
    evaluate::Branch,
    model::EncodedSlash,
    plan::{Action, Intercepted, Part, Plan, Route, Rules},
};

/// What a route does, its defaults marked.
pub(crate) fn action(plan: &Plan, route: &Route) -> String {
    described(plan, &route.action, &route.parameters)
}

/// A line for an action in another one.
pub(crate) struct Inner {
    /// What leads to it.
    pub(crate) path: Vec<Branch>,
    pub(crate) word: &'static str,
    /// For a share its weight of all; what it does.
    pub(crate) text: String,
}

/// One line for each share of a split, for a miss and for what takes an answer's place, and for those in them.
pub(crate) fn inner(plan: &Plan, action: &Action, parameters: &[Option<String>]) -> Vec<Inner> {
    let described = |action| described(plan, action, parameters);
    let mut lines = Vec::new();
    let mut add = |branch: Branch, word, text, action| {
        lines.push(Inner { path: vec![branch], word, text });
        let below = inner(plan, action, parameters).into_iter();
        lines.extend(below.map(|line| Inner { path: [vec![branch], line.path].concat(), text: format!("  {}", line.text), ..line }));
    };
    if let Some(miss) = action.miss() {
        add(Branch::Miss, "miss", described(&miss.action), &miss.action);
    }
    if let Action::Proxy(proxy) = action {
        let words = Words { plan, parameters };
        for (number, intercept) in proxy.intercepts.iter().enumerate() {
            let when = upstream::intercepting(&intercept.when);
            match (&intercept.then, upstream::intercepted(intercept, words)) {
                (Intercepted::Action(continuation), _) => {
                    let text = format!("{when}  {}", described(&continuation.action));
                    add(Branch::Intercept(number), "intercept", text, &continuation.action);
                }
                (Intercepted::Accel { .. } | Intercepted::Page(_), text) => {
                    let text = format!("{when}  {}", text.unwrap_or_default());
                    add(Branch::Intercept(number), "intercept", text, &Action::Abort);
                }
            }
        }
    }
    if let Action::Split { shares, .. } = action {
        let total: u64 = shares.iter().map(|share| u64::from(share.weight)).sum();
        for (number, share) in shares.iter().enumerate() {
            add(Branch::Share(number), "share", format!("{} of {total}  {}", share.weight, described(&share.action)), &share.action);
        }
    }
    lines
}

fn described(plan: &Plan, action: &Action, parameters: &[Option<String>]) -> String {
    let words = Words { plan, parameters };
    let template = |parts| words::quoted(&words.template(parts));
    let index = |index: &str, is_default| words::mark(&format!("index {}", words::path(index)), is_default);
    match action {
        Action::Abort => "abort".to_owned(),
        Action::Embed { embed, index_is_default, .. } => {
            let embed = &plan.embeds[embed.0 as usize];
            let dates = if embed.has_dates { "  last-modified" } else { "" };
            format!(
                "files embed {}  {}{}{dates}",
                words::path(&embed.directory),
                index(&embed.rules.index, *index_is_default),
                rules(&embed.rules)
            )
        }
        Action::Proxy(proxy) => upstream::proxy(plan, proxy, words),
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
        Action::Root { directory, index_is_default, rules: written, .. } => {
            format!("files {}  {}{}", words.value(directory), index(&written.index, *index_is_default), rules(written))
        }
        Action::Split { by, .. } => format!("split by {}", template(by)),
    }
}

/// What a `files` block says beside its index, each word behind two blanks.
fn rules(rules: &Rules) -> String {
    let joined = |texts: Vec<String>| texts.join(" ");
    let tried = rules.tried.iter().map(|tried| words::quoted(&format!("{}{{path}}{}", tried.before, tried.behind))).collect();
    let immutable = rules.immutable.iter().map(|glob| words::quoted(glob)).collect();
    let said = [
        (!rules.tried.is_empty(), format!("try {}", joined(tried))),
        (rules.spa.is_some(), format!("spa {}", words::path(rules.spa.as_deref().unwrap_or_default()))),
        (rules.lists, "listing".to_owned()),
        (!rules.immutable.is_empty(), format!("immutable {}", joined(immutable))),
        (rules.precompressed != Codings::IDENTITY, format!("precompressed {}", codings(rules.precompressed).join(" "))),
        (rules.follows_links, "symlinks".to_owned()),
        (rules.serves_hidden, "hidden".to_owned()),
    ];
    said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, text)| format!("  {text}")).collect()
}

/// The names of the codings in a set, identity left out.
pub(crate) fn codings(codings: Codings) -> Vec<&'static str> {
    codings.coded().map(Coding::name).collect()
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
