//! `map`: a table from texts to texts, from `case` rows and from the lines of a file.
//!
//! A file may have a hundred thousand rows: they are walked once, and a row is worded only when something is wrong with it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use semantics::path;

use super::{
    Resolver,
    template::{Names, Place},
};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic, Severity},
    model::{Guard, Map, Part, Template},
    schema::nearest::nearest,
    source::{FileId, Span},
};

/// Maps in the keys of maps.
const LEVELS_MAX: usize = 8;

/// A row and where it stands.
struct Row<'r> {
    key: &'r str,
    value: &'r str,
    /// The key alone.
    span: Span,
}

/// What is known of a map before its rows are read, and where its values go.
#[derive(Default)]
pub(super) struct Tables<'a> {
    nodes: BTreeMap<&'a str, &'a Node>,
    /// Maps whose values become part of a target, and whether one of them begins with it.
    targets: BTreeMap<&'a str, bool>,
}

impl<'a> Tables<'a> {
    /// The name of a map as its definition has it.
    pub(super) fn find(&self, name: &str) -> Option<&'a str> {
        self.nodes.get_key_value(name).map(|(name, _)| *name)
    }

    pub(super) fn nearest(&self, name: &str) -> Option<&'a str> {
        nearest(name, self.nodes.keys().copied())
    }

    /// A target has the values of this map in it.
    pub(super) fn goes_into_target(&mut self, name: &'a str, is_first: bool) {
        *self.targets.entry(name).or_default() |= is_first;
    }
}

impl<'a> Resolver<'a> {
    /// Makes the names of maps known.
    pub(super) fn map_names(&mut self) {
        for node in self.config.nodes.iter().filter(|node| node.is("map")) {
            let Some(name) = node.argument("name") else { continue };
            self.name(name, "map");
            if let Some(earlier) = self.tables.nodes.insert(name.text(), node) {
                self.twice("map", name, earlier);
            }
        }
    }

    /// All maps of the site; called when everything that uses them has been read.
    pub(super) fn maps(&mut self) -> Vec<Map> {
        let nodes: Vec<&'a Node> = self.config.nodes.iter().filter(|node| node.is("map")).collect();
        let froms: Vec<Template> = nodes.iter().map(|node| self.map_from(node)).collect();
        let maps: Vec<Map> = nodes.iter().zip(froms).map(|(node, from)| self.map(node, from)).collect();
        self.check_circles(&nodes, &maps);
        maps
    }

    fn map_from(&mut self, node: &Node) -> Template {
        let names = Names { patterns: &[], captures: &[], place: Place::MapFrom };
        node.property("from").map(|value| self.template(value, names)).unwrap_or_default()
    }

    fn map(&mut self, node: &'a Node, from: Template) -> Map {
        let name = node.argument("name").map(Value::text).unwrap_or_default();
        let file = node.property("file").and_then(|value| self.config.files.get(&value.span));
        let mut rows: Vec<Row<'a>> = node.children_named("case").filter_map(case).collect();
        if let Some(file) = file {
            self.read_rows(*file, &mut rows);
        }
        if rows.is_empty() {
            let diagnostic = Diagnostic::new(Code::EmptyTable, node.span, format!("the map `{}` has no rows", name.escape_debug()));
            self.diagnostics.push(diagnostic.label("expected `file=`, or `case \"key\" \"value\"` inside `{ .. }`"));
        }
        self.check_keys(&from, &rows);
        let default = node.child("default").and_then(|default| default.argument("value"));
        if let Some(is_first) = self.tables.targets.get(name).copied() {
            let default = default.map(|value| Row { key: "", value: value.text(), span: value.span });
            self.check_targets(rows.iter().chain(&default), is_first);
        }
        Map {
            name: name.to_owned(),
            from,
            rows: rows.iter().map(|row| (row.key.to_owned(), row.value.to_owned())).collect(),
            default: default.map(|value| value.text().to_owned()),
            is_file: file.is_some(),
            span: node.span,
        }
    }

