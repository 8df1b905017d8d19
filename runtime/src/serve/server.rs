//! A running server: bound addresses, worker threads, and how they are told to end.

use std::{
    fmt, io,
    net::{self, SocketAddr},
    sync::Arc,
    task::{Context, Poll},
    thread::{self, JoinHandle},
};

use tokio::sync::{mpsc, watch};

use super::{
    error_log::{self, ErrorLog},
    limits,
    thread::{Seat, run},
};
use crate::{
    late,
    listen::{activation::Passed, tcp},
    settings::{Listener, Settings, Workers},
    site::Site,
    worker::Counters,
};

/// Workers and their listeners. Dropped without [`Server::drain`], its threads run on.
#[derive(Debug)]
pub struct Server {
    addresses: Vec<SocketAddr>,
    threads: Vec<JoinHandle<()>>,
    counters: Vec<Arc<Counters>>,
    stop: watch::Sender<bool>,
    /// Worker threads that have not said farewell.
    running: usize,
    farewell: mpsc::UnboundedSender<()>,
    ended: mpsc::UnboundedReceiver<()>,
}

/// Tells the control thread that a worker thread has ended, also by a panic.
struct Farewell(mpsc::UnboundedSender<()>);

impl Drop for Farewell {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

/// Why a server can't start. Its text says what to do.
#[derive(Debug)]
pub enum StartFault {
    /// The text of a listener's address is no numeric `address:port`.
    Address(&'static Listener),
    /// The address could not be bound.
    Bind(&'static Listener, io::Error),
    /// The control thread has no runtime or no signals.
    Control(io::Error),
    /// The error log can't be opened.
    ErrorLog(&'static str, io::Error),
    /// Values of the host that can't be had: a line for each.
    Late(Vec<String>),
    /// A descriptor that was passed (LISTEN_FDS) can't be listened on.
    Passed(io::Error),
    /// So many embedded regexes are damaged.
    Regexes(usize),
    /// A worker thread could not start.
    Worker(io::Error),
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
        let mut addresses = Vec::with_capacity(settings.listeners.len());
        let mut seats: Vec<Vec<net::TcpListener>> = (0..workers).map(|_| Vec::new()).collect();
        for listener in settings.listeners {
            let address = address(listener)?;
            let bound = match passed.claim(listener.name, address) {
                Some(socket) => tcp::share(socket, workers),
                None => tcp::bind(address, workers),
            };
            let bound = bound.map_err(|error| StartFault::Bind(listener, error))?;
            addresses.push(bound.first().and_then(|socket| socket.local_addr().ok()).unwrap_or(address));
            for (seat, socket) in seats.iter_mut().zip(bound) {
                seat.push(socket);
            }
        }
        let (stop, _) = watch::channel(false);
        let (farewell, ended) = mpsc::unbounded_channel();
        let mut server = Self { addresses, threads: Vec::new(), counters: Vec::new(), stop, running: 0, farewell, ended };
        for (index, listeners) in seats.into_iter().enumerate() {
            let connections_max = share(settings.limits.connections, index, workers);
            let counters = Arc::<Counters>::default();
            server.counters.push(Arc::clone(&counters));
            let stop = server.stop.subscribe();
            server.seat(index, Seat { site, settings, listeners, connections_max, counters, stop }).map_err(StartFault::Worker)?;
        }
        Ok(server)
    }

    /// Where it listens, in the order of the settings, with real ports.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The number of worker threads.
    pub fn workers(&self) -> usize {
        self.threads.len()
    }

    /// The counters of each worker.
    pub fn counters(&self) -> &[Arc<Counters>] {
        &self.counters
    }

    /// Finishes what is in flight and queued, then ends; blocks for at most the drain timeout.
    pub fn drain(self) {
        self.start_drain();
        for thread in self.threads {
            let _ = thread.join();
        }
    }

    /// Tells the workers to drain.
    pub(crate) fn start_drain(&self) {
        self.stop.send_replace(true);
    }

    /// Waits for the next worker to end.
    pub(crate) fn poll_ended(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let ended = self.ended.poll_recv(context).map(|_| ());
        self.running -= usize::from(ended.is_ready());
        ended
    }

    /// A worker has not ended yet.
    pub(crate) fn is_running(&self) -> bool {
        self.running > 0
    }

    /// Starts one worker thread and waits for its word.
    fn seat(&mut self, index: usize, seat: Seat) -> io::Result<()> {
        let (ready, word) = std::sync::mpsc::channel();
        let farewell = Farewell(self.farewell.clone());
        let thread = thread::Builder::new().name(format!("worker-{index}")).spawn(move || {
            let _farewell = farewell;
            run(seat, &ready);
        })?;
        self.threads.push(thread);
        self.running += 1;
        word.recv().unwrap_or_else(|_gone| Err(io::Error::other("it ended at once")))
    }
}

/// Looks whether it could serve here: all values can be had, all regexes are whole, and all listeners could be bound; one that this or another server holds
/// already is no fault.
pub(crate) fn check(settings: &'static Settings) -> Result<(), StartFault> {
    prepare(settings)?;
    open_error_log(settings)?;
    for listener in settings.listeners {
        match tcp::bind(address(listener)?, 1) {
            Err(error) if error.kind() != io::ErrorKind::AddrInUse => return Err(StartFault::Bind(listener, error)),
            _ => {}
        }
    }
    Ok(())
}

/// The log that the settings name; late values must be set.
pub(crate) fn open_error_log(settings: &'static Settings) -> Result<ErrorLog, StartFault> {
    ErrorLog::open(settings).map_err(|error| StartFault::ErrorLog(error_log::path(settings).unwrap_or_default(), error))
}

/// What must be there before the first listener is bound. Reads files and the environment; the second time it reads nothing.
pub(crate) fn prepare(settings: &Settings) -> Result<(), StartFault> {
    late::resolve(settings.late).map_err(StartFault::Late)?;
    match settings.regexes.iter().filter(|regex| !regex.is_whole()).count() {
        0 => Ok(()),
        damaged => Err(StartFault::Regexes(damaged)),
    }
}

/// Only numeric addresses: a static binary must not ask for names.
fn address(listener: &'static Listener) -> Result<SocketAddr, StartFault> {
    listener.address.text().parse().map_err(|_not_numeric| StartFault::Address(listener))
}

fn count(workers: Workers) -> usize {
    match workers {
        Workers::Count(count) => usize::from(count.max(1)),
        Workers::PerCore => thread::available_parallelism().map_or(1, usize::from),
    }
}

/// The part of a process-wide limit that worker `index` of `workers` gets: parts sum up to the limit, none is 0.
fn share(limit: u32, index: usize, workers: usize) -> u32 {
    let workers = u32::try_from(workers).unwrap_or(u32::MAX).max(1);
    let has_one_more = u32::try_from(index).is_ok_and(|index| index < limit % workers);
    (limit / workers + u32::from(has_one_more)).max(1)
}

impl fmt::Display for StartFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(Listener { name, address, .. }) => {
                write!(formatter, "listener `{name}`: {address} is no numeric address with a port, such as 127.0.0.1:8080")
            }
            Self::Bind(Listener { name, address, .. }, error) => {
                write!(formatter, "listener `{name}`: can't bind {address}: {}", advice(error))
            }
            Self::Control(error) => write!(formatter, "the control thread can't start: {error}"),
            Self::ErrorLog(path, error) => write!(formatter, "can't open the error log {path}: {error}"),
            Self::Late(lines) => formatter.write_str(&lines.join("\n")),
            Self::Passed(error) => write!(formatter, "can't take the sockets that were passed (LISTEN_FDS): {error}"),
            Self::Regexes(damaged) => write!(formatter, "{damaged} embedded regexes are damaged; build the site anew"),
            Self::Worker(error) => write!(formatter, "a worker can't start: {error}"),
        }
    }
}

