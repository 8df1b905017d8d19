//! A site's binary as a running process.

use std::{
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::client::Client;

/// How long a process may take to start or to end. Under valgrind a start takes seconds.
const WAIT: Duration = Duration::from_secs(60);

/// A process that is ended when this is dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    lines: Mutex<Receiver<String>>,
    said: Vec<String>,
    addresses: Vec<SocketAddr>,
}

impl Server {
    /// Starts a binary in a directory and waits until its first listener is bound.
    pub fn start(binary: &Path, directory: &Path) -> Self {
        Self::start_command(Command::new(binary).current_dir(directory))
    }

    /// The same under a tool, or with arguments.
    pub fn start_command(command: &mut Command) -> Self {
        let shown = format!("{command:?}");
        let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.unwrap_or_else(|error| panic!("{shown}: {error}"));
        let (sender, lines) = channel();
        let streams: [Option<Box<dyn Read + Send>>; 2] =
            [child.stdout.take().map(|out| Box::new(out) as _), child.stderr.take().map(|err| Box::new(err) as _)];
        for stream in streams.into_iter().flatten() {
            let sender = sender.clone();
            thread::spawn(move || BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        }
        let mut server = Self { child, lines: Mutex::new(lines), said: Vec::new(), addresses: Vec::new() };
        let line = server.wait_for_line("listening on http://");
        server.addresses.push(address_of(&line).unwrap_or_else(|| panic!("{shown}: no address in {line:?}")));
        server
    }

    /// Waits until as many listeners are bound as the site has; they say so in the order of the site.
    pub fn wait_for_listeners(&mut self, count: usize) {
        while self.addresses.len() < count {
            let line = self.next_line("listening on http://", deadline(WAIT));
            self.addresses.extend(line.contains("listening on http://").then(|| address_of(&line)).flatten());
        }
    }

    /// Waits for a line that contains `text` and gives it.
    pub fn wait_for_line(&mut self, text: &str) -> String {
        let deadline = deadline(WAIT);
        if let Some(line) = self.said.iter().find(|line| line.contains(text)) {
            return line.clone();
        }
        loop {
            let line = self.next_line(text, deadline);
            if line.contains(text) {
                return line;
            }
        }
    }

    /// The next line of either output, on the way to one with `text`.
    fn next_line(&mut self, text: &str, deadline: Instant) -> String {
        let line = match self.lines().recv_timeout(deadline.saturating_duration_since(now())) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("no line with {text:?} within {WAIT:?}, but {:#?}", self.said),
            Err(RecvTimeoutError::Disconnected) => panic!("ended without a line with {text:?}: {:#?}", self.said),
        };
        self.said.push(line.clone());
        line
    }

