//! From the site as meant to the site as done: names become indices, scopes are gone, every route stands once for each of its patterns.
//!
//! Lowering never orders, chooses or merges what people could see: that is `optimize`'s. It fails on nothing: what it relies on was checked by
//! `resolve`, and a broken promise there is a bug of ours, named with its KDL line.

mod action;
mod edits;
mod embeds;
mod features;
mod names;
mod template;

use std::collections::BTreeMap;

use semantics::{
    method::{Method, Methods},
    pattern,
};

use self::{edits::EditsTable, embeds::EmbedTable};
use crate::{
    assets::Trees,
    model,
    plan::{self, Plan},
    source::SourceMap,
};

/// What all of a site's routes add to.
struct Tables<'a> {
    sources: &'a SourceMap,
    edits: EditsTable,
    embeds: EmbedTable<'a>,
}

/// Lowers a checked site; `trees` holds what was read of each embedded directory.
pub fn lower(site: &model::Site, sources: &SourceMap, trees: &Trees) -> Plan {
    let mut tables = Tables { sources, edits: EditsTable::new(), embeds: EmbedTable::new(trees, sources) };
    let site_edits = tables.edits.id(edits::lower(&site.headers, &[], sources));
    let mut vhosts: Vec<_> = site.vhosts.iter().map(|written| vhost(written, &mut tables)).collect();
    names::vhosts(&mut vhosts);
    for vhost in &mut vhosts {
        names::routes(vhost);
    }
    let embeds = tables.embeds.named(&vhosts);
    let mut plan = Plan {
        site: site.name.clone(),
        language: site.language,
        listeners: site.listeners.iter().map(|written| listener(written, sources)).collect(),
        workers: site.workers,
        limits: site.limits.clone(),
        timeouts: site.timeouts.clone(),
        vhosts,
        hosts: plan::Hosts::default(),
        edits: tables.edits.into_edits(),
        site_edits,
        embeds,
        features: Vec::new(),
    };
    plan.features = features::needed(&plan);
    plan
}

fn listener(written: &model::Listener, sources: &SourceMap) -> plan::Listener {
    let model::Address::Known(address) = written.address else { unreachable!("resolve gives none of these yet") };
    plan::Listener {
        name: written.name.clone().unwrap_or_else(|| address.to_string()),
        address,
        provenance: sources.provenance(written.span),
    }
}

fn vhost(written: &model::Vhost, tables: &mut Tables<'_>) -> plan::Vhost {
    let mut routes = Vec::new();
    let mut patterns: Vec<plan::Pattern> = Vec::new();
    let mut known = BTreeMap::new();
    for route_written in &written.routes {
        for pattern in &route_written.patterns {
            let at = *known.entry(pattern.value.text.as_str()).or_insert_with(|| {
                patterns.push(plan::Pattern { text: pattern.value.text.clone(), routes: Vec::new() });
                patterns.len() - 1
            });
            patterns[at].routes.push(u32::try_from(routes.len()).expect("a site has fewer than 2^32 routes"));
            routes.push(route(route_written, &pattern.value, tables));
        }
    }
    plan::Vhost {
        name: String::new(),
        hosts: written.hosts.iter().map(|host| host.value.clone()).collect(),
        is_default: written.is_default,
        provenance: tables.sources.provenance(written.span),
        edits: tables.edits.id(edits::lower(&written.headers, &[], tables.sources)),
        patterns,
        routes,
        shape: plan::Shape::Code,
    }
}

fn route(written: &model::Route, pattern: &pattern::Pattern, tables: &mut Tables<'_>) -> plan::Route {
    let scope = template::Scope { parameters: &pattern.parameters, sources: tables.sources, span: written.span };
    plan::Route {
        name: String::new(),
        pattern: pattern.text.clone(),
        parameters: pattern.parameters.clone(),
        methods: methods(written),
        guard: written.guard.clone(),
        encoded_slash: written.encoded_slash,
        edits: tables.edits.id(edits::lower(&written.headers, &pattern.parameters, tables.sources)),
        action: action::lower(&written.action, &scope, &mut tables.embeds),
        index_is_default: matches!(&written.action, model::Action::Files(files) if files.index.is_default),
        provenance: tables.sources.provenance(written.span),
    }
}

/// As written, where GET brings HEAD; else GET and HEAD for files and any method for the other actions.
fn methods(written: &model::Route) -> Methods {
    match (&written.methods, &written.action) {
        (Some(methods), _) if methods.value.contains(Method::GET) => methods.value.union(Methods::GET_HEAD),
        (Some(methods), _) => methods.value,
        (None, model::Action::Files(_)) => Methods::GET_HEAD,
        (None, _) => Methods::ANY,
    }
}
