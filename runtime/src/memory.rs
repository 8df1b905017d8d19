//! `memory`: a worker's part of the memory budget, in bytes of buffers (feature `memory`; without it `memory/absent.rs` stands here).
//!
//! What a connection will need is charged before it is allocated: the buffers that read a request, and the chunk that streams an answer. Who finds too little
//! waits in order of arrival, and whoever comes behind a waiting one waits, too, so that the large are not starved by the small. Output that is there already
//! is charged in full, into debt if need be. Grants come back on drop. Of one thread: cells, no locks.

use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    rc::Rc,
    task::{Context, Poll, Waker},
};

/// The budget.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    budget: Rc<Budget>,
}

#[derive(Debug)]
struct Budget {
    total: i64,
    /// Below 0: debt.
    free: Cell<i64>,
    /// In order of arrival. Bounded by the connections: each has one place at most.
    waiters: RefCell<VecDeque<Rc<Waiter>>>,
}

#[derive(Debug)]
struct Waiter {
    bytes: i64,
    /// Its bytes have been charged, and it has been woken.
    is_granted: Cell<bool>,
    waker: Waker,
}

/// Bytes that are charged until this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Grant {
    budget: Option<Rc<Budget>>,
    bytes: i64,
}

/// A place in the queue, given up on drop.
#[derive(Debug, Default)]
pub(crate) struct Place {
    queued: Option<(Rc<Budget>, Rc<Waiter>)>,
}

impl Memory {
    /// So many bytes; all that can be counted without a limit.
    pub(crate) fn new(bytes: Option<u64>) -> Self {
        let total = bytes.and_then(|bytes| i64::try_from(bytes).ok()).unwrap_or(i64::MAX / 2).max(1);
        Self { budget: Rc::new(Budget { total, free: Cell::new(total), waiters: RefCell::default() }) }
    }

    /// Charges `bytes` (of a budget that is smaller, all of it), or takes `place` in the queue; the task is woken when its turn has come.
    pub(crate) fn poll_take(&self, context: &Context<'_>, place: &mut Place, bytes: usize) -> Poll<Grant> {
        let budget = &self.budget;
        if let Some((_, waiter)) = &place.queued {
            if !waiter.is_granted.get() {
                return Poll::Pending;
            }
            let bytes = waiter.bytes;
            place.queued = None;
            return Poll::Ready(Grant { budget: Some(Rc::clone(budget)), bytes });
        }
        if let Some(grant) = self.take(bytes) {
            return Poll::Ready(grant);
        }
        let waiter = Waiter { bytes: budget.clamped(bytes), is_granted: Cell::new(false), waker: context.waker().clone() };
        let waiter = Rc::new(waiter);
        budget.waiters.borrow_mut().push_back(Rc::clone(&waiter));
        place.queued = Some((Rc::clone(budget), waiter));
        Poll::Pending
    }

    /// Charges `bytes` at once, where nobody waits and there are so many.
    pub(crate) fn take(&self, bytes: usize) -> Option<Grant> {
        let budget = &self.budget;
        let bytes = budget.clamped(bytes);
        if !budget.waiters.borrow().is_empty() || budget.free.get() < bytes {
            return None;
        }
        budget.free.set(budget.free.get() - bytes);
        Some(Grant { budget: Some(Rc::clone(budget)), bytes })
    }

    /// Charges `bytes` at once, where a quarter of all is left then: what is large and held as long as a client likes must not keep others from being read.
    pub(crate) fn take_spare(&self, bytes: usize) -> Option<Grant> {
        let Budget { total, free, .. } = &*self.budget;
        let wanted = i64::try_from(bytes).unwrap_or(i64::MAX);
        if free.get().saturating_sub(wanted) < total / 4 { None } else { self.take(bytes) }
    }

    /// The same for what can't be smaller: of more than half of all there is that half is charged.
    pub(crate) fn take_spare_for_whole(&self, bytes: usize) -> Option<Grant> {
        self.take_spare(bytes.min(usize::try_from(self.budget.total / 2).unwrap_or(usize::MAX)))
    }

    /// Charges `bytes` that are allocated already: into debt if need be.
    pub(crate) fn charge(&self, bytes: usize) -> Grant {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX / 4);
        self.budget.free.set(self.budget.free.get().saturating_sub(bytes));
        Grant { budget: Some(Rc::clone(&self.budget)), bytes }
    }
}

impl Budget {
    /// Who wants more than all there is gets all.
    fn clamped(&self, bytes: usize) -> i64 {
        i64::try_from(bytes).unwrap_or(i64::MAX).min(self.total)
    }

    fn release(&self, bytes: i64) {
        self.free.set(self.free.get().saturating_add(bytes));
        self.serve();
    }

    /// Grants what there is to those who wait, in their order.
    fn serve(&self) {
        let mut waiters = self.waiters.borrow_mut();
        while let Some(first) = waiters.front()
            && self.free.get() >= first.bytes
        {
            self.free.set(self.free.get() - first.bytes);
            first.is_granted.set(true);
            // Waking a task of this thread only queues it.
            first.waker.wake_by_ref();
            waiters.pop_front();
        }
    }
}

