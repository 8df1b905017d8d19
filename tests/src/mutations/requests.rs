//! Faults in what a plan asks of a request before it acts: guards, maps, clients, listeners, checks, shares.

use kiln::plan::{Action, Allowed, Guard, LateSource, Origins, Part, Plan, Value};
use semantics::{access::Verdict, cidr::Prefix, client::ForwardingFields, guard::Protocol};

use super::{Mutation, first, vhost};

/// All of them.
pub(super) const ALL: &[Mutation] = &[
    ("a query's value is another", |plan| {
        let Some(Guard::Query { values, .. }) = guard(plan, "asks.test", "/query") else { return false };
        values.pop().is_some()
    }),
    ("a cookie need only be there", |plan| {
        let Some(Guard::Cookie { values, .. }) = guard(plan, "asks.test", "/cookie") else { return false };
        values.drain(..).count() > 0
    }),
    ("a network is one bit wider", |plan| {
        let Some(Guard::ClientIp(networks)) = guard(plan, "asks.test", "/client") else { return false };
        networks[0] = Prefix::parse("192.0.2.0/24").expect("a network");
        true
    }),
    ("an extension is lost", |plan| {
        let Some(Guard::Extension(extensions)) = guard(plan, "asks.test", "/ext/*") else { return false };
        extensions.pop().is_some()
    }),
    ("any extension is none", |plan| {
        let routes = vhost(plan, "asks.test").routes.iter_mut();
        let mut guards = routes.filter(|route| route.pattern == "/ext/*").filter_map(|route| route.guard.as_mut());
        guards.nth(1).map(|guard| *guard = Guard::Extension(vec!["css".to_owned()])).is_some()
    }),
    ("two groups of a regex are swapped", |plan| {
        let route = first(vhost(plan, "asks.test"), |route| route.pattern == "/regex/{x}/*");
        let Action::Redirect { target, .. } = &mut route.action else { return false };
        let groups: Vec<_> = target.iter_mut().filter(|part| matches!(part, Part::Parameter(index) if *index > 1)).collect();
        let [year, month] = <[&mut Part; 2]>::try_from(groups).expect("two groups");
        std::mem::swap(year, month);
        true
    }),
    ("a regex is another", |plan| {
        let from = guard(plan, "asks.test", "/regex/{x}/*").cloned();
        let Some(Guard::All(parts)) = from else { return false };
        let other = parts.into_iter().find(|part| matches!(part, Guard::Regex(_)));
        let into = first(vhost(plan, "asks.test"), |route| route.pattern == "/regex/*");
        let has_other = other.is_some();
        into.guard = other;
        has_other
    }),
    ("a row of a map is lost", |plan| {
        let map = plan.maps.iter_mut().find(|map| map.name == "kind");
        map.and_then(|map| map.rows.pop()).is_some()
    }),
    ("a map has no default", |plan| {
        let map = plan.maps.iter_mut().find(|map| map.name == "kind");
        map.and_then(|map| map.default.take()).is_some()
    }),
    ("a map is asked for something else", |plan| {
        let map = plan.maps.iter_mut().find(|map| map.name == "deep");
        map.map(|map| map.from = vec![Part::Path]).is_some()
    }),
    ("h2 is h1", |plan| {
        let route = first(vhost(plan, "asks.test"), |route| route.pattern == "/protocol");
        let Some(Guard::Any(parts)) = &mut route.guard else { return false };
        parts.push(Guard::Protocol(vec![Protocol::H1]));
        true
    }),
    ("a late value is its default", |plan| {
        let guard = guard(plan, "asks.test", "/late");
        let Some(Guard::Header { values, .. }) = guard else { return false };
        *values = vec![Value::Text("absent".to_owned())];
        true
    }),
    ("a default of a late value is another", |plan| {
        let defaults = plan.lates.iter_mut().filter_map(|late| match &mut late.source {
            LateSource::Env { name, default } if name == "ORACLE_OTHER" => default.as_mut(),
            LateSource::Env { .. } | LateSource::File { .. } => None,
        });
        defaults.map(|default| "3".clone_into(default)).count() > 0
    }),
    ("no proxy is trusted", |plan| plan.trusted_proxies.take().is_some()),
    ("a network of proxies is lost", |plan| plan.trusted_proxies.as_mut().and_then(|trusted| trusted.networks.pop()).is_some()),
    ("one kind of forwarding fields is read", |plan| {
        let trusted = plan.trusted_proxies.as_mut();
        trusted.map(|trusted| trusted.fields.value = ForwardingFields::XForwarded).is_some()
    }),
    ("a listener has another's hosts", |plan| {
        plan.listener_hosts.iter_mut().for_each(|table| *table = 0);
        plan.hosts.len() > 1
    }),
    ("an inner access list is lost", |plan| access(plan, "/group/narrow").pop().is_some()),
    ("an outer access list is lost", |plan| {
        let lists = access(plan, "/group/plain");
        !lists.is_empty() && lists.drain(..1).count() == 1
    }),
    ("an access list that is replaced still counts", |plan| {
        let outer = access(plan, "/group/plain").clone();
        access(plan, "/group/replace").splice(0..0, outer);
        true
    }),
    ("access rules are in another order", |plan| {
        let id = access(plan, "/group/replace")[0];
        plan.access[id.0 as usize].rules.swap(0, 1);
        true
    }),
    ("refused networks are allowed", |plan| {
        let id = *access(plan, "/group/narrow").last().expect("a list");
        plan.access[id.0 as usize].rules[0].verdict = Verdict::Allow;
        true
    }),
    ("a route has no cors", |plan| policy(plan, "/get").cors.take().is_some()),
    ("a route has its vhost's cors", |plan| {
        let outer = policy(plan, "/get").cors;
        policy(plan, "/credentials").cors = outer;
        outer.is_some()
    }),
    ("cors has an origin more", |plan| {
        let Origins::Listed { origins, .. } = &mut cors(plan, "/get").origins else { return false };
        origins.push("https://c.example".to_owned());
        true
    }),
    ("cors has no credentials", |plan| {
        let Origins::Listed { has_credentials, .. } = &mut cors(plan, "/credentials").origins else { return false };
        std::mem::take(has_credentials)
    }),
    ("cors allows another method", |plan| {
        let Allowed::Listed(methods) = &mut cors(plan, "/get").methods else { return false };
        methods.pop().is_some()
    }),
    ("cors exposes nothing", |plan| {
        cors(plan, "/get").exposed = Allowed::Listed(Vec::new());
        true
    }),
    ("a preflight is kept for ever", |plan| cors(plan, "/get").max_age_s.replace(u32::MAX).is_some()),
    ("a canonical host is lost", |plan| vhost(plan, "policies.test").canonical_host.take().is_some()),
    ("a canonical host has another status", |plan| {
        let canonical = vhost(plan, "policies.test").canonical_host.as_mut();
        canonical.map(|canonical| canonical.status.value = 308).is_some()
    }),
    ("a body may be one byte longer", |plan| {
        policy(plan, "/group/plain").body_limit.value += 1;
        true
    }),
    ("a body's limit is the vhost's", |plan| {
        policy(plan, "/limit").body_limit.value = 16;
        true
    }),
    ("error pages are lost", |plan| vhost(plan, "policies.test").errors.take().is_some()),
    ("error pages of a route are its vhost's", |plan| {
        let outer = vhost(plan, "policies.test").errors;
        policy(plan, "/page/*").errors = outer;
        outer.is_some()
    }),
    ("error pages of the site are lost", |plan| plan.site_errors.take().is_some()),
    ("a page is another status's", |plan| {
        let id = vhost(plan, "policies.test").errors.expect("pages");
        let pages = &mut plan.errors[id.0 as usize].pages;
        pages.iter_mut().find(|page| page.status == 405).map(|page| page.status = 403).is_some()
    }),
    ("a rewrite leads elsewhere", |plan| {
        let route = first(vhost(plan, "rewrites.test"), |route| route.pattern == "/query/{x}");
        let Action::Rewrite { target } = &mut route.action else { return false };
        target.pop();
        true
    }),
    ("a rewrite's first route has its edits", |plan| {
        let edits = first(vhost(plan, "rewrites.test"), |route| route.pattern == "/from/{rest*}").edits;
        first(vhost(plan, "rewrites.test"), |route| route.pattern == "/to/*").edits = edits;
        true
    }),
    ("weights are swapped", |plan| {
        let Action::Split { shares, .. } = shared(plan) else { return false };
        let (a, b) = (shares[0].weight, shares[1].weight);
        (shares[0].weight, shares[1].weight) = (b, a);
        a != b
    }),
    ("a share without weight gets some", |plan| {
        let Action::Split { shares, .. } = shared(plan) else { return false };
        shares[2].weight = 1;
        true
    }),
    ("a split is salted like another", |plan| {
        let Action::Split { salt, .. } = shared(plan) else { return false };
        salt.push('x');
        true
    }),
    ("a split looks at something else", |plan| {
        let Action::Split { by, .. } = shared(plan) else { return false };
        *by = vec![Part::Method];
        true
    }),
];

fn guard<'p>(plan: &'p mut Plan, host: &str, pattern: &str) -> Option<&'p mut Guard> {
    first(vhost(plan, host), |route| route.pattern == pattern && route.guard.is_some()).guard.as_mut()
}

fn policy<'p>(plan: &'p mut Plan, pattern: &str) -> &'p mut kiln::plan::Route {
    first(vhost(plan, "policies.test"), |route| route.pattern == pattern)
}

fn access<'p>(plan: &'p mut Plan, pattern: &str) -> &'p mut Vec<kiln::plan::AccessId> {
    &mut policy(plan, pattern).access
}

fn cors<'p>(plan: &'p mut Plan, pattern: &str) -> &'p mut kiln::plan::Cors {
    let id = policy(plan, pattern).cors.expect("a policy");
    &mut plan.cors[id.0 as usize]
}

fn shared(plan: &mut Plan) -> &mut Action {
    &mut first(vhost(plan, "rewrites.test"), |route| route.pattern == "/split/{x}").action
}
