//! Renders constant header rules to ready lines (`Edits::appended`), which the engine copies without looking at the answer.
//!
//! A rule qualifies if it depends on nothing, narrows to no status, and touches no name that an answer of kiln's own can hold or that another rule of
//! the scope touches. Edits apply as removals, then sets and defaults, then additions, and ready lines come last: to keep every answer's fields in the
//! very same order, only the tail of that order is moved.

use std::collections::BTreeSet;

use semantics::edits::{self, Action};

use crate::plan::{Edit, Edits, Part, Plan};

pub(super) fn run(plan: &mut Plan) {
    // A request can hold any name, so that nothing is appended to it blindly.
    let for_requests: BTreeSet<_> = plan.vhosts.iter().flat_map(|vhost| &vhost.routes).map(|route| route.request_edits.0).collect();
    for (_, edits) in (0..).zip(&mut plan.edits).filter(|(number, _)| !for_requests.contains(number)) {
        append(edits);
    }
}

fn append(edits: &mut Edits) {
    let mut order: Vec<usize> = (0..edits.rules.len()).collect();
    order.sort_by_key(|rule| edits.rules[*rule].turn());
    let first_moved = order.iter().rposition(|rule| !is_movable(*rule, &edits.rules)).map_or(0, |at| at + 1);
    let moved = order.split_off(first_moved);
    for number in &moved {
        let rule = &edits.rules[*number];
        edits.appended.extend_from_slice(format!("{}: {}\r\n", rule.name, constant(rule).unwrap_or_default()).as_bytes());
        edits.appended_rules.push(rule.clone());
    }
    let mut number = 0;
    edits.rules.retain(|_| {
        number += 1;
        !moved.contains(&(number - 1))
    });
}

fn is_movable(number: usize, rules: &[Edit]) -> bool {
    let rule = &rules[number];
    let is_constant = constant(rule).is_some_and(|value| !value.bytes().any(|byte| byte.is_ascii_control()));
    if !is_constant || !rule.only.is_empty() || !rule.except.is_empty() || edits::is_own(&rule.name) {
        return false;
    }
    match rule.action {
        Action::Add => true,
        Action::Default | Action::Set => {
            let mut others = rules.iter().enumerate().filter(|(other, _)| *other != number);
            !others.any(|(_, other)| other.name == rule.name && other.turn() == rule.turn())
        }
        Action::Remove => false,
    }
}

/// The value of a rule that needs no request.
fn constant(rule: &Edit) -> Option<&str> {
    match rule.value.as_slice() {
        [] => Some(""),
        [Part::Text(text)] => Some(text),
        _ => None,
    }
}