impl Grant {
    /// Gives back what is over so many bytes.
    pub(crate) fn keep(&mut self, bytes: usize) {
        let kept = self.bytes.min(i64::try_from(bytes).unwrap_or(i64::MAX));
        if let Some(budget) = &self.budget
            && kept < self.bytes
        {
            budget.release(self.bytes - kept);
            self.bytes = kept;
        }
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.release(self.bytes);
        }
    }
}

impl Place {
    /// It waits.
    pub(crate) fn is_queued(&self) -> bool {
        self.queued.is_some()
    }

    /// Waits no more.
    pub(crate) fn leave(&mut self) {
        if let Some((budget, waiter)) = self.queued.take() {
            if waiter.is_granted.get() {
                budget.release(waiter.bytes);
            } else {
                budget.waiters.borrow_mut().retain(|other| !Rc::ptr_eq(other, &waiter));
                // It may have been what the others waited behind.
                budget.serve();
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(memory: &Memory, place: &mut Place, bytes: usize) -> Option<Grant> {
        match memory.poll_take(&Context::from_waker(Waker::noop()), place, bytes) {
            Poll::Ready(grant) => Some(grant),
            Poll::Pending => None,
        }
    }

    #[test]
    fn spare_memory_leaves_a_quarter_to_others() {
        let memory = Memory::new(Some(100));
        let first = memory.take_spare(40).unwrap();
        let second = memory.take_spare(35).unwrap();
        assert!(memory.take_spare(1).is_none());
        assert!(memory.take(25).is_some(), "the quarter is for others");
        drop(first);
        assert!(memory.take_spare_for_whole(1000).is_none(), "half of all there is is not spare");
        assert!(memory.take_spare(40).is_some());
        drop(second);
        assert!(memory.take_spare(76).is_none() && memory.take_spare(usize::MAX).is_none());
        assert!(memory.take_spare_for_whole(1000).is_some_and(|grant| grant.bytes == 50));
    }

    #[test]
    fn budget_is_given_to_its_last_byte() {
        let memory = Memory::new(Some(100));
        let (mut one, mut other) = (Place::default(), Place::default());
        let first = take(&memory, &mut one, 60).unwrap();
        assert!(take(&memory, &mut one, 40).is_some());
        assert!(take(&memory, &mut one, 41).is_none());
        one.leave();
        let second = take(&memory, &mut one, 40).unwrap();
        assert!(take(&memory, &mut other, 1).is_none());
        drop((first, second));
        assert!(take(&memory, &mut other, 1).is_some());
        assert_eq!(memory.budget.free.get(), 100);
    }

    #[test]
    fn waiting_is_in_order() {
        let memory = Memory::new(Some(100));
        let [mut holding, mut large, mut small] = [Place::default(), Place::default(), Place::default()];
        let half = take(&memory, &mut holding, 50).unwrap();
        let other_half = take(&memory, &mut holding, 50).unwrap();
        assert!(take(&memory, &mut large, 80).is_none());
        assert!(take(&memory, &mut small, 10).is_none());
        drop(half);
        assert!(take(&memory, &mut small, 10).is_none(), "there would be enough, but one is before it");
        drop(other_half);
        let large = take(&memory, &mut large, 80).unwrap();
        let small = take(&memory, &mut small, 10).unwrap();
        drop((large, small));
        assert_eq!(memory.budget.free.get(), 100);
    }

    #[test]
    fn place_given_up_lets_the_next_one_in() {
        let memory = Memory::new(Some(100));
        let [mut holding, mut large, mut small] = [Place::default(), Place::default(), Place::default()];
        let half = take(&memory, &mut holding, 50).unwrap();
        assert!(take(&memory, &mut large, 80).is_none());
        assert!(take(&memory, &mut small, 10).is_none());
        drop(large);
        assert!(take(&memory, &mut small, 10).is_some());
        let mut granted = Place::default();
        let rest = take(&memory, &mut holding, 50).unwrap();
        assert!(take(&memory, &mut granted, 10).is_none());
        drop((half, rest));
        drop(granted);
        assert_eq!(memory.budget.free.get(), 100, "granted and never taken");
    }

    #[test]
    fn debt_is_paid_before_anything_is_given() {
        let memory = Memory::new(Some(100));
        let mut place = Place::default();
        let grant = take(&memory, &mut place, 100).unwrap();
        let debt = memory.charge(50);
        assert_eq!(memory.budget.free.get(), -50);
        assert!(take(&memory, &mut place, 1).is_none());
        drop(debt);
        assert!(take(&memory, &mut place, 1).is_none());
        drop(grant);
        assert!(take(&memory, &mut place, 1).is_some());
    }

    #[test]
    fn grant_gives_back_what_is_over() {
        let memory = Memory::new(Some(100));
        let mut grant = memory.take(80).unwrap();
        grant.keep(90);
        assert_eq!(memory.budget.free.get(), 20);
        grant.keep(30);
        assert_eq!(memory.budget.free.get(), 70);
        drop(grant);
        assert_eq!(memory.budget.free.get(), 100);
    }

    #[test]
    fn want_of_more_than_all_is_given_all() {
        let memory = Memory::new(Some(100));
        let mut place = Place::default();
        assert!(take(&memory, &mut place, 1000).is_some());
    }
}
