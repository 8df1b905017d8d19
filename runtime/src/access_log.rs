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
    log::{self, Ending, Hole, Quoting, Record, Renderer, Time},
    template::Subject,
};

use crate::{clock::Clock, exchange::Slot, settings::AccessLog, upstream::Passage, worker::Counters};

/// Bytes that a buffer is handed over with; a line that comes to it then may make it longer once.
pub(crate) const BUFFER_BYTES: usize = 64 * 1024;
/// Buffers of one worker, 2 MiB in all: what is logged while the log's thread can't write. Made when they are needed.
pub(crate) const BUFFERS_MAX: usize = 32;

/// Bytes of lines that wait for their answers; more, and the answers are written before the next request is looked at.
const LINE_BYTES_MAX: usize = 32 * 1024;

/// What is told to the log's thread, in order.
#[derive(Debug)]
pub(crate) enum Message {
    /// Whole lines, how many, and where the empty buffer goes back to.
    Lines(Vec<u8>, u64, SyncSender<Vec<u8>>),
    /// The file is to be opened anew.
    Reopen,
    /// Nothing comes behind this.
    Stop,
}

/// What the worker keeps of the log; nothing where the site has none.
#[derive(Debug, Default)]
pub(crate) struct Log {
    is_fine: bool,
    state: RefCell<Option<State>>,
}

#[derive(Debug)]
struct State {
    renderer: Renderer<'static>,
    places: Arc<Places>,
    /// Has room for all buffers of all workers.
    full: SyncSender<Message>,
    empty: Receiver<Vec<u8>>,
    back: SyncSender<Vec<u8>>,
    counters: Arc<Counters>,
    time: Time,
    gathered: Vec<u8>,
    /// Lines in there.
    lines: u64,
    /// Buffers that have been made.
    buffers: usize,
    /// Lines that were lost since the last one that was not.
    lost: u64,
}

/// Rendered lines that wait for the ends of their answers.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    text: Vec<u8>,
    holes: Vec<Hole>,
}

/// Where one of them lies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    text: (usize, usize),
    holes: (usize, usize),
}

impl Lines {
    /// One without holes.
    #[cfg(test)]
    pub(crate) fn of(text: &str) -> (Self, Line) {
        (Self { text: text.as_bytes().to_vec(), holes: Vec::new() }, Line { text: (0, text.len()), holes: (0, 0) })
    }

    /// Forgets them.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.holes.clear();
    }

    /// So many wait that answers should be written.
    pub(crate) fn is_full(&self) -> bool {
        self.text.len() >= LINE_BYTES_MAX
    }

    /// They have grown more than is worth keeping.
    pub(crate) fn is_large(&self) -> bool {
        self.text.capacity() > 2 * LINE_BYTES_MAX
    }
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
        let state = State::new(log, places, full, counters);
        Self { is_fine: state.renderer.is_fine(), state: RefCell::new(Some(state)) }
    }

    /// Now, by the worker's clock; read from the system only where lines tell parts of a second.
    pub(crate) fn now(&self, clock: &Clock) -> u64 {
        if self.is_fine { clock.microseconds() } else { clock.last_microseconds() }
    }

    /// Appends the line of an exchange and its holes, unless none is wanted.
    pub(crate) fn render(&self, clock: &Clock, answered: &Answered<'_>, lines: &mut Lines) -> Line {
        let (text, holes) = (lines.text.len(), lines.holes.len());
        self.write(clock, answered, lines);
        Line { text: (text, lines.text.len()), holes: (holes, lines.holes.len()) }
    }

    fn write(&self, clock: &Clock, answered: &Answered<'_>, Lines { text, holes }: &mut Lines) {
        let mut state = self.state.borrow_mut();
        let Some(State { renderer, places, time, .. }) = &mut *state else { return };
        let Answered { request, client, status, started } = *answered;
        time.set(clock.epoch_milliseconds(started));
        let Some((head, slot)) = request else {
            return renderer.render(&Record { subject: None, client, status, time, vhost: "", route: "", passage: None }, text, holes);
        };
        if slot.is_unlogged.get() {
            return;
        }
        let (vhost, route) = places.at(slot.place.get());
        let captures = &*slot.captures.borrow();
        let subject = Some(Subject { head, captures, status, request_id: slot });
        let passage = Passage::logged(slot);
        renderer.render(&Record { subject, client: head.client, status, time, vhost, route, passage }, text, holes);
    }

    /// Takes a rendered line with its ending; without a line nothing.
    pub(crate) fn finish(&self, lines: &Lines, line: &Line, ending: &Ending) {
        let text = lines.text.get(line.text.0..line.text.1).unwrap_or_default();
        match &mut *self.state.borrow_mut() {
            Some(state) if !text.is_empty() => state.finish(text, lines.holes.get(line.holes.0..line.holes.1).unwrap_or_default(), ending),
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
        if let Some(state) = self.state.get_mut() {
            state.end();
        }
    }
}

impl State {
    fn new(log: &'static AccessLog, places: Arc<Places>, full: SyncSender<Message>, counters: Arc<Counters>) -> Self {
        let (back, empty) = sync_channel(BUFFERS_MAX);
        let (time, gathered) = (Time::at(0), Vec::with_capacity(BUFFER_BYTES));
        Self { renderer: Renderer::new(log.format), places, full, empty, back, counters, time, gathered, lines: 0, buffers: 1, lost: 0 }
    }

    fn finish(&mut self, line: &[u8], holes: &[Hole], ending: &Ending) {
        if self.gathered.len() + line.len() > BUFFER_BYTES {
            self.flush();
            if self.gathered.len() + line.len() > BUFFER_BYTES && !self.gathered.is_empty() {
                self.lost += 1;
                Counters::add(&self.counters.lost_lines);
                return;
            }
        }
        self.renderer.finish(line, holes, ending, &mut self.gathered);
        self.lines += 1;
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
        self.hand_over(full);
        self.tell_lost();
    }

