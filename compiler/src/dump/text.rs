//! `plan.txt`: one fact a line, defaults marked by a dot behind them.

use super::{
    FEATURES, VERSION,
    action::{action, encoded_slash, inner},
    assets, observed, policies, upstream,
    words::{self, Words},
};
use crate::{
    model::Defaulted,
    plan::{
        Address, EditsId, EncodingId, ErrorsId, LateSource, Listener, ListenerOptions, Map, MapForm, Plan, Route, Shape, Upstream, Vhost,
        Workers,
    },
    source::Provenance,
};

/// Columns, characters: rows that reach beyond one go on after two blanks.
const METHODS_COLUMN: usize = 2;
const PATTERN_COLUMN: usize = 12;
const ACTION_COLUMN: usize = 36;
/// Where the facts of a route stand, below its pattern.
const ROUTE_FACT_COLUMN: usize = 14;
const PROVENANCE_COLUMN: usize = 100;
/// Where a fact stands, behind its word.
const FACT_COLUMN: usize = 10;

/// The plan as text.
pub fn text(plan: &Plan) -> String {
    let mut out = Text::default();
    out.line(format!("site {}  language {}  kiln {VERSION}", plan.site, plan.language));
    limits(plan, &mut out);
    if let Some(trusted) = &plan.trusted_proxies {
        out.fact(2, "trusted-proxies", &policies::trusted_proxies(trusted));
    }
    for (word, fact) in plan.access_log.iter().flat_map(|log| observed::access_log(plan, log)) {
        out.fact(2, word, &fact);
    }
    out.fact(2, "error-log", &observed::error_log(plan));
    if let Some(metrics) = plan.metrics {
        out.fact(2, "metrics", &observed::metrics(metrics));
    }
    out.edits("headers", plan, (plan.site_edits, &[]), 2);
    out.encoding(plan, (plan.site_encoding, None), 2);
    out.errors(plan, plan.site_errors, 2);
    if !plan.site_is_logged {
        out.fact(2, "log", "#false");
    }
    for listener in &plan.listeners {
        out.line(String::new());
        out.listener(plan, listener);
    }
    for vhost in &plan.vhosts {
        out.line(String::new());
        out.vhost(plan, vhost);
    }
    for written in &plan.upstreams {
        out.line(String::new());
        out.upstream(plan, written);
    }
    if !plan.embeds.is_empty() || !plan.maps.is_empty() {
        out.line(String::new());
    }
    for embed in plan.trees() {
        out.line(assets::tree(embed));
    }
    for map in by_name(&plan.maps) {
        out.row(&[(0, policies::map(plan, map))], &map.provenance.full());
        policies::rows(map).for_each(|row| out.row(&[(2, row)], ""));
    }
    out.line(String::new());
    summary(plan, &mut out);
    out.0
}

/// What the host must have, what is linked, and how the plan becomes code.
fn summary(plan: &Plan, out: &mut Text) {
    let mut lates: Vec<_> = plan.lates.iter().map(|late| late_fact(&late.source)).collect();
    lates.sort_unstable();
    for late in lates {
        out.line(format!("at start    {late}"));
    }
    let (needed, unneeded): (Vec<_>, Vec<_>) = FEATURES.into_iter().partition(|feature| plan.features.contains(feature));
    out.line(format!("needs       h1 {}", needed.join(" ")).trim_end().to_owned());
    out.line(format!("not linked  {}", if unneeded.is_empty() { "none".to_owned() } else { unneeded.join(" ") }));
    let routes = plan.vhosts.iter().map(|vhost| vhost.routes.len()).sum();
    let hosts = if plan.hosts.len() == 1 { "hosts cuckoo table".to_owned() } else { format!("hosts {} cuckoo tables", plan.hosts.len()) };
    let blobs = by_name(&plan.maps).into_iter().filter(|map| matches!(map.form, MapForm::Blob(_)));
    let blobs: String = blobs.map(|map| format!("; map {} {} rows: blob", map.name, map.rows.len())).collect();
    let has_records = plan.vhosts.iter().any(|vhost| matches!(vhost.shape, Shape::Records { .. }));
    let handlers = if has_records { "records, and a handler for each shape of them" } else { "a handler each" };
    out.line(format!("shape       {}, {}: {handlers}; {hosts}{blobs}", count(plan.vhosts.len(), "vhost"), count(routes, "route")));
}

pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Maps are numbered by their use, which a route that comes or goes can change.
fn by_name(maps: &[Map]) -> Vec<&Map> {
    let mut maps: Vec<_> = maps.iter().collect();
    maps.sort_unstable_by_key(|map| &map.name);
    maps
}

