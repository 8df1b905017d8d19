//! Header rules: lowered with their route's parameters, equal ones shared.

use std::collections::BTreeMap;

use super::template::{self, Scope};
use crate::{
    model::HeaderRule,
    plan::{Edit, Edits, EditsId},
    source::SourceMap,
};

/// All edits of a site, each once; the first is the empty one.
pub(super) struct EditsTable {
    edits: Vec<Edits>,
    /// By their written form, which tells any two different ones apart.
    known: BTreeMap<String, EditsId>,
}

impl EditsTable {
    pub(super) fn new() -> Self {
        let mut table = Self { edits: Vec::new(), known: BTreeMap::new() };
        table.id(Edits::default());
        table
    }

    pub(super) fn id(&mut self, edits: Edits) -> EditsId {
        let next = EditsId(u32::try_from(self.edits.len()).expect("a site has fewer than 2^32 routes"));
        let id = *self.known.entry(format!("{edits:?}")).or_insert(next);
        if id == next {
            self.edits.push(edits);
        }
        id
    }

    pub(super) fn into_edits(self) -> Vec<Edits> {
        self.edits
    }
}

/// The rules of one scope in their order.
pub(super) fn lower(rules: &[HeaderRule], parameters: &[Option<String>], sources: &SourceMap) -> Edits {
    let rules = rules.iter().map(|rule| {
        let scope = Scope { parameters, sources, span: rule.span };
        Edit { action: rule.action, name: rule.name.clone(), value: template::lower(&rule.value, &scope), only: rule.only.clone() }
    });
    Edits { rules: rules.collect(), appended: Vec::new(), appended_rules: Vec::new() }
}
