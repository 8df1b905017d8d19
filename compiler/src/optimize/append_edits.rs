//! Renders constant header rules to ready lines (`Edits::appended`), which the engine copies without looking at the answer.
//!
//! A rule qualifies if it depends on nothing, narrows to no status, and touches no name that an answer can hold or that another rule of the scope touches:
//! answers of kiln's own hold few names, those of an upstream any. Edits apply as removals, then sets and defaults, then additions, and ready lines come last: to keep every answer's fields in the
//! very same order, only the tail of that order is moved.

use std::collections::{BTreeMap, BTreeSet};

use semantics::edits::{self, Action};

use crate::plan::{Edit, Edits, EditsId, Part, Plan};

pub(super) fn run(plan: &mut Plan) {
    keep_apart(plan);
    let routes = || plan.vhosts.iter().flat_map(|vhost| &vhost.routes);
    // A request can hold any name, as can what an upstream says, so that nothing takes a name's place in it blindly.
    let of_answers = routes().filter(|route| route.action.may_proxy()).map(|route| route.edits.0);
    let foreign: BTreeSet<_> = routes().flat_map(|route| [route.request_edits.0, route.upstream_edits.0]).chain(of_answers).collect();
    for (number, edits) in (0..).zip(&mut plan.edits) {
        append(edits, foreign.contains(&number));
    }
}

/// Gives routes that send on what an upstream says edits of their own, where others have the same.
fn keep_apart(plan: &mut Plan) {
    let own = plan.vhosts.iter().flat_map(|vhost| {
        let routes = vhost.routes.iter().filter(|route| !route.action.may_proxy());
        routes.map(|route| route.edits).chain([vhost.edits])
    });
    let own: BTreeSet<_> = own.chain([plan.site_edits]).filter(|edits| *edits != EditsId::default()).collect();
    let mut copies: BTreeMap<EditsId, EditsId> = BTreeMap::new();
    for route in plan.vhosts.iter_mut().flat_map(|vhost| &mut vhost.routes) {
        if own.contains(&route.edits) && route.action.may_proxy() {
            let edits = &mut plan.edits;
            route.edits = *copies.entry(route.edits).or_insert_with_key(|known| {
                edits.push(edits[known.0 as usize].clone());
                EditsId(u32::try_from(edits.len() - 1).expect("a site has fewer than 2^32 routes"))
            });
        }
    }
}

/// `is_foreign`: answers can hold any name.
fn append(edits: &mut Edits, is_foreign: bool) {
    let mut order: Vec<usize> = (0..edits.rules.len()).collect();
    order.sort_by_key(|rule| edits.rules[*rule].turn());
    let first_moved = order.iter().rposition(|rule| !is_movable(*rule, &edits.rules, is_foreign)).map_or(0, |at| at + 1);
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

fn is_movable(number: usize, rules: &[Edit], is_foreign: bool) -> bool {
    let rule = &rules[number];
    let is_constant = constant(rule).is_some_and(|value| !value.bytes().any(|byte| byte.is_ascii_control()));
    if !is_constant || !rule.only.is_empty() || !rule.except.is_empty() || edits::is_own(&rule.name) {
        return false;
    }
    match rule.action {
        Action::Add => true,
        Action::Default | Action::Set if is_foreign => false,
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
