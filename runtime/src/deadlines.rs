//! The deadlines of a worker's connections, in one flat table that a tick walks.
//!
//! A request sets a number and makes no timer operation; the tick (every [`crate::clock::TICK`], only while connections exist) compares all numbers
//! with now and wakes the tasks that are due. A wheel of buckets would need a bound on re-insertions; a walk of 16,384 connections reads 128 KiB
//! (docs/decisions/0006-h1-engine.md). Bounded by the connection limit. Never shared between threads.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    task::Waker,
    time::Duration,
};

use crate::clock;

/// Bytes a second that a peer must move at least while it is waited for: what Apache's mod_reqtimeout asks for by default (`MinRate=500`).
const BYTES_PER_SECOND: u128 = 500;

/// What a connection can wait for at once; each wait has a deadline of its own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Wait {
    /// For the client's bytes: a head, the rest of one, a body.
    Read,
    /// For room in the socket.
    Write,
}

/// Not waiting.
const NONE: u32 = u32::MAX;
/// Was due and has been woken.
const DUE: u32 = u32::MAX - 1;

/// The table.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    table: RefCell<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// By connection: the tick at which each [`Wait`] is over.
    due: Vec<[u32; 2]>,
    /// By connection: who is woken. `None` before the first poll and in a free slot.
    wakers: Vec<Option<Waker>>,
    free: Vec<usize>,
}

impl Deadlines {
    /// A place in the table, given back on drop.
    pub(crate) fn register(self: &Rc<Self>) -> Timer {
        let mut table = self.table.borrow_mut();
        let slot = table.free.pop().unwrap_or_else(|| {
            table.due.push([NONE; 2]);
            table.wakers.push(None);
            table.due.len() - 1
        });
        Timer { deadlines: Rc::clone(self), slot }
    }

    /// Wakes the tasks with a deadline at or before `now`; each deadline wakes once.
    pub(crate) fn advance(&self, now: u32) {
        let mut table = self.table.borrow_mut();
        let Table { due, wakers, .. } = &mut *table;
        for (due, waker) in due.iter_mut().zip(wakers) {
            let is_due = due.map(|tick| tick <= now);
            if is_due == [false; 2] {
                continue;
            }
            for (tick, is_due) in due.iter_mut().zip(is_due) {
                *tick = if is_due { DUE } else { *tick };
            }
            // Waking a task of this thread only queues it, so the table is not entered again from here.
            if let Some(waker) = waker {
                waker.wake_by_ref();
            }
        }
    }

    /// Wakes every task: something that all look at has changed.
    pub(crate) fn wake_all(&self) {
        for waker in self.table.borrow().wakers.iter().flatten() {
            waker.wake_by_ref();
        }
    }
}

/// How fast something must move.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Pace {
    /// Ticks of a window of waiting,
    ticks: u32,
    /// in which so many bytes must have moved, or the end have come.
    bytes: u64,
}

impl Pace {
    /// That of a timeout.
    pub(crate) fn of(timeout: Duration) -> Self {
        let bytes = (timeout.as_millis() * BYTES_PER_SECOND / 1000).clamp(1, u64::MAX.into());
        Self { ticks: clock::ticks(timeout), bytes: bytes as u64 }
    }
}

/// What has moved since a window of waiting began. A byte now and then keeps no wait alive.
#[derive(Debug, Default)]
pub(crate) struct Pacing {
    /// `None`: nothing is waited for.
    moved_bytes: Cell<Option<u64>>,
}

impl Pacing {
    /// So many bytes have moved. A wait goes on if there is one: whoever is slow may be so for several reads.
    pub(crate) fn add(&self, bytes: usize) {
        if let Some(moved) = self.moved_bytes.get() {
            self.moved_bytes.set(Some(moved.saturating_add(bytes as u64)));
        }
    }

    /// What was waited for is there.
    pub(crate) fn end(&self, timer: &Timer, wait: Wait) {
        if self.moved_bytes.take().is_some() {
            timer.clear(wait);
        }
    }

    /// Nothing more has come at tick `now`: begins the wait, or goes on with it. `false`: too little has moved within the window.
    pub(crate) fn may_wait(&self, timer: &Timer, wait: Wait, pace: Pace, now: u32) -> bool {
        match self.moved_bytes.get() {
            Some(_) if !timer.is_due(wait) => return true,
            Some(moved) if moved < pace.bytes => return false,
            Some(_) | None => {}
        }
        timer.set(wait, now.saturating_add(pace.ticks));
        self.moved_bytes.set(Some(0));
        true
    }
}

