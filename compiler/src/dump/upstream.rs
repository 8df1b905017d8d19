//! Upstreams and what is sent on to them, in the words of the site language.

use super::words::{self, Words};
use crate::plan::{
    Balance, Defaulted, Eject, Endpoint, EndpointAddress, HostPolicy, Intercept, Intercepted, Intercepting, Plan, Pool, Proxy, Retry,
    RetryOn, Target, Upstream, UpstreamTimeouts,
};

/// `round-robin.  3 endpoints (1 backup)`.
pub(crate) fn head(upstream: &Upstream) -> String {
    let count = upstream.endpoints.len();
    let backups = upstream.endpoints.iter().filter(|endpoint| endpoint.is_backup).count();
    let endpoints = format!("{count} endpoint{}", if count == 1 { "" } else { "s" });
    let backups = if backups == 0 { String::new() } else { format!(" ({backups} backup{})", if backups == 1 { "" } else { "s" }) };
    format!("{}  {endpoints}{backups}", words::mark(balance(upstream.balance.value), upstream.balance.is_default))
}

/// As `balance` names it.
pub(crate) const fn balance(balance: Balance) -> &'static str {
    match balance {
        Balance::RoundRobin => "round-robin",
    }
}

/// `10.0.0.5:3000`, `unix:/run/app.sock`, `(env)APP`.
pub(crate) fn address(plan: &Plan, endpoint: &Endpoint) -> String {
    match &endpoint.address {
        EndpointAddress::Known(address) => address.to_string(),
        EndpointAddress::Late(id) => words::path(&plan.lates[id.0 as usize].source.to_string()),
        EndpointAddress::Unix(path) => format!("unix:{}", words::path(path)),
    }
}

/// `10.0.1.7:3000  weight 1.  backup`.
pub(crate) fn endpoint(plan: &Plan, endpoint: &Endpoint) -> String {
    let weight = words::mark(&format!("weight {}", endpoint.weight.value), endpoint.weight.is_default);
    let backup = if endpoint.is_backup { "  backup" } else { "" };
    format!("{}  {weight}{backup}", address(plan, endpoint))
}