    /// Appends the rows of a file.
    fn read_rows(&mut self, file: FileId, rows: &mut Vec<Row<'a>>) {
        let text = &self.sources.source(file).text;
        let mut start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        for whole in text[start..].split_inclusive('\n') {
            let line = whole.trim_end_matches(['\r', '\n']);
            let span = |length: usize| Span::new(file, start as u32, (start + length) as u32);
            match line.split_once('\t') {
                _ if line.is_empty() || line.starts_with('#') => {}
                Some((key, value)) if !value.contains('\t') => rows.push(Row { key, value, span: span(key.len()) }),
                parts => self.bad_row(span(line.len()), parts.is_some()),
            }
            start += whole.len();
        }
    }

    fn bad_row(&mut self, span: Span, has_tab: bool) {
        if !self.diagnostics.count_beyond(Severity::Error) {
            let label = if has_tab { "more than one tab" } else { "no tab between key and value" };
            let diagnostic = Diagnostic::new(Code::BadRow, span, "this line is no row of a map").label(label);
            self.diagnostics.push(diagnostic.help("a row is a key, one tab and a value; a line that begins with `#` is a comment"));
        }
    }

    /// Each key stands once, and one that is compared with a path can be one.
    fn check_keys(&mut self, from: &Template, rows: &[Row<'_>]) {
        let is_path = from.parts == [Part::Path];
        // Looked up, never walked: the order of what is reported is that of the rows.
        let mut seen: HashMap<&str, Span> = HashMap::with_capacity(rows.len());
        let mut scratch = Vec::new();
        for row in rows {
            if let Some(earlier) = seen.insert(row.key, row.span) {
                if !self.diagnostics.count_beyond(Severity::Error) {
                    let diagnostic = Diagnostic::new(Code::RepeatedKey, row.span, format!("`{}` has two rows", row.key.escape_debug()));
                    self.diagnostics.push(diagnostic.label("the second one").secondary(earlier, "the first one"));
                }
            } else if is_path && !path::normalize(row.key.as_bytes(), &mut scratch).is_ok_and(|path| path.text == row.key) {
                self.no_path(row);
            }
        }
    }

    fn no_path(&mut self, row: &Row<'_>) {
        if self.diagnostics.count_beyond(Severity::Error) {
            return;
        }
        let message = format!("no request has the path `{}`", row.key.escape_debug());
        let diagnostic = Diagnostic::new(Code::BadRow, row.span, message).label("not the normal form of a path: this row is never found");
        let mut scratch = Vec::new();
        let encoded = path::encode(row.key, true).unwrap_or_default();
        let normal = path::normalize(encoded.as_bytes(), &mut scratch).ok().filter(|_| row.key.starts_with('/'));
        let diagnostic = match normal {
            Some(path) => diagnostic.help(format!("write `{}`", path.text)),
            None => diagnostic.help("a path begins with `/`, has no query, and is percent-encoded where it is not ASCII"),
        };
        self.diagnostics.push(diagnostic);
    }

    fn check_targets<'r>(&mut self, rows: impl Iterator<Item = &'r Row<'r>>, is_first: bool) {
        for row in rows {
            let text = row.value;
            let label = if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
                "its value has spaces, control bytes or text outside of ASCII: write them percent-encoded"
            } else if is_first && !(text.starts_with(['/', '?', '#']) || super::redirect::has_scheme(text)) {
                "its value is no path that begins with `/`, and no URL with its scheme"
            } else {
                continue;
            };
            if !self.diagnostics.count_beyond(Severity::Error) {
                let diagnostic = Diagnostic::new(Code::BadRow, row.span, "a value of this map can't be part of a target").label(label);
                self.diagnostics.push(diagnostic);
            }
        }
    }

    /// No map's key depends on its own value, and few maps are asked for one key.
    fn check_circles(&mut self, nodes: &[&Node], maps: &[Map]) {
        let asked: BTreeMap<&str, BTreeSet<&str>> = maps.iter().map(|map| (map.name.as_str(), map_parts(&map.from))).collect();
        let levels = levels(&asked);
        let mut is_deep = false;
        for (node, map) in nodes.iter().zip(maps) {
            let Some(from) = node.property("from") else { continue };
            match levels.get(map.name.as_str()) {
                Some(level) if *level > LEVELS_MAX && !is_deep => {
                    is_deep = true;
                    let message = format!("more than {LEVELS_MAX} maps are asked for one key");
                    self.error(Code::TooDeep, from.span, message, "leads from map to map");
                }
                None if !self.diagnostics.count_beyond(Severity::Error) && reaches_itself(&map.name, &asked) => {
                    let message = format!("the map `{}` is looked up by its own value", map.name);
                    self.error(Code::Circle, from.span, message, "leads back to this map");
                }
                _ => {}
            }
        }
    }

    /// Several maps of one node: any.
    pub(super) fn map_guard(&mut self, node: &Node) -> Guard {
        let mut guards = Vec::new();
        for value in node.values() {
            if let Some(name) = self.tables.find(value.text()) {
                guards.push(Guard::Map(name.to_owned()));
            } else {
                let diagnostic = self.unknown_map(value.text(), value.span);
                self.diagnostics.push(diagnostic);
            }
        }
        if guards.len() == 1 { guards.remove(0) } else { Guard::Any(guards) }
    }

    pub(super) fn unknown_map(&self, name: &str, span: Span) -> Diagnostic {
        let diagnostic = Diagnostic::new(Code::UnknownName, span, format!("there is no map `{}`", name.escape_debug()));
        let near = self.tables.nearest(name);
        diagnostic.label(near.map_or_else(|| "no `map` has this name".to_owned(), |near| format!("did you mean `{near}`?")))
    }
}