    fn lines(&mut self) -> &Receiver<String> {
        self.lines.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where its first listener is.
    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// Where a listener is, by its position in the site.
    pub fn listener(&self, position: usize) -> SocketAddr {
        self.addresses[position]
    }

    /// A new connection to it.
    pub fn client(&self) -> Client {
        Client::connect(self.address())
    }

    /// Lets it do nothing while `during` runs: what comes meanwhile it finds all at once.
    pub fn paused<T>(&self, during: impl FnOnce() -> T) -> T {
        let id = Pid::from_child(&self.child);
        kill_process(id, Signal::STOP).expect("a running process");
        let deadline = deadline(WAIT);
        while !self.is_stopped() {
            assert!(Instant::now() < deadline, "the server does not stop");
            thread::yield_now();
        }
        let done = during();
        kill_process(id, Signal::CONT).expect("a stopped process");
        done
    }

    /// All of its threads are stopped (by a signal, or by who traces them): the signal comes to each in its own time.
    fn is_stopped(&self) -> bool {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.id())).expect("a running process");
        tasks.flatten().all(|task| {
            let stat = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
            // Its name, in parentheses, may hold anything.
            stat.rsplit_once(") ").is_none_or(|(_, behind)| behind.starts_with(['T', 't']))
        })
    }

    /// KiB of its memory that are in use now.
    pub fn resident_kib(&self) -> u64 {
        self.memory_kib("VmRSS:")
    }

    /// KiB of its memory that were in use at most.
    pub fn peak_kib(&self) -> u64 {
        self.memory_kib("VmHWM:")
    }

    fn memory_kib(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).expect("a running process");
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a process with memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number of KiB")
    }

    /// Descriptors that it has open now.
    pub fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.id())).expect("a running process").count()
    }

    /// Asks for the counters and gives one of them, of all workers together.
    pub fn counter(&mut self, name: &str) -> u64 {
        let wanted = format!(": {name} ");
        self.signal(Signal::USR2);
        let deadline = deadline(WAIT);
        loop {
            let line = self.next_line(&wanted, deadline);
            if let Some((_, count)) = line.split_once(&wanted) {
                return count.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
            }
        }
    }

    /// Asks for the exchanges that hold an endpoint of an upstream, which has so many.
    pub fn active(&mut self, upstream: &str, endpoints: usize) -> u64 {
        let wanted = format!("upstream {upstream} endpoint ");
        self.signal(Signal::USR2);
        let deadline = deadline(WAIT);
        let (mut active, mut told) = (0, 0);
        while told < endpoints {
            let line = self.next_line(&wanted, deadline);
            let counts = line.split_once(&wanted).and_then(|(_, counts)| counts.split_once(": active "));
            let Some((count, _)) = counts.and_then(|(_, counts)| counts.split_once(',')) else { continue };
            active += count.parse::<u64>().unwrap_or_else(|error| panic!("{line}: {error}"));
            told += 1;
        }
        active
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to drain.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(id, signal).unwrap_or_else(|error| panic!("{signal:?}: {error}"));
    }

    /// Waits until it has ended, by a signal for one.
    pub fn wait_for_end(&mut self) {
        let deadline = deadline(WAIT);
        loop {
            match self.lines().recv_timeout(deadline.saturating_duration_since(now())) {
                Ok(line) => self.said.push(line),
                Err(RecvTimeoutError::Timeout) => panic!("has not ended within {WAIT:?}: {:#?}", self.said),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        drop(self.child.wait());
    }

    /// Waits until it has ended by itself, and gives what it said and how it ended.
    pub fn wait(mut self) -> (ExitStatus, Vec<String>) {
        let deadline = deadline(WAIT);
        loop {
            match self.lines().recv_timeout(deadline.saturating_duration_since(now())) {
                Ok(line) => self.said.push(line),
                Err(RecvTimeoutError::Timeout) => panic!("has not ended within {WAIT:?}: {:#?}", self.said),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // Both its outputs are closed: it has ended, or is about to.
        let status = self.child.wait().expect("a child of ours");
        (status, std::mem::take(&mut self.said))
    }

    /// SIGTERM, then the wait.
    pub fn stop(self) -> (ExitStatus, Vec<String>) {
        self.terminate();
        self.wait()
    }
}

/// A server that tests of one file share while any of them runs: a static would never be dropped.
#[derive(Debug)]
pub struct Shared {
    running: Mutex<Weak<Server>>,
    start: fn() -> Server,
}

impl Shared {
    /// A server that `start` starts when it is first asked for.
    pub const fn new(start: fn() -> Server) -> Self {
        Self { running: Mutex::new(Weak::new()), start }
    }

    /// A connection that keeps the server running.
    pub fn client(&self) -> Client {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let server = running.upgrade().unwrap_or_else(|| Arc::new((self.start)()));
        *running = Arc::downgrade(&server);
        server.client().keeping(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The address in `site: listening on http://127.0.0.1:8080 (2 workers)`.
fn address_of(line: &str) -> Option<SocketAddr> {
    line.split("http://").nth(1)?.split(|end: char| end.is_whitespace() || end == '/').next()?.parse().ok()
}

fn now() -> Instant {
    Instant::now()
}

/// The point in time after which waiting is a failure.
pub fn deadline(span: Duration) -> Instant {
    now() + span
}
