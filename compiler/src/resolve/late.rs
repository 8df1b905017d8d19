//! Texts that may be known on the host only.

use super::Resolver;
use crate::{
    ast::{Late, Node, Value},
    model::{LateKind, LateValue, Text},
};

impl Resolver<'_> {
    /// The late value that an argument of a node is; `None` where it is written. Its default is the node's.
    pub(super) fn late(&self, node: &Node, value: &Value) -> Option<LateValue> {
        let kind = match value.late()? {
            Late::Env(name) => {
                LateKind::Env { name: name.clone(), default: node.property("default").map(|default| default.text().to_owned()) }
            }
            Late::File(path) => LateKind::File { path: path.clone() },
        };
        Some(LateValue { kind, span: value.span })
    }

    /// An argument as it is written, or as it will be known.
    pub(super) fn text_or_late(&self, node: &Node, value: &Value) -> Text {
        self.late(node, value).map_or_else(|| Text::Known(value.text().to_owned()), Text::Late)
    }
}
