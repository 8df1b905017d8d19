//! A worker's part of the access log: renders lines, gathers them, hands whole buffers to the log's thread (feature `access-log`; without it
//! `access_log/absent.rs` stands here).
//!
//! Nothing here waits. A worker has [`BUFFERS_MAX`] buffers; those that are on their way come back empty. While none is there, lines are lost and counted, and the
//! first line behind them says how many. Steady state allocates nothing.

use std::{
    cell::RefCell,
    mem,
    net::IpAddr,
    sync::{
        Arc,
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
};

use semantics::{
    head::Head,
    log::{self, Ending, Record, Time},
    template::Subject,
};

use crate::{clock::Clock, exchange::Slot, settings::AccessLog, worker::Counters};

/// Bytes that a buffer is handed over with; a line that comes to it then may make it longer once.
pub(crate) const BUFFER_BYTES: usize = 64 * 1024;
/// Buffers of one worker, 2 MiB in all: what is logged while the log's thread can't write. Made when they are needed.
pub(crate) const BUFFERS_MAX: usize = 32;

/// What is told to the log's thread, in order.
#[derive(Debug)]
pub(crate) enum Message {
    /// Whole lines, and where the empty buffer goes back to.
    Lines(Vec<u8>, SyncSender<Vec<u8>>),
    /// The file is to be opened anew.
    Reopen,
    /// Nothing comes behind this.
    Stop,
}

/// What the worker keeps of the log; nothing where the site has none.
#[derive(Debug, Default)]
pub(crate) struct Log {
    state: RefCell<Option<State>>,
}

#[derive(Debug)]
struct State {
    log: &'static AccessLog,
    places: Arc<Places>,
    /// Has room for all buffers of all workers.
    full: SyncSender<Message>,
    empty: Receiver<Vec<u8>>,
    back: SyncSender<Vec<u8>>,
    counters: Arc<Counters>,
    time: Time,
    gathered: Vec<u8>,
    /// Buffers that have been made.
    buffers: usize,
    /// Lines that were lost since the last one that was not.
    lost: u64,
}

/// What is known of an exchange when its answer's head is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered<'a> {
    /// None where no head could be read.
    pub(crate) request: Option<(&'a Head<'a>, &'a Slot)>,
    pub(crate) client: IpAddr,
    pub(crate) status: u16,
    /// When the head was complete, by the worker's clock.
    pub(crate) started: u64,
}

impl Log {
    /// The log of one worker; `full` has room for all buffers of all workers.
    pub(crate) fn new(log: &'static AccessLog, places: Arc<Places>, full: SyncSender<Message>, counters: Arc<Counters>) -> Self {
        Self { state: RefCell::new(Some(State::new(log, places, full, counters))) }
    }

    /// Appends the line of an exchange to `out`, unless none is wanted.
    pub(crate) fn render(&self, clock: &Clock, answered: &Answered<'_>, out: &mut Vec<u8>) {
        let mut state = self.state.borrow_mut();
        let Some(State { log, places, time, .. }) = &mut *state else { return };
        let Answered { request, client, status, started } = *answered;
        time.set(clock.epoch_milliseconds(started));
        let Some((head, slot)) = request else {
            return log::render(&log.format, &Record { subject: None, client, status, time, vhost: "", route: "" }, out);
        };
        if slot.is_unlogged.get() {
            return;
        }
        let (vhost, route) = places.at(slot.place.get());
        let captures = &*slot.captures.borrow();
        let subject = Some(Subject { head, captures, status, request_id: slot });
        log::render(&log.format, &Record { subject, client: head.client, status, time, vhost, route }, out);
    }

    /// Takes a rendered line with its ending; without a line nothing.
    pub(crate) fn finish(&self, line: &[u8], ending: &Ending) {
        match &mut *self.state.borrow_mut() {
            Some(state) if !line.is_empty() => state.finish(line, ending),
            _ => {}
        }
    }

    /// Hands over what has been gathered: at the worker's tick, and when its last connection has ended.
    pub(crate) fn flush(&self) {
        if let Some(state) = &mut *self.state.borrow_mut() {
            state.flush();
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.flush();
    }
}

impl State {
    fn new(log: &'static AccessLog, places: Arc<Places>, full: SyncSender<Message>, counters: Arc<Counters>) -> Self {
        let (back, empty) = sync_channel(BUFFERS_MAX);
        let (time, gathered) = (Time::at(0), Vec::with_capacity(BUFFER_BYTES));
        Self { log, places, full, empty, back, counters, time, gathered, buffers: 1, lost: 0 }
    }

    fn finish(&mut self, line: &[u8], ending: &Ending) {
        if self.gathered.len() + line.len() > BUFFER_BYTES {
            self.flush();
            if self.gathered.len() + line.len() > BUFFER_BYTES && !self.gathered.is_empty() {
                self.lost += 1;
                Counters::add(&self.counters.lost_lines);
                return;
            }
        }
        log::finish(line, ending, self.log.format.quoting, &mut self.gathered);
    }

    /// Hands over what has been gathered, if there is another buffer to go on with.
    fn flush(&mut self) {
        if self.gathered.is_empty() {
            return;
        }
        let empty = self.empty.try_recv().ok().or_else(|| {
            let may_make = self.buffers < BUFFERS_MAX;
            self.buffers += usize::from(may_make);
            may_make.then(|| Vec::with_capacity(BUFFER_BYTES))
        });
        let Some(empty) = empty else { return };
        let full = mem::replace(&mut self.gathered, empty);
        // It has room for all buffers, but for those of a worker that has died, or where the log's thread has ended.
        if let Err(TrySendError::Full(Message::Lines(full, _)) | TrySendError::Disconnected(Message::Lines(full, _))) =
            self.full.try_send(Message::Lines(full, self.back.clone()))
        {
            let lines = full.iter().filter(|&&byte| byte == b'\n').count() as u64;
            self.lost += lines;
            Counters::add_many(&self.counters.lost_lines, lines);
            let _ = self.back.try_send(Vec::with_capacity(BUFFER_BYTES));
        }
        if self.lost > 0 {
            log::lost(mem::take(&mut self.lost), &self.time, self.log.format.quoting, &mut self.gathered);
        }
    }
}

/// The names of the settings' places, found by their number.
#[derive(Debug)]
pub(crate) struct Places {
    text: &'static str,
    /// Where each line begins.
    starts: Box<[u32]>,
}

impl Places {
    /// Those of the settings; text is far below 4 GiB.
    pub(crate) fn new(text: &'static str) -> Arc<Self> {
        let starts = text.lines().map(|line| (line.as_ptr() as usize - text.as_ptr() as usize) as u32).collect();
        Arc::new(Self { text, starts })
    }

    /// Vhost and route, either of them empty.
    fn at(&self, place: u32) -> (&'static str, &'static str) {
        let start = self.starts.get(place as usize).map_or(self.text.len(), |&start| start as usize);
        let line = self.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        line.split_once('\t').unwrap_or((line, ""))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use semantics::{late::Value, log::Format, log::Part, log::Quoting};

    use super::*;

    static LOG: AccessLog = AccessLog {
        file: Value::Text("stdout"),
        format: Format { parts: &[Part::Outcome], quoting: Quoting::Text, redacted: log::REDACTED },
    };

    fn state() -> (State, Receiver<Message>) {
        let (full, taken) = sync_channel(BUFFERS_MAX + 1);
        (State::new(&LOG, Places::new(""), full, Arc::default()), taken)
    }

    #[test]
    fn places_are_found_by_their_number() {
        let places = Places::new("\t\na.example\t\na.example\t/b/*");
        assert_eq!([0, 1, 2, 3].map(|place| places.at(place)), [("", ""), ("a.example", ""), ("a.example", "/b/*"), ("", "")]);
        assert_eq!(Places::new("").at(0), ("", ""));
    }

    #[test]
    fn buffer_is_handed_over_when_it_is_full_or_flushed() {
        let (mut state, taken) = state();
        let line = vec![b'x'; 1000];
        for _ in 0..BUFFER_BYTES / 1001 {
            state.finish(&line, &Ending::default());
        }
        assert_eq!(taken.try_recv().map(drop), Err(mpsc::TryRecvError::Empty));
        state.finish(&line, &Ending::default());
        let Ok(Message::Lines(full, _)) = taken.try_recv() else { panic!("no buffer") };
        assert_eq!((full.len(), state.gathered.len()), (BUFFER_BYTES / 1001 * 1001, 1001));
        state.flush();
        assert!(taken.try_recv().is_ok() && state.gathered.is_empty());
        state.flush();
        assert_eq!(taken.try_recv().map(drop), Err(mpsc::TryRecvError::Empty));
    }

    #[test]
    fn lines_without_a_buffer_are_lost_and_told() {
        let (mut state, taken) = state();
        let line = vec![b'x'; BUFFER_BYTES];
        for _ in 0..BUFFERS_MAX {
            state.finish(&line, &Ending::default());
        }
        state.finish(b"lost", &Ending::default());
        state.finish(b"lost, too", &Ending::default());
        assert_eq!((state.lost, taken.try_iter().count()), (2, BUFFERS_MAX - 1));
        state.back.try_send(Vec::with_capacity(BUFFER_BYTES)).unwrap();
        state.finish(b"found", &Ending::default());
        assert_eq!(state.gathered, b"# 1970-01-01T00:00:00.000Z lost lines: 2\nfound\n");
        assert_eq!(state.counters.lost_lines.load(std::sync::atomic::Ordering::Relaxed), 2);
    }
}
