//! From the site as meant to the site as done: names become indices, scopes are gone, every route stands once for each of its patterns.
//!
//! Lowering never orders, chooses or merges what people could see: that is `optimize`'s. It fails on nothing: what it relies on was checked by
//! `resolve`, and a broken promise there is a bug of ours, named with its KDL line.

mod action;
mod edits;
mod embeds;
mod features;
mod guard;
mod log;
mod names;
mod table;
mod tables;
mod template;
mod upstream;

use std::collections::BTreeMap;

use semantics::{
    method::{Method, Methods},
    pattern,
};

use self::tables::Tables;
use crate::{
    assets::Trees,
    model,
    plan::{self, Plan},
    source::SourceMap,
};

/// Lowers a checked site; `trees` holds what was read of each embedded directory.
pub fn lower(site: &model::Site, sources: &SourceMap, trees: &Trees) -> Plan {
    let mut tables = Tables::new(site, sources, trees);
    let listeners: Vec<_> = site.listeners.iter().map(|written| listener(written, &mut tables)).collect();
    let access_log = site.access_log.as_ref().map(|written| log::lower(written, site.span, &mut tables));
    let error_log = site.error_log.as_ref().map(|written| tables.value(written));
    let site_edits = edits::lower(&site.headers, &[], &mut tables);
    let site_encoding = tables.encoding(site.encoding.as_ref());
    let site_errors = tables.errors(&site.errors);
    let site_is_logged = tables.is_logged(site.is_logged);
    let mut vhosts: Vec<_> = site.vhosts.iter().map(|written| vhost(written, listeners.len(), &mut tables)).collect();
    let upstreams = tables.upstreams();
    names::vhosts(&mut vhosts);
    for vhost in &mut vhosts {
        names::routes(vhost);
    }
    let mut plan = Plan {
        site: site.name.clone(),
        language: site.language,
        listeners,
        workers: site.workers,
        limits: site.limits.clone(),
        timeouts: site.timeouts.clone(),
        delivery: site.delivery,
        access_log,
        error_log,
        metrics: site.metrics,
        trusted_proxies: site.trusted_proxies.as_ref().map(|written| plan::TrustedProxies {
            networks: written.networks.iter().map(|network| network.value).collect(),
            fields: written.fields,
        }),
        vhosts,
        hosts: Vec::new(),
        listener_hosts: Vec::new(),
        edits: Vec::new(),
        site_edits,
        site_encoding,
        site_errors,
        site_is_logged,
        access: Vec::new(),
        cors: Vec::new(),
        encodings: Vec::new(),
        errors: Vec::new(),
        maps: Vec::new(),
        regexes: Vec::new(),
        upstreams,
        lates: Vec::new(),
        embeds: Vec::new(),
        features: Vec::new(),
    };
    tables.finish(&mut plan);
    plan.features = features::needed(&plan);
    plan
}

fn listener(written: &model::Listener, tables: &mut Tables<'_>) -> plan::Listener {
    let (address, text) = match &written.address {
        model::Address::Known(address) => (plan::Address::Known(*address), address.to_string()),
        model::Address::Late(value) => (plan::Address::Late(tables.late(value)), tables.sources.slice(value.span).replace('"', "")),
        model::Address::Unix(path) => (plan::Address::Unix(path.clone()), format!("unix:{path}")),
    };
    plan::Listener {
        name: written.name.clone().unwrap_or(text),
        address,
        options: written.options.clone(),
        provenance: tables.sources.provenance(written.span),
    }
}

fn vhost<'a>(written: &'a model::Vhost, listeners: usize, tables: &mut Tables<'a>) -> plan::Vhost {
    let hosts: Vec<_> = written.hosts.iter().map(|host| host.value.clone()).collect();
    let edits = edits::lower(&written.headers, &[], tables);
    let encoding = tables.encoding(written.encoding.as_ref());
    let errors = tables.errors(&written.errors);
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
            // What a user sees of the route, so that a split keeps its shares when others come or go.
            let salt = format!("{} {}", hosts.first().map_or("default", String::as_str), pattern.value.text);
            routes.push(route(route_written, &pattern.value, &salt, tables));
        }
    }
    plan::Vhost {
        name: String::new(),
        hosts,
        is_default: written.is_default,
        on: written.on.clone().unwrap_or_else(|| (0..listeners).collect()),
        canonical_host: written
            .canonical_host
            .as_ref()
            .map(|canonical| plan::CanonicalHost { host: canonical.host.clone(), status: canonical.status }),
        provenance: tables.sources.provenance(written.span),
        edits,
        encoding,
        errors,
        is_logged: tables.is_logged(written.is_logged),
        patterns,
        routes,
        shape: plan::Shape::Code,
    }
}

fn route<'a>(written: &'a model::Route, pattern: &pattern::Pattern, salt: &str, tables: &mut Tables<'a>) -> plan::Route {
    let groups = written.guard.as_ref().map(guard::groups).unwrap_or_default();
    let parameters: Vec<_> = pattern.parameters.iter().cloned().chain(groups.into_iter().map(|group| Some(group.to_owned()))).collect();
    let scope = template::Scope { parameters: &parameters, span: written.span };
    let encoding = tables.encoding(written.encoding.as_ref());
    let mut action = action::lower(&written.action, salt, &scope, tables);
    if encoding.is_some() {
        action::tell_encoded(&mut action);
    }
    // What nothing is sent on by edits nothing of it.
    let may_proxy = action.may_proxy();
    let sent_on = |rules: &'a [model::HeaderRule]| if may_proxy { rules } else { &[] };
    plan::Route {
        name: String::new(),
        pattern: pattern.text.clone(),
        pattern_parameters: pattern.parameters.len(),
        methods: methods(written),
        guard: written.guard.as_ref().map(|guard| guard::lower(guard, written.span, tables)),
        encoded_slash: written.encoded_slash,
        edits: edits::lower(&written.headers, &parameters, tables),
        request_edits: edits::lower(sent_on(&written.request_headers), &parameters, tables),
        upstream_edits: edits::lower(sent_on(&written.upstream_headers), &parameters, tables),
        encoding,
        errors: tables.errors(&written.errors),
        cors: written.cors.as_ref().map(|cors| tables.cors(cors)),
        access: tables.access(&written.access),
        body_limit: written.body_limit,
        is_logged: tables.is_logged(written.is_logged),
        action,
        provenance: tables.sources.provenance(written.span),
        parameters,
    }
}

/// As written, where GET brings HEAD; else what the action takes.
fn methods(written: &model::Route) -> Methods {
    match &written.methods {
        Some(methods) if methods.value.contains(Method::GET) => methods.value.union(Methods::GET_HEAD),
        Some(methods) => methods.value,
        None => written.action.methods(),
    }
}
