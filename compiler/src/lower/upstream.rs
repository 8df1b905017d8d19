//! Upstreams: those that some action names, and what is sent on to them.

use super::{
    Tables, action,
    template::{self, Scope},
};
use crate::{
    model,
    plan::{Continuation, Endpoint, EndpointAddress, Intercept, Intercepted, Proxy, Target, Upstream},
};

pub(super) fn lower(written: &model::Upstream, tables: &mut Tables<'_>) -> Upstream {
    let endpoints = written.endpoints.iter().map(|endpoint| Endpoint {
        address: match &endpoint.address {
            model::EndpointAddress::Known(address) => EndpointAddress::Known(*address),
            model::EndpointAddress::Late(value) => EndpointAddress::Late(tables.late(value)),
            model::EndpointAddress::Unix(path) => EndpointAddress::Unix(path.clone()),
        },
        weight: endpoint.weight,
        is_backup: endpoint.is_backup,
    });
    Upstream {
        name: String::new(),
        title: written.name.clone(),
        is_anonymous: written.is_anonymous,
        endpoints: endpoints.collect(),
        balance: written.balance,
        pool: written.pool.clone(),
        timeouts: written.timeouts.clone(),
        eject: written.eject.clone(),
        retry: written.retry.clone(),
        provenance: tables.sources.provenance(written.span),
    }
}

/// `salt` is that of a split.
pub(super) fn proxy(written: &model::Proxy, salt: &str, scope: &Scope<'_>, tables: &mut Tables<'_>) -> Proxy {
    let target = match &written.target.value {
        model::Target::Same => Target::Same,
        model::Target::Strip(prefix) => Target::Strip(prefix.clone()),
        model::Target::Template(template) => Target::Template(template::lower(template, scope, tables)),
    };
    let mut intercept = |written: &model::Intercept| Intercept {
        when: written.when.clone(),
        then: match &written.then {
            model::Intercepted::Accel { root } => Intercepted::Accel { root: tables.value(root) },
            model::Intercepted::Action(action) => {
                let action = action::lower(action, salt, scope, tables);
                Intercepted::Action(Box::new(Continuation { name: String::new(), action }))
            }
            model::Intercepted::Page(page) => Intercepted::Page(page.clone()),
        },
    };
    let intercepts = written.intercepts.iter().map(&mut intercept).collect();
    Proxy {
        upstream: tables.upstream(written.upstream, written.span),
        target,
        host: written.host.clone(),
        upgrades: written.upgrades.clone(),
        timeouts: written.timeouts.clone(),
        intercepts,
    }
}

/// The numbers of the model's upstreams that actions name, ascending.
pub(super) fn used(site: &model::Site) -> Vec<usize> {
    let mut used = Vec::new();
    let mut open: Vec<&model::Action> = site.vhosts.iter().flat_map(|vhost| &vhost.routes).map(|route| &route.action).collect();
    while let Some(action) = open.pop() {
        if let model::Action::Proxy(proxy) = action {
            used.push(proxy.upstream);
        }
        open.extend(action.inner());
    }
    used.sort_unstable();
    used.dedup();
    used
}
