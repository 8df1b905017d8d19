//! The thread that writes the access log (feature `access-log`; without it `log_writer/absent.rs` stands here).
//!
//! A thread of its own, because a pipe that nobody reads blocks whoever writes to it: neither workers nor signals may wait for that
//! (docs/decisions/0009-access-log.md). It writes whole buffers in the order they came, keeps what a full disk does not take and tries again, and says on stderr once what is wrong.

#[cfg(test)]
mod tests;

use std::{
    fs::File,
    io::{self, Write},
    os::fd::AsFd,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, Receiver, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use crate::{
    access_log::{BUFFER_BYTES, BUFFERS_MAX, Log, Message, Places},
    serve::{ErrorLog, log_file::open},
    settings::{AccessLog, Settings},
    worker::Counters,
};

/// How long the end of the process waits for lines that are not written.
const END: Duration = Duration::from_secs(2);
/// How long a failed write is not tried again.
const RETRY: Duration = Duration::from_millis(500);
/// How long a full pipe that does not block is not tried again.
const POLL: Duration = Duration::from_millis(10);
/// Messages that are no buffers and may wait.
const ORDERS_MAX: usize = 16;

/// The log's thread, as the control thread sees it; nothing where the site has no log.
#[derive(Debug)]
pub(crate) struct LogWriter {
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    log: &'static AccessLog,
    places: Arc<Places>,
    orders: SyncSender<Message>,
    shared: Arc<Shared>,
    ended: Receiver<()>,
}

/// What both sides see.
#[derive(Debug, Default)]
struct Shared {
    /// Writes that failed.
    failures: AtomicU64,
    /// Lines that have been written.
    written_lines: AtomicU64,
    /// The process ends: nothing is tried again.
    is_ending: AtomicBool,
    /// The file has been moved away: a write that is tried again goes to the new one.
    wants_reopen: AtomicBool,
}

/// The thread itself.
struct Writer {
    sink: Sink,
    site: &'static str,
    messages: Receiver<Message>,
    shared: Arc<Shared>,
    /// What is wrong has been told.
    has_told: bool,
}

/// Where lines go.
#[derive(Debug)]
struct Sink {
    file: File,
    /// Of a file that can be opened anew.
    path: Option<&'static str>,
}

impl LogWriter {
    /// No thread, no log.
    pub(crate) fn none() -> Self {
        Self { running: None }
    }

    /// Opens the log and starts its thread, where the settings have one; late values must be set.
    pub(crate) fn start(settings: &'static Settings, workers: usize) -> io::Result<Self> {
        let (Some(log), Some(sink)) = (settings.access_log, Sink::open(settings)?) else { return Ok(Self::none()) };
        let (orders, messages) = sync_channel(workers * BUFFERS_MAX + ORDERS_MAX);
        let (end, ended) = mpsc::channel();
        let shared = Arc::<Shared>::default();
        let writer = Writer { sink, site: settings.manifest.site, messages, shared: Arc::clone(&shared), has_told: false };
        thread::Builder::new().name("access-log".to_owned()).spawn(move || {
            writer.run();
            let _ = end.send(());
        })?;
        Ok(Self { running: Some(Running { log, places: Places::new(settings.places, log.format.quoting), orders, shared, ended }) })
    }

    /// The log of one worker.
    pub(crate) fn of_worker(&self, counters: &Arc<Counters>) -> Log {
        match &self.running {
            None => Log::default(),
            Some(Running { log, places, orders, .. }) => Log::new(log, Arc::clone(places), orders.clone(), Arc::clone(counters)),
        }
    }

    /// Lines that are handed over from now on go to the file that has its name then.
    pub(crate) fn reopen(&self) {
        if let Some(running) = &self.running {
            running.shared.wants_reopen.store(true, Ordering::Relaxed);
            // So many orders can't wait, but that one of them asks for the same.
            let _ = running.orders.try_send(Message::Reopen);
        }
    }

    /// Writes that failed.
    pub(crate) fn failures(&self) -> u64 {
        self.running.as_ref().map_or(0, |running| running.shared.failures.load(Ordering::Relaxed))
    }

    /// Waits until everything that was handed over is written: for two seconds at most, and nothing is tried again. Gives how many lines have been written.
    pub(crate) fn finish(&mut self) -> u64 {
        let Some(running) = self.running.take() else { return 0 };
        running.shared.is_ending.store(true, Ordering::Relaxed);
        let _ = running.orders.try_send(Message::Stop);
        let _ = running.ended.recv_timeout(END);
        running.shared.written_lines.load(Ordering::Relaxed)
    }
}

/// Looks whether the log could be opened here.
pub(crate) fn check(settings: &'static Settings) -> io::Result<()> {
    Sink::open(settings).map(drop)
}

impl Writer {
    fn run(mut self) {
        while let Ok(message) = self.messages.recv() {
            match message {
                Message::Lines(mut bytes, lines, back) => {
                    let unwritten = self.write(&bytes).iter().filter(|&&byte| byte == b'\n').count();
                    Counters::add_many(&self.shared.written_lines, lines.saturating_sub(unwritten as u64));
                    bytes.clear();
                    bytes.shrink_to(BUFFER_BYTES);
                    // It has room for all buffers of the worker, which may have ended.
                    let _ = back.try_send(bytes);
                }
                Message::Reopen => self.reopen(),
                Message::Stop => break,
            }
        }
    }

    /// Writes all of it, or gives up at the process's end and gives what is left.
    fn write<'a>(&mut self, mut rest: &'a [u8]) -> &'a [u8] {
        while !rest.is_empty() {
            let mut pause = RETRY;
            match self.sink.file.write(rest) {
                Ok(0) => self.fail(&io::ErrorKind::WriteZero.into()),
                Ok(bytes) => {
                    rest = rest.get(bytes..).unwrap_or_default();
                    self.has_told &= !rest.is_empty();
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => pause = POLL,
                Err(error) => self.fail(&error),
            }
            // A pipe that is full may still be read in the time that is left.
            if pause == RETRY && self.shared.is_ending.load(Ordering::Relaxed) {
                return rest;
            }
            thread::park_timeout(pause);
            if self.shared.wants_reopen.load(Ordering::Relaxed) {
                self.reopen();
            }
        }
        rest
    }

    fn fail(&mut self, error: &io::Error) {
        Counters::add(&self.shared.failures);
        self.tell(&format!("can't write the access log: {error}; trying again, and lines are lost once the buffers are full"));
    }

    /// One line to stderr, until a write has worked again.
    fn tell(&mut self, text: &str) {
        if !self.has_told {
            self.has_told = true;
            ErrorLog::stderr(self.site).say(text);
        }
    }

    fn reopen(&mut self) {
        self.shared.wants_reopen.store(false, Ordering::Relaxed);
        let Some(path) = self.sink.path else { return };
        match open(path) {
            Ok(file) => self.sink.file = file,
            Err(error) => {
                Counters::add(&self.shared.failures);
                self.tell(&format!("can't open the access log {path} anew, so the old file goes on: {error}"));
            }
        }
    }
}

impl Sink {
    /// The one that the settings name.
    fn open(settings: &'static Settings) -> io::Result<Option<Self>> {
        let Some(log) = settings.access_log else { return Ok(None) };
        let stream = |owned: io::Result<std::os::fd::OwnedFd>| owned.map(|owned| Some(Self { file: File::from(owned), path: None }));
        match log.file.text() {
            "stderr" => stream(io::stderr().as_fd().try_clone_to_owned()),
            "stdout" => stream(io::stdout().as_fd().try_clone_to_owned()),
            path => open(path).map(|file| Some(Self { file, path: Some(path) })),
        }
    }
}
