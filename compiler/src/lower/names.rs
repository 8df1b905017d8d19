//! Names of generated modules, functions and statics: after what the KDL says, unique, numbered only where nothing else tells two apart.

mod route;
mod snake;

use std::collections::BTreeSet;

use semantics::negotiate::Codings;

use self::snake::snake;
use crate::plan::{Action, Embed, Guard, Intercepted, Intercepting, Late, LateSource, Plan, RegexId, Rules, Upstream, Vhost};

/// Modules and functions that generated code has beside those named here, and the crates it names.
const TAKEN: &[&str] =
    &["alloc", "assets", "core", "embed", "files", "guard", "handle", "main", "redirect", "respond", "runtime", "std", "test", "vhost"];

/// Names each vhost after its first host: `shop.example` is `shop_example`, `*.example` is `any_example`.
pub(super) fn vhosts(vhosts: &mut [Vhost]) {
    let mut names = BTreeSet::new();
    for vhost in vhosts {
        let mut candidates: Vec<_> = vhost.hosts.iter().map(|host| host_name(host)).collect();
        if vhost.is_default {
            candidates.insert(0, "default".to_owned());
        }
        vhost.name = first_free(&candidates, &names, "host");
        names.insert(vhost.name.clone());
    }
}

/// Names each route of a vhost after its pattern: `/products/{id}` is `products_id`, `/` is `root`, `/*` is `rest`. Routes that share that name are told
/// apart by their methods, then by their guard, then by the shape of their pattern, then by their action. Unique within the vhost, whose module they are in.
pub(super) fn routes(vhost: &mut Vhost) {
    let names = route::names(&vhost.routes);
    let mut taken: BTreeSet<_> = names.iter().cloned().collect();
    for (route, name) in vhost.routes.iter_mut().zip(names) {
        branches(&mut route.action, &name, &mut taken);
        route.name = name;
    }
}

/// Names each share after its route and weight, a miss and what takes an answer's place after their routes: `try_95`, `docs_miss`, `api_on_404`.
fn branches(action: &mut Action, route: &str, taken: &mut BTreeSet<String>) {
    // What made the route's name no word of Rust is not needed here.
    let plain = route.strip_suffix("_route").unwrap_or(route);
    match action {
        Action::Embed { miss: Some(miss), .. } | Action::Root { miss: Some(miss), .. } => {
            miss.name = first_free(&[plain, route].map(|base| format!("{base}_miss")), taken, "action");
            taken.insert(miss.name.clone());
            branches(&mut miss.action, &miss.name, taken);
        }
        Action::Proxy(proxy) => {
            for intercept in &mut proxy.intercepts {
                let Intercepted::Action(continuation) = &mut intercept.then else { continue };
                let when = match &intercept.when {
                    Intercepting::Header(name) => snake(name),
                    Intercepting::Statuses(statuses) => statuses.iter().map(u16::to_string).collect::<Vec<_>>().join("_"),
                };
                continuation.name = first_free(&[plain, route].map(|base| format!("{base}_on_{when}")), taken, "action");
                taken.insert(continuation.name.clone());
                branches(&mut continuation.action, &continuation.name, taken);
            }
        }
        Action::Split { shares, .. } => {
            for share in shares {
                share.name = first_free(&[plain, route].map(|base| format!("{base}_{}", share.weight)), taken, "share");
                taken.insert(share.name.clone());
                branches(&mut share.action, &share.name, taken);
            }
        }
        Action::Abort
        | Action::Embed { miss: None, .. }
        | Action::Redirect { .. }
        | Action::Refuse { .. }
        | Action::Respond { .. }
        | Action::Rewrite { .. }
        | Action::Root { miss: None, .. } => {}
    }
}

/// Names each value after its variable or the last part of its path: `STAFF_KEY` is `staff_key`.
pub(super) fn lates(lates: &mut [Late]) {
    let mut names = BTreeSet::new();
    for late in lates {
        let candidates = match &late.source {
            LateSource::Env { name, .. } => vec![snake(name), snake(&format!("env {name}"))],
            LateSource::File { path } => vec![snake(path.rsplit('/').next().unwrap_or(path)), snake(&format!("file {path}"))],
        };
        late.name = first_free(&candidates, &names, "value");
        names.insert(late.name.clone());
    }
}

