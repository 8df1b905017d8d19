//! A running server: bound listeners, worker threads, and how they are told to end.
//!
//! The server keeps a second descriptor of every listening socket: a worker that dies is replaced by a new one on the same sockets, and nothing that was queued
//! is lost. When the drain begins these are closed first, so that a worker that closes its own closes the socket.

use std::{
    collections::VecDeque,
    fmt, io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use tokio::sync::{mpsc, watch};

use super::{
    error_log::{self, ErrorLog},
    limits,
    start_fault::StartFault,
    thread::{Seat, run},
};
use crate::{
    clients::Clients,
    clock, late,
    listen::{self, Address, Socket, activation::Passed, inbox::Inbox},
    log_writer::{self, LogWriter},
    metrics::{self, Counts, Metrics},
    record::Recorder,
    rooms::{self, Rooms},
    settings::{Settings, Workers},
    site::Site,
    unix, upstream,
    worker::{Counters, Post, Shares},
};

/// Workers that may die within [`DEATHS_SPAN`]; one more, and the process gives up: what kills them would go on doing so.
const DEATHS_MAX: usize = 5;
const DEATHS_SPAN: Duration = Duration::from_secs(60);
/// Accept errors that wait to be said; of more, nothing new would be said.
const ACCEPT_ERRORS_MAX: usize = 16;

/// Workers and their listeners. Dropped without [`Server::drain`], its threads drain by themselves.
pub struct Server {
    site: &'static dyn Site,
    settings: &'static Settings,
    addresses: Vec<Address>,
    /// Sockets' files of ours.
    files: Vec<unix::SocketFile>,
    workers: Vec<Seated>,
    rooms: Arc<Rooms>,
    clients: Clients,
    log: LogWriter,
    inboxes: Arc<[Inbox]>,
    stop: watch::Sender<bool>,
    /// Worker threads that have not said farewell.
    running: usize,
    farewell: mpsc::UnboundedSender<usize>,
    ended: mpsc::UnboundedReceiver<usize>,
    accept_error: mpsc::Sender<io::Error>,
    accept_errors: mpsc::Receiver<io::Error>,
    /// Sockets that were passed and that no listener has claimed.
    unclaimed: Vec<String>,
    /// When workers died, within the span that counts.
    deaths: VecDeque<Instant>,
}

/// What the server knows of one worker.
#[derive(Debug)]
struct Seated {
    /// Second descriptors of its sockets, each with its number in the settings; none once it drains.
    listeners: Vec<(usize, Socket)>,
    counters: Arc<Counters>,
    counts: Arc<Counts>,
    thread: Option<JoinHandle<()>>,
}

/// Tells the control thread which worker's thread has ended, also by a panic.
struct Farewell {
    to: mpsc::UnboundedSender<usize>,
    worker: usize,
}

impl Drop for Farewell {
    fn drop(&mut self) {
        let _ = self.to.send(self.worker);
    }
}

/// Why a dead worker is not replaced.
#[derive(Debug)]
pub(crate) enum GivenUp {
    /// Its replacement can't start.
    NoThread(io::Error),
    /// Workers die too fast.
    TooManyDeaths,
}

impl Server {
    /// Binds all listeners and starts all workers; connections are accepted when it returns.
    pub fn start(site: &'static dyn Site, settings: &'static Settings) -> Result<Self, StartFault> {
        Self::start_with(Passed::default(), site, settings)
    }

    /// The same, with sockets that listeners need not bind.
    pub(crate) fn start_with(mut passed: Passed, site: &'static dyn Site, settings: &'static Settings) -> Result<Self, StartFault> {
        prepare(settings)?;
        limits::raise_descriptors();
        let workers = count(settings.workers);
        let mut server = Self::new(site, settings, workers);
        for (number, listener) in settings.listeners.iter().enumerate() {
            let open = listen::open(listener, &mut passed, workers).map_err(|fault| StartFault::Bind(listener, fault))?;
            server.addresses.push(open.address);
            server.files.extend(open.file);
            for (worker, socket) in server.workers.iter_mut().zip(open.sockets) {
                worker.listeners.push((number, socket));
            }
        }
        server.unclaimed = passed.unclaimed();
        server.log = LogWriter::start(settings, workers).map_err(|error| no_access_log(settings, error))?;
        for number in 0..workers {
            server.seat(number).map_err(StartFault::Worker)?;
        }
        Ok(server)
    }

    fn new(site: &'static dyn Site, settings: &'static Settings, workers: usize) -> Self {
        let seated = || Seated { listeners: Vec::new(), counters: Arc::default(), counts: Counts::new(settings), thread: None };
        let (farewell, ended) = mpsc::unbounded_channel();
        let (accept_error, accept_errors) = mpsc::channel(ACCEPT_ERRORS_MAX);
        Self {
            site,
            settings,
            addresses: Vec::with_capacity(settings.listeners.len()),
            files: Vec::new(),
            workers: (0..workers).map(|_| seated()).collect(),
            rooms: Arc::new(Rooms::new(settings.limits.connections, workers)),
            clients: Clients::new(settings),
            log: LogWriter::none(),
            // One worker hands nothing over.
            inboxes: (0..workers).filter(|_| workers > 1).map(|_| Inbox::default()).collect(),
            stop: watch::channel(false).0,
            running: 0,
            farewell,
            ended,
            accept_error,
            accept_errors,
            unclaimed: Vec::new(),
            deaths: VecDeque::new(),
        }
    }

    /// Where it listens by TCP, in the order of the settings, with real ports.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.addresses.iter().filter_map(Address::tcp).collect()
    }

    /// Where it listens, in the order of the settings.
    pub(crate) fn listening(&self) -> &[Address] {
        &self.addresses
    }

    /// The number of worker threads.
    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    /// The counters of each worker.
    pub fn counters(&self) -> impl Iterator<Item = &Counters> {
        self.workers.iter().map(|worker| &*worker.counters)
    }

    /// What each passed socket is called or bound to that no listener has claimed.
    pub(crate) fn unclaimed(&self) -> &[String] {
        &self.unclaimed
    }

    /// Open connections, by the worker whose part of the limit they are of.
    pub fn connections(&self) -> Vec<u32> {
        self.rooms.open()
    }

    /// Finishes what is in flight and queued, then ends; blocks for at most the drain timeout.
    pub fn drain(mut self) {
        self.start_drain();
        for thread in self.workers.iter_mut().filter_map(|worker| worker.thread.take()) {
            let _ = thread.join();
        }
        self.finish_log();
    }

    /// Waits for what has been logged, for two seconds at most. Gives how many lines were lost since the start.
    pub(crate) fn finish_log(&mut self) -> u64 {
        let written = self.log.finish();
        let sum = |of: fn(&Counters) -> &AtomicU64| -> u64 { self.counters().map(|counters| of(counters).load(Ordering::Relaxed)).sum() };
        (sum(|counters| &counters.lost_lines) + sum(|counters| &counters.handed_lines)).saturating_sub(written)
    }

    /// Opens the access log anew.
    pub(crate) fn reopen_log(&self) {
        self.log.reopen();
    }

    /// One line for the log's failures, one for each vhost and route that has had a request, and one for each endpoint.
    pub(crate) fn count_lines(&self) -> Vec<String> {
        let counts: Vec<_> = self.workers.iter().map(|worker| Arc::clone(&worker.counts)).collect();
        let mut lines = vec![format!("access-log-failures {}", self.log.failures())];
        lines.extend(metrics::lines(self.settings, &counts));
        lines.extend(upstream::lines(self.settings.upstreams));
        lines
    }

    /// Tells the workers to drain.
    pub(crate) fn start_drain(&mut self) {
        for worker in &mut self.workers {
            worker.listeners.clear();
        }
        self.stop.send_replace(true);
    }

    /// Waits for the next worker to end, and gives its number.
    pub(crate) fn poll_ended(&mut self, context: &mut Context<'_>) -> Poll<usize> {
        match self.ended.poll_recv(context) {
            // The server itself holds a sender, so there is always another one to wait for.
            Poll::Pending | Poll::Ready(None) => Poll::Pending,
            Poll::Ready(Some(worker)) => {
                self.running -= 1;
                Poll::Ready(worker)
            }
        }
    }

    /// Waits for the next reason why nothing could be accepted.
    pub(crate) fn poll_accept_error(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        match self.accept_errors.poll_recv(context) {
            Poll::Pending | Poll::Ready(None) => Poll::Pending,
            Poll::Ready(Some(error)) => Poll::Ready(error),
        }
    }

    /// A worker has not ended yet.
    pub(crate) fn is_running(&self) -> bool {
        self.running > 0
    }

    /// Starts a worker in place of one that has died.
    pub(crate) fn replace(&mut self, number: usize) -> Result<(), GivenUp> {
        let now = clock::now();
        self.deaths.push_back(now);
        while self.deaths.front().is_some_and(|&death| now.duration_since(death) > DEATHS_SPAN) {
            self.deaths.pop_front();
        }
        if self.deaths.len() > DEATHS_MAX {
            return Err(GivenUp::TooManyDeaths);
        }
        if let Some(worker) = self.workers.get(number) {
            // The dead writes no more, and its successor not yet.
            Counters::add(&worker.counters.workers_replaced);
        }
        self.seat(number).map_err(GivenUp::NoThread)
    }

    /// Starts a worker's thread and waits for its word.
    fn seat(&mut self, number: usize) -> io::Result<()> {
        let (ready, word) = std::sync::mpsc::channel();
        let workers = self.workers.len();
        let limits = &self.settings.limits;
        let shares = Shares {
            requests: rooms::part(limits.requests, number, workers),
            memory_bytes: limits.memory_bytes.map(|bytes| bytes / workers.max(1) as u64),
        };
        let Some(worker) = self.workers.get_mut(number) else { return Ok(()) };
        let (rooms, clients) = (Arc::clone(&self.rooms), self.clients.clone());
        let seat = Seat {
            site: self.site,
            settings: self.settings,
            listeners: second(&worker.listeners)?,
            post: Post { number, counters: Arc::clone(&worker.counters), rooms, clients, shares, settings: self.settings, workers },
            recorder: Recorder::new(self.log.of_worker(&worker.counters), Metrics::new(Arc::clone(&worker.counts))),
            inboxes: Arc::clone(&self.inboxes),
            accept_errors: self.accept_error.clone(),
            stop: self.stop.subscribe(),
        };
        let farewell = Farewell { to: self.farewell.clone(), worker: number };
        let thread = thread::Builder::new().name(format!("worker-{number}")).spawn(move || {
            let _farewell = farewell;
            run(seat, &ready);
        })?;
        worker.thread = Some(thread);
        self.running += 1;
        word.recv().unwrap_or_else(|_gone| Err(io::Error::other("it ended at once")))
    }

    /// Lets a worker die.
    #[cfg(test)]
    pub(super) fn kill(&self, number: usize) {
        self.inboxes[number].kill();
    }
}