/// What happened, and what to do about it.
fn advice(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "address in use; stop the server that holds it (`ss -ltnp` shows which), or listen elsewhere".to_owned()
        }
        io::ErrorKind::AddrNotAvailable => "no such address on this machine; `ip address` lists those it has".to_owned(),
        io::ErrorKind::PermissionDenied => {
            "permission denied; ports below 1024 need CAP_NET_BIND_SERVICE, or listen on a higher one".to_owned()
        }
        _ => error.to_string(),
    }
}

impl std::error::Error for StartFault {}

#[cfg(test)]
mod tests {
    use semantics::late::Value;

    use super::*;
    use crate::settings::ListenerOptions;

    #[test]
    fn shares_sum_up_to_the_limit() {
        for (limit, workers) in [(16_384, 3), (7, 2), (10, 10)] {
            assert_eq!((0..workers).map(|index| share(limit, index, workers)).sum::<u32>(), limit);
        }
    }

    #[test]
    fn share_is_never_nothing() {
        assert_eq!(share(1, 3, 4), 1);
        assert_eq!(share(0, 0, 1), 1);
    }

    #[test]
    fn address_in_use_says_what_to_do() {
        static LISTENER: Listener = Listener { name: "public", address: Value::Text("127.0.0.1:8080"), options: ListenerOptions::DEFAULT };
        let fault = StartFault::Bind(&LISTENER, io::ErrorKind::AddrInUse.into());
        assert_eq!(
            fault.to_string(),
            "listener `public`: can't bind 127.0.0.1:8080: address in use; stop the server that holds it (`ss -ltnp` shows which), or listen elsewhere"
        );
    }
}