/// One connection's place in the table.
#[derive(Debug)]
pub(crate) struct Timer {
    deadlines: Rc<Deadlines>,
    slot: usize,
}

impl Timer {
    /// Says who is woken; a task keeps its waker for life, so once is enough.
    pub(crate) fn attach(&self, waker: &Waker) {
        if let Some(place) = self.deadlines.table.borrow_mut().wakers.get_mut(self.slot) {
            *place = Some(waker.clone());
        }
    }

    /// The wait is over at tick `due`; replaces an earlier deadline of that wait.
    pub(crate) fn set(&self, wait: Wait, due: u32) {
        self.put(wait, due.min(DUE - 1));
    }

    /// The wait has ended.
    pub(crate) fn clear(&self, wait: Wait) {
        self.put(wait, NONE);
    }

    /// The wait's deadline has passed and the tick has said so.
    pub(crate) fn is_due(&self, wait: Wait) -> bool {
        self.deadlines.table.borrow().due.get(self.slot).is_some_and(|due| due[wait as usize] == DUE)
    }

    fn put(&self, wait: Wait, tick: u32) {
        if let Some(due) = self.deadlines.table.borrow_mut().due.get_mut(self.slot) {
            due[wait as usize] = tick;
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let mut table = self.deadlines.table.borrow_mut();
        if let Some(due) = table.due.get_mut(self.slot) {
            *due = [NONE; 2];
        }
        if let Some(waker) = table.wakers.get_mut(self.slot) {
            *waker = None;
        }
        table.free.push(self.slot);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicU32, Ordering},
        },
        task::Wake,
    };

    use super::*;

    #[derive(Default)]
    struct Count(AtomicU32);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn timer(deadlines: &Rc<Deadlines>) -> (Timer, Arc<Count>) {
        let count = Arc::new(Count::default());
        let timer = deadlines.register();
        timer.attach(&Waker::from(count.clone()));
        (timer, count)
    }

    #[test]
    fn deadline_passed_wakes_once() {
        let deadlines = Rc::new(Deadlines::default());
        let (timer, count) = timer(&deadlines);
        timer.set(Wait::Read, 5);
        deadlines.advance(4);
        assert!(!timer.is_due(Wait::Read));
        deadlines.advance(7);
        deadlines.advance(8);
        assert!(timer.is_due(Wait::Read) && !timer.is_due(Wait::Write));
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn deadline_set_again_is_no_longer_due() {
        let deadlines = Rc::new(Deadlines::default());
        let (timer, _) = timer(&deadlines);
        timer.set(Wait::Write, 1);
        deadlines.advance(1);
        timer.set(Wait::Write, 3);
        assert!(!timer.is_due(Wait::Write));
        timer.clear(Wait::Write);
        deadlines.advance(u32::MAX - 2);
        assert!(!timer.is_due(Wait::Write));
    }

    #[test]
    fn slot_is_used_again_without_old_deadline() {
        let deadlines = Rc::new(Deadlines::default());
        let (first, _) = timer(&deadlines);
        first.set(Wait::Read, 1);
        drop(first);
        let (second, count) = timer(&deadlines);
        deadlines.advance(2);
        assert!(!second.is_due(Wait::Read));
        assert_eq!((second.slot, count.0.load(Ordering::Relaxed)), (0, 0));
    }

    #[test]
    fn wait_goes_on_while_enough_moves_in_each_window() {
        let deadlines = Rc::new(Deadlines::default());
        let (timer, _) = timer(&deadlines);
        let (pacing, pace) = (Pacing::default(), Pace::of(Duration::from_secs(2)));
        assert_eq!(pace, Pace { ticks: 9, bytes: 1000 });
        let wait_at = |now: u32| {
            deadlines.advance(now);
            pacing.may_wait(&timer, Wait::Read, pace, now)
        };
        assert!(wait_at(1));
        pacing.add(999);
        assert!(wait_at(9));
        pacing.add(1);
        assert!(wait_at(10), "1000 bytes within the window");
        pacing.add(999);
        assert!(wait_at(18) && !wait_at(19), "999 bytes within the next");
        pacing.end(&timer, Wait::Read);
        assert!(wait_at(40) && wait_at(48), "another wait");
    }

    #[test]
    fn all_are_woken_at_once() {
        let deadlines = Rc::new(Deadlines::default());
        let (_a, first) = timer(&deadlines);
        let (_b, second) = timer(&deadlines);
        deadlines.wake_all();
        assert_eq!((first.0.load(Ordering::Relaxed), second.0.load(Ordering::Relaxed)), (1, 1));
    }
}
