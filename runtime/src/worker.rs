//! What one worker thread owns and its connections share: time, deadlines, counters, the number of connections, and whether it drains.
//!
//! Of one thread: cells, no locks. Only [`Counters`] are read from outside. The limits of connections are the process's: [`crate::rooms`], [`crate::clients`].

use std::{
    cell::Cell,
    net::IpAddr,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use semantics::client::Trust;
use tokio::sync::Notify;

use crate::{
    clients::{Clients, Visit},
    clock::Clock,
    deadlines::Deadlines,
    fault::Fault,
    memory::Memory,
    record::Recorder,
    rooms::{Room, Rooms, Spread},
    settings::Settings,
    upstream::Pools,
};

/// What a worker has from its process.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    /// Its number, from 0.
    pub(crate) number: usize,
    pub(crate) counters: Arc<Counters>,
    /// The connection limit.
    pub(crate) rooms: Arc<Rooms>,
    /// The limit of each client.
    pub(crate) clients: Clients,
    pub(crate) shares: Shares,
    pub(crate) settings: &'static Settings,
    /// How many workers there are.
    pub(crate) workers: usize,
}

/// A worker's parts of the limits that are divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    /// Exchanges that are in flight, other than answers that are ready at once.
    pub(crate) requests: u32,
    /// Bytes of buffers (feature `memory`).
    pub(crate) memory_bytes: Option<u64>,
}

/// One worker's state.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) clock: Clock,
    pub(crate) deadlines: Rc<Deadlines>,
    pub(crate) counters: Arc<Counters>,
    /// What becomes of exchanges.
    pub(crate) recorder: Recorder,
    number: usize,
    rooms: Arc<Rooms>,
    clients: Clients,
    /// Open connections that are served here.
    connections: Cell<u32>,
    shares: Shares,
    pub(crate) memory: Memory,
    /// Connections to upstreams.
    pub(crate) pools: Pools,
    /// The proxies before the site whose word counts.
    #[cfg_attr(not(feature = "proxy"), expect(dead_code, reason = "an upstream is told what they say"))]
    pub(crate) trusted_proxies: Option<&'static Trust<'static>>,
    /// Exchanges in flight.
    requests: Cell<u32>,
    is_draining: Cell<bool>,
    /// Told when the number of connections leaves or reaches 0.
    pub(crate) connections_changed: Notify,
}

impl Worker {
    pub(crate) fn new(post: Post) -> Self {
        Self {
            clock: Clock::new(),
            deadlines: Rc::default(),
            recorder: Recorder::idle(),
            counters: post.counters,
            number: post.number,
            rooms: post.rooms,
            clients: post.clients,
            connections: Cell::new(0),
            memory: Memory::new(post.shares.memory_bytes),
            pools: Pools::new(post.settings.upstreams, post.number, post.workers),
            trusted_proxies: post.settings.trusted_proxies,
            shares: post.shares,
            requests: Cell::new(0),
            is_draining: Cell::new(false),
            connections_changed: Notify::new(),
        }
    }

    /// The same worker, which tells the recorder what becomes of exchanges.
    pub(crate) fn with_recorder(self, recorder: Recorder) -> Self {
        Self { recorder, ..self }
    }

    /// The only worker of a process that may have so many connections.
    #[cfg(test)]
    pub(crate) fn alone(connections_max: u32) -> Self {
        let shares = Shares { requests: u32::MAX, memory_bytes: None };
        let rooms = Arc::new(Rooms::new(connections_max, 1));
        let settings = &crate::settings::tests::SETTINGS;
        Self::new(Post { number: 0, counters: Arc::default(), rooms, clients: Clients::default(), shares, settings, workers: 1 })
    }

    /// The same worker with other shares.
    #[cfg(test)]
    pub(crate) fn with_shares(self, shares: Shares) -> Self {
        Self { memory: Memory::new(shares.memory_bytes), shares, ..self }
    }

    /// Its number, from 0.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Counts one more connection of `client` in the process; a fault at a limit. Where another worker has given it room it should be served there.
    pub(crate) fn hold(&self, client: IpAddr, spread: Spread) -> Result<Hold, Fault> {
        let Some(room) = self.rooms.take(self.number, spread) else {
            Counters::add(&self.counters.refused);
            return Err(Fault::ConnectionLimit);
        };
        let Some(visit) = self.clients.take(client) else {
            Counters::add(&self.counters.refused_clients);
            return Err(Fault::ClientLimit);
        };
        Ok(Hold { room, _visit: visit })
    }

    /// The permit of a connection that will be served here.
    pub(crate) fn admit(self: &Rc<Self>, hold: Hold) -> Permit {
        let connections = self.connections.get();
        if connections == 0 {
            // The tick has slept.
            self.clock.refresh();
            self.connections_changed.notify_waiters();
        }
        self.connections.set(connections + 1);
        Counters::add(&self.counters.accepted);
        Permit { worker: Rc::clone(self), _hold: hold }
    }

    /// A permit for one more exchange in flight; `None` at the limit.
    pub(crate) fn begin_request(self: &Rc<Self>) -> Option<RequestPermit> {
        let requests = self.requests.get();
        if requests >= self.shares.requests {
            return None;
        }
        self.requests.set(requests + 1);
        Some(RequestPermit { worker: Rc::clone(self) })
    }

    /// Open connections that hold a permit.
    pub(crate) fn connections(&self) -> u32 {
        self.connections.get()
    }

    /// Exchanges in flight.
    #[cfg(test)]
    pub(crate) fn requests(&self) -> u32 {
        self.requests.get()
    }

