//! At each pattern: the guarded routes in written order, then the unguarded ones in written order.

use crate::plan::Plan;

pub(super) fn run(plan: &mut Plan) {
    for vhost in &mut plan.vhosts {
        let routes = &vhost.routes;
        for pattern in &mut vhost.patterns {
            pattern.routes.sort_unstable_by_key(|route| (routes[*route as usize].guard.is_none(), *route));
        }
    }
}