/// Names each upstream as it is written, and one without a name after its address: `to_10_0_2_9_3000`.
pub(super) fn upstreams(upstreams: &mut [Upstream]) {
    let mut names = BTreeSet::new();
    for upstream in upstreams {
        let candidates = match upstream.title.split_once("://") {
            Some((_, address)) => vec![format!("to_{}", snake(address).trim_start_matches("at_"))],
            None => vec![snake(&upstream.title)],
        };
        upstream.name = first_free(&candidates, &names, "upstream");
        names.insert(upstream.name.clone());
    }
}

/// Names each regex after the first route that is guarded by it: `items_regex`.
pub(super) fn regexes(plan: &mut Plan) {
    let mut names = BTreeSet::new();
    for vhost in &plan.vhosts {
        for route in &vhost.routes {
            let mut used = Vec::new();
            route.guard.iter().for_each(|guard| regexes_of(guard, &mut used));
            for id in used {
                let regex = &mut plan.regexes[id.0 as usize];
                if regex.name.is_empty() {
                    let candidates = [format!("{}_regex", route.name), format!("{}_{}_regex", vhost.name, route.name)];
                    regex.name = first_free(&candidates, &names, "regex");
                    names.insert(regex.name.clone());
                }
            }
        }
    }
}

fn regexes_of(guard: &Guard, used: &mut Vec<RegexId>) {
    match guard {
        Guard::All(guards) | Guard::Any(guards) => guards.iter().for_each(|inner| regexes_of(inner, used)),
        Guard::Not(inner) => regexes_of(inner, used),
        Guard::Regex(id) => used.push(*id),
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Header { .. }
        | Guard::Host(_)
        | Guard::Map(_)
        | Guard::Method(_)
        | Guard::Path(_)
        | Guard::Protocol(_)
        | Guard::Query { .. } => {}
    }
}

/// Names each tree after its directory: `public/assets` is `public_assets`. A second one of a directory is told apart by the words of its block, if it has some.
pub(super) fn embeds(embeds: &mut [Embed], handlers: BTreeSet<String>) {
    let mut names = handlers;
    for embed in embeds {
        let base = snake(&embed.directory);
        let told = said(&embed.rules).into_iter().map(|words| format!("{base}_{words}"));
        let mut candidates = vec![base.clone()];
        candidates.extend(told);
        candidates.extend([format!("{base}_tree"), format!("{base}_{}", snake(&embed.rules.index))]);
        embed.name = first_free(&candidates, &names, "tree");
        names.insert(embed.name.clone());
    }
}

/// The words of a block: `try_listing`; `None`: it has none.
fn said(rules: &Rules) -> Option<String> {
    let words = [
        ("try", !rules.tried.is_empty()),
        ("spa", rules.spa.is_some()),
        ("listing", rules.lists),
        ("immutable", !rules.immutable.is_empty()),
        ("precompressed", rules.precompressed != Codings::IDENTITY),
        ("hidden", rules.serves_hidden),
    ];
    let said: Vec<_> = words.into_iter().filter(|(_, is_said)| *is_said).map(|(word, _)| word).collect();
    (!said.is_empty()).then(|| said.join("_"))
}

fn host_name(host: &str) -> String {
    match host.strip_prefix("*.") {
        Some(apex) => format!("any_{}", snake(apex)),
        None => snake(host),
    }
}

/// The first candidate that is free, with `suffix` where it is a word of Rust or of ours; else the first one with a number.
fn first_free(candidates: &[String], names: &BTreeSet<String>, suffix: &str) -> String {
    let named: Vec<_> = candidates.iter().map(|candidate| escaped(candidate, suffix)).collect();
    if let Some(free) = named.iter().find(|name| !names.contains(*name)) {
        return free.clone();
    }
    let base = named.first().map_or(suffix, String::as_str);
    let numbered = (2_u32..).map(|number| format!("{base}_{number}")).find(|name| !names.contains(name));
    numbered.expect("fewer names than numbers are taken")
}

/// A name that is no keyword, none of [`TAKEN`], and cannot be that of a static or guard of another item.
fn escaped(name: &str, suffix: &str) -> String {
    let is_derived =
        ["answer", "headers", "methods", "when"].iter().any(|end| name.strip_suffix(end).is_some_and(|rest| rest.ends_with('_')));
    match is_derived || TAKEN.contains(&name) || snake::is_keyword(name) {
        true => format!("{name}_{suffix}"),
        false => name.to_owned(),
    }
}
