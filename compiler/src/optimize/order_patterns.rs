//! Sorts the patterns of each vhost best first and joins equal ones: those that differ in their parameters' names alone decide together.

use std::cmp::Ordering;

use semantics::pattern;

use crate::plan::{Pattern, Plan};

pub(super) fn run(plan: &mut Plan) {
    for vhost in &mut plan.vhosts {
        vhost.patterns.sort_by(|a, b| pattern::order(&a.text, &b.text));
        vhost.patterns.dedup_by(joins);
    }
}

/// Moves the routes of `later` to `kept` where both take the same paths; the sort was stable, so `kept` was written first.
fn joins(later: &mut Pattern, kept: &mut Pattern) -> bool {
    let is_equal = pattern::order(&later.text, &kept.text) == Ordering::Equal;
    if is_equal {
        kept.routes.append(&mut later.routes);
    }
    is_equal
}
