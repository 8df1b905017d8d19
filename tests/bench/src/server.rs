//! A server as a running process on its core: started, watched, ended by its id.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, PipeReader},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};

use crate::{
    fault::Fault,
    peer::Peer,
    pin,
    process::{self, Identity},
};

/// How long a process may take to start or to end.
const WAIT: Duration = Duration::from_secs(20);
/// Between two tries to connect: short beside the times that are measured.
const RETRY: Duration = Duration::from_micros(200);

/// How a server is started.
#[derive(Clone, Debug)]
pub enum Launch {
    /// A peer by its configuration; ports are chosen at each start.
    Peer { peer: Peer, template: PathBuf, directory: PathBuf, program: PathBuf },
    /// It says itself where it listens.
    Site { binary: PathBuf, directory: PathBuf },
}

/// Where a server runs, and where it sends requests on to.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub core: usize,
    /// Of those who proxy: `@ORIGIN@` in a peer's configuration, `ORIGIN` in a site's environment.
    pub origin: Option<SocketAddr>,
}

impl Place {
    /// The measured server's core, and nothing behind it.
    pub const SERVER: Self = Self { core: pin::SERVER, origin: None };
}

/// A process that is ended when this is dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    /// By name of the listener; a site's only one has none.
    addresses: BTreeMap<String, SocketAddr>,
    /// As it was when its first answer was there.
    family: Vec<Identity>,
    core: usize,
}

impl Server {
    /// Starts a process in its place and waits until it can be connected to.
    pub fn start(launch: &Launch, place: Place) -> Result<Self, Fault> {
        match launch {
            Launch::Peer { peer, template, directory, program } => {
                let (file, addresses) = peer.configure(template, directory, place.origin)?;
                start_peer(peer.command(program, directory, &file), (peer.name(), directory), addresses, place.core)
            }
            Launch::Site { binary, directory } => {
                let mut command = Command::new(binary);
                command.current_dir(directory).envs(place.origin.map(|origin| ("ORIGIN", origin.to_string())));
                start_site(command, &directory.join("site.log"), place.core)
            }
        }
    }

    /// Where a listener is; `None` is a site's only one.
    pub fn address(&self, listener: Option<&str>) -> Result<SocketAddr, Fault> {
        let name = listener.unwrap_or_default();
        self.addresses.get(name).copied().ok_or_else(|| Fault::Plan(format!("no listener is called {name:?}")))
    }

    /// Remembers who answers, and refuses it if it does not own its ports or is not where it should be. To be called when it has answered once.
    pub fn settle(&mut self) -> Result<(), Fault> {
        self.family = self.now().map_err(Fault::io("the server's processes"))?;
        for address in self.addresses.values() {
            if !process::owns(&self.family, *address).map_err(Fault::io("/proc/net/tcp"))? {
                return Err(Fault::Server(format!("{address} is not, or not only, its own")));
            }
        }
        if !self.is_in_place().map_err(Fault::io("affinity"))? {
            return Err(Fault::Server("it is not on its core".to_owned()));
        }
        Ok(())
    }

    /// Its processes as they are now.
    fn now(&self) -> io::Result<Vec<Identity>> {
        process::family(self.child.id())
    }

    /// Whether all processes and threads are still those that answered first.
    pub fn is_same(&self) -> bool {
        self.now().is_ok_and(|family| family == self.family)
    }

    /// Whether all its threads are held to its core.
    pub fn is_in_place(&self) -> io::Result<bool> {
        let mut threads = self.family.iter().flat_map(|process| &process.threads);
        threads.try_fold(true, |all, thread| Ok(all && pin::is_pinned(*thread, self.core)?))
    }

    /// The processes that answer.
    pub fn family(&self) -> &[Identity] {
        &self.family
    }

    /// Whether it has not ended within a span. Blocks for the span, or until it ends.
    pub fn outlives(&self, span: Duration) -> io::Result<bool> {
        let process = pidfd_open(self.id(), PidfdFlags::empty())?;
        let deadline = Instant::now() + span;
        let mut ended = [PollFd::new(&process, PollFlags::IN)];
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        Ok(poll(&mut ended, Some(&left))? == 0)
    }

    fn id(&self) -> Pid {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("the id of a child")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already. nginx ends its workers on SIGTERM, not on SIGKILL.
        let _ = kill_process(self.id(), Signal::TERM);
        if self.outlives(WAIT).unwrap_or(true) {
            drop(self.child.kill());
        }
        drop(self.child.wait());
    }
}

fn start_peer(
    mut command: Command,
    (name, directory): (&str, &Path),
    addresses: BTreeMap<String, SocketAddr>,
    core: usize,
) -> Result<Server, Fault> {
    let path = directory.join(format!("{name}.log"));
    let log = File::create(&path).map_err(Fault::file(&path))?;
    let child = pin::spawn(command.stdin(Stdio::null()).stderr(log).stdout(Stdio::null()), core).map_err(Fault::io(name))?;
    let server = Server { child, addresses, family: Vec::new(), core };
    let deadline = Instant::now() + WAIT;
    for address in server.addresses.values() {
        while TcpStream::connect(address).is_err() {
            if Instant::now() > deadline || !server.outlives(RETRY).map_err(Fault::io(name))? {
                return Err(Fault::Server(format!("{name} does not start: see {}", path.display())));
            }
        }
    }
    Ok(server)
}

fn start_site(mut command: Command, log: &Path, core: usize) -> Result<Server, Fault> {
    let shown = format!("{command:?}");
    let (reader, writer) = io::pipe().map_err(Fault::io("a pipe"))?;
    let twin = writer.try_clone().map_err(Fault::io("a pipe"))?;
    let child = pin::spawn(command.stdin(Stdio::null()).stdout(twin).stderr(writer), core).map_err(Fault::io(&shown))?;
    let mut server = Server { child, addresses: BTreeMap::new(), family: Vec::new(), core };
    // The command holds the pipe's other end as long as it lives.
    drop(command);
    let mut lines = BufReader::new(reader);
    let mut line = String::new();
    let address = loop {
        line.clear();
        if lines.read_line(&mut line).map_err(Fault::io(&shown))? == 0 {
            return Err(Fault::Server(format!("{shown} ended before it listened")));
        }
        let rest = line.split("listening on http://").nth(1);
        if let Some(address) = rest.and_then(|rest| rest.split_whitespace().next()).and_then(|address| address.parse().ok()) {
            break address;
        }
    };
    server.addresses.insert(String::new(), address);
    keep(lines, log)?;
    Ok(server)
}

/// Copies what a site says to a file, in a thread that ends with it.
fn keep(mut lines: BufReader<PipeReader>, log: &Path) -> Result<(), Fault> {
    let mut file = File::create(log).map_err(Fault::file(log))?;
    // What it says is for people; a full disk must not end a run.
    thread::spawn(move || drop(io::copy(&mut lines, &mut file)));
    Ok(())
}
