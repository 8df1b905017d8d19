//! A worker's coarse time: ticks for deadlines, seconds and a ready `date` line for answers.
//!
//! Read from the system by [`Clock::refresh`] only, which the worker's tick calls every [`TICK`]; a request reads cells and makes no call. So `date`
//! can be one tick late, and a deadline is kept to one tick. What has no clock asks [`not_after_now`]. Nothing else in this crate asks the system for the time.

use std::{
    cell::Cell,
    sync::OnceLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use semantics::date;

/// The grain of all timeouts.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// Bytes of `date: `, 29 bytes of IMF-fixdate (RFC 9110 §5.6.7), CRLF, and the empty line.
const HEAD_END_BYTES: usize = 39;
const DATE_NAME: &[u8; 6] = b"date: ";

thread_local! {
    /// Seconds since the epoch at the last reading.
    static NOW: Cell<u64> = const { Cell::new(0) };
    /// The thread's clock at its last refresh; 0: it has none.
    static COARSE_TICK: Cell<u32> = const { Cell::new(0) };
}

/// When the first clock of the process was made.
static PROCESS_START: OnceLock<Instant> = OnceLock::new();

/// Time as it was at the last refresh.
#[derive(Debug)]
pub(crate) struct Clock {
    start: Instant,
    /// Ticks from the process's first clock to this one.
    start_tick: u32,
    tick: Cell<u32>,
    seconds: Cell<u64>,
    /// Microseconds from the epoch to the clock's start, as the system's clocks were at the last refresh.
    epoch_offset: Cell<u64>,
    /// Microseconds from the clock's start to the last refresh, never 0.
    refreshed: Cell<u64>,
    head_end: Cell<[u8; HEAD_END_BYTES]>,
}

impl Clock {
    /// A clock at tick 1: 0 is never now.
    pub(crate) fn new() -> Self {
        let head_end = Cell::new(head_end(0));
        let start = Instant::now();
        let since_process = start.saturating_duration_since(*PROCESS_START.get_or_init(|| start));
        let clock = Self {
            start,
            start_tick: whole_ticks(since_process),
            tick: Cell::new(1),
            seconds: Cell::new(0),
            epoch_offset: Cell::new(0),
            refreshed: Cell::new(1),
            head_end,
        };
        clock.refresh();
        clock
    }

    /// Reads the system's clocks.
    pub(crate) fn refresh(&self) {
        let elapsed = self.start.elapsed();
        self.tick.set(whole_ticks(elapsed).saturating_add(1));
        COARSE_TICK.set(self.tick.get());
        let seconds = read_seconds();
        if seconds != self.seconds.replace(seconds) {
            self.head_end.set(head_end(seconds));
        }
        self.refreshed.set(microseconds(elapsed));
        self.epoch_offset.set(since_epoch().saturating_sub(elapsed).as_micros() as u64);
    }

    /// Microseconds since the clock was made, never 0: reads the system's clock.
    #[cfg_attr(not(feature = "access-log"), expect(dead_code, reason = "only the log tells how long an exchange takes"))]
    pub(crate) fn microseconds(&self) -> u64 {
        microseconds(self.start.elapsed())
    }

    /// The same at the last refresh: one tick late at most.
    #[cfg_attr(not(feature = "access-log"), expect(dead_code, reason = "only the log tells when an exchange began"))]
    pub(crate) fn last_microseconds(&self) -> u64 {
        self.refreshed.get()
    }

    /// Milliseconds from the epoch to a moment that is so many microseconds behind the clock's start.
    #[cfg_attr(not(feature = "access-log"), expect(dead_code, reason = "only the log has moments"))]
    pub(crate) fn epoch_milliseconds(&self, microseconds: u64) -> u64 {
        self.epoch_offset.get().saturating_add(microseconds) / 1000
    }

    /// Moves on without the system's clocks.
    #[cfg(test)]
    pub(crate) fn advance(&self, ticks: u32) {
        self.tick.set(self.tick.get() + ticks);
        COARSE_TICK.set(self.tick.get());
    }

    /// It is that second, until the next refresh.
    #[cfg(test)]
    pub(crate) fn set_seconds(&self, seconds: u64) {
        self.seconds.set(seconds);
        NOW.set(seconds);
    }

    /// Ticks since the clock was made, from 1.
    pub(crate) fn tick(&self) -> u32 {
        self.tick.get()
    }

    /// Ticks that mean the same to all workers, from 1; theirs differ by one at most.
    #[cfg_attr(not(feature = "proxy"), expect(dead_code, reason = "workers have nothing to tell each other"))]
    pub(crate) fn process_tick(&self) -> u32 {
        self.start_tick.saturating_add(self.tick.get())
    }

    /// Appends the `date` line and the empty line: how a head ends.
    pub(crate) fn push_head_end(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.head_end.get());
    }

    /// Appends the `date` line.
    pub(crate) fn push_date_line(&self, out: &mut Vec<u8>) {
        let [line @ .., _, _] = self.head_end.get();
        out.extend_from_slice(&line);
    }
}

