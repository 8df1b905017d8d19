//! A worker's coarse time: ticks for deadlines, seconds and a ready `date` line for answers.
//!
//! Read from the system by [`Clock::refresh`] only, which the worker's tick calls every [`TICK`]; a request reads cells and makes no call. So `date`
//! can be one tick late, and a deadline is kept to one tick. Nothing else in this crate asks the system for the time.

use std::{
    cell::Cell,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use semantics::date;

/// The grain of all timeouts.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// Bytes of `date: `, 29 bytes of IMF-fixdate (RFC 9110 §5.6.7) and CRLF.
const DATE_LINE_BYTES: usize = 37;
const DATE_NAME: &[u8; 6] = b"date: ";

/// A line of the head: `date: Mon, 30 Nov 2026 14:13:51 GMT` and CRLF.
pub(crate) type DateLine = [u8; DATE_LINE_BYTES];

/// Time as it was at the last refresh.
#[derive(Debug)]
pub(crate) struct Clock {
    start: Instant,
    tick: Cell<u32>,
    seconds: Cell<u64>,
    date_line: Cell<DateLine>,
}

impl Clock {
    /// A clock at tick 1: 0 is never now.
    pub(crate) fn new() -> Self {
        let clock = Self {
            start: Instant::now(),
            tick: Cell::new(1),
            seconds: Cell::new(0),
            date_line: Cell::new(*b"date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"),
        };
        clock.refresh();
        clock
    }

    /// Reads the system's clocks.
    pub(crate) fn refresh(&self) {
        let ticks = self.start.elapsed().as_millis() / TICK.as_millis();
        self.tick.set(u32::try_from(ticks).unwrap_or(u32::MAX).saturating_add(1));
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
        if seconds != self.seconds.replace(seconds) {
            self.date_line.set(date_line(seconds));
        }
    }

    /// Moves on without the system's clocks.
    #[cfg(test)]
    pub(crate) fn advance(&self, ticks: u32) {
        self.tick.set(self.tick.get() + ticks);
    }

    /// Ticks since the clock was made, from 1.
    pub(crate) fn tick(&self) -> u32 {
        self.tick.get()
    }

    /// The `date` line, CRLF included.
    pub(crate) fn date_line(&self) -> DateLine {
        self.date_line.get()
    }
}

/// Ticks that last at least `span`, whatever part of the running tick has passed: two or more.
pub(crate) fn ticks(span: Duration) -> u32 {
    let whole = span.as_millis().div_ceil(TICK.as_millis());
    u32::try_from(whole).unwrap_or(u32::MAX).saturating_add(1)
}

fn date_line(seconds: u64) -> DateLine {
    let mut text = [0; 29];
    date::write(seconds, &mut text);
    let mut line = [0; DATE_LINE_BYTES];
    for (to, from) in line.iter_mut().zip(DATE_NAME.iter().chain(&text).chain(b"\r\n")) {
        *to = *from;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_line_of_seconds_is_imf_fixdate() {
        assert_eq!(&date_line(784_111_777), b"date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
    }

    #[test]
    fn span_is_never_cut_short() {
        assert_eq!(ticks(Duration::ZERO), 1);
        assert_eq!(ticks(TICK), 2);
        assert_eq!(ticks(TICK + Duration::from_millis(1)), 3);
        assert_eq!(ticks(Duration::MAX), u32::MAX);
    }
}