/// How many maps are asked at most for the key of each, itself counted; those that lead into a circle have no number.
fn levels<'m>(asked: &BTreeMap<&'m str, BTreeSet<&'m str>>) -> BTreeMap<&'m str, usize> {
    let mut askers: BTreeMap<&str, Vec<&'m str>> = BTreeMap::new();
    for (name, below) in asked {
        below.iter().for_each(|below| askers.entry(below).or_default().push(name));
    }
    let mut unknown: BTreeMap<&str, usize> = asked.iter().map(|(name, below)| (*name, below.len())).collect();
    let mut waiting: Vec<&'m str> = asked.iter().filter(|(_, below)| below.is_empty()).map(|(name, _)| *name).collect();
    let mut levels: BTreeMap<&'m str, usize> = BTreeMap::new();
    while let Some(name) = waiting.pop() {
        let below = asked.get(name).into_iter().flatten();
        let level = 1 + below.filter_map(|below| levels.get(below)).max().unwrap_or(&0);
        levels.insert(name, level);
        for asker in askers.get(name).into_iter().flatten() {
            let Some(left) = unknown.get_mut(asker) else { continue };
            *left -= 1;
            if *left == 0 {
                waiting.push(asker);
            }
        }
    }
    levels
}

fn reaches_itself(name: &str, asked: &BTreeMap<&str, BTreeSet<&str>>) -> bool {
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut waiting = vec![name];
    while let Some(next) = waiting.pop() {
        for below in asked.get(next).into_iter().flatten() {
            if *below == name {
                return true;
            }
            if reached.insert(below) {
                waiting.push(below);
            }
        }
    }
    false
}

fn case(node: &Node) -> Option<Row<'_>> {
    let (key, value) = (node.argument("key")?, node.argument("value")?);
    Some(Row { key: key.text(), value: value.text(), span: key.span })
}

fn map_parts(template: &Template) -> BTreeSet<&str> {
    let names = template.parts.iter().filter_map(|part| match part {
        Part::Map(name) => Some(name.as_str()),
        Part::ClientIp
        | Part::Cookie(_)
        | Part::Header(_)
        | Part::Host
        | Part::Late(_)
        | Part::Method
        | Part::Parameter(_)
        | Part::Path
        | Part::Query
        | Part::QueryValue(_)
        | Part::RequestId
        | Part::Scheme
        | Part::Status
        | Part::Target
        | Part::Text(_) => None,
    });
    names.collect()
}