/// A default may be a secret as the value is: it is not shown.
fn late_fact(source: &LateSource) -> String {
    let has_default = matches!(source, LateSource::Env { default: Some(_), .. });
    let source = words::path(&source.to_string());
    format!("{source}{}", if has_default { "  or its default" } else { "" })
}

/// One fact a line: what is per process is so in each of them.
fn limits(plan: &Plan, out: &mut Text) {
    let workers = match plan.workers.value {
        Workers::Count(count) => count.to_string(),
        Workers::PerCore => "per-core".to_owned(),
    };
    out.fact(2, "workers", &marked(&workers, plan.workers));
    let limits = &plan.limits;
    let sizes = [
        format!("connections {}", marked(&limits.connections.value.to_string(), limits.connections)),
        format!("connections-per-client {}", none_or(limits.connections_per_client.map(|count| count.to_string()))),
        format!("requests {}", marked(&limits.requests.value.to_string(), limits.requests)),
        format!("head {}", marked(&words::size(limits.head.value.into()), limits.head)),
        format!("fields {}", marked(&limits.fields.value.to_string(), limits.fields)),
        format!("body {}", marked(&words::size(limits.body.value), limits.body)),
        format!("memory {}", none_or(limits.memory.map(words::size))),
    ];
    out.fact(2, "limits", &sizes.join("  "));
    let timeouts = &plan.timeouts;
    let timeouts =
        [("head", timeouts.head), ("body", timeouts.body), ("idle", timeouts.idle), ("write", timeouts.write), ("drain", timeouts.drain)];
    let timeouts = timeouts.map(|(name, timeout)| format!("{name} {}", marked(&words::duration(timeout.value), timeout)));
    out.fact(2, "timeouts", &timeouts.join("  "));
    out.fact(2, "delivery", &marked(&observed::delivery(plan.delivery.value), plan.delivery));
}

/// A limit that there is only where the site sets one.
fn none_or(limit: Option<String>) -> String {
    limit.unwrap_or_else(|| words::mark("none", true))
}

fn marked<T>(text: &str, value: Defaulted<T>) -> String {
    words::mark(text, value.is_default)
}

#[derive(Default)]
struct Text(String);

impl Text {
    fn line(&mut self, line: String) {
        self.0.push_str(&line);
        self.0.push('\n');
    }

    /// A line of cells, each at its column, and where it comes from.
    fn row(&mut self, cells: &[(usize, String)], provenance: &str) {
        let mut line = String::new();
        for (column, cell) in cells.iter().map(|(column, cell)| (*column, cell.as_str())).chain([(PROVENANCE_COLUMN, provenance)]) {
            let blanks = column.saturating_sub(line.chars().count()).max(if line.is_empty() { 0 } else { 2 });
            line.push_str(&" ".repeat(blanks));
            line.push_str(cell);
        }
        self.line(line.trim_end().to_owned());
    }

    /// A word at its column and what is said of it.
    fn fact(&mut self, column: usize, word: &str, fact: &str) {
        self.row(&[(column, word.to_owned()), (column + FACT_COLUMN, fact.to_owned())], "");
    }

    fn listener(&mut self, plan: &Plan, listener: &Listener) {
        let address = match &listener.address {
            Address::Known(address) => address.to_string(),
            Address::Late(id) => plan.lates[id.0 as usize].source.to_string(),
            Address::Unix(path) => format!("unix:{path}"),
        };
        let name = if listener.name == address { String::new() } else { format!("{}  ", listener.name) };
        let ListenerOptions { congestion, is_dual_stack, mode } = &listener.options;
        let options = [
            is_dual_stack.then(|| "dual-stack".to_owned()),
            mode.map(|mode| format!("mode {mode:04o}")),
            congestion.as_ref().map(|name| format!("congestion {name}")),
        ];
        let options: String = options.into_iter().flatten().map(|option| format!("  {option}")).collect();
        self.row(&[(0, format!("listen {name}{address}  h1{options}"))], &listener.provenance.full());
    }

    fn upstream(&mut self, plan: &Plan, written: &Upstream) {
        let head = format!("upstream {}  {}", words::path(&written.title), upstream::head(written));
        self.row(&[(0, head)], &written.provenance.full());
        for endpoint in &written.endpoints {
            self.fact(2, "endpoint", &upstream::endpoint(plan, endpoint));
        }
        for (word, fact) in upstream::facts(written) {
            self.fact(2, word, &fact);
        }
    }