fn whole_ticks(elapsed: Duration) -> u32 {
    u32::try_from(elapsed.as_millis() / TICK.as_millis()).unwrap_or(u32::MAX)
}

fn microseconds(elapsed: Duration) -> u64 {
    (elapsed.as_secs() * 1_000_000 + u64::from(elapsed.subsec_micros())).max(1)
}

/// Seconds since the epoch, read from the system and remembered for the thread.
fn read_seconds() -> u64 {
    let seconds = system_seconds();
    NOW.set(seconds);
    seconds
}

/// Now, read from the system: for threads that have no clock.
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Seconds since the epoch, read from the system: for threads that have no clock.
pub(crate) fn system_seconds() -> u64 {
    since_epoch().as_secs()
}

fn since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Ticks of the thread's clock and seconds since the epoch, as they were at its last refresh; ticks are 0 where the thread has no clock.
#[cfg_attr(not(any(feature = "files", test)), expect(dead_code, reason = "only open files grow old by it"))]
pub(crate) fn coarse() -> (u32, u64) {
    (COARSE_TICK.get(), NOW.get())
}

/// The second itself, or now where it lies in the future. The system is asked only for a second that is later than it was at the thread's last reading.
#[cfg_attr(not(any(feature = "files", test)), expect(dead_code, reason = "only dates of files may lie in the future"))]
pub(crate) fn not_after_now(seconds: u64) -> u64 {
    if seconds <= NOW.get() { seconds } else { seconds.min(read_seconds()) }
}

/// Ticks that last at least `span`, whatever part of the running tick has passed: two or more.
pub(crate) fn ticks(span: Duration) -> u32 {
    let whole = span.as_millis().div_ceil(TICK.as_millis());
    u32::try_from(whole).unwrap_or(u32::MAX).saturating_add(1)
}

fn head_end(seconds: u64) -> [u8; HEAD_END_BYTES] {
    let mut text = [0; 29];
    date::write(seconds, &mut text);
    let mut end = [0; HEAD_END_BYTES];
    for (to, from) in end.iter_mut().zip(DATE_NAME.iter().chain(&text).chain(b"\r\n\r\n")) {
        *to = *from;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_ends_with_imf_fixdate() {
        assert_eq!(&head_end(784_111_777), b"date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n");
    }

    #[test]
    fn coarse_time_is_that_of_the_last_refresh() {
        let clock = Clock::new();
        clock.advance(3);
        clock.set_seconds(7);
        assert_eq!(coarse(), (clock.tick(), 7));
        clock.refresh();
        assert_eq!(coarse(), (clock.tick(), clock.seconds.get()));
    }

    #[test]
    fn second_in_the_future_is_now() {
        let now = read_seconds();
        assert_eq!(not_after_now(7), 7);
        assert_eq!(not_after_now(now), now);
        assert!((now..now + 60).contains(&not_after_now(u64::MAX)));
    }

    #[test]
    fn span_is_never_cut_short() {
        assert_eq!(ticks(Duration::ZERO), 1);
        assert_eq!(ticks(TICK), 2);
        assert_eq!(ticks(TICK + Duration::from_millis(1)), 3);
        assert_eq!(ticks(Duration::MAX), u32::MAX);
    }
}
