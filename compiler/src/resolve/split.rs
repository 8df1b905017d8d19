//! `split`: requests are shared among actions by weight.

use super::{
    Resolver,
    template::{Names, Place},
};
use crate::{
    ast::Node,
    diagnostic::{Code, Diagnostic},
    model::{Action, Share},
};

impl Resolver<'_> {
    pub(super) fn split(&mut self, node: &Node, names: Names<'_>, is_sure: bool) -> Action {
        let by = node.property("by").map(|value| self.template(value, Names { place: Place::SplitBy, ..names })).unwrap_or_default();
        let mut weights = 0;
        let mut shares = Vec::new();
        for share in node.children_named("share") {
            let weight = share.argument("weight").map_or(0, |value| value.integer() as u32);
            weights += u64::from(weight);
            if let Some(action) = self.action(share, names, is_sure) {
                shares.push(Share { weight, action, span: share.span });
            }
        }
        if weights == 0 {
            let diagnostic = Diagnostic::new(Code::OutOfRange, node.span, "no share of this split has any weight");
            self.diagnostics.push(diagnostic.label("nothing would ever be picked"));
        }
        Action::Split { by, shares }
    }
}
