//! An ordered list of passes over the plan, each run once. The first three give the plan its order and with it its meaning; those behind them choose
//! how it becomes code and never change an answer (`compiler/tests/plan/optimize.rs` holds them to it).

mod append_edits;
mod choose_map_form;
mod choose_shape;
mod index_hosts;
mod order_patterns;
mod order_routes;
mod share_edits;

use crate::plan::Plan;

/// One pass: its name, what it does in a sentence, and the work.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub name: &'static str,
    pub purpose: &'static str,
    pub run: fn(&mut Plan),
}

/// Passes that give the plan its order: without them it means nothing yet.
pub const ORDERING: [Pass; 3] = [
    Pass { name: "order-patterns", purpose: "sort the patterns of each vhost best first and join equal ones", run: order_patterns::run },
    Pass { name: "order-routes", purpose: "at each pattern put guarded routes before the unguarded ones", run: order_routes::run },
    Pass {
        name: "index-hosts",
        purpose: "build the tables from host to vhost, one for each set of vhosts that a listener sees",
        run: index_hosts::run,
    },
];

/// Passes that choose how the plan becomes code.
pub const SHAPING: [Pass; 4] = [
    Pass { name: "append-edits", purpose: "render constant header rules to ready lines", run: append_edits::run },
    Pass { name: "share-edits", purpose: "keep equal header edits once, in the order of their use", run: share_edits::run },
    Pass { name: "choose-map-form", purpose: "make large maps blobs", run: choose_map_form::run },
    Pass { name: "choose-shape", purpose: "make small vhosts code and large ones a table", run: choose_shape::run },
];

/// Runs all passes in their order.
pub fn optimize(mut plan: Plan) -> Plan {
    for pass in ORDERING.iter().chain(&SHAPING) {
        (pass.run)(&mut plan);
    }
    plan
}
