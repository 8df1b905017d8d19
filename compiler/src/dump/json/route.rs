//! One route for machines: its guard as a tree, its policies, its action.

use serde_json::{Value, json};

use super::{access, cors, defaulted, edits, encoding, errors, late, methods, provenance, texts, upstream};
use crate::{
    answer,
    dump::{
        action::{codings, constant},
        words::{self, Words},
    },
    model::EncodedSlash,
    plan::{self, Action, Guard, Plan, Route, Rules},
};

pub(super) fn route(plan: &Plan, route: &Route) -> Value {
    json!({
        "name": route.name,
        "pattern": route.pattern,
        "parameters": route.parameters,
        "methods": methods(route.methods),
        "when": route.guard.as_ref().map(|written| guard(plan, written)),
        "path": match route.encoded_slash {
            EncodedSlash::Keep => "keep",
            EncodedSlash::Raw => "raw",
            EncodedSlash::Refuse => "refuse",
        },
        "headers": edits(plan, route.edits, &route.parameters),
        "request_headers": edits(plan, route.request_edits, &route.parameters),
        "upstream_headers": edits(plan, route.upstream_edits, &route.parameters),
        "encode": encoding(plan, route.encoding),
        "errors": errors(plan, route.errors),
        "cors": route.cors.map(|id| cors(&plan.cors[id.0 as usize])),
        "access": route.access.iter().map(|id| access(&plan.access[id.0 as usize])).collect::<Vec<_>>(),
        "body_bytes": defaulted(route.body_limit.value, route.body_limit.is_default),
        "log": route.is_logged,
        "action": action(plan, &route.action, &route.parameters),
        "provenance": provenance(&route.provenance),
    })
}

fn guard(plan: &Plan, written: &Guard) -> Value {
    let all = |guards: &[Guard]| guards.iter().map(|inner| guard(plan, inner)).collect::<Vec<_>>();
    match written {
        Guard::All(guards) => json!({ "all": all(guards) }),
        Guard::Any(guards) => json!({ "any": all(guards) }),
        Guard::ClientIp(networks) => json!({ "client_ip": texts(networks) }),
        Guard::Cookie { name, values: written } => json!({ "cookie": name, "values": values(plan, written) }),
        Guard::Extension(extensions) => json!({ "extension": extensions }),
        Guard::Header { name, values: written } => json!({ "header": name, "values": values(plan, written) }),
        Guard::Host(hosts) => json!({ "host": hosts }),
        Guard::Map(id) => json!({ "map": plan.maps[id.0 as usize].name }),
        Guard::Method(wanted) => json!({ "method": methods(*wanted) }),
        Guard::Not(inner) => json!({ "not": guard(plan, inner) }),
        Guard::Path(patterns) => json!({ "path": patterns }),
        Guard::Protocol(protocols) => json!({ "protocol": protocols.iter().map(|known| words::protocol(*known)).collect::<Vec<_>>() }),
        Guard::Query { name, values: written } => json!({ "query": name, "values": values(plan, written) }),
        Guard::Regex(id) => json!({ "regex": plan.regexes[id.0 as usize].text }),
    }
}

fn values(plan: &Plan, values: &[plan::Value]) -> Value {
    values.iter().map(|written| value(plan, written)).collect()
}

pub(super) fn value(plan: &Plan, value: &plan::Value) -> Value {
    match value {
        plan::Value::Late(id) => late(&plan.lates[id.0 as usize].source),
        plan::Value::Text(text) => json!(text),
    }
}

pub(super) fn action(plan: &Plan, written: &Action, parameters: &[Option<String>]) -> Value {
    let template = |parts| Words { plan, parameters }.template(parts);
    match written {
        Action::Abort => json!({ "abort": {} }),
        Action::Embed { embed, index_is_default, miss } => {
            let embed = &plan.embeds[embed.0 as usize];
            let miss = miss.as_ref().map(|miss| action(plan, &miss.action, parameters));
            files((json!(embed.directory), Some(embed.tree)), (&embed.rules, *index_is_default, embed.has_dates), miss)
        }
        Action::Proxy(proxy) => upstream::proxy(plan, proxy, parameters),
        Action::Redirect { target, status, drops_query } => json!({ "redirect": {
            "status": defaulted(status.value, status.is_default),
            "target": template(target),
            "query": if *drops_query { "drop" } else { "keep" },
        } }),
        Action::Refuse { status } => json!({ "refuse": { "status": defaulted(status.value, status.is_default) } }),
        Action::Respond { status, body, content_type } => {
            let default = || answer::default_content_type(status.value, body.is_empty()).to_owned();
            let is_default = content_type.is_none();
            json!({ "respond": {
                "status": defaulted(status.value, status.is_default),
                "body": constant(body).map_or_else(|| template(body), str::to_owned),
                "template": constant(body).is_none(),
                "content_type": defaulted(content_type.clone().unwrap_or_else(default), is_default),
            } })
        }
        Action::Rewrite { target } => json!({ "rewrite": { "target": template(target) } }),
        Action::Root { directory, index_is_default, rules, miss } => {
            let miss = miss.as_ref().map(|miss| action(plan, &miss.action, parameters));
            files((value(plan, directory), None), (rules, *index_is_default, false), miss)
        }
        Action::Split { by, salt, shares } => {
            let share = |share: &plan::Share| json!({ "weight": share.weight, "action": action(plan, &share.action, parameters) });
            json!({ "split": { "by": template(by), "salt": salt, "shares": shares.iter().map(share).collect::<Vec<_>>() } })
        }
    }
}

/// `files` with all that its block says; `tree` is the number of an embedded one.
fn files(
    (directory, tree): (Value, Option<u32>),
    (rules, index_is_default, has_dates): (&Rules, bool, bool),
    miss: Option<Value>,
) -> Value {
    json!({ "files": {
        "directory": directory,
        "tree": tree,
        "index": defaulted(rules.index.clone(), index_is_default),
        "try": rules.tried.iter().map(|tried| format!("{}{{path}}{}", tried.before, tried.behind)).collect::<Vec<_>>(),
        "spa": rules.spa,
        "listing": rules.lists,
        "immutable": rules.immutable,
        "precompressed": codings(rules.precompressed),
        "symlinks": rules.follows_links,
        "hidden": rules.serves_hidden,
        "last_modified": has_dates,
        "miss": miss,
    } })
}
