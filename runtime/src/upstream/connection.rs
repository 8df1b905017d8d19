//! One connection to an endpoint: a stream, and what says whether it may carry another request.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd},
    task::{Context, Poll, ready},
};

use rustix::{
    io::{Errno, retry_on_intr},
    net::{RecvFlags, SendFlags},
};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use tokio::{
    io::Interest,
    net::{TcpStream, UnixStream},
};

use super::address::Address;
use crate::pipes::Pipe;

/// A connection. Dropped, it is closed.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: Stream,
    /// Requests that it has carried.
    pub(crate) requests: u32,
    /// The tick at which it was opened.
    pub(crate) opened: u32,
}

#[derive(Debug)]
enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Connection {
    /// Begins to connect; [`Self::poll_connected`] tells when it is there.
    pub(super) fn open(address: &Address, tick: u32) -> io::Result<Self> {
        let stream = match address {
            Address::Tcp(address) => {
                let socket = Socket::new(Domain::for_address(*address), Type::STREAM.nonblocking(), Some(Protocol::TCP))?;
                socket.set_tcp_nodelay(true)?;
                match socket.connect(&(*address).into()) {
                    Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => {}
                    result => result?,
                }
                Stream::Tcp(TcpStream::from_std(socket.into())?)
            }
            Address::Unix(path) => {
                let socket = Socket::new(Domain::UNIX, Type::STREAM.nonblocking(), None)?;
                // It connects at once, or says that the queue is full.
                socket.connect(&SockAddr::unix(path)?)?;
                Stream::Unix(UnixStream::from_std(std::os::fd::OwnedFd::from(socket).into())?)
            }
        };
        Ok(Self { stream, requests: 0, opened: tick })
    }

    /// The connection is there, or why it can't be had.
    pub(crate) fn poll_connected(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_writable(context))?;
        let error = match &self.stream {
            Stream::Tcp(stream) => stream.take_error()?,
            Stream::Unix(stream) => stream.take_error()?,
        };
        Poll::Ready(error.map_or(Ok(()), Err))
    }

    /// Sends what the socket takes of `bytes`.
    pub(crate) fn poll_send(&self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            // Mostly there is room, which costs less to find out by sending than by asking.
            match rustix::net::send(self, bytes, SendFlags::NOSIGNAL) {
                Err(Errno::AGAIN) => {}
                Err(Errno::INTR) => continue,
                result => return Poll::Ready(Ok(result?)),
            }
            self.forget(Interest::WRITABLE);
            ready!(self.poll_writable(context))?;
        }
    }

    /// Something has come, or the end.
    pub(crate) fn poll_readable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &self.stream {
            Stream::Tcp(stream) => stream.poll_read_ready(context),
            Stream::Unix(stream) => stream.poll_read_ready(context),
        }
    }

    /// Receives once what has come, into the front of `room`, which is not empty; 0: the other end sends no more.
    pub(crate) fn poll_receive(&self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.poll_readable(context))?;
            match self.receive(room) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                received => return Poll::Ready(received),
            }
        }
    }

    /// The same where [`Self::poll_readable`] has just said that something is there; `WouldBlock`: it was mistaken.
    pub(crate) fn receive(&self, room: &mut [u8]) -> io::Result<usize> {
        let room_bytes = room.len();
        let received = retry_on_intr(|| rustix::net::recv(self, &mut *room, RecvFlags::empty()));
        if received.is_ok_and(|(bytes, _)| bytes < room_bytes) || received == Err(Errno::AGAIN) {
            // The socket is empty now: what comes from here on is a new event, and until then a poll makes no system call.
            self.forget(Interest::READABLE);
        }
        Ok(received?.0)
    }

    /// Tells the other end that nothing more comes.
    #[cfg_attr(not(feature = "proxy-upgrade"), expect(dead_code, reason = "only tunnels end so"))]
    pub(crate) fn end_sending(&self) -> io::Result<()> {
        Ok(rustix::net::shutdown(self, rustix::net::Shutdown::Write)?)
    }

    /// Moves into the empty `pipe` what has come, `bytes` at most, and gives how much that is; 0: the other end sends no more.
    pub(crate) fn poll_fill(&self, context: &mut Context<'_>, pipe: &mut Pipe, bytes: usize) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.poll_readable(context))?;
            match pipe.fill(self, bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.forget(Interest::READABLE),
                result => return Poll::Ready(result),
            }
        }
    }

    /// Nothing has come that nobody has asked for, and the other end has not closed, as far as the worker has been told. Makes no system call where it was told nothing.
    pub(crate) fn is_quiet(&self) -> bool {
        self.peek(|stream, look| match stream {
            Stream::Tcp(stream) => stream.try_io(Interest::READABLE, look),
            Stream::Unix(stream) => stream.try_io(Interest::READABLE, look),
        })
    }

    /// The same, and the system is asked.
    pub(crate) fn is_quiet_now(&self) -> bool {
        self.peek(|_, look| look())
    }

    fn peek(&self, ask: impl FnOnce(&Stream, &mut dyn FnMut() -> io::Result<usize>) -> io::Result<usize>) -> bool {
        let mut look = || Ok(rustix::net::recv(self, &mut [0_u8; 1][..], RecvFlags::PEEK | RecvFlags::DONTWAIT)?.0);
        ask(&self.stream, &mut look).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &self.stream {
            Stream::Tcp(stream) => stream.poll_write_ready(context),
            Stream::Unix(stream) => stream.poll_write_ready(context),
        }
    }

    /// What was ready is not any more.
    fn forget(&self, interest: Interest) {
        let blocked = || Err::<(), _>(io::ErrorKind::WouldBlock.into());
        let _ = match &self.stream {
            Stream::Tcp(stream) => stream.try_io(interest, blocked),
            Stream::Unix(stream) => stream.try_io(interest, blocked),
        };
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.stream {
            Stream::Tcp(stream) => stream.as_fd(),
            Stream::Unix(stream) => stream.as_fd(),
        }
    }
}