    fn vhost(&mut self, plan: &Plan, vhost: &Vhost) {
        let default = if vhost.is_default { " default" } else { "" };
        let hosts: String = vhost.hosts.iter().map(|host| format!(" {host}")).collect();
        let on = if vhost.on.len() == plan.listeners.len() { String::new() } else { format!("  on {}", words::listeners(plan, vhost)) };
        self.row(&[(0, format!("vhost{default}{hosts}{on}"))], &vhost.provenance.full());
        let shape = match vhost.shape {
            Shape::Code => "code",
            Shape::Records { .. } => "records",
            Shape::Table { .. } => "table",
        };
        self.fact(2, "shape", shape);
        if let Some(canonical) = &vhost.canonical_host {
            self.fact(2, "canonical-host", &format!("{} {}", canonical.host, words::status(canonical.status)));
        }
        self.edits("headers", plan, (vhost.edits, &[]), 2);
        self.encoding(plan, (vhost.encoding, None), 2);
        self.errors(plan, vhost.errors, 2);
        if vhost.is_logged != plan.site_is_logged {
            self.fact(2, "log", &format!("#{}", vhost.is_logged));
        }
        for route in vhost.patterns.iter().flat_map(|pattern| &pattern.routes) {
            self.route(plan, vhost, &vhost.routes[*route as usize]);
        }
    }

    fn route(&mut self, plan: &Plan, vhost: &Vhost, route: &Route) {
        let provenance = route.provenance.beside(&vhost.provenance);
        let body = if route.body_limit == plan.limits.body { String::new() } else { format!("  {}", words::body_limit(route)) };
        let cells = [
            (METHODS_COLUMN, words::methods(route.methods)),
            (PATTERN_COLUMN, route.pattern.clone()),
            (ACTION_COLUMN, format!("{}  {}{body}", action(plan, route), encoded_slash(route))),
        ];
        self.row(&cells, &provenance);
        let mut facts = Vec::new();
        if let Some(guard) = &route.guard {
            facts.push(("when", Words { plan, parameters: &route.parameters }.guard(guard)));
        }
        facts.extend(inner(plan, &route.action, &route.parameters).into_iter().map(|line| (line.word, line.text)));
        facts.extend(route.cors.map(|id| ("cors", policies::cors(&plan.cors[id.0 as usize]))));
        for list in &route.access {
            facts.push(("check", format!("access {}", policies::access(&plan.access[list.0 as usize]))));
        }
        for (word, fact) in facts {
            self.fact(ROUTE_FACT_COLUMN, word, &fact);
        }
        let is_as_vhost = plan.edits[route.edits.0 as usize].in_order() == plan.edits[vhost.edits.0 as usize].in_order();
        match (is_as_vhost, route.edits == EditsId::default()) {
            (true, true) => {}
            (true, false) => self.fact(ROUTE_FACT_COLUMN, "headers", "as the vhost"),
            (false, true) => self.fact(ROUTE_FACT_COLUMN, "headers", "none"),
            (false, false) => self.edits("headers", plan, (route.edits, &route.parameters), ROUTE_FACT_COLUMN),
        }
        self.edits("request", plan, (route.request_edits, &route.parameters), ROUTE_FACT_COLUMN);
        self.edits("upstream", plan, (route.upstream_edits, &route.parameters), ROUTE_FACT_COLUMN);
        self.encoding(plan, (route.encoding, vhost.encoding), ROUTE_FACT_COLUMN);
        if route.errors != vhost.errors {
            self.errors(plan, route.errors, ROUTE_FACT_COLUMN);
        }
        if route.is_logged != vhost.is_logged {
            self.fact(ROUTE_FACT_COLUMN, "log", &format!("#{}", route.is_logged));
        }
    }

    /// One edit a line, in the order they apply.
    fn edits(&mut self, word: &str, plan: &Plan, (edits, parameters): (EditsId, &[Option<String>]), column: usize) {
        let mut word = word;
        for edit in plan.edits[edits.0 as usize].in_order() {
            self.fact(column, word, &Words { plan, parameters }.edit(edit));
            word = "";
        }
    }

    /// Where it is another than around it.
    fn encoding(&mut self, plan: &Plan, (encoding, outer): (Option<EncodingId>, Option<EncodingId>), column: usize) {
        match encoding {
            _ if encoding == outer => {}
            None => self.fact(column, "encode", "#false"),
            Some(id) => self.fact(column, "encode", &policies::encoding(&plan.encodings[id.0 as usize])),
        }
    }

    fn errors(&mut self, plan: &Plan, errors: Option<ErrorsId>, column: usize) {
        if let Some(id) = errors {
            self.fact(column, "errors", &policies::errors(&plan.errors[id.0 as usize]));
        }
    }
}

impl Provenance {
    /// `site.kdl:31`.
    pub(crate) fn full(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }

    /// `:31` inside a block of the same file.
    pub(crate) fn beside(&self, block: &Self) -> String {
        if self.file == block.file { format!(":{}", self.line) } else { self.full() }
    }
}
