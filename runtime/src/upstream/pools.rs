//! The connections that one worker keeps, and whose turn it is among an upstream's endpoints.
//!
//! Of one thread: cells, no locks. Bounded: of each endpoint's idle connections a worker keeps its part, and one at least. An idle connection that turned readable is closed:
//! either its end has come, or bytes that nobody has asked for, and whoever asked next would take them for its answer. So what was put here last is not used next: the
//! worker must have looked for what has come since. Of those the youngest is taken, so that what is too much grows old; where there is none the system is asked.

use std::{cell::RefCell, mem};

use semantics::balance::{Candidate, Rotation};

use super::{Connection, Endpoint, Upstream};
use crate::{clock, rooms, turn};

/// No endpoint.
const NOBODY: Candidate = Candidate { weight: 0, is_backup: true, is_available: false, was_tried: true };

/// By the number of the upstream.
#[derive(Debug)]
pub(crate) struct Pools {
    upstreams: Box<[Stock]>,
}

/// Of one upstream.
#[derive(Debug)]
struct Stock {
    upstream: &'static Upstream,
    rotation: RefCell<Rotation>,
    /// By endpoint.
    idle: Box<[RefCell<Vec<Idle>>]>,
    /// Idle connections of each endpoint.
    idle_max: usize,
    /// In ticks.
    idle_timeout: u32,
    age_max: u32,
}

#[derive(Debug)]
struct Idle {
    connection: Connection,
    /// The tick at which it was put here.
    since: u32,
    /// How often the worker had looked then.
    looks: u64,
}

impl Pools {
    /// Those of the worker with that number, of so many.
    pub(crate) fn new(upstreams: &[&'static Upstream], worker: usize, workers: usize) -> Self {
        Self { upstreams: upstreams.iter().map(|upstream| Stock::new(upstream, worker, workers)).collect() }
    }

    /// Whose turn it is, of those that were not `tried` where there are others. `now` is a tick of the process.
    pub(crate) fn choose(&self, upstream: &Upstream, tried: &[u16], now: u32) -> Option<(u16, &'static Endpoint)> {
        let stock = self.upstreams.get(usize::from(upstream.number))?;
        let endpoints = stock.upstream.endpoints;
        let candidate = |place: usize| {
            let was_tried = tried.iter().any(|&tried| usize::from(tried) == place);
            endpoints.get(place).map_or(NOBODY, |endpoint| Candidate {
                weight: endpoint.weight,
                is_backup: endpoint.is_backup,
                is_available: !endpoint.is_ejected(now),
                was_tried,
            })
        };
        let place = stock.rotation.borrow_mut().pick(candidate)?;
        Some((u16::try_from(place).ok()?, endpoints.get(place)?))
    }

    /// A connection to the endpoint at that place which nothing has come on. `is_asked`: the system is asked, where a second attempt could not be made.
    pub(crate) fn take(&self, upstream: &Upstream, place: u16, is_asked: bool, tick: u32) -> Option<Connection> {
        let stock = self.upstreams.get(usize::from(upstream.number))?;
        let mut idle = stock.idle.get(usize::from(place))?.borrow_mut();
        let now = turn::looks();
        while let Some(last) = idle.len().checked_sub(1) {
            let seen = idle.iter().rposition(|idle| idle.looks < now);
            let Idle { connection, since, .. } = idle.remove(seen.unwrap_or(last));
            let is_quiet = if is_asked || seen.is_none() { connection.is_quiet_now() } else { connection.is_quiet() };
            if is_quiet && tick.saturating_sub(since) < stock.idle_timeout {
                return Some(connection);
            }
        }
        None
    }

    /// Keeps a connection on which nothing is outstanding, if it may carry another request and there is room.
    pub(crate) fn give(&self, upstream: &Upstream, place: u16, connection: Connection, tick: u32) {
        let Some(stock) = self.upstreams.get(usize::from(upstream.number)) else { return };
        let Some(idle) = stock.idle.get(usize::from(place)) else { return };
        let mut idle = idle.borrow_mut();
        let is_young = tick.saturating_sub(connection.opened) < stock.age_max;
        let is_fresh = connection.requests < stock.upstream.pool.requests_per_connection;
        // Whether something has come meanwhile is asked when it is taken.
        if idle.len() < stock.idle_max && is_young && is_fresh {
            idle.push(Idle { connection, since: tick, looks: turn::looks() });
        }
    }

    /// Closes what is too old or was closed by the other end; `false`: nothing is left to look after.
    pub(crate) fn sweep(&self, tick: u32) -> bool {
        let mut is_any_left = false;
        for stock in &self.upstreams {
            for idle in &stock.idle {
                let mut idle = idle.borrow_mut();
                idle.retain(|Idle { connection, since, .. }| {
                    let is_young =
                        tick.saturating_sub(*since) < stock.idle_timeout && tick.saturating_sub(connection.opened) < stock.age_max;
                    is_young && connection.is_quiet()
                });
                is_any_left |= !idle.is_empty();
            }
        }
        is_any_left
    }

    /// Closes all.
    pub(crate) fn clear(&self) {
        for idle in self.upstreams.iter().flat_map(|stock| &stock.idle) {
            drop(mem::take(&mut *idle.borrow_mut()));
        }
    }
}

impl Stock {
    fn new(upstream: &'static Upstream, worker: usize, workers: usize) -> Self {
        let pool = &upstream.pool;
        let idle_max = match pool.idle_connections {
            0 => 0,
            limit => rooms::part(limit, worker, workers),
        };
        Self {
            upstream,
            rotation: RefCell::new(Rotation::new(upstream.endpoints.len())),
            idle: upstream.endpoints.iter().map(|_| RefCell::default()).collect(),
            idle_max: idle_max as usize,
            idle_timeout: clock::ticks(pool.idle_timeout),
            age_max: clock::ticks(pool.connection_age),
        }
    }
}
