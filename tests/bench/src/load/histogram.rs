//! Times in buckets of 3 % and less: bounded whatever comes, and never pooled over samples.

use std::time::Duration;

/// Buckets for each doubling.
const STEPS: u64 = 32;
/// Five bits say the step, the others the doubling.
const BUCKETS: usize = 60 * STEPS as usize;

/// Counts of times in nanoseconds.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Histogram {
    /// Without any time.
    pub fn new() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0 }
    }

    /// Counts a time so often.
    pub fn add(&mut self, time: Duration, times: u64) {
        let bucket = bucket(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        self.counts[bucket.min(BUCKETS - 1)] += times;
        self.total += times;
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.counts.fill(0);
        self.total = 0;
    }

    /// The time in microseconds that this part of all does not exceed; zero of none.
    pub fn quantile_us(&self, part: f64) -> f64 {
        let wanted = (self.total as f64 * part).ceil().max(1.0) as u64;
        let mut seen = 0;
        let found = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        found.map_or(0.0, |bucket| upper(bucket) as f64 / 1000.0)
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

fn bucket(value: u64) -> usize {
    if value < STEPS {
        return value as usize;
    }
    let doubling = u64::from(value.ilog2()) - 5;
    (doubling * STEPS + (value >> doubling)) as usize
}

/// The largest value of a bucket.
fn upper(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * STEPS {
        return bucket;
    }
    let doubling = bucket / STEPS - 1;
    ((bucket % STEPS + STEPS + 1) << doubling) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_holds_its_value_within_three_percent() {
        for value in [0, 1, 31, 32, 63, 64, 65, 1_000, 123_456, 7_654_321_098] {
            let top = upper(bucket(value));
            assert!(top >= value && top as f64 <= value as f64 * 1.032, "{value}: {top}");
        }
    }

    #[test]
    fn quantile_is_that_of_the_times() {
        let mut histogram = Histogram::new();
        assert_eq!(histogram.quantile_us(0.5), 0.0);
        histogram.add(Duration::from_micros(10), 99);
        histogram.add(Duration::from_millis(5), 1);
        assert!((histogram.quantile_us(0.5) - 10.0).abs() < 0.4);
        assert!((histogram.quantile_us(0.99) - 10.0).abs() < 0.4);
        assert!(histogram.quantile_us(1.0) > 4_900.0);
    }
}
