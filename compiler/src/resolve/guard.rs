//! `when`: several nodes must all hold, several arguments of one node: any.

use std::collections::BTreeSet;

use semantics::{guard::Protocol, method::Methods, path};

use super::{Resolver, headers::header_name, template::is_token};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Guard, Text},
};

impl Resolver<'_> {
    /// The conditions of `when`, `match`, `all` or `not`, which must all hold. `may_capture`: they do in every request that is let through, so that the groups
    /// of a regex have values.
    pub(super) fn guard(&mut self, block: &Node, may_capture: bool) -> Guard {
        let mut guards = self.guards(block, may_capture);
        if guards.len() == 1 { guards.remove(0) } else { Guard::All(guards) }
    }

    fn guards(&mut self, block: &Node, may_capture: bool) -> Vec<Guard> {
        let nodes = block.children.iter();
        nodes
            .map(|node| match node.word.name {
                "all" => self.guard(node, may_capture),
                "any" => Guard::Any(self.guards(node, false)),
                "client-ip" => Guard::ClientIp(self.networks(node).into_iter().map(|network| network.value).collect()),
                "cookie" => self.cookie_guard(node),
                "extension" => Guard::Extension(self.extensions(node)),
                "header" => self.header_guard(node),
                "host" => Guard::Host(self.host_list(node).into_iter().map(|host| host.value).collect()),
                "map" => self.map_guard(node),
                "match" => self.match_guard(node, may_capture),
                "method" => Guard::Method(Methods::of(&self.methods(node))),
                "not" => Guard::Not(Box::new(self.guard(node, false))),
                "path" => Guard::Path(self.patterns(node).into_iter().map(|pattern| pattern.value.text).collect()),
                "protocol" => Guard::Protocol(self.protocols(node)),
                "query" => self.query_guard(node),
                "regex" => self.regex_guard(node, may_capture),
                word => unreachable!("bug in kiln: the schema has a guard word `{word}` that resolve does not know"),
            })
            .collect()
    }

    fn header_guard(&mut self, node: &Node) -> Guard {
        let name = node.argument("name").map(|value| self.reported(header_name(value, self.sources))).unwrap_or_default();
        for value in node.arguments.iter().filter(|argument| argument.name == "value").map(|argument| &argument.value) {
            self.late_header_value(node, value);
        }
        Guard::Header { name, values: self.guard_values(node) }
    }

    fn cookie_guard(&mut self, node: &Node) -> Guard {
        let Some(name) = node.argument("name") else { return Guard::Any(Vec::new()) };
        if !is_token(name.text()) {
            self.error(Code::BadName, name.span, "not the name of a cookie", "expected letters, digits and some signs such as `-` and `_`");
        }
        Guard::Cookie { name: name.text().to_owned(), values: self.guard_values(node) }
    }

    fn query_guard(&mut self, node: &Node) -> Guard {
        let name = node.argument("name").map(Value::text).unwrap_or_default().to_owned();
        Guard::Query { name, values: self.guard_values(node) }
    }

    fn guard_values(&mut self, node: &Node) -> Vec<Text> {
        let mut seen = BTreeSet::new();
        let mut values = Vec::new();
        for value in node.arguments.iter().filter(|argument| argument.name == "value").map(|argument| &argument.value) {
            let text = self.text_or_late(node, value);
            if !self.repeated(&mut seen, text.clone(), value) {
                values.push(text);
            }
        }
        values
    }

    fn extensions(&mut self, node: &Node) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut extensions = Vec::new();
        for value in node.values() {
            let text = value.text();
            let normal =
                path::encode(text, true).ok().filter(|normal| !normal.is_empty() && !normal.contains('/') && !text.starts_with(['.', '*']));
            match normal {
                Some(normal) if self.repeated(&mut seen, normal.to_ascii_lowercase(), value) => {}
                Some(normal) => extensions.push(normal),
                None => {
                    let message = format!("`{}` is not an extension", text.escape_debug());
                    let diagnostic = Diagnostic::new(Code::BadName, value.span, message);
                    let plain = text.trim_start_matches(['*', '.']);
                    self.diagnostics.push(if plain.is_empty() || plain.contains('/') {
                        diagnostic.label("expected what stands behind the last dot of a name, such as `\"php\"`")
                    } else {
                        diagnostic.label("an extension stands without its dot").help(format!("write `\"{plain}\"`"))
                    });
                }
            }
        }
        extensions
    }

    fn protocols(&mut self, node: &Node) -> Vec<Protocol> {
        let mut seen = BTreeSet::new();
        let mut protocols = Vec::new();
        for value in node.values() {
            if !self.repeated(&mut seen, value.text(), value) {
                protocols.push(match value.text() {
                    "h2" => Protocol::H2,
                    "h3" => Protocol::H3,
                    _ => Protocol::H1,
                });
            }
        }
        protocols
    }

    /// The value, or its default after reporting.
    pub(super) fn reported<T: Default>(&mut self, result: Result<T, Diagnostic>) -> T {
        result.unwrap_or_else(|diagnostic| {
            self.diagnostics.push(diagnostic);
            T::default()
        })
    }
}
