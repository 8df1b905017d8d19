//! What one worker thread owns and its connections share: time, deadlines, counters, the number of connections, and whether it drains.
//!
//! Of one thread: cells, no locks. Only [`Counters`] are read from outside.

use std::{
    cell::Cell,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use tokio::sync::Notify;

use crate::{clock::Clock, deadlines::Deadlines};

/// One worker's state.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) clock: Clock,
    pub(crate) deadlines: Rc<Deadlines>,
    pub(crate) counters: Arc<Counters>,
    /// This worker's part of the process's limit.
    connections_max: u32,
    connections: Cell<u32>,
    is_draining: Cell<bool>,
    /// Told when the number of connections leaves or reaches 0.
    pub(crate) connections_changed: Notify,
}

impl Worker {
    pub(crate) fn new(connections_max: u32, counters: Arc<Counters>) -> Self {
        Self {
            clock: Clock::new(),
            deadlines: Rc::default(),
            counters,
            connections_max,
            connections: Cell::new(0),
            is_draining: Cell::new(false),
            connections_changed: Notify::new(),
        }
    }

    /// A permit for one more connection; `None` at the limit.
    pub(crate) fn admit(self: &Rc<Self>) -> Option<Permit> {
        let connections = self.connections.get();
        if connections >= self.connections_max {
            Counters::add(&self.counters.refused);
            return None;
        }
        if connections == 0 {
            // The tick has slept.
            self.clock.refresh();
            self.connections_changed.notify_waiters();
        }
        self.connections.set(connections + 1);
        Counters::add(&self.counters.accepted);
        Some(Permit { worker: Rc::clone(self) })
    }

    /// Open connections that hold a permit.
    pub(crate) fn connections(&self) -> u32 {
        self.connections.get()
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

/// One connection's part of the limit, until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    worker: Rc<Worker>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        if thread::panicking() {
            Counters::add(&self.worker.counters.panics);
        }
        let connections = self.worker.connections.get().saturating_sub(1);
        self.worker.connections.set(connections);
        if connections == 0 {
            self.worker.connections_changed.notify_waiters();
        }
    }
}

/// One of the counters.
pub(crate) type Counter = fn(&Counters) -> &AtomicU64;

/// Counts since the worker started. One thread adds, any thread reads.
#[derive(Debug, Default)]
pub struct Counters {
    /// Connections accepted.
    pub accepted: AtomicU64,
    /// Connections closed because the limit was reached.
    pub refused: AtomicU64,
    /// Requests with a complete, valid head.
    pub requests: AtomicU64,
    /// Heads that were refused with an answer.
    pub refused_heads: AtomicU64,
    /// Connections ended by the head, body or write timeout.
    pub timeouts: AtomicU64,
    /// Panics that were contained.
    pub panics: AtomicU64,
    /// Header values that were not sent because they held a control byte.
    pub unsent_fields: AtomicU64,
}

impl Counters {
    /// All of them, each with its name.
    pub(crate) const ALL: [(&str, Counter); 7] = [
        ("accepted", |counters| &counters.accepted),
        ("refused", |counters| &counters.refused),
        ("requests", |counters| &counters.requests),
        ("refused-heads", |counters| &counters.refused_heads),
        ("timeouts", |counters| &counters.timeouts),
        ("panics", |counters| &counters.panics),
        ("unsent-fields", |counters| &counters.unsent_fields),
    ];

    /// One more. Not an atomic addition: each count has one writer.
    pub(crate) fn add(count: &AtomicU64) {
        Self::add_many(count, 1);
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
        assert_eq!(places.len() * size_of::<AtomicU64>(), size_of::<Counters>());
    }

    #[test]
    fn permit_at_limit_is_refused_until_one_is_dropped() {
        let worker = Rc::new(Worker::new(2, Arc::default()));
        let first = worker.admit();
        let second = worker.admit();
        assert!(first.is_some() && second.is_some() && worker.admit().is_none());
        drop(first);
        assert!(worker.admit().is_some());
        assert_eq!(worker.counters.refused.load(Ordering::Relaxed), 1);
    }
}
