//! Builds the table that leads from a host to its vhost: names in the order of the vhosts, slots as `semantics::hosts` finds them.

use semantics::hosts;

use crate::plan::{Hosts, Plan};

pub(super) fn run(plan: &mut Plan) {
    let numbered = || plan.vhosts.iter().zip(0_u16..);
    let names: Vec<_> = numbered().flat_map(|(vhost, number)| vhost.hosts.iter().map(move |host| (host.clone(), number))).collect();
    let texts: Vec<_> = names.iter().map(|(host, _)| host.as_str()).collect();
    let (seed, slots) = hosts::build(&texts);
    let default = numbered().find(|(vhost, _)| vhost.is_default).map(|(_, number)| number);
    plan.hosts = Hosts { seed, slots, names, default };
}