/// What holds for all endpoints: a word and what is said of it.
pub(crate) fn facts(upstream: &Upstream) -> [(&'static str, String); 4] {
    let none = || words::mark("none", upstream.endpoints.len() == 1);
    [
        ("timeouts", timeouts(&upstream.timeouts, None)),
        ("pool", pool(&upstream.pool)),
        ("eject", upstream.eject.as_ref().map_or_else(none, eject)),
        ("retry", upstream.retry.as_ref().map_or_else(none, retry)),
    ]
}

/// `connect 2s.  first-byte 30s.`: those that are other than `outer` has them.
pub(crate) fn timeouts(timeouts: &UpstreamTimeouts, outer: Option<&UpstreamTimeouts>) -> String {
    let all = |timeouts: &UpstreamTimeouts| {
        let some = |timeout: Defaulted<std::time::Duration>| Defaulted { value: Some(timeout.value), is_default: timeout.is_default };
        let UpstreamTimeouts { connect, first_byte, between_bytes, total, tunnel_idle } = timeouts.clone();
        [
            ("connect", some(connect)),
            ("first-byte", some(first_byte)),
            ("between-bytes", some(between_bytes)),
            ("total", total),
            ("tunnel-idle", some(tunnel_idle)),
        ]
    };
    let outer = outer.map(all);
    let shown = all(timeouts).into_iter().enumerate().filter(|(at, (_, timeout))| outer.is_none_or(|outer| outer[*at].1 != *timeout));
    let fact = |(name, timeout): (&str, Defaulted<Option<std::time::Duration>>)| {
        let text = timeout.value.map_or_else(|| "off".to_owned(), words::duration);
        words::mark(&format!("{name} {text}"), timeout.is_default)
    };
    shown.map(|(_, timeout)| fact(timeout)).collect::<Vec<_>>().join("  ")
}

fn pool(pool: &Pool) -> String {
    let facts = [
        words::mark(&format!("idle-connections {}", pool.idle_connections.value), pool.idle_connections.is_default),
        words::mark(&format!("idle-timeout {}", words::duration(pool.idle_timeout.value)), pool.idle_timeout.is_default),
        words::mark(&format!("requests-per-connection {}", pool.requests_per_connection.value), pool.requests_per_connection.is_default),
        words::mark(&format!("connection-age {}", words::duration(pool.connection_age.value)), pool.connection_age.is_default),
    ];
    facts.join("  ")
}

fn eject(eject: &Eject) -> String {
    let after = words::mark(&format!("after {}", eject.after.value), eject.after.is_default);
    let time = words::mark(&format!("for {}", words::duration(eject.time.value)), eject.time.is_default);
    format!("{after}  {time}")
}

fn retry(retry: &Retry) -> String {
    let times = words::mark(&retry.times.value.to_string(), retry.times.is_default);
    let budget = words::mark(&format!("budget {}%", retry.budget_percent.value), retry.budget_percent.is_default);
    let on = words::mark(&format!("on {}", retried(&retry.on.value).join(" ")), retry.on.is_default);
    format!("{times}  {budget}  {on}")
}

/// As `on` of `retry` lists them.
pub(crate) fn retried(on: &RetryOn) -> Vec<String> {
    let named = [("connect", on.connect), ("first-byte-timeout", on.first_byte_timeout), ("reset-before-response", on.reset)];
    let named = named.into_iter().filter(|(_, is_named)| *is_named).map(|(name, _)| name.to_owned());
    named.chain(on.statuses.iter().map(u16::to_string)).collect()
}

/// `proxy app  strip-prefix /api  host preserve.  upgrade websocket`.
pub(crate) fn proxy(plan: &Plan, proxy: &Proxy, words: Words<'_>) -> String {
    let upstream = &plan.upstreams[usize::from(proxy.upstream.0)];
    let mut facts = vec![format!("proxy {}", words::path(&upstream.title))];
    match &proxy.target {
        Target::Same => {}
        Target::Strip(prefix) => facts.push(format!("strip-prefix {}", words::path(prefix))),
        Target::Template(parts) => facts.push(format!("target {}", words::quoted(&words.template(parts)))),
    }
    facts.push(words::mark(&format!("host {}", host(&proxy.host.value)), proxy.host.is_default));
    if !proxy.upgrades.is_empty() {
        facts.push(format!("upgrade {}", proxy.upgrades.join(" ")));
    }
    let timeouts = timeouts(&proxy.timeouts, Some(&upstream.timeouts));
    if !timeouts.is_empty() {
        facts.push(format!("timeouts {timeouts}"));
    }
    facts.join("  ")
}

/// As `host` names it.
pub(crate) fn host(host: &HostPolicy) -> String {
    match host {
        HostPolicy::Endpoint => "endpoint".to_owned(),
        HostPolicy::Literal(literal) => words::quoted(literal),
        HostPolicy::Preserve => "preserve".to_owned(),
    }
}

/// `header x-accel-redirect`, `404 410`.
pub(crate) fn intercepting(when: &Intercepting) -> String {
    match when {
        Intercepting::Header(name) => format!("header {name}"),
        Intercepting::Statuses(statuses) => statuses.iter().map(u16::to_string).collect::<Vec<_>>().join(" "),
    }
}

/// What takes the place of such answers; `None`: an action, which has a line of its own.
pub(crate) fn intercepted(intercept: &Intercept, words: Words<'_>) -> Option<String> {
    match &intercept.then {
        Intercepted::Accel { root } => Some(format!("accel {}", words.value(root))),
        Intercepted::Action(_) => None,
        Intercepted::Page(page) => Some(format!("page {} {}", words::path(&page.file), words::hash(&page.body))),
    }
}
