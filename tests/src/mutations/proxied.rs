//! Faults in what a plan sends on to upstreams, and in what becomes of their answers.

use kiln::plan::{Action, HostPolicy, Intercept, Intercepted, Intercepting, Part, Plan, Proxy, Target};

use super::{Mutation, first, vhost};

/// All of them.
pub(super) const ALL: &[Mutation] = &[
    ("a request goes to another upstream", |plan| {
        proxy(plan, "/same/*").upstream.0 = 1;
        true
    }),
    ("an endpoint is lost", |plan| plan.upstreams[0].endpoints.pop().is_some()),
    ("two endpoints are swapped", |plan| {
        plan.upstreams[0].endpoints.swap(0, 1);
        true
    }),
    ("a prefix is not stripped", |plan| {
        proxy(plan, "/strip/*").target = Target::Same;
        true
    }),
    ("too little is stripped", |plan| {
        proxy(plan, "/deep/er/{rest*}").target = Target::Strip("/deep".to_owned());
        true
    }),
    ("a target's parameter is the next one", |plan| {
        let Target::Template(parts) = &mut proxy(plan, "/target/{a}/{rest*}").target else { return false };
        parts.iter_mut().for_each(|part| {
            if let Part::Parameter(index) = part {
                *index = 1 - *index;
            }
        });
        true
    }),
    ("a target's query is lost", |plan| {
        let Target::Template(parts) = &mut proxy(plan, "/asked/{a}").target else { return false };
        parts.pop().is_some()
    }),
    ("a host is the endpoint's", |plan| {
        proxy(plan, "/same/*").host.value = HostPolicy::Endpoint;
        true
    }),
    ("a host is the client's", |plan| {
        proxy(plan, "/endpoint/*").host.value = HostPolicy::Preserve;
        true
    }),
    ("a host is another", |plan| {
        proxy(plan, "/literal/*").host.value = HostPolicy::Literal("other.internal".to_owned());
        true
    }),
    ("an upgrade is lost", |plan| proxy(plan, "/upgrade/*").upgrades.pop().is_some()),
    ("any upgrade is let through", |plan| {
        proxy(plan, "/same/*").upgrades.push("*".to_owned());
        true
    }),
    ("edits of a request are lost", |plan| {
        std::mem::take(&mut first(vhost(plan, "proxy.test"), |route| route.pattern == "/same/*").request_edits).0 != 0
    }),
    ("edits of a request are those of its vhost", |plan| {
        let outer = first(vhost(plan, "proxy.test"), |route| route.pattern == "/same/*").request_edits;
        first(vhost(plan, "proxy.test"), |route| route.pattern == "/edits/{x}/*").request_edits = outer;
        true
    }),
    ("edits of a reply are lost", |plan| {
        std::mem::take(&mut first(vhost(plan, "proxy.test"), |route| route.pattern == "/same/*").upstream_edits).0 != 0
    }),
    ("edits of a reply are those of its vhost", |plan| {
        let outer = first(vhost(plan, "proxy.test"), |route| route.pattern == "/same/*").upstream_edits;
        first(vhost(plan, "proxy.test"), |route| route.pattern == "/edits/{x}/*").upstream_edits = outer;
        true
    }),
    ("a path in normal form is sent where the client's bytes should be", |plan| {
        let route = first(vhost(plan, "proxy.test"), |route| route.pattern == "/raw/*");
        route.encoded_slash = kiln::model::EncodedSlash::Keep;
        true
    }),
    ("connections are kept that should not be", |plan| {
        plan.upstreams[1].pool.idle_connections.value = 1;
        true
    }),
    ("an intercept is lost", |plan| {
        let intercepts = &mut proxy(plan, "/instead/*").intercepts;
        let count = intercepts.len();
        intercepts.retain(|intercept| !matches!(intercept.then, Intercepted::Action(_)));
        intercepts.len() < count
    }),
    ("a status of an intercept is another", |plan| {
        let intercepts = proxy(plan, "/instead/*").intercepts.iter_mut();
        let mut statuses = intercepts.filter_map(|Intercept { when, .. }| match when {
            Intercepting::Header(_) => None,
            Intercepting::Statuses(statuses) => Some(statuses),
        });
        statuses.next().map(|statuses| statuses[0] = 500).is_some()
    }),
    ("a page of an intercept is another", |plan| {
        let mut pages = proxy(plan, "/instead/*").intercepts.iter_mut().filter_map(|intercept| match &mut intercept.then {
            Intercepted::Accel { .. } | Intercepted::Action(_) => None,
            Intercepted::Page(page) => Some(page),
        });
        pages.next().map(|page| page.body = b"another page\n".as_slice().into()).is_some()
    }),
    ("a field of an intercept is another", |plan| {
        let mut names = proxy(plan, "/instead/*").intercepts.iter_mut().filter_map(|intercept| match &mut intercept.when {
            Intercepting::Header(name) if name == "x-fallback" => Some(name),
            Intercepting::Header(_) | Intercepting::Statuses(_) => None,
        });
        names.next().map(|name| "x-secret".clone_into(name)).is_some()
    }),
];

fn proxy<'p>(plan: &'p mut Plan, pattern: &str) -> &'p mut Proxy {
    let route = first(vhost(plan, "proxy.test"), |route| route.pattern == pattern);
    let Action::Proxy(proxy) = &mut route.action else { panic!("no proxy: {pattern}") };
    proxy
}
