//! One address of an upstream, and what all workers know of it: a few relaxed additions for an exchange.

use std::{
    io,
    sync::{
        OnceLock,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
};

use semantics::{
    eject::{self, Standing},
    late::Value,
};

use super::{Connection, Eject, address::Address};
use crate::clock;

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
    pub(super) counts: Counts,
}

/// What an endpoint has done, in all workers.
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

/// The text that it has is none.
pub(super) struct NoAddress(pub(super) Value<'static>);

impl Endpoint {
    /// `address:port`, numeric; or `unix:` and a path.
    pub const fn new(address: Value<'static>, weight: u32, is_backup: bool) -> Self {
        Self { address, weight, is_backup, resolved: OnceLock::new(), standing: AtomicU64::new(0), counts: Counts::new() }
    }

    /// Reads the address; once is enough.
    pub(super) fn resolve(&self) -> Result<(), NoAddress> {
        let address = Address::parse(self.address.text()).ok_or(NoAddress(self.address))?;
        // It was the same before.
        let _ = self.resolved.set(address);
        Ok(())
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
    pub(super) fn add(count: &AtomicU64) {
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
