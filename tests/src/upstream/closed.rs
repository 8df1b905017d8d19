//! Addresses that nobody answers at.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    os::fd::OwnedFd,
};

use rustix::{
    fs::{OFlags, fcntl_setfl},
    net::{AddressFamily, SocketFlags, SocketType, bind, connect, getsockname, listen, socket_with},
};

/// An address that refuses connections, and that nobody else gets while this lives.
#[derive(Debug)]
pub struct Refusing {
    address: SocketAddr,
    _socket: OwnedFd,
}

impl Refusing {
    /// Bound, and not listening.
    pub fn new() -> Self {
        let (socket, address) = bound();
        Self { address, _socket: socket }
    }

    /// Where nobody listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Listens there from now on.
    pub fn listen(self) -> TcpListener {
        listen(&self._socket, 128).expect("a bound socket");
        self._socket.into()
    }
}

impl Default for Refusing {
    fn default() -> Self {
        Self::new()
    }
}

/// A listener whose queue is full: connecting to it does not end.
#[derive(Debug)]
pub struct Full {
    address: SocketAddr,
    _socket: OwnedFd,
    _waiting: Vec<OwnedFd>,
}

impl Full {
    /// Fills the shortest queue that there is; the kernel drops what comes behind it.
    pub fn new() -> Self {
        let (listener, address) = bound();
        listen(&listener, 0).expect("a bound socket");
        let waiting = (0..4).map(|_| {
            let waiting = stream();
            fcntl_setfl(&waiting, OFlags::NONBLOCK).expect("a socket");
            // It is in progress, or done: both are meant.
            let _ = connect(&waiting, &address);
            waiting
        });
        Self { address, _waiting: waiting.collect(), _socket: listener }
    }

    /// Where nobody accepts.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Default for Full {
    fn default() -> Self {
        Self::new()
    }
}

fn bound() -> (OwnedFd, SocketAddr) {
    let socket = stream();
    bind(&socket, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a free port");
    let address = getsockname(&socket).expect("a bound socket");
    (socket, SocketAddr::try_from(address).expect("an IP address"))
}

/// No process that a test starts holds it, too.
fn stream() -> OwnedFd {
    socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None).expect("a socket")
}
