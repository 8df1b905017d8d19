//! Upstreams and what is sent on to them, for machines.

use std::time::Duration;

use serde_json::{Value, json};

use super::{defaulted, late, provenance, route};
use crate::{
    dump::{upstream, words::Words},
    fingerprint,
    model::Defaulted,
    plan::{
        Eject, Endpoint, EndpointAddress, HostPolicy, Intercept, Intercepted, Intercepting, Plan, Pool, Proxy, Retry, Target, Upstream,
        UpstreamTimeouts,
    },
};

pub(super) fn upstream(plan: &Plan, written: &Upstream) -> Value {
    json!({
        "name": written.title,
        "anonymous": written.is_anonymous,
        "balance": defaulted(upstream::balance(written.balance.value), written.balance.is_default),
        "endpoints": written.endpoints.iter().map(|written| endpoint(plan, written)).collect::<Vec<_>>(),
        "pool": pool(&written.pool),
        "timeouts": timeouts(&written.timeouts),
        "eject": written.eject.as_ref().map(eject),
        "retry": written.retry.as_ref().map(retry),
        "provenance": provenance(&written.provenance),
    })
}

fn endpoint(plan: &Plan, endpoint: &Endpoint) -> Value {
    json!({
        "address": match &endpoint.address {
            EndpointAddress::Known(_) | EndpointAddress::Unix(_) => json!(upstream::address(plan, endpoint)),
            EndpointAddress::Late(id) => late(&plan.lates[id.0 as usize].source),
        },
        "weight": defaulted(endpoint.weight.value, endpoint.weight.is_default),
        "backup": endpoint.is_backup,
    })
}

fn pool(pool: &Pool) -> Value {
    json!({
        "idle_connections": defaulted(pool.idle_connections.value, pool.idle_connections.is_default),
        "idle_timeout_ms": span(pool.idle_timeout),
        "requests_per_connection": defaulted(pool.requests_per_connection.value, pool.requests_per_connection.is_default),
        "connection_age_ms": span(pool.connection_age),
    })
}

fn timeouts(timeouts: &UpstreamTimeouts) -> Value {
    json!({
        "connect_ms": span(timeouts.connect),
        "first_byte_ms": span(timeouts.first_byte),
        "between_bytes_ms": span(timeouts.between_bytes),
        "total_ms": defaulted(timeouts.total.value.map(milliseconds), timeouts.total.is_default),
        "tunnel_idle_ms": span(timeouts.tunnel_idle),
    })
}

fn span(written: Defaulted<Duration>) -> Value {
    defaulted(milliseconds(written.value), written.is_default)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn eject(eject: &Eject) -> Value {
    json!({ "after": defaulted(eject.after.value, eject.after.is_default), "for_ms": span(eject.time) })
}

fn retry(retry: &Retry) -> Value {
    json!({
        "times": defaulted(retry.times.value, retry.times.is_default),
        "budget_percent": defaulted(retry.budget_percent.value, retry.budget_percent.is_default),
        "on": defaulted(upstream::retried(&retry.on.value), retry.on.is_default),
    })
}

pub(super) fn proxy(plan: &Plan, proxy: &Proxy, parameters: &[Option<String>]) -> Value {
    let words = Words { plan, parameters };
    let host = match &proxy.host.value {
        HostPolicy::Endpoint => json!("endpoint"),
        HostPolicy::Literal(literal) => json!({ "literal": literal }),
        HostPolicy::Preserve => json!("preserve"),
    };
    json!({ "proxy": {
        "upstream": plan.upstreams[usize::from(proxy.upstream.0)].title,
        "target": match &proxy.target {
            Target::Same => json!("same"),
            Target::Strip(prefix) => json!({ "strip_prefix": prefix }),
            Target::Template(parts) => json!({ "template": words.template(parts) }),
        },
        "host": defaulted(host, proxy.host.is_default),
        "upgrade": proxy.upgrades,
        "timeouts": timeouts(&proxy.timeouts),
        "intercept": proxy.intercepts.iter().map(|written| intercept(plan, written, parameters)).collect::<Vec<_>>(),
    } })
}

fn intercept(plan: &Plan, intercept: &Intercept, parameters: &[Option<String>]) -> Value {
    let when = match &intercept.when {
        Intercepting::Header(name) => json!({ "header": name }),
        Intercepting::Statuses(statuses) => json!({ "statuses": statuses }),
    };
    let then = match &intercept.then {
        Intercepted::Accel { root } => json!({ "accel": { "root": route::value(plan, root) } }),
        Intercepted::Action(continuation) => json!({ "action": route::action(plan, &continuation.action, parameters) }),
        Intercepted::Page(page) => json!({ "page": {
            "file": page.file,
            "content_type": page.content_type,
            "bytes": page.body.len(),
            "sha256": fingerprint::sha256(&page.body),
        } }),
    };
    json!({ "when": when, "then": then })
}
