//! Which cargo features of the runtime a site needs: exactly those whose functions its generated code calls.

use std::collections::BTreeSet;

use semantics::{log, negotiate::Coding};

use crate::plan::{Action, Address, EditsId, Intercepted, LateSource, Listener, LogFormat, LogPart, Part, Plan, Proxy, RegexForm, Target};

/// Names as in `runtime/Cargo.toml`, sorted. Answers of kiln itself (404, 405, 421, refusals, aborts), maps and guards need none.
pub(super) fn needed(plan: &Plan) -> Vec<&'static str> {
    let routes = || plan.vhosts.iter().flat_map(|vhost| &vhost.routes);
    let mut features = BTreeSet::new();
    for route in routes() {
        of_action(&route.action, &mut features);
    }
    let has_edits = |edits: EditsId| edits != EditsId::default();
    let of_vhosts = plan.vhosts.iter().map(|vhost| vhost.edits);
    let edits: BTreeSet<_> = [plan.site_edits].into_iter().chain(of_vhosts).chain(routes().map(|route| route.edits)).collect();
    let has_coding = |coding: Coding| plan.encodings.iter().any(|encoding| encoding.codings.contains(&coding));
    let is_capturing = |form: &RegexForm| matches!(form, RegexForm::Capturing { .. });
    let others = [
        ("access", !plan.access.is_empty()),
        ("access-log", plan.access_log.is_some()),
        ("client-limit", plan.limits.connections_per_client.is_some()),
        ("cors", !plan.cors.is_empty()),
        ("embed-listing", plan.embeds.iter().any(|embed| embed.rules.lists)),
        ("encode-brotli", has_coding(Coding::Brotli)),
        ("encode-gzip", has_coding(Coding::Gzip)),
        ("encode-zstd", has_coding(Coding::Zstd)),
        ("errors", !plan.errors.is_empty()),
        ("headers", edits.iter().copied().any(has_edits)),
        ("late", !plan.lates.is_empty()),
        ("memory", plan.limits.memory.is_some()),
        ("metrics", plan.metrics.is_some()),
        ("redirect", plan.vhosts.iter().any(|vhost| vhost.canonical_host.is_some())),
        ("regex", !plan.regexes.is_empty()),
        ("regex-captures", plan.regexes.iter().any(|regex| is_capturing(&regex.form))),
        ("request-id", names_request_id(plan, &edits)),
        ("trusted-proxies", plan.trusted_proxies.is_some()),
        ("unix", plan.listeners.iter().any(|listener| may_be_unix(plan, listener))),
    ];
    features.extend(others.into_iter().filter(|(_, is_needed)| *is_needed).map(|(name, _)| name));
    features.into_iter().collect()
}

fn of_action(action: &Action, features: &mut BTreeSet<&'static str>) {
    match action {
        Action::Abort | Action::Refuse { .. } => {}
        Action::Embed { .. } => drop(features.insert("embed")),
        Action::Proxy(proxy) => of_proxy(proxy, features),
        Action::Redirect { .. } => drop(features.insert("redirect")),
        Action::Respond { .. } => drop(features.insert("respond")),
        Action::Rewrite { .. } => drop(features.insert("rewrite")),
        Action::Root { rules, .. } => {
            features.insert("files");
            if rules.lists {
                features.insert("listing");
            }
        }
        Action::Split { .. } => drop(features.insert("split")),
    }
    for inner in action.inner() {
        of_action(inner, features);
    }
}

fn of_proxy(proxy: &Proxy, features: &mut BTreeSet<&'static str>) {
    features.insert("proxy");
    if !proxy.upgrades.is_empty() {
        features.insert("proxy-upgrade");
    }
    if !proxy.intercepts.is_empty() {
        features.insert("proxy-intercept");
    }
    if proxy.intercepts.iter().any(|intercept| matches!(intercept.then, Intercepted::Accel { .. })) {
        features.insert("files");
    }
}

/// A late address is a path where its default is one, or where it has the bits of a file.
fn may_be_unix(plan: &Plan, listener: &Listener) -> bool {
    match &listener.address {
        Address::Known(_) => false,
        Address::Late(id) => {
            let source = &plan.lates[id.0 as usize].source;
            let is_path = |default: &str| default.starts_with("unix:");
            listener.options.mode.is_some() || matches!(source, LateSource::Env { default: Some(default), .. } if is_path(default))
        }
        Address::Unix(_) => true,
    }
}

/// Some template has `{request-id}`: of the log, of edits of answers, of a map, or of an action.
fn names_request_id(plan: &Plan, edits: &BTreeSet<EditsId>) -> bool {
    let in_log = plan.access_log.as_ref().is_some_and(|access_log| match &access_log.format.value {
        LogFormat::Combined => is_built_with_id(log::COMBINED),
        LogFormat::Common => is_built_with_id(log::COMMON),
        LogFormat::Json => is_built_with_id(log::JSON),
        LogFormat::Template(parts) => parts.contains(&LogPart::Template(Part::RequestId)),
    });
    let mut rules = edits.iter().flat_map(|id| &plan.edits[id.0 as usize].rules);
    let mut in_edits = || rules.any(|rule| rule.value.contains(&Part::RequestId));
    let in_maps = || plan.maps.iter().any(|map| map.from.contains(&Part::RequestId));
    let in_actions = || plan.vhosts.iter().flat_map(|vhost| &vhost.routes).any(|route| action_names_id(&route.action));
    in_log || in_edits() || in_maps() || in_actions()
}

fn is_built_with_id(parts: &[log::Part<'_>]) -> bool {
    parts.contains(&log::Part::Template(semantics::template::Part::RequestId))
}

fn action_names_id(action: &Action) -> bool {
    let is_named = match action {
        Action::Abort | Action::Embed { .. } | Action::Refuse { .. } | Action::Root { .. } => false,
        Action::Redirect { target: parts, .. } | Action::Respond { body: parts, .. } | Action::Rewrite { target: parts } => {
            parts.contains(&Part::RequestId)
        }
        Action::Proxy(proxy) => matches!(&proxy.target, Target::Template(parts) if parts.contains(&Part::RequestId)),
        Action::Split { by, .. } => by.contains(&Part::RequestId),
    };
    is_named || action.inner().into_iter().any(action_names_id)
}
