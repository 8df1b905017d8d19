//! `upstream`: named sets of endpoints, what all workers know of them, and the connections that each worker keeps (feature `proxy`; without it
//! `upstream/absent.rs` stands here).
//!
//! What is shared between workers is atomic and of one endpoint: a few relaxed additions for an exchange. Connections are of one thread and never shared. Never: a connection
//! that is lent twice, or that is kept with a byte unread or unsent.

mod address;
mod connection;
mod counters;
mod lease;
mod passage;
mod pools;

use std::{
    io,
    sync::{
        OnceLock,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use semantics::{
    eject::{self, Standing},
    late::Value,
    retry,
};

use self::address::Address;
pub(crate) use self::{connection::Connection, counters::lines, lease::Lease, passage::Passage, pools::Pools};
use crate::clock;

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
    /// Idle ones in the process, divided over workers, of which each may keep one at least; 0: none is kept.
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
    pub attempts: u8,
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

/// What is left for retries; shared by all workers.
#[derive(Debug)]
pub struct Budget {
    /// As [`retry::Budget::bits`] has it.
    bits: AtomicU64,
}

/// One address of an upstream, and what all workers know of it.
#[derive(Debug)]
pub struct Endpoint {
    address: Value<'static>,
    /// Its part of the exchanges.
    pub weight: u32,
    /// Only asked while no other one can be.
    pub is_backup: bool,
    /// Set before the first worker starts.
    resolved: OnceLock<Address>,
    /// As [`Standing::bits`] has it.
    standing: AtomicU64,
    counts: Counts,
}

/// Of all workers.
#[derive(Debug, Default)]
pub struct Counts {
    /// Exchanges that hold it.
    pub active: AtomicU32,
    /// Exchanges that have held it.
    pub exchanges: AtomicU64,
    /// Connections that were opened.
    pub connects: AtomicU64,
    /// Exchanges that failed for its sake.
    pub failures: AtomicU64,
    /// Times that it was left alone.
    pub ejections: AtomicU64,
}

impl Budget {
    /// Nothing of it is spent.
    pub const fn new() -> Self {
        Self { bits: AtomicU64::new(retry::Budget::START.bits()) }
    }

    /// One more exchange, which brings a part of a retry.
    pub(crate) fn earn(&self, percent: u8) {
        let bits = self.bits.load(Ordering::Relaxed);
        let earned = retry::Budget::from_bits(bits).earned(percent).bits();
        if earned != bits {
            // Where another worker changes it at the same time, what one of them has brought is lost: retries become rarer.
            self.bits.store(earned, Ordering::Relaxed);
        }
    }

    /// Spends one retry; `false`: there is none left.
    pub(crate) fn spend(&self) -> bool {
        let spend = |bits| retry::Budget::from_bits(bits).spent().map(retry::Budget::bits);
        self.bits.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend).is_ok()
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new()
    }
}

impl Endpoint {
    /// `address:port`, numeric; or `unix:` and a path.
    pub const fn new(address: Value<'static>, weight: u32, is_backup: bool) -> Self {
        Self { address, weight, is_backup, resolved: OnceLock::new(), standing: AtomicU64::new(0), counts: Counts::new() }
    }

    /// Its address as text.
    pub fn address(&self) -> &str {
        self.address.text()
    }

    /// What it has done.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What a Host field calls it.
    pub(crate) fn authority(&self) -> &str {
        match self.resolved.get() {
            Some(Address::Unix(_)) => "localhost",
            Some(Address::Tcp(_)) | None => self.address.text(),
        }
    }

    /// Begins to connect.
    pub(crate) fn open(&self, tick: u32) -> io::Result<Connection> {
        Counts::add(&self.counts.connects);
        let address = self.resolved.get().ok_or(io::ErrorKind::AddrNotAvailable)?;
        Connection::open(address, tick)
    }

    /// It is left alone at that tick of the process.
    pub(crate) fn is_ejected(&self, now: u32) -> bool {
        let bits = self.standing.load(Ordering::Relaxed);
        bits != 0 && Standing::from_bits(bits).is_ejected(milliseconds(now))
    }

    /// It has answered.
    pub(crate) fn succeed(&self) {
        if self.standing.load(Ordering::Relaxed) != 0 {
            self.standing.store(0, Ordering::Relaxed);
        }
    }

    /// It has failed.
    pub(crate) fn fail(&self, eject: Option<Eject>, now: u32) {
        Counts::add(&self.counts.failures);
        let Some(Eject { after, span }) = eject else { return };
        let (policy, now_ms) = (eject::Policy { after, span_ms: milliseconds(clock::ticks(span)) }, milliseconds(now));
        let fail = |bits| Some(Standing::from_bits(bits).failed(policy, now_ms).bits());
        let before = self.standing.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fail).map(Standing::from_bits);
        if before.is_ok_and(|before| !before.is_ejected(now_ms)) && self.is_ejected(now) {
            Counts::add(&self.counts.ejections);
        }
    }
}

fn milliseconds(ticks: u32) -> u64 {
    u64::from(ticks) * clock::TICK.as_millis() as u64
}

impl Counts {
    fn add(count: &AtomicU64) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    const fn new() -> Self {
        Self {
            active: AtomicU32::new(0),
            exchanges: AtomicU64::new(0),
            connects: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            ejections: AtomicU64::new(0),
        }
    }
}

/// Reads all addresses; says of each that is none what is wrong with it.
pub(crate) fn resolve(upstreams: &[&'static Upstream]) -> Result<(), Vec<String>> {
    let mut faults = Vec::new();
    for upstream in upstreams {
        for endpoint in upstream.endpoints {
            match Address::parse(endpoint.address.text()) {
                Some(address) => drop(endpoint.resolved.set(address)),
                None => faults.push(format!("upstream `{}`: {} is no `address:port` or `unix:/path`", upstream.name, endpoint.address)),
            }
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}