    /// Hands over the last lines: nothing has to go on behind them, so no other buffer is needed.
    fn end(&mut self) {
        self.tell_lost();
        let full = mem::take(&mut self.gathered);
        if !full.is_empty() {
            self.hand_over(full);
        }
    }

    fn hand_over(&mut self, full: Vec<u8>) {
        let lines = mem::take(&mut self.lines);
        // It has room for all buffers, but for those of a worker that has died, or where the log's thread has ended.
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) =
            self.full.try_send(Message::Lines(full, lines, self.back.clone()))
        {
            self.lost += lines;
            Counters::add_many(&self.counters.lost_lines, lines);
            let _ = self.back.try_send(Vec::with_capacity(BUFFER_BYTES));
        } else {
            Counters::add_many(&self.counters.handed_lines, lines);
        }
    }

    fn tell_lost(&mut self) {
        if self.lost > 0 {
            log::lost(mem::take(&mut self.lost), &self.time, self.renderer.quoting(), &mut self.gathered);
        }
    }
}

/// The names of the settings' places, quoted, and found by their number.
#[derive(Debug)]
pub(crate) struct Places {
    text: Box<str>,
    /// Where each vhost ends and each route, which follows it; text is far below 4 GiB.
    ends: Box<[(u32, u32)]>,
}

impl Places {
    /// Those of the settings, for lines of that quoting.
    pub(crate) fn new(lines: &str, quoting: Quoting) -> Arc<Self> {
        let mut text = String::new();
        let ends = lines.lines().map(|line| {
            let (vhost, route) = line.split_once('\t').unwrap_or((line, ""));
            text.push_str(&log::quoted(vhost, quoting));
            let end = text.len() as u32;
            text.push_str(&log::quoted(route, quoting));
            (end, text.len() as u32)
        });
        let ends = ends.collect();
        Arc::new(Self { text: text.into_boxed_str(), ends })
    }

    /// Vhost and route, either of them empty.
    fn at(&self, place: u32) -> (&str, &str) {
        let place = place as usize;
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&(_, end)| end);
        let (vhost_end, end) = self.ends.get(place).copied().unwrap_or_default();
        let text = |from: u32, to: u32| self.text.get(from as usize..to as usize).unwrap_or_default();
        (text(start, vhost_end), text(vhost_end, end))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use semantics::{late::Value, log::Format, log::Part};

    use super::*;

    static LOG: AccessLog = AccessLog {
        file: Value::Text("stdout"),
        format: Format { parts: &[Part::Outcome], quoting: Quoting::Text, redacted: log::REDACTED },
    };

    fn state() -> (State, Receiver<Message>) {
        let (full, taken) = sync_channel(BUFFERS_MAX + 1);
        (State::new(&LOG, Places::new("", Quoting::Text), full, Arc::default()), taken)
    }

    #[test]
    fn places_are_found_by_their_number() {
        let places = Places::new("\t\na.example\t\na.example\t/b/\"", Quoting::Json);
        assert_eq!([0, 1, 2, 3].map(|place| places.at(place)), [("", ""), ("a.example", ""), ("a.example", "/b/\\\""), ("", "")]);
        assert_eq!(Places::new("", Quoting::Text).at(0), ("", ""));
    }

    #[test]
    fn buffer_is_handed_over_when_it_is_full_or_flushed() {
        let (mut state, taken) = state();
        let line = vec![b'x'; 1000];
        for _ in 0..BUFFER_BYTES / 1001 {
            state.finish(&line, &[], &Ending::default());
        }
        assert_eq!(taken.try_recv().map(drop), Err(mpsc::TryRecvError::Empty));
        state.finish(&line, &[], &Ending::default());
        let Ok(Message::Lines(full, lines, _)) = taken.try_recv() else { panic!("no buffer") };
        assert_eq!((full.len(), state.gathered.len()), (BUFFER_BYTES / 1001 * 1001, 1001));
        assert_eq!((lines, state.lines), ((BUFFER_BYTES / 1001) as u64, 1));
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
            state.finish(&line, &[], &Ending::default());
        }
        state.finish(b"lost", &[], &Ending::default());
        state.finish(b"lost, too", &[], &Ending::default());
        assert_eq!((state.lost, taken.try_iter().count()), (2, BUFFERS_MAX - 1));
        state.back.try_send(Vec::with_capacity(BUFFER_BYTES)).unwrap();
        state.finish(b"found", &[], &Ending::default());
        assert_eq!(state.gathered, b"# 1970-01-01T00:00:00.000Z lost lines: 2\nfound\n");
        assert_eq!(state.counters.lost_lines.load(std::sync::atomic::Ordering::Relaxed), 2);
    }

    #[test]
    fn last_lines_are_handed_over_without_another_buffer() {
        let (full, taken) = sync_channel(BUFFERS_MAX + 1);
        let log = Log::new(&LOG, Places::new("", Quoting::Text), full, Arc::default());
        let (lines, line) = Lines::of(&"x".repeat(BUFFER_BYTES));
        for _ in 0..=BUFFERS_MAX {
            log.finish(&lines, &line, &Ending::default());
        }
        drop(log);
        let buffers: Vec<_> = taken.try_iter().collect();
        let Some(Message::Lines(last, ..)) = buffers.last() else { panic!("no buffer") };
        assert_eq!(buffers.len(), BUFFERS_MAX);
        assert!(last.ends_with(b"x\n# 1970-01-01T00:00:00.000Z lost lines: 1\n"));
    }
}
