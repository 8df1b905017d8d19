//! What exchanges are counted and logged by: a number for each vhost and each of its routes.

use std::fmt::Write;

use super::{Plan, Vhost};

/// The places of a site that has an access log or counters. 0 is where no vhost is chosen; then for each vhost one for itself, and one for each of its
/// routes in the order in which the plan shows them.
#[derive(Clone, Debug)]
pub struct Places {
    /// By vhost: its own, then those of its routes by their position in it.
    vhosts: Vec<(u32, Vec<u32>)>,
    lines: String,
}

impl Places {
    /// `None`: the site has neither.
    pub fn of(plan: &Plan) -> Option<Self> {
        let has_log = plan.access_log.is_some();
        if !has_log && plan.metrics.is_none() {
            return None;
        }
        let per_vhost = plan.metrics.is_none_or(|metrics| metrics.per_vhost.value);
        let per_route = plan.metrics.is_none_or(|metrics| metrics.per_route.value);
        let mut places = Self { vhosts: Vec::with_capacity(plan.vhosts.len()), lines: "\t\n".to_owned() };
        let mut next = 1;
        for vhost in &plan.vhosts {
            let own = if per_vhost { places.add(vhost, "", &mut next) } else { 0 };
            let mut routes = vec![own; vhost.routes.len()];
            for number in vhost.patterns.iter().flat_map(|pattern| &pattern.routes).filter(|_| per_route) {
                let number = *number as usize;
                routes[number] = places.add(vhost, &vhost.routes[number].pattern, &mut next);
            }
            places.vhosts.push((own, routes));
        }
        Some(places)
    }

    fn add(&mut self, vhost: &Vhost, route: &str, next: &mut u32) -> u32 {
        let name = vhost.hosts.first().map_or("default", String::as_str);
        writeln!(self.lines, "{name}\t{route}").expect("a string takes all");
        *next += 1;
        *next - 1
    }

    pub fn vhost(&self, vhost: usize) -> u32 {
        self.vhosts[vhost].0
    }

    /// By the route's position in its vhost.
    pub fn route(&self, vhost: usize, route: usize) -> u32 {
        self.vhosts[vhost].1[route]
    }

    /// A line for each place: its vhost, a tab, its route.
    pub fn lines(&self) -> &str {
        &self.lines
    }
}
