//! The policies of a scope in the words of the site language: access, CORS, error pages, maps.

use std::collections::BTreeMap;

use semantics::{access::Verdict, client::ForwardingFields};

use super::words::{self, Words};
use crate::plan::{Access, Allowed, Cors, Encoding, ErrorPage, Errors, Map, MapForm, Origins, Plan, TrustedProxies};

/// `allow 10.0.0.0/8  refuse 0.0.0.0/0`: the rules of one list in their order.
pub(crate) fn access(list: &Access) -> String {
    let rules = list.rules.iter().map(|rule| {
        let word = match rule.verdict {
            Verdict::Allow => "allow",
            Verdict::Refuse => "refuse",
        };
        rule.networks.iter().fold(word.to_owned(), |text, network| format!("{text} {network}"))
    });
    rules.collect::<Vec<_>>().join("  ")
}

/// `origin "https://a.example"  credentials  methods PUT  max-age 1h`; what the browser decides alone is marked.
pub(crate) fn cors(policy: &Cors) -> String {
    let mut facts = Vec::new();
    match &policy.origins {
        Origins::Any => facts.push("origin *".to_owned()),
        Origins::Listed { origins, has_credentials } => {
            facts.push(format!("origin {}", origins.join(" ")));
            facts.extend(has_credentials.then(|| "credentials".to_owned()));
        }
    }
    for (word, allowed) in [("methods", &policy.methods), ("headers", &policy.headers), ("expose", &policy.exposed)] {
        match allowed {
            Allowed::Any => facts.push(format!("{word} *")),
            Allowed::Listed(names) if names.is_empty() => facts.push(words::mark(&format!("{word} none"), true)),
            Allowed::Listed(names) => facts.push(format!("{word} {}", names.join(" "))),
        }
    }
    let max_age = policy.max_age_s.map(|seconds| words::duration(std::time::Duration::from_secs(seconds.into())));
    facts.push(max_age.map_or_else(|| words::mark("max-age 5s", true), |age| format!("max-age {age}")));
    facts.join("  ")
}

/// `zstd br gzip  min 1KiB.`: in the order of preference.
pub(crate) fn encoding(policy: &Encoding) -> String {
    let codings: Vec<_> = policy.codings.iter().map(|coding| coding.name()).collect();
    let min = format!("min {}", words::size(policy.min_bytes.value));
    format!("{}  {}", codings.join(" "), words::mark(&min, policy.min_bytes.is_default))
}

/// Rows of a map that are shown whole; more are told by their hash.
const ROWS_MAX: usize = 32;

/// `404 public/404.html sha256 9f2c41d0a1b2c3d4  502 504 public/down.html ..`: statuses that have the same page together.
pub(crate) fn errors(errors: &Errors) -> String {
    let mut pages: Vec<(&ErrorPage, Vec<String>)> = Vec::new();
    let mut known = BTreeMap::new();
    for page in &errors.pages {
        let at = *known.entry((&page.file, &page.content_type)).or_insert_with(|| {
            pages.push((page, Vec::new()));
            pages.len() - 1
        });
        pages[at].1.push(page.status.to_string());
    }
    let facts =
        pages.into_iter().map(|(page, statuses)| format!("{} {} {}", statuses.join(" "), words::path(&page.file), words::hash(&page.body)));
    facts.collect::<Vec<_>>().join("  ")
}

/// `map moved  from "{path}"  100000 rows of a file: blob  default none.`
pub(crate) fn map(plan: &Plan, map: &Map) -> String {
    let from = words::quoted(&Words { plan, parameters: &[] }.template(&map.from));
    let of = if map.is_file { " of a file" } else { "" };
    let default = map.default.as_ref().map_or_else(|| words::mark("default none", true), |text| format!("default {}", words::quoted(text)));
    let rows = if map.rows.len() == 1 { "row" } else { "rows" };
    let hash = if map.rows.len() > ROWS_MAX { format!("  {}", rows_hash(map)) } else { String::new() };
    format!("map {}  from {from}  {} {rows}{of}: {}{hash}  {default}", map.name, map.rows.len(), map_form(map))
}

/// `"/old" -> "/new"`: its rows, where they are few enough to be read.
pub(crate) fn rows(map: &Map) -> impl Iterator<Item = String> {
    let shown = if map.rows.len() > ROWS_MAX { &[] } else { map.rows.as_slice() };
    shown.iter().map(|(key, value)| format!("{} -> {}", words::quoted(key), words::quoted(value)))
}

/// What all rows hash to: a line of key, tab and value for each.
pub(crate) fn rows_hash(map: &Map) -> String {
    let lines: String = map.rows.iter().flat_map(|(key, value)| [key, "\t", value, "\n"]).collect();
    words::hash(lines.as_bytes())
}

/// How its rows become part of the binary.
pub(crate) const fn map_form(map: &Map) -> &'static str {
    match map.form {
        MapForm::Blob(_) => "blob",
        MapForm::Inline => "code",
    }
}

/// `10.0.0.0/8  fields either.`
pub(crate) fn trusted_proxies(trusted: &TrustedProxies) -> String {
    let networks: Vec<_> = trusted.networks.iter().map(ToString::to_string).collect();
    let fields = words::mark(&format!("fields {}", forwarding(trusted.fields.value)), trusted.fields.is_default);
    format!("{}  {fields}", networks.join(" "))
}

/// Which fields of trusted proxies are read.
pub(crate) const fn forwarding(fields: ForwardingFields) -> &'static str {
    match fields {
        ForwardingFields::Either => "either",
        ForwardingFields::Forwarded => "forwarded",
        ForwardingFields::XForwarded => "x-forwarded",
    }
}
