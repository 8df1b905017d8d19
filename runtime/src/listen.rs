//! Listeners: sockets bound before any worker runs, and the loops that accept from them.
//!
//! An address is numeric, or `unix:` and a path (feature `unix`). Whoever connects to a Unix socket is of this machine and counts as 127.0.0.1 everywhere:
//! for `access`, `trusted-proxies`, limits and logs.

use std::{fmt, fs, io, net, net::SocketAddr, path::PathBuf};

use crate::{listen::activation::Passed, settings::Listener, unix};

pub(crate) mod activation;
pub(crate) mod door;
pub(crate) mod inbox;
pub(crate) mod tcp;

/// Where the kernel says which congestion controls it has.
const CONGESTIONS: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Where a listener listens.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Address {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// A listening socket that no worker has taken yet, or a second descriptor of one that a worker has.
#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(net::TcpListener),
    Unix(unix::Bound),
}

/// A bound listener.
#[derive(Debug)]
pub(crate) struct Open {
    /// With its real port.
    pub(crate) address: Address,
    /// One for each worker, or one for the first of them.
    pub(crate) sockets: Vec<Socket>,
    /// What is to be removed behind the drain.
    pub(crate) file: Option<unix::SocketFile>,
}

/// Why a listener can't listen.
#[derive(Debug)]
pub enum BindFault {
    /// The text of its address is neither a numeric address with a port nor `unix:` and a path.
    Address,
    /// This machine has other congestion controls.
    Congestion(String),
    /// The system says no.
    Io(io::Error),
    /// The directory of a Unix socket is not there.
    NoDirectory,
    /// At a Unix socket's path is a file of another kind.
    NotASocket,
    /// A Unix socket's path has so many bytes.
    PathTooLong(usize),
}

/// Binds a listener for so many workers, or takes the socket that was passed for it.
pub(crate) fn open(listener: &Listener, passed: &mut Passed, workers: usize) -> Result<Open, BindFault> {
    let address = Address::parse(listener)?;
    match (passed.claim(listener.name, &address), address) {
        (Some(Socket::Unix(socket)), address) => Ok(Open { address, sockets: vec![Socket::Unix(socket)], file: None }),
        (Some(Socket::Tcp(socket)), address) => {
            let sockets = tcp::share(socket, &listener.options, workers)?;
            Ok(Open { address: real(&sockets, address), sockets: sockets.into_iter().map(Socket::Tcp).collect(), file: None })
        }
        (None, Address::Tcp(address)) => {
            let sockets = tcp::bind(address, &listener.options, workers)?;
            let address = real(&sockets, Address::Tcp(address));
            Ok(Open { address, sockets: sockets.into_iter().map(Socket::Tcp).collect(), file: None })
        }
        (None, Address::Unix(path)) => {
            let (socket, file) = unix::bind(&path, listener.options.mode)?;
            Ok(Open { address: Address::Unix(path), sockets: vec![Socket::Unix(socket)], file: Some(file) })
        }
    }
}

/// Looks whether a listener could be bound; an address that this or another server holds already is no fault.
pub(crate) fn check(listener: &Listener) -> Result<(), BindFault> {
    match Address::parse(listener)? {
        Address::Tcp(address) => match tcp::bind(address, &listener.options, 1) {
            Err(BindFault::Io(error)) if error.kind() == io::ErrorKind::AddrInUse => Ok(()),
            bound => bound.map(|_sockets| ()),
        },
        Address::Unix(path) => unix::check(&path),
    }
}

/// With the port that was found for port 0.
fn real(sockets: &[net::TcpListener], asked: Address) -> Address {
    sockets.first().and_then(|socket| socket.local_addr().ok()).map_or(asked, Address::Tcp)
}

impl Address {
    /// Only numeric addresses: a static binary must not ask for names.
    fn parse(listener: &Listener) -> Result<Self, BindFault> {
        let text = listener.address.text();
        match unix::path(text) {
            Some(path) => Ok(Self::Unix(path.to_owned())),
            None => text.parse().map(Self::Tcp).map_err(|_not_numeric| BindFault::Address),
        }
    }

    /// The address and port, if it has them.
    pub(crate) fn tcp(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(formatter, "http://{address}"),
            Self::Unix(path) => write!(formatter, "unix:{}", path.display()),
        }
    }
}

impl Socket {
    /// Another descriptor of the same socket, with the same queue.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::Tcp(socket) => socket.try_clone().map(Self::Tcp),
            Self::Unix(socket) => socket.try_clone().map(Self::Unix),
        }
    }

    /// Hands it to the running runtime.
    pub(crate) fn listen(self) -> io::Result<door::Listening> {
        match self {
            Self::Tcp(socket) => tcp::Listener::from_std(socket).map(door::Listening::Tcp),
            Self::Unix(socket) => unix::listen(socket).map(door::Listening::Unix),
        }
    }
}

impl BindFault {
    /// The congestion control that was asked for is not to be had.
    pub(crate) fn congestion() -> Self {
        Self::Congestion(fs::read_to_string(CONGESTIONS).unwrap_or_default().trim().to_owned())
    }
}

impl From<io::Error> for BindFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for BindFault {
    /// What happened, and what to do about it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Address => "it is no numeric address with a port, such as 127.0.0.1:8080",
            Self::Congestion(available) if available.is_empty() => "this machine does not have that congestion control",
            Self::Congestion(available) => {
                return write!(formatter, "this machine does not have that congestion control; it has: {available}");
            }
            Self::Io(error) => return formatter.write_str(&advice(error)),
            Self::NoDirectory => "the directory of the socket is not there; make it first",
            Self::NotASocket => "there is a file of another kind; move it away, or listen elsewhere",
            Self::PathTooLong(bytes) => return write!(formatter, "the path has {bytes} bytes, and a Unix socket's has 107 at most"),
        };
        formatter.write_str(text)
    }
}

fn advice(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "address in use; stop the server that holds it (`ss -lntxp` shows which), or listen elsewhere".to_owned(),
        io::ErrorKind::AddrNotAvailable => "no such address on this machine; `ip address` lists those it has".to_owned(),
        io::ErrorKind::PermissionDenied => {
            "permission denied; ports below 1024 need CAP_NET_BIND_SERVICE, or listen on a higher one; a Unix socket needs a directory that may be written to"
                .to_owned()
        }
        _ => error.to_string(),
    }
}
