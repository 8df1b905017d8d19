//! `when`: several nodes must all hold, several arguments of one node: any.

use semantics::method::Methods;

use super::{Resolver, headers::header_name};
use crate::{
    ast::Node,
    diagnostic::Diagnostic,
    model::{Guard, Text},
};

impl Resolver<'_> {
    /// The conditions of `when`, `all` or `not`, which must all hold.
    pub(super) fn guard(&mut self, block: &Node) -> Guard {
        let mut guards = self.guards(block);
        if guards.len() == 1 { guards.remove(0) } else { Guard::All(guards) }
    }

    fn guards(&mut self, block: &Node) -> Vec<Guard> {
        let nodes = block.children.iter();
        nodes
            .map(|node| match node.word.name {
                "all" => self.guard(node),
                "any" => Guard::Any(self.guards(node)),
                "header" => self.header_guard(node),
                "host" => Guard::Host(self.host_list(node).into_iter().map(|host| host.value).collect()),
                "method" => Guard::Method(Methods::of(&self.methods(node))),
                "not" => Guard::Not(Box::new(self.guard(node))),
                "path" => Guard::Path(self.patterns(node).into_iter().map(|pattern| pattern.value.text).collect()),
                word => unreachable!("bug in kiln: the schema has a guard word `{word}` that resolve does not know"),
            })
            .collect()
    }

    fn header_guard(&mut self, node: &Node) -> Guard {
        let name = node.argument("name").map(|value| self.reported(header_name(value, self.sources))).unwrap_or_default();
        let mut seen = std::collections::BTreeSet::new();
        let mut values = Vec::new();
        for value in node.arguments.iter().filter(|argument| argument.name == "value").map(|argument| &argument.value) {
            self.header_value(value.text(), value.span);
            if !self.repeated(&mut seen, value.text(), value) {
                values.push(Text::Known(value.text().to_owned()));
            }
        }
        Guard::Header { name, values }
    }

    /// The value, or its default after reporting.
    pub(super) fn reported<T: Default>(&mut self, result: Result<T, Diagnostic>) -> T {
        result.unwrap_or_else(|diagnostic| {
            self.diagnostics.push(diagnostic);
            T::default()
        })
    }
}
