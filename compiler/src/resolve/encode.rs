//! `encode`: the codings of answers; an inner policy takes the place of an outer one.

use std::collections::BTreeSet;

use semantics::negotiate::Coding;

use super::{Resolver, inherit};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::Encoding,
};

impl Resolver<'_> {
    /// `None`: nothing is encoded.
    pub(super) fn encoding(&mut self, node: &Node) -> Option<Encoding> {
        let codings = self.codings(node);
        let is_encoded = node.argument("is-encoded");
        match (is_encoded, codings.is_empty()) {
            (Some(value), _) if value.bool() => {
                let diagnostic = Diagnostic::new(Code::BadChoice, value.span, "`#true` names no coding");
                self.diagnostics.push(diagnostic.label("expected `\"zstd\"`, `\"br\"`, `\"gzip\"` or `#false`"));
            }
            (Some(value), false) => {
                self.error(Code::Contradiction, value.span, "`#false` beside codings", "nothing is encoded, or something is")
            }
            (Some(value), true) => {
                if let Some(min) = node.property("min") {
                    let diagnostic = Diagnostic::new(Code::Contradiction, min.span, "nothing is encoded, however long it is");
                    self.diagnostics.push(diagnostic.label("this has no meaning").secondary(value.span, "because of this"));
                }
            }
            (None, true) => {
                let diagnostic = Diagnostic::new(Code::MissingArgument, node.span, "`encode` needs a coding");
                self.diagnostics.push(diagnostic.label("expected `\"zstd\"`, `\"br\"`, `\"gzip\"` or `#false`"));
            }
            (None, false) => {}
        }
        let min_bytes = inherit::encoded_bytes(node.property("min"));
        if codings.is_empty() { None } else { Some(Encoding { codings, min_bytes, span: node.span }) }
    }

    fn codings(&mut self, node: &Node) -> Vec<Coding> {
        let mut seen = BTreeSet::new();
        let mut codings = Vec::new();
        for value in node.arguments.iter().filter(|argument| argument.name == "coding").map(|argument| &argument.value) {
            if let Some(coding) = coding(value)
                && !self.repeated(&mut seen, coding, value)
            {
                codings.push(coding);
            }
        }
        codings
    }
}

/// What the schema lets through has one.
fn coding(value: &Value) -> Option<Coding> {
    Coding::ALL.into_iter().find(|coding| coding.name() == value.text())
}
