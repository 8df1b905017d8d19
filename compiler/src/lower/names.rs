//! Names of generated modules, functions and statics: after what the KDL says, unique, numbered only where nothing else tells two apart.

mod route;
mod snake;

use std::collections::BTreeSet;

use self::snake::snake;
use crate::plan::{Embed, Vhost};

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
    for (route, name) in vhost.routes.iter_mut().zip(names) {
        route.name = name;
    }
}

/// Names each tree after its directory: `public/assets` is `public_assets`.
pub(super) fn embeds(embeds: &mut [Embed], handlers: BTreeSet<String>) {
    let mut names = handlers;
    for embed in embeds {
        let base = snake(&embed.directory);
        let candidates = [base.clone(), format!("{base}_tree"), format!("{base}_{}", snake(&embed.index))];
        embed.name = first_free(&candidates, &names, "tree");
        names.insert(embed.name.clone());
    }
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
