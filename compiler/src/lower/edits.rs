//! Header rules: lowered with their route's parameters.

use super::{
    Tables,
    template::{self, Scope},
};
use crate::{
    model::HeaderRule,
    plan::{Edit, Edits, EditsId},
};

/// The rules of one scope in their order.
pub(super) fn lower(rules: &[HeaderRule], parameters: &[Option<String>], tables: &mut Tables<'_>) -> EditsId {
    let rules = rules.iter().map(|rule| Edit {
        action: rule.action,
        name: rule.name.clone(),
        value: template::lower(&rule.value, &Scope { parameters, span: rule.span }, tables),
        only: rule.only.clone(),
        except: rule.except.clone(),
    });
    let edits = Edits { rules: rules.collect(), appended: Vec::new(), appended_rules: Vec::new() };
    EditsId(tables.edits.id(edits))
}
