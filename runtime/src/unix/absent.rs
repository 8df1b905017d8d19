//! The site has no Unix sockets (feature `unix` is off): there is no value of any of these types.

use std::{
    io,
    net::IpAddr,
    path::{Path, PathBuf},
    task::{Context, Poll},
};

use tokio::net::TcpStream;

use crate::{
    listen::{BindFault, door},
    rooms::Spread,
};

/// A stream that no runtime knows.
#[derive(Debug)]
pub(crate) enum Stream {}
/// A listening socket that no runtime knows.
#[derive(Debug)]
pub(crate) enum Bound {}
/// A listening socket of a runtime.
#[derive(Debug)]
pub(crate) enum Listener {}
/// A socket's file.
#[derive(Debug)]
pub(crate) enum SocketFile {}

/// No address is of this kind.
pub(crate) fn path(_address: &str) -> Option<&Path> {
    None
}

pub(crate) fn bind(_path: &Path, _mode: u16) -> Result<(Bound, SocketFile), BindFault> {
    Err(unsupported().into())
}

pub(crate) fn check(_path: &Path) -> Result<(), BindFault> {
    Err(unsupported().into())
}

pub(crate) fn adopt(_socket: socket2::Socket) -> io::Result<(Bound, PathBuf)> {
    Err(unsupported())
}

pub(crate) fn listen(bound: Bound) -> io::Result<Listener> {
    match bound {}
}

pub(crate) fn join(stream: Stream) -> io::Result<TcpStream> {
    match stream {}
}

fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this site was built without Unix sockets")
}

impl Bound {
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        match *self {}
    }
}

impl SocketFile {
    pub(crate) fn remove(&self) {
        match *self {}
    }
}

impl door::Queue for Listener {
    type Stream = TcpStream;
    const SPREAD: Spread = Spread::Even;

    fn poll_accept(&self, _context: &mut Context<'_>) -> Poll<io::Result<(TcpStream, IpAddr)>> {
        match *self {}
    }

    fn close(self, _each: impl FnMut(TcpStream, IpAddr)) -> io::Result<()> {
        match self {}
    }
}
