//! `plan --json`: the plan for machines. Sizes in bytes, durations in milliseconds, a default says so.

mod route;
mod upstream;

use semantics::access::Verdict;
use serde_json::{Value, json};

use super::{
    VERSION,
    assets::Sizes,
    observed, policies,
    words::{self, Words},
};
use crate::{
    fingerprint,
    model::Defaulted,
    plan::{
        Access, AccessLog, Address, Allowed, Cors, Edit, EditsId, Embed, Encoding, EncodingId, ErrorsId, LateSource, Listener, LogFormat,
        Map, Origins, Plan, Shape, Vhost, Workers,
    },
    resolve::inherit,
    source::Provenance,
};

/// The plan as a value whose objects have sorted keys.
pub fn json(plan: &Plan) -> Value {
    let workers = match plan.workers.value {
        Workers::Count(count) => json!(count.get()),
        Workers::PerCore => json!("per-core"),
    };
    json!({
        "kiln": VERSION,
        "site": plan.site,
        "language": plan.language,
        "workers": { "value": workers, "default": plan.workers.is_default },
        "limits": limits(plan),
        "timeouts": timeouts(plan),
        "delivery": defaulted(observed::delivery(plan.delivery.value), plan.delivery.is_default),
        "access_log": plan.access_log.as_ref().map(|log| access_log(plan, log)),
        "error_log": error_log(plan),
        "metrics": plan.metrics.map(|metrics| json!({
            "per_vhost": defaulted(metrics.per_vhost.value, metrics.per_vhost.is_default),
            "per_route": defaulted(metrics.per_route.value, metrics.per_route.is_default),
        })),
        "trusted_proxies": plan.trusted_proxies.as_ref().map(|trusted| json!({
            "networks": texts(&trusted.networks),
            "fields": defaulted(policies::forwarding(trusted.fields.value), trusted.fields.is_default),
        })),
        "listeners": plan.listeners.iter().zip(&plan.listener_hosts).map(|(written, hosts)| listener(plan, written, *hosts)).collect::<Vec<_>>(),
        "headers": edits(plan, plan.site_edits, &[]),
        "encode": encoding(plan, plan.site_encoding),
        "errors": errors(plan, plan.site_errors),
        "log": plan.site_is_logged,
        "hosts": plan.hosts.iter().map(|hosts| json!({ "names": hosts.names, "default_vhost": hosts.default })).collect::<Vec<_>>(),
        "vhosts": plan.vhosts.iter().map(|written| vhost(plan, written)).collect::<Vec<_>>(),
        "upstreams": plan.upstreams.iter().map(|written| upstream::upstream(plan, written)).collect::<Vec<_>>(),
        "trees": plan.trees().map(tree).collect::<Vec<_>>(),
        "maps": plan.maps.iter().map(|written| map(plan, written)).collect::<Vec<_>>(),
        "regexes": plan.regexes.iter().map(|regex| json!({ "name": regex.name, "regex": regex.text, "bytes": regex.form.bytes() })).collect::<Vec<_>>(),
        "late": plan.lates.iter().map(|written| late(&written.source)).collect::<Vec<_>>(),
        "features": plan.features,
    })
}

fn defaulted(value: impl Into<Value>, is_default: bool) -> Value {
    json!({ "value": value.into(), "default": is_default })
}

fn texts<T: ToString>(items: &[T]) -> Vec<String> {
    items.iter().map(T::to_string).collect()
}

fn limits(plan: &Plan) -> Value {
    fn limit<T: Copy + Into<Value>>(limit: Defaulted<T>) -> Value {
        defaulted(limit.value, limit.is_default)
    }
    let limits = &plan.limits;
    json!({
        "connections": limit(limits.connections),
        "connections_per_client": defaulted(limits.connections_per_client, limits.connections_per_client.is_none()),
        "requests": limit(limits.requests),
        "memory_bytes": defaulted(limits.memory, limits.memory.is_none()),
        "head_bytes": limit(limits.head),
        "fields": limit(limits.fields),
        "body_bytes": limit(limits.body),
    })
}

