//! What is counted by vhost and route (feature `metrics`; without it `metrics/absent.rs` stands here).
//!
//! Each worker has an array of its own with a set of counts for each place, made at start: a request allocates nothing and shares no cache line. An exchange is
//! counted when its answer's last byte is written, or its connection has ended before that: as what it has become.

use std::{
    array, iter,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{settings::Settings, worker::Counters};

/// The counts of one worker, by the number of their place.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    places: Box<[Place]>,
}

/// One place's counts. One thread adds, any thread reads.
#[derive(Debug, Default)]
struct Place {
    /// By the first digit of the status; 0: no answer was sent.
    statuses: [AtomicU64; 6],
    aborted: AtomicU64,
    received_bytes: AtomicU64,
    sent_bytes: AtomicU64,
}

/// The worker's hold on its counts; without any until it gets some.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    counts: Arc<Counts>,
}

/// What one exchange has become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub(crate) place: u32,
    pub(crate) status: u16,
    pub(crate) is_complete: bool,
    /// Of its request's body.
    pub(crate) received_bytes: u64,
    /// Of its answer's body.
    pub(crate) sent_bytes: u64,
}

/// What the places of a vhost, or one of them, have counted in all workers.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
struct Sum {
    statuses: [u64; 6],
    aborted: u64,
    received_bytes: u64,
    sent_bytes: u64,
}

impl Counts {
    /// Those of one worker, all 0.
    pub(crate) fn new(settings: &Settings) -> Arc<Self> {
        Arc::new(Self { places: settings.places.lines().map(|_| Place::default()).collect() })
    }
}

impl Metrics {
    /// Counts into these.
    pub(crate) fn new(counts: Arc<Counts>) -> Self {
        Self { counts }
    }

    /// Counts one exchange. A place that the settings do not know is none.
    pub(crate) fn add(&self, counted: &Counted) {
        let Some(place) = self.counts.places.get(counted.place as usize) else { return };
        if let Some(count) = place.statuses.get(usize::from(counted.status / 100)) {
            Counters::add(count);
        }
        Counters::add_many(&place.sent_bytes, counted.sent_bytes);
        if counted.received_bytes > 0 {
            Counters::add_many(&place.received_bytes, counted.received_bytes);
        }
        if !counted.is_complete {
            Counters::add(&place.aborted);
        }
    }
}

impl Sum {
    fn of(workers: &[Arc<Counts>], place: usize) -> Self {
        let places = workers.iter().filter_map(|counts| counts.places.get(place));
        places.fold(Self::default(), |sum, place| {
            let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
            sum.and(&Self {
                statuses: array::from_fn(|class| place.statuses.get(class).map_or(0, read)),
                aborted: read(&place.aborted),
                received_bytes: read(&place.received_bytes),
                sent_bytes: read(&place.sent_bytes),
            })
        })
    }

    fn and(mut self, other: &Self) -> Self {
        self.statuses.iter_mut().zip(other.statuses).for_each(|(sum, more)| *sum += more);
        self.aborted += other.aborted;
        self.received_bytes += other.received_bytes;
        self.sent_bytes += other.sent_bytes;
        self
    }

    fn requests(&self) -> u64 {
        self.statuses.iter().sum()
    }

    fn line(&self, name: &str) -> String {
        let [none, informational, successful, redirection, client, server] = self.statuses;
        let Self { aborted, received_bytes, sent_bytes, .. } = self;
        format!(
            "{name}: requests {}, 1xx {informational}, 2xx {successful}, 3xx {redirection}, 4xx {client}, 5xx {server}, unanswered {none}, \
             aborted {aborted}, received {received_bytes} B, sent {sent_bytes} B",
            self.requests()
        )
    }
}

/// A line for each vhost that has had a request, followed by one for each such route of it.
pub(crate) fn lines(settings: &Settings, workers: &[Arc<Counts>]) -> Vec<String> {
    let mut lines = Vec::new();
    let places: Vec<(&str, &str)> = settings.places.lines().map(|line| line.split_once('\t').unwrap_or((line, ""))).collect();
    let mut start = 0;
    while let Some((vhost, _)) = places.get(start) {
        let is_next = |place: &(&str, &str)| place.1.is_empty();
        let end = places.iter().skip(start + 1).position(is_next).map_or(places.len(), |routes| start + 1 + routes);
        let sums: Vec<Sum> = (start..end).map(|place| Sum::of(workers, place)).collect();
        let vhost = if start == 0 && vhost.is_empty() { "no vhost".to_owned() } else { format!("vhost {vhost}") };
        let all = sums.iter().fold(Sum::default(), Sum::and);
        let routes = places.iter().skip(start).zip(&sums).skip(1);
        let named = iter::once((vhost.clone(), &all)).chain(routes.map(|((_, route), sum)| (format!("{vhost} route {route}"), sum)));
        lines.extend(named.filter(|(_, sum)| sum.requests() > 0).map(|(name, sum)| sum.line(&name)));
        start = end;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(place: u32, status: u16) -> Counted {
        Counted { place, status, is_complete: status != 0, received_bytes: 2, sent_bytes: 5 }
    }

    #[test]
    fn vhost_is_the_sum_of_its_places_in_all_workers() {
        let settings =
            Settings { places: "\t\na.example\t\na.example\t/b/*\na.example\t/c\nb.example\t", ..crate::settings::tests::SETTINGS };
        let workers = [Counts::new(&settings), Counts::new(&settings)];
        let count = |worker: usize, place, status| Metrics::new(Arc::clone(&workers[worker])).add(&counted(place, status));
        for (worker, place, status) in [(0, 0, 421), (0, 1, 404), (0, 2, 200), (1, 2, 304), (1, 2, 0), (1, 9, 200)] {
            count(worker, place, status);
        }
        let line = |name, rest| format!("{name}: {rest}");
        assert_eq!(
            lines(&settings, &workers),
            [
                line("no vhost", "requests 1, 1xx 0, 2xx 0, 3xx 0, 4xx 1, 5xx 0, unanswered 0, aborted 0, received 2 B, sent 5 B"),
                line("vhost a.example", "requests 4, 1xx 0, 2xx 1, 3xx 1, 4xx 1, 5xx 0, unanswered 1, aborted 1, received 8 B, sent 20 B"),
                line(
                    "vhost a.example route /b/*",
                    "requests 3, 1xx 0, 2xx 1, 3xx 1, 4xx 0, 5xx 0, unanswered 1, aborted 1, received 6 B, sent 15 B"
                ),
            ]
        );
    }

    #[test]
    fn site_without_places_counts_nothing() {
        let metrics = Metrics::default();
        metrics.add(&counted(0, 200));
        assert!(lines(&crate::settings::tests::SETTINGS, &[metrics.counts]).is_empty());
    }
}
