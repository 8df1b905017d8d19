//! `plan --json`: the plan for machines. Sizes in bytes, durations in milliseconds, a default says so.

use serde_json::{Value, json};

use super::{VERSION, action::constant, words};
use crate::{
    model::{Defaulted, EncodedSlash, Text},
    plan::{Action, Edit, EditsId, Embed, Guard, Plan, Route, Shape, Vhost, Workers},
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
        "listeners": plan.listeners.iter().map(|listener| json!({
            "name": listener.name,
            "address": listener.address.to_string(),
            "protocols": ["h1"],
            "provenance": provenance(&listener.provenance),
        })).collect::<Vec<_>>(),
        "headers": edits(plan, plan.site_edits, &[]),
        "hosts": plan.hosts.names.iter().map(|(host, vhost)| json!([host, vhost])).collect::<Vec<_>>(),
        "default_vhost": plan.hosts.default,
        "vhosts": plan.vhosts.iter().map(|written| vhost(plan, written)).collect::<Vec<_>>(),
        "trees": plan.embeds.iter().map(tree).collect::<Vec<_>>(),
        "features": plan.features,
    })
}

fn defaulted(value: impl Into<Value>, is_default: bool) -> Value {
    json!({ "value": value.into(), "default": is_default })
}

fn limits(plan: &Plan) -> Value {
    fn limit<T: Copy + Into<Value>>(limit: Defaulted<T>) -> Value {
        defaulted(limit.value, limit.is_default)
    }
    let limits = &plan.limits;
    json!({
        "connections": limit(limits.connections),
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

fn provenance(provenance: &Provenance) -> Value {
    json!({ "file": provenance.file, "line": provenance.line })
}

fn vhost(plan: &Plan, vhost: &Vhost) -> Value {
    let ordered = vhost.patterns.iter().flat_map(|pattern| &pattern.routes).map(|number| &vhost.routes[*number as usize]);
    json!({
        "name": vhost.name,
        "hosts": vhost.hosts,
        "default": vhost.is_default,
        "provenance": provenance(&vhost.provenance),
        "shape": match vhost.shape {
            Shape::Code => "code",
            Shape::Table { .. } => "table",
        },
        "headers": edits(plan, vhost.edits, &[]),
        "routes": ordered.map(|written| route(plan, written)).collect::<Vec<_>>(),
    })
}

fn route(plan: &Plan, route: &Route) -> Value {
    json!({
        "name": route.name,
        "pattern": route.pattern,
        "parameters": route.parameters,
        "methods": if route.methods.is_any() { json!("*") } else { json!(words::methods(route.methods).split(' ').collect::<Vec<_>>()) },
        "when": route.guard.as_ref().map(guard),
        "path": match route.encoded_slash {
            EncodedSlash::Keep => "keep",
            EncodedSlash::Raw => "raw",
            EncodedSlash::Refuse => "refuse",
        },
        "headers": edits(plan, route.edits, &route.parameters),
        "action": action(plan, route),
        "provenance": provenance(&route.provenance),
    })
}

fn guard(written: &Guard) -> Value {
    match written {
        Guard::All(guards) => json!({ "all": guards.iter().map(guard).collect::<Vec<_>>() }),
        Guard::Any(guards) => json!({ "any": guards.iter().map(guard).collect::<Vec<_>>() }),
        Guard::Header { name, values } => json!({ "header": name, "values": values.iter().filter_map(Text::known).collect::<Vec<_>>() }),
        Guard::Host(hosts) => json!({ "host": hosts }),
        Guard::Method(methods) => json!({ "method": words::methods(*methods).split(' ').collect::<Vec<_>>() }),
        Guard::Not(inner) => json!({ "not": guard(inner) }),
        Guard::Path(patterns) => json!({ "path": patterns }),
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Map(_)
        | Guard::Protocol(_)
        | Guard::Query { .. }
        | Guard::Regex(_) => unreachable!("resolve gives none of these yet"),
    }
}

fn action(plan: &Plan, route: &Route) -> Value {
    match &route.action {
        Action::Abort => json!({ "abort": {} }),
        Action::Embed { embed } => {
            let tree = &plan.embeds[embed.0 as usize];
            let index = defaulted(tree.index.clone(), route.index_is_default);
            json!({ "files": { "directory": tree.directory, "index": index, "tree": embed.0 } })
        }
        Action::Redirect { target, status, drops_query } => json!({ "redirect": {
            "status": status,
            "target": words::template(target, &route.parameters),
            "query": if *drops_query { "drop" } else { "keep" },
        } }),
        Action::Refuse { status } => json!({ "refuse": { "status": status } }),
        Action::Respond { status, body, content_type } => {
            let default = || crate::answer::default_content_type(*status, body.is_empty()).to_owned();
            let is_default = content_type.is_none();
            json!({ "respond": {
                "status": status,
                "body": constant(body).map_or_else(|| words::template(body, &route.parameters), str::to_owned),
                "template": constant(body).is_none(),
                "content_type": defaulted(content_type.clone().unwrap_or_else(default), is_default),
            } })
        }
        Action::Root { directory, index } => {
            json!({ "files": { "directory": directory, "index": defaulted(index.clone(), route.index_is_default), "tree": null } })
        }
    }
}

fn edits(plan: &Plan, id: EditsId, parameters: &[Option<String>]) -> Value {
    plan.edits[id.0 as usize].in_order().into_iter().map(|rule| edit(rule, parameters)).collect()
}

fn edit(edit: &Edit, parameters: &[Option<String>]) -> Value {
    use semantics::edits::Action as EditAction;
    let action = match edit.action {
        EditAction::Add => "add",
        EditAction::Default => "default",
        EditAction::Remove => "remove",
        EditAction::Set => "set",
    };
    json!({ "action": action, "name": edit.name, "value": words::template(&edit.value, parameters), "only": edit.only })
}

fn tree(embed: &Embed) -> Value {
    let assets = embed.assets.iter().map(|asset| {
        let encodings = asset.encodings.iter().map(|(coding, bytes)| json!({ "coding": coding.name(), "bytes": bytes }));
        json!({
            "path": asset.path,
            "content_type": asset.content_type,
            "sha256": asset.hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
            "bytes": asset.bytes,
            "encodings": encodings.collect::<Vec<_>>(),
        })
    });
    json!({ "name": embed.name, "directory": embed.directory, "index": embed.index, "files": assets.collect::<Vec<_>>() })
}
