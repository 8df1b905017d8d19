//! `plan.txt`: one fact a line, defaults marked by a dot behind them.

use sha2::{Digest, Sha256};

use super::{
    FEATURES, VERSION,
    action::{action, encoded_slash},
    words,
};
use crate::{
    model::Defaulted,
    plan::{EditsId, Embed, Plan, Route, Shape, Vhost, Workers},
    source::Provenance,
};

/// Columns, characters: rows that reach beyond one go on after two blanks.
const METHODS_COLUMN: usize = 2;
const PATTERN_COLUMN: usize = 12;
const ACTION_COLUMN: usize = 36;
/// Where the facts of a route stand, below its pattern.
const ROUTE_FACT_COLUMN: usize = 14;
const PROVENANCE_COLUMN: usize = 100;
/// Where the facts of a block stand, behind their word.
const FACT_COLUMN: usize = 12;

/// The plan as text.
pub fn text(plan: &Plan) -> String {
    let mut out = Text::default();
    out.line(format!("site {}  language {}  kiln {VERSION}", plan.site, plan.language));
    limits(plan, &mut out);
    out.edits(plan, plan.site_edits, &[]);
    for listener in &plan.listeners {
        out.line(String::new());
        let name = if listener.name == listener.address.to_string() { String::new() } else { format!("{}  ", listener.name) };
        out.row(&[(0, format!("listen {name}{}  h1", listener.address))], &listener.provenance.full());
    }
    for vhost in &plan.vhosts {
        out.line(String::new());
        out.vhost(plan, vhost);
    }
    if !plan.embeds.is_empty() {
        out.line(String::new());
    }
    for embed in &plan.embeds {
        out.line(tree(embed));
    }
    out.line(String::new());
    let (needed, unneeded): (Vec<_>, Vec<_>) = FEATURES.into_iter().partition(|feature| plan.features.contains(feature));
    out.line(format!("needs       h1 {}", needed.join(" ")).trim_end().to_owned());
    out.line(format!("not linked  {}", if unneeded.is_empty() { "none".to_owned() } else { unneeded.join(" ") }));
    out.0
}

/// One fact a line: what is per process is so in each of them.
fn limits(plan: &Plan, out: &mut Text) {
    let workers = match plan.workers.value {
        Workers::Count(count) => count.to_string(),
        Workers::PerCore => "per-core".to_owned(),
    };
    out.fact("workers", marked(&workers, plan.workers));
    let limits = &plan.limits;
    let sizes = [
        format!("connections {}", marked(&limits.connections.value.to_string(), limits.connections)),
        format!("head {}", marked(&words::size(limits.head.value.into()), limits.head)),
        format!("fields {}", marked(&limits.fields.value.to_string(), limits.fields)),
        format!("body {}", marked(&words::size(limits.body.value), limits.body)),
    ];
    out.fact("limits", sizes.join("  "));
    let timeouts = &plan.timeouts;
    let timeouts =
        [("head", timeouts.head), ("body", timeouts.body), ("idle", timeouts.idle), ("write", timeouts.write), ("drain", timeouts.drain)];
    let timeouts = timeouts.map(|(name, timeout)| format!("{name} {}", marked(&words::duration(timeout.value), timeout)));
    out.fact("timeouts", timeouts.join("  "));
}

fn marked<T>(text: &str, value: Defaulted<T>) -> String {
    words::mark(text, value.is_default)
}

/// Sizes are those of the files, of each file's smallest form, and of all forms, which the binary holds.
fn tree(embed: &Embed) -> String {
    let sum = |bytes: &dyn Fn(&crate::plan::Asset) -> u64| words::rough_size(embed.assets.iter().map(bytes).sum());
    let raw = sum(&|asset| asset.bytes);
    let smallest = sum(&|asset| asset.encodings.iter().map(|(_, bytes)| *bytes).min().unwrap_or(asset.bytes));
    let stored = sum(&|asset| asset.bytes + asset.encodings.iter().map(|(_, bytes)| bytes).sum::<u64>());
    let mut hash = Sha256::new();
    for asset in &embed.assets {
        hash.update(asset.path.as_bytes());
        hash.update([0]);
        hash.update(asset.hash);
    }
    let hash: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("tree {}  {} files  {raw} -> {smallest}  stored {stored}  sha256 {hash}", embed.directory, embed.assets.len())
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

    fn fact(&mut self, word: &str, fact: String) {
        self.row(&[(2, word.to_owned()), (FACT_COLUMN, fact)], "");
    }

    fn vhost(&mut self, plan: &Plan, vhost: &Vhost) {
        let default = if vhost.is_default { " default" } else { "" };
        let hosts: String = vhost.hosts.iter().map(|host| format!(" {host}")).collect();
        self.row(&[(0, format!("vhost{default}{hosts}"))], &vhost.provenance.full());
        let shape = match vhost.shape {
            Shape::Code => "code",
            Shape::Table { .. } => "table",
        };
        self.fact("shape", shape.to_owned());
        self.edits(plan, vhost.edits, &[]);
        for route in vhost.patterns.iter().flat_map(|pattern| &pattern.routes) {
            self.route(plan, vhost, &vhost.routes[*route as usize]);
        }
    }

    fn route(&mut self, plan: &Plan, vhost: &Vhost, route: &Route) {
        let provenance = route.provenance.beside(&vhost.provenance);
        let cells = [
            (METHODS_COLUMN, words::methods(route.methods)),
            (PATTERN_COLUMN, route.pattern.clone()),
            (ACTION_COLUMN, format!("{}  {}", action(plan, route), encoded_slash(route))),
        ];
        self.row(&cells, &provenance);
        if let Some(guard) = &route.guard {
            self.row(&[(ROUTE_FACT_COLUMN, "when".to_owned()), (ROUTE_FACT_COLUMN + 10, words::guard(guard))], "");
        }
        match (route.edits == vhost.edits, route.edits == EditsId::default()) {
            (true, true) => {}
            (true, false) => {
                self.row(&[(ROUTE_FACT_COLUMN, "headers".to_owned()), (ROUTE_FACT_COLUMN + 10, "as the vhost".to_owned())], "")
            }
            (false, true) => self.row(&[(ROUTE_FACT_COLUMN, "headers".to_owned()), (ROUTE_FACT_COLUMN + 10, "none".to_owned())], ""),
            (false, false) => self.edits_at(plan, (route.edits, &route.parameters), ROUTE_FACT_COLUMN),
        }
    }

    fn edits(&mut self, plan: &Plan, edits: EditsId, parameters: &[Option<String>]) {
        self.edits_at(plan, (edits, parameters), 2);
    }

    /// One edit a line, in the order they apply.
    fn edits_at(&mut self, plan: &Plan, (edits, parameters): (EditsId, &[Option<String>]), column: usize) {
        let mut word = "headers";
        for edit in plan.edits[edits.0 as usize].in_order() {
            self.row(&[(column, word.to_owned()), (column + 10, words::edit(edit, parameters))], "");
            word = "";
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