    /// No request that is not in flight is waited for any more.
    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.get()
    }

    /// Starts to drain: idle connections are woken to close.
    pub(crate) fn drain(&self) {
        self.is_draining.set(true);
        self.deadlines.wake_all();
    }
}

/// One connection's part of all limits, until it is dropped; may go from worker to worker.
#[derive(Debug)]
pub(crate) struct Hold {
    room: Room,
    _visit: Visit,
}

impl Hold {
    /// Which worker has given it room.
    pub(crate) fn worker(&self) -> usize {
        self.room.worker()
    }
}

/// One connection that is served by this worker, until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    worker: Rc<Worker>,
    _hold: Hold,
}

impl Drop for Permit {
    fn drop(&mut self) {
        if thread::panicking() {
            Counters::add(&self.worker.counters.panics);
        }
        let connections = self.worker.connections.get().saturating_sub(1);
        self.worker.connections.set(connections);
        if connections == 0 {
            // The tick will sleep.
            self.worker.recorder.flush();
            self.worker.connections_changed.notify_waiters();
        }
    }
}

/// One exchange's part of the limit on those in flight, until it is dropped.
#[derive(Debug)]
pub(crate) struct RequestPermit {
    worker: Rc<Worker>,
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        self.worker.requests.set(self.worker.requests.get().saturating_sub(1));
    }
}

/// One of the counters.
pub(crate) type Counter = fn(&Counters) -> &AtomicU64;

/// Counts since the worker started. One thread adds, any thread reads.
#[derive(Debug, Default)]
pub struct Counters {
    /// Connections taken into service here, those that others have handed over among them.
    pub accepted: AtomicU64,
    /// Connections refused because the process's limit was reached.
    pub refused: AtomicU64,
    /// Connections refused because their client had as many as it may.
    pub refused_clients: AtomicU64,
    /// Refused connections that were closed without an answer, because so many were being told already.
    pub closed_without_a_word: AtomicU64,
    /// Connections handed to other workers.
    pub handed_over: AtomicU64,
    /// Connections that were to be handed over, and stayed because the other worker's inbox was full.
    pub kept: AtomicU64,
    /// Times that nothing was accepted for a while, for want of descriptors or memory.
    pub back_offs: AtomicU64,
    /// Threads that have died and were replaced.
    pub workers_replaced: AtomicU64,
    /// Requests with a complete, valid head.
    pub requests: AtomicU64,
    /// Connections ended by the head, body or write timeout.
    pub timeouts: AtomicU64,
    /// Panics that were contained.
    pub panics: AtomicU64,
    /// Header values that were not sent because they held a control byte.
    pub unsent_fields: AtomicU64,
    /// Lines that the access log has no room for.
    pub lost_lines: AtomicU64,
    /// Lines that were handed to the access log's thread.
    pub handed_lines: AtomicU64,
    /// Faults that were answered, by their number.
    pub faults: [AtomicU64; Fault::NAMES.len()],
}

impl Counters {
    /// All of them, each with its name.
    pub(crate) const ALL: [(&str, Counter); 14] = [
        ("accepted", |counters| &counters.accepted),
        ("refused", |counters| &counters.refused),
        ("refused-clients", |counters| &counters.refused_clients),
        ("closed-without-a-word", |counters| &counters.closed_without_a_word),
        ("handed-over", |counters| &counters.handed_over),
        ("kept", |counters| &counters.kept),
        ("back-offs", |counters| &counters.back_offs),
        ("workers-replaced", |counters| &counters.workers_replaced),
        ("requests", |counters| &counters.requests),
        ("timeouts", |counters| &counters.timeouts),
        ("panics", |counters| &counters.panics),
        ("unsent-fields", |counters| &counters.unsent_fields),
        ("lost-lines", |counters| &counters.lost_lines),
        ("handed-lines", |counters| &counters.handed_lines),
    ];

    /// One more. Not an atomic addition: each count has one writer.
    pub(crate) fn add(count: &AtomicU64) {
        Self::add_many(count, 1);
    }

    /// One more answer of that fault.
    pub(crate) fn add_fault(&self, fault: Fault) {
        if let Some(count) = self.faults.get(fault.number()) {
            Self::add(count);
        }
    }

    pub(crate) fn add_many(count: &AtomicU64, more: u64) {
        count.store(count.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_has_one_name() {
        let counters = Counters::default();
        let mut places: Vec<_> = Counters::ALL.iter().map(|(_, of)| std::ptr::from_ref(of(&counters))).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!((places.len() + Fault::NAMES.len()) * size_of::<AtomicU64>(), size_of::<Counters>());
    }

    #[test]
    fn exchange_at_the_limit_is_refused_until_one_ends() {
        let worker = Rc::new(Worker::alone(2).with_shares(Shares { requests: 2, memory_bytes: None }));
        let first = worker.begin_request();
        let second = worker.begin_request();
        assert!(first.is_some() && second.is_some() && worker.begin_request().is_none());
        drop(first);
        assert!(worker.begin_request().is_some());
    }

    #[test]
    fn connection_at_the_limit_is_refused_until_one_ends() {
        let worker = Rc::new(Worker::alone(2));
        let client = IpAddr::from([127, 0, 0, 1]);
        let admit = || worker.hold(client, Spread::Above).map(|hold| worker.admit(hold));
        let first = admit();
        let second = admit();
        assert!(first.is_ok() && second.is_ok());
        assert_eq!(admit().unwrap_err(), Fault::ConnectionLimit);
        drop(first);
        assert!(admit().is_ok());
        assert_eq!(worker.counters.refused.load(Ordering::Relaxed), 1);
    }
}
