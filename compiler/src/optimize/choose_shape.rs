//! Makes small vhosts code and large ones a table; in a large site makes all of them records.
//!
//! Up to [`CODE_MAX`] literal patterns and as many others are a `match` and a chain of comparisons, which rustc compiles in about a millisecond a route
//! and the branch predictor knows; above, a tree in a blob is as fast to walk and costs no build time. Up to [`HANDLERS_MAX`] routes have a handler each;
//! above, handlers of one shape share a function, and what tells them apart is a record (docs/decisions/0002).

use semantics::routes;

use crate::plan::{Pattern, Plan, Shape, Vhost};

/// Patterns of either kind, literal or not, in a vhost that becomes code.
const CODE_MAX: usize = 16;
/// Routes of a site in which each has a handler of its own.
const HANDLERS_MAX: usize = 1000;

pub(super) fn run(plan: &mut Plan) {
    let is_large = plan.vhosts.iter().map(|vhost| vhost.routes.len()).sum::<usize>() > HANDLERS_MAX;
    for vhost in &mut plan.vhosts {
        vhost.shape = if is_large { Shape::Records { tree: tree(vhost) } } else { shape(vhost) };
    }
    if is_large {
        plan.features.push("records");
        plan.features.sort_unstable();
    }
}

fn shape(vhost: &Vhost) -> Shape {
    let literals = vhost.patterns.iter().filter(|pattern| pattern.is_literal()).count();
    if literals <= CODE_MAX && vhost.patterns.len() - literals <= CODE_MAX {
        return Shape::Code;
    }
    Shape::Table { blob: tree(vhost) }
}

fn tree(vhost: &Vhost) -> Vec<u8> {
    let texts: Vec<_> = vhost.patterns.iter().map(|pattern: &Pattern| pattern.text.as_str()).collect();
    routes::encode(&texts)
}