fn timeouts(plan: &Plan) -> Value {
    let milliseconds = |timeout: Defaulted<std::time::Duration>| {
        defaulted(u64::try_from(timeout.value.as_millis()).unwrap_or(u64::MAX), timeout.is_default)
    };
    let timeouts = &plan.timeouts;
    json!({
        "head_ms": milliseconds(timeouts.head),
        "body_ms": milliseconds(timeouts.body),
        "idle_ms": milliseconds(timeouts.idle),
        "write_ms": milliseconds(timeouts.write),
        "drain_ms": milliseconds(timeouts.drain),
    })
}

fn access_log(plan: &Plan, log: &AccessLog) -> Value {
    let [fields, keys] = log.all_redacted();
    let template = match &log.format.value {
        LogFormat::Template(parts) => Some(Words { plan, parameters: &[] }.log_template(parts)),
        LogFormat::Combined | LogFormat::Common | LogFormat::Json => None,
    };
    json!({
        "file": route::value(plan, &log.file),
        "format": defaulted(observed::format_name(&log.format.value), log.format.is_default),
        "template": template,
        "redacted": { "fields": fields, "keys": keys },
    })
}

fn error_log(plan: &Plan) -> Value {
    let written = plan.error_log.as_ref().map(|file| route::value(plan, file));
    let is_default = written.is_none();
    defaulted(written.unwrap_or_else(|| json!(inherit::ERROR_LOG)), is_default)
}

fn provenance(provenance: &Provenance) -> Value {
    json!({ "file": provenance.file, "line": provenance.line })
}

fn listener(plan: &Plan, listener: &Listener, hosts: u16) -> Value {
    json!({
        "name": listener.name,
        "address": match &listener.address {
            Address::Known(address) => json!(address.to_string()),
            Address::Late(id) => late(&plan.lates[id.0 as usize].source),
            Address::Unix(path) => json!(format!("unix:{path}")),
        },
        "congestion": listener.options.congestion,
        "dual_stack": listener.options.is_dual_stack,
        "mode": listener.options.mode.map(|mode| format!("{mode:04o}")),
        "protocols": ["h1"],
        "hosts": hosts,
        "provenance": provenance(&listener.provenance),
    })
}

/// What to look for on the host; a default may be a secret and is not shown.
fn late(source: &LateSource) -> Value {
    match source {
        LateSource::Env { name, default } => json!({ "env": name, "has_default": default.is_some() }),
        LateSource::File { path } => json!({ "file": path, "has_default": false }),
    }
}

fn vhost(plan: &Plan, vhost: &Vhost) -> Value {
    let ordered = vhost.patterns.iter().flat_map(|pattern| &pattern.routes).map(|number| &vhost.routes[*number as usize]);
    json!({
        "name": vhost.name,
        "hosts": vhost.hosts,
        "default": vhost.is_default,
        "on": vhost.on.iter().map(|listener| &plan.listeners[*listener].name).collect::<Vec<_>>(),
        "canonical_host": vhost.canonical_host.as_ref().map(|canonical| json!({ "host": canonical.host, "status": defaulted(canonical.status.value, canonical.status.is_default) })),
        "provenance": provenance(&vhost.provenance),
        "shape": match vhost.shape {
            Shape::Code => "code",
            Shape::Records { .. } => "records",
            Shape::Table { .. } => "table",
        },
        "headers": edits(plan, vhost.edits, &[]),
        "encode": encoding(plan, vhost.encoding),
        "errors": errors(plan, vhost.errors),
        "log": vhost.is_logged,
        "routes": ordered.map(|written| route::route(plan, written)).collect::<Vec<_>>(),
    })
}

/// `null` where nothing is encoded.
fn encoding(plan: &Plan, encoding: Option<EncodingId>) -> Value {
    let policy = encoding.map(|id| &plan.encodings[id.0 as usize]);
    let names = |policy: &Encoding| policy.codings.iter().map(|coding| coding.name()).collect::<Vec<_>>();
    let shown = |policy: &Encoding| json!({ "codings": names(policy), "min_bytes": defaulted(policy.min_bytes.value, policy.min_bytes.is_default) });
    policy.map_or(Value::Null, shown)
}

