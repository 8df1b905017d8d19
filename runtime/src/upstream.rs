//! `upstream`: named sets of endpoints, what all workers know of them, and the connections that each worker keeps (feature `proxy`; without it
//! `upstream/absent.rs` stands here).
//!
//! What is shared between workers is atomic and of one endpoint: a few relaxed additions for an exchange. Connections are of one thread and never shared. Never: a connection
//! that is lent twice, or that is kept with a byte unread or unsent.

mod address;
mod budget;
mod connection;
mod counters;
mod endpoint;
mod lease;
mod passage;
mod pools;

use std::time::Duration;

use self::endpoint::NoAddress;
pub use self::{
    budget::Budget,
    endpoint::{Counts, Endpoint},
};
pub(crate) use self::{connection::Connection, counters::lines, lease::Lease, passage::Passage, pools::Pools};

/// Endpoints that do the same, one of which is asked: a `static` of generated code.
#[derive(Debug)]
pub struct Upstream {
    /// Its name in logs and counters; the text of its URL where it has none.
    pub name: &'static str,
    /// Where it stands in [`crate::Settings::upstreams`].
    pub number: u16,
    /// At least one.
    pub endpoints: &'static [Endpoint],
    /// What is kept of connections.
    pub pool: Pool,
    /// When an endpoint that fails is left alone.
    pub eject: Option<Eject>,
    /// When another endpoint is asked.
    pub retry: Option<Retry>,
    /// What all workers have tried again.
    pub budget: Budget,
}

/// Bounds on the connections that are kept to each endpoint.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Pool {
    /// Idle ones in the process, divided over workers; where there are fewer of them than workers each worker may keep one. 0: none is kept.
    pub idle_connections: u32,
    /// An idle one is closed after this.
    pub idle_timeout: Duration,
    /// One is closed behind so many requests.
    pub requests_per_connection: u32,
    /// One is closed behind the exchange in which it becomes so old.
    pub connection_age: Duration,
}

/// Spans after which waiting for an endpoint ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Timeouts {
    /// Until a connection is there.
    pub connect: Duration,
    /// From the request's last byte to the answer's first.
    pub first_byte: Duration,
    /// From bytes to the next ones, while they are waited for; in both directions.
    pub between_bytes: Duration,
    /// From the exchange's begin to the answer's last byte.
    pub total: Option<Duration>,
    /// Without a byte in either direction, once it has become a tunnel.
    pub tunnel_idle: Duration,
}

/// An endpoint that failed `after` times in a row is not asked for that long.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Eject {
    /// Failures, at least one.
    pub after: u32,
    /// How long.
    pub span: Duration,
}

/// What is asked of another endpoint.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Retry {
    /// Attempts beside the first.
    pub times: u8,
    /// Of all exchanges, those that may be tried again; a burst of ten is free.
    pub budget_percent: u8,
    /// No connection came about: nothing was sent.
    pub on_connect: bool,
    /// The connection ended before the answer's first byte.
    pub on_reset: bool,
    /// Nothing of an answer came within its timeout.
    pub on_first_byte_timeout: bool,
    /// Answers with these statuses.
    pub statuses: &'static [u16],
}

/// Reads all addresses; says of each that is none what is wrong with it.
pub(crate) fn resolve(upstreams: &[&'static Upstream]) -> Result<(), Vec<String>> {
    let mut faults = Vec::new();
    for upstream in upstreams {
        for endpoint in upstream.endpoints {
            if let Err(NoAddress(text)) = endpoint.resolve() {
                faults.push(format!("upstream `{}`: {text} is no `address:port` or `unix:/path`", upstream.name));
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}
