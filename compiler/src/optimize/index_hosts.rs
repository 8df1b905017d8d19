//! Builds the tables that lead from a host to its vhost: one for each set of vhosts that some listener sees, names in the order of the vhosts, slots as
//! `semantics::hosts` finds them.

use semantics::hosts;

use crate::plan::{Hosts, Plan};

pub(super) fn run(plan: &mut Plan) {
    let mut seen: Vec<Vec<u16>> = Vec::new();
    plan.hosts.clear();
    plan.listener_hosts.clear();
    for listener in 0..plan.listeners.len() {
        let on = (0_u16..).zip(&plan.vhosts).filter(|(_, vhost)| vhost.on.contains(&listener));
        let vhosts: Vec<_> = on.map(|(number, _)| number).collect();
        let table = seen.iter().position(|known| *known == vhosts).unwrap_or_else(|| {
            plan.hosts.push(table(plan, &vhosts));
            seen.push(vhosts);
            seen.len() - 1
        });
        plan.listener_hosts.push(u16::try_from(table).expect("a site has fewer than 2^16 listeners"));
    }
}

/// The table of some of the vhosts.
fn table(plan: &Plan, vhosts: &[u16]) -> Hosts {
    let written = |number: u16| &plan.vhosts[usize::from(number)];
    let names: Vec<_> = vhosts.iter().flat_map(|number| written(*number).hosts.iter().map(|host| (host.clone(), *number))).collect();
    let texts: Vec<_> = names.iter().map(|(host, _)| host.as_str()).collect();
    let (seed, slots) = hosts::build(&texts);
    let default = vhosts.iter().copied().find(|number| written(*number).is_default);
    Hosts { seed, slots, names, default }
}
