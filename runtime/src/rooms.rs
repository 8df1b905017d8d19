//! The connection limit of the process, divided over its workers, and how much of it each holds.
//!
//! A connection takes room in the part of the worker that accepts it. Where that part is full, or the worker far above the average, it takes room in the part of
//! the worker that holds least, and whoever gave it room is handed the connection. So the parts are one limit together, and no client is refused while any part
//! has room. Room comes back on drop, on whatever thread.
//!
//! Cost: one atomic addition when a connection comes, one when it goes; above [`SLACK`] connections a look at every worker's count when it comes. A
//! request touches nothing of this.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// So many connections above five fourths of the average are not worth handing over.
const SLACK: u32 = 8;

/// All parts.
#[derive(Debug)]
pub(crate) struct Rooms {
    parts: Vec<Arc<Part>>,
}

/// One worker's part. Of a cache line of its own: its worker writes it often.
#[derive(Debug)]
#[repr(align(64))]
struct Part {
    /// Whose part it is.
    worker: usize,
    limit: u32,
    open: AtomicU32,
}

/// When a connection goes to another worker.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Spread {
    /// Where its worker is far above the average: others accept for themselves.
    Above,
    /// Where another worker holds less: one accepts for all.
    Even,
}

/// Room for one connection, until it is dropped.
pub(crate) struct Room(Arc<Part>);

impl Rooms {
    /// Divides a limit: parts sum up to it, but none is 0.
    pub(crate) fn new(limit: u32, workers: usize) -> Self {
        let parts = (0..workers).map(|worker| Arc::new(Part { worker, limit: part(limit, worker, workers), open: AtomicU32::new(0) }));
        Self { parts: parts.collect() }
    }

    /// Room for a connection that worker `own` has accepted; `None`: all parts are full.
    pub(crate) fn take(&self, own: usize, spread: Spread) -> Option<Room> {
        if self.keeps(own, spread)
            && let Some(room) = self.reserve(own)
        {
            return Some(room);
        }
        // The least of them may have been filled just now; then another one is.
        (0..self.parts.len()).find_map(|_| self.reserve(self.least(own)?))
    }

    /// Connections that hold room, by worker.
    pub(crate) fn open(&self) -> Vec<u32> {
        self.parts.iter().map(|part| part.open()).collect()
    }

    fn keeps(&self, own: usize, spread: Spread) -> bool {
        match spread {
            Spread::Above => !self.is_far_above(own),
            Spread::Even => self.least(own) == Some(own),
        }
    }

    fn is_far_above(&self, own: usize) -> bool {
        let open = self.parts.get(own).map_or(0, |part| part.open());
        if open <= SLACK || self.parts.len() == 1 {
            return false;
        }
        let workers = self.parts.len() as u64;
        let sum: u64 = self.parts.iter().map(|part| u64::from(part.open())).sum();
        4 * workers * u64::from(open) > 5 * sum + 4 * workers * u64::from(SLACK)
    }

    /// The worker that holds least of those whose part has room: `own` before others that hold as much.
    fn least(&self, own: usize) -> Option<usize> {
        let with_room = self.parts.iter().enumerate().filter(|(_, part)| part.open() < part.limit);
        with_room.min_by_key(|&(worker, part)| (part.open(), worker != own)).map(|(worker, _)| worker)
    }

    fn reserve(&self, worker: usize) -> Option<Room> {
        let part = self.parts.get(worker)?;
        let more = |open: u32| (open < part.limit).then_some(open + 1);
        // Only counts are told, no memory is: the order of nothing else depends on it.
        part.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Room(Arc::clone(part)))
    }
}

impl Part {
    fn open(&self) -> u32 {
        self.open.load(Ordering::Relaxed)
    }
}

impl Room {
    /// Whose part it is of.
    pub(crate) fn worker(&self) -> usize {
        self.0.worker
    }
}

impl fmt::Debug for Room {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Room of worker {}", self.worker())
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The part of a limit that worker `index` of `workers` gets.
pub(crate) fn part(limit: u32, index: usize, workers: usize) -> u32 {
    let workers = u32::try_from(workers).unwrap_or(u32::MAX).max(1);
    let has_one_more = u32::try_from(index).is_ok_and(|index| index < limit % workers);
    (limit / workers + u32::from(has_one_more)).max(1)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn parts_sum_up_to_the_limit() {
        for (limit, workers) in [(16_384, 3), (7, 2), (10, 10)] {
            assert_eq!((0..workers).map(|index| part(limit, index, workers)).sum::<u32>(), limit);
        }
    }

    #[test]
    fn part_is_never_nothing() {
        assert_eq!(part(1, 3, 4), 1);
        assert_eq!(part(0, 0, 1), 1);
    }

    #[test]
    fn one_worker_is_given_the_whole_limit() {
        let rooms = Rooms::new(64, 4);
        let held: Vec<_> = (0..64).map_while(|_| rooms.take(2, Spread::Above)).collect();
        assert_eq!((held.len(), rooms.open()), (64, vec![16; 4]));
        assert!(rooms.take(2, Spread::Above).is_none());
        drop(held);
        assert_eq!(rooms.open(), [0; 4]);
    }

    #[test]
    fn worker_far_above_the_average_gives_away() {
        let rooms = Rooms::new(1000, 4);
        let held: Vec<_> = (0..200).map_while(|_| rooms.take(1, Spread::Above)).collect();
        let open = rooms.open();
        assert_eq!(held.len(), 200);
        // 5/4 of the average and the slack, and the one that was just below.
        assert!(open[1] <= 50 * 5 / 4 + SLACK + 1 && open[1] > 50, "{open:?}");
        assert!(open.iter().all(|&open| open >= 30), "{open:?}");
    }

    #[test]
    fn few_connections_stay_where_they_are() {
        let rooms = Rooms::new(1000, 4);
        let held: Vec<_> = (0..SLACK).map_while(|_| rooms.take(1, Spread::Above)).collect();
        assert_eq!((held.len(), rooms.open()), (8, vec![0, 8, 0, 0]));
    }

    #[test]
    fn one_that_accepts_for_all_spreads_evenly() {
        let rooms = Rooms::new(9, 3);
        let held: Vec<_> = (0..7).map_while(|_| rooms.take(0, Spread::Even)).collect();
        assert_eq!((held.len(), rooms.open()), (7, vec![3, 2, 2]));
    }

    #[test]
    fn limit_holds_and_comes_back_whoever_takes() {
        let rooms = Rooms::new(40, 4);
        thread::scope(|scope| {
            for own in 0..4 {
                let rooms = &rooms;
                scope.spawn(move || {
                    for _ in 0..2_000 {
                        let held: Vec<_> = (0..20).map_while(|_| rooms.take(own, Spread::Above)).collect();
                        assert!(rooms.open().iter().all(|&open| open <= 10));
                        drop(held);
                    }
                });
            }
        });
        assert_eq!(rooms.open(), [0; 4]);
    }
}