impl Drop for Server {
    /// Removes the files of Unix sockets that are ours: nobody listens there any more, also where a start came to nothing.
    fn drop(&mut self) {
        for file in &self.files {
            file.remove();
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Server").field("addresses", &self.addresses).field("workers", &self.workers).finish_non_exhaustive()
    }
}

/// A second descriptor of each socket.
fn second(listeners: &[(usize, Socket)]) -> io::Result<Vec<(usize, Socket)>> {
    listeners.iter().map(|(number, socket)| Ok((*number, socket.try_clone()?))).collect()
}

/// Looks whether it could serve here: all values can be had, all regexes are whole, and all listeners could be bound; one that this or another server holds
/// already is no fault.
pub(crate) fn check(settings: &'static Settings) -> Result<(), StartFault> {
    prepare(settings)?;
    open_error_log(settings)?;
    log_writer::check(settings).map_err(|error| no_access_log(settings, error))?;
    settings.listeners.iter().try_for_each(|listener| listen::check(listener).map_err(|fault| StartFault::Bind(listener, fault)))
}

/// The log that the settings name; late values must be set.
pub(crate) fn open_error_log(settings: &'static Settings) -> Result<ErrorLog, StartFault> {
    ErrorLog::open(settings).map_err(|error| StartFault::ErrorLog(error_log::path(settings).unwrap_or_default(), error))
}

/// What must be there before the first listener is bound. Reads files and the environment; the second time it reads nothing.
pub(crate) fn prepare(settings: &Settings) -> Result<(), StartFault> {
    late::resolve(settings.late).map_err(StartFault::Late)?;
    upstream::resolve(settings.upstreams).map_err(StartFault::Upstreams)?;
    limits::enough_memory(&settings.limits, count(settings.workers))?;
    match settings.regexes.iter().filter(|regex| !regex.is_whole()).count() {
        0 => Ok(()),
        damaged => Err(StartFault::Regexes(damaged)),
    }
}

fn no_access_log(settings: &Settings, error: io::Error) -> StartFault {
    StartFault::AccessLog(settings.access_log.map_or("", |log| log.file.text()), error)
}

fn count(workers: Workers) -> usize {
    match workers {
        Workers::Count(count) => usize::from(count.max(1)),
        Workers::PerCore => thread::available_parallelism().map_or(1, usize::from),
    }
}
