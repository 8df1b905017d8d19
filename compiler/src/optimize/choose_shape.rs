//! Makes small vhosts code and large ones a table.
//!
//! Up to [`CODE_MAX`] literal patterns and as many others are a `match` and a chain of comparisons, which rustc compiles in about a millisecond a route
//! and the branch predictor knows; above, a tree in a blob is as fast to walk and costs no build time (`docs/decisions`).

use semantics::routes;

use crate::plan::{Pattern, Plan, Shape, Vhost};

/// Patterns of either kind, literal or not, in a vhost that becomes code.
const CODE_MAX: usize = 16;

pub(super) fn run(plan: &mut Plan) {
    for vhost in &mut plan.vhosts {
        vhost.shape = shape(vhost);
    }
}

fn shape(vhost: &Vhost) -> Shape {
    let literals = vhost.patterns.iter().filter(|pattern| pattern.is_literal()).count();
    if literals <= CODE_MAX && vhost.patterns.len() - literals <= CODE_MAX {
        return Shape::Code;
    }
    let texts: Vec<_> = vhost.patterns.iter().map(|pattern: &Pattern| pattern.text.as_str()).collect();
    Shape::Table { blob: routes::encode(&texts) }
}