fn errors(plan: &Plan, errors: Option<ErrorsId>) -> Value {
    let pages = errors.map_or(&[][..], |id| &plan.errors[id.0 as usize].pages);
    let page = |page: &crate::plan::ErrorPage| json!({ "status": page.status, "file": page.file, "content_type": page.content_type, "bytes": page.body.len(), "sha256": fingerprint::sha256(&page.body) });
    pages.iter().map(page).collect()
}

fn access(list: &Access) -> Value {
    let rule = |rule: &crate::plan::AccessRule| match rule.verdict {
        Verdict::Allow => json!({ "allow": texts(&rule.networks) }),
        Verdict::Refuse => json!({ "refuse": texts(&rule.networks) }),
    };
    list.rules.iter().map(rule).collect()
}

fn cors(policy: &Cors) -> Value {
    let allowed = |allowed: &Allowed| match allowed {
        Allowed::Any => json!("*"),
        Allowed::Listed(names) => json!(names),
    };
    let (origins, has_credentials) = match &policy.origins {
        Origins::Any => (json!("*"), false),
        Origins::Listed { origins, has_credentials } => (json!(origins), *has_credentials),
    };
    json!({
        "origins": origins,
        "credentials": has_credentials,
        "methods": allowed(&policy.methods),
        "headers": allowed(&policy.headers),
        "expose": allowed(&policy.exposed),
        "max_age_s": policy.max_age_s,
    })
}

fn edits(plan: &Plan, id: EditsId, parameters: &[Option<String>]) -> Value {
    let words = Words { plan, parameters };
    plan.edits[id.0 as usize].in_order().into_iter().map(|rule| edit(rule, words)).collect()
}

fn edit(edit: &Edit, words: Words<'_>) -> Value {
    use semantics::edits::Action as EditAction;
    let action = match edit.action {
        EditAction::Add => "add",
        EditAction::Default => "default",
        EditAction::Remove => "remove",
        EditAction::Set => "set",
    };
    json!({ "action": action, "name": edit.name, "value": words.template(&edit.value), "only": edit.only, "except": edit.except })
}

fn map(plan: &Plan, map: &Map) -> Value {
    json!({
        "name": map.name,
        "from": Words { plan, parameters: &[] }.template(&map.from),
        "rows": map.rows,
        "is_file": map.is_file,
        "default": map.default,
        "form": policies::map_form(map),
        "provenance": provenance(&map.provenance),
    })
}

fn tree(embed: &Embed) -> Value {
    let assets = embed.assets.iter().map(|asset| {
        let is_sibling = |coding| asset.siblings.iter().any(|sibling| sibling.coding == coding);
        let codings = asset
            .codings
            .iter()
            .map(|(coding, bytes)| json!({ "coding": coding.name(), "bytes": bytes, "is_sibling": is_sibling(*coding) }));
        json!({
            "path": asset.path,
            "content_type": asset.content_type,
            "sha256": asset.hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
            "bytes": asset.bytes,
            "codings": codings.collect::<Vec<_>>(),
            "saved_bytes": Sizes::of(std::slice::from_ref(asset)).saved(),
            "immutable": embed.is_immutable(asset),
            "modified": asset.modified,
        })
    });
    let sizes = Sizes::of(&embed.assets);
    json!({
        "name": embed.name,
        "directory": embed.directory,
        "bytes": sizes.raw,
        "smallest_bytes": sizes.smallest,
        "saved_bytes": sizes.saved(),
        "stored_bytes": sizes.stored,
        "files": assets.collect::<Vec<_>>(),
    })
}

/// Methods as a list; any as `*`.
fn methods(methods: semantics::method::Methods) -> Value {
    if methods.is_any() { json!("*") } else { json!(words::methods(methods).split(' ').collect::<Vec<_>>()) }
}
