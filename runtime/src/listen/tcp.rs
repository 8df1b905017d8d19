//! TCP listeners: one socket for each worker on one address (SO_REUSEPORT), so that workers share nothing while they accept.
//!
//! SO_REUSEPORT would also share the port with a server that was left running, in silence: so the address is first bound without it. Options are set on
//! the listening socket: accepted ones inherit them, without a system call for each.

use std::{
    cell::Cell,
    io::{self, IoSlice},
    net::{self, IpAddr, SocketAddr},
    os::fd::AsFd,
    task::{Context, Poll, ready},
};

use rustix::{
    buffer::spare_capacity,
    event::{PollFd, PollFlags, Timespec, poll},
    io::retry_on_intr,
    net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, sendmsg},
};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::{
    io::Interest,
    net::{TcpListener, TcpStream},
};

use super::{BindFault, door, inbox};
use crate::{
    engine::h1::{Departure, Transport},
    response::{FilePiece, Place},
    rooms::Spread,
    settings::ListenerOptions,
};

/// Connections that the kernel queues for one worker; it clamps to net.core.somaxconn.
const BACKLOG: i32 = 4096;

/// A listening socket of a runtime.
pub(crate) type Listener = TcpListener;

/// Binds `address` once for each worker. Port 0 takes any free one, the same for all.
pub(crate) fn bind(address: SocketAddr, options: &ListenerOptions, workers: usize) -> Result<Vec<net::TcpListener>, BindFault> {
    let mut address = address;
    if address.port() != 0 {
        socket(address, options)?.bind(&address.into())?;
    }
    let mut listeners = Vec::with_capacity(workers);
    for _ in 0..workers {
        let socket = socket(address, options)?;
        socket.set_reuse_port(true)?;
        socket.bind(&address.into())?;
        prepare(&socket, options)?;
        socket.listen(BACKLOG)?;
        let listener = net::TcpListener::from(socket);
        address = listener.local_addr()?;
        listeners.push(listener);
    }
    Ok(listeners)
}

/// A socket that is bound already, once for each worker: all of them accept from its one queue.
pub(crate) fn share(listener: net::TcpListener, options: &ListenerOptions, workers: usize) -> Result<Vec<net::TcpListener>, BindFault> {
    let socket = Socket::from(listener);
    prepare(&socket, options)?;
    Ok((0..workers).map(|_| socket.try_clone().map(net::TcpListener::from)).collect::<io::Result<_>>()?)
}

fn socket(address: SocketAddr, options: &ListenerOptions) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // Connections in TIME-WAIT must not keep a new server from starting.
    socket.set_reuse_address(true)?;
    if address.is_ipv6() {
        socket.set_only_v6(!options.is_dual_stack)?;
    }
    Ok(socket)
}

/// What accepted sockets inherit, and what a runtime needs.
fn prepare(socket: &Socket, options: &ListenerOptions) -> Result<(), BindFault> {
    socket.set_tcp_nodelay(true)?;
    if let Some(congestion) = options.congestion {
        socket.set_tcp_congestion(congestion.as_bytes()).map_err(|_unknown| BindFault::congestion())?;
    }
    Ok(socket.set_nonblocking(true)?)
}

/// Hands a stream to the running runtime.
pub(crate) fn join(stream: net::TcpStream) -> io::Result<TcpStream> {
    stream.set_nonblocking(true)?;
    TcpStream::from_std(stream)
}

impl door::Queue for TcpListener {
    type Stream = TcpStream;
    const SPREAD: Spread = Spread::Above;

    fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<(TcpStream, IpAddr)>> {
        let (stream, client) = ready!(Self::poll_accept(self, context))?;
        Poll::Ready(Ok((stream, client.ip().to_canonical())))
    }

    fn close(self, mut each: impl FnMut(TcpStream, IpAddr)) -> io::Result<()> {
        let listener = self.into_std()?;
        door::empty(
            || listener.accept(),
            |(stream, client)| {
                if let Ok(stream) = join(stream) {
                    each(stream, client.ip().to_canonical());
                }
            },
        );
        Ok(())
    }
}

impl door::Handable for TcpStream {
    fn leave(self) -> io::Result<inbox::Stream> {
        Ok(inbox::Stream::Tcp(self.into_std()?))
    }
}

impl Transport for TcpStream {
    fn reset(&self) {
        // Where it fails the other end has gone already.
        let _ = self.set_zero_linger();
    }

    fn receive_now(&self, room: &mut [u8]) -> io::Result<usize> {
        receive(self, room, || {
            let _ = self.try_io(Interest::READABLE, || Err::<(), _>(io::ErrorKind::WouldBlock.into()));
        })
    }

    fn receive_into_now(&self, into: &mut Vec<u8>) -> io::Result<usize> {
        receive_into(self, into, || {
            let _ = self.try_io(Interest::READABLE, || Err::<(), _>(io::ErrorKind::WouldBlock.into()));
        })
    }

    fn poll_departure(&self, context: &mut Context<'_>, has_forgotten: &Cell<bool>) -> Poll<Departure> {
        while let Poll::Ready(ready) = self.poll_read_ready(context) {
            if let Some(departure) = departure(self, ready) {
                return Poll::Ready(departure);
            }
            has_forgotten.set(true);
            let _ = self.try_io(Interest::READABLE, || Err::<(), _>(io::ErrorKind::WouldBlock.into()));
        }
        Poll::Pending
    }

    fn send_now(&self, head: &[u8], body: &[u8]) -> io::Result<usize> {
        send(self, head, body)
    }

    fn send_more_now(&self, head: &[u8]) -> io::Result<usize> {
        send_more(self, head)
    }

    const SENDS_FILES: bool = true;

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_write_ready(context)
    }

    fn send_file_now(&self, piece: &FilePiece<'_>) -> io::Result<usize> {
        self.try_io(Interest::WRITABLE, || send_file(self, piece))
    }
}

/// Receives what has come. `emptied` tells tokio that the socket is empty now: what comes from here on is a new event, and until then a poll makes no system
/// call.
#[inline]
pub(crate) fn receive(socket: &impl AsFd, room: &mut [u8], emptied: impl FnOnce()) -> io::Result<usize> {
    let room_bytes = room.len();
    let (bytes, _) = recv(socket, room, RecvFlags::empty())?;
    if bytes > 0 && bytes < room_bytes {
        emptied();
    }
    Ok(bytes)
}

/// The same into what `into` has room for.
#[inline]
pub(crate) fn receive_into(socket: &impl AsFd, into: &mut Vec<u8>, emptied: impl FnOnce()) -> io::Result<usize> {
    let room_bytes = into.capacity() - into.len();
    let (bytes, _) = recv(socket, spare_capacity(into), RecvFlags::empty())?;
    if bytes > 0 && bytes < room_bytes {
        emptied();
    }
    Ok(bytes)
}

/// What has become of the other end of a socket that something has come of, if anything; what it has sent before stays unread.
pub(crate) fn departure(socket: &impl AsFd, ready: io::Result<()>) -> Option<Departure> {
    if ready.is_err() {
        // The runtime ends.
        return Some(Departure::Reset);
    }
    let mut looked = [PollFd::new(socket, PollFlags::RDHUP)];
    poll(&mut looked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).ok()?;
    let [found] = looked.map(|place| place.revents());
    if found.intersects(PollFlags::HUP | PollFlags::ERR) {
        return Some(Departure::Reset);
    }
    found.contains(PollFlags::RDHUP).then_some(Departure::Ended)
}

/// Sends what the socket takes. A direct system call: the C library's is a cancellation point, which costs more than everything else here.
#[inline]
pub(crate) fn send(socket: &impl AsFd, head: &[u8], body: &[u8]) -> io::Result<usize> {
    let sent = if body.is_empty() {
        rustix::net::send(socket, head, SendFlags::NOSIGNAL)
    } else {
        let pieces = [IoSlice::new(head), IoSlice::new(body)];
        sendmsg(socket, &pieces, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)
    };
    Ok(sent?)
}

/// Sends what the socket takes of bytes that others follow.
pub(crate) fn send_more(socket: &impl AsFd, head: &[u8]) -> io::Result<usize> {
    Ok(rustix::net::send(socket, head, SendFlags::NOSIGNAL | SendFlags::MORE)?)
}

/// Sends what the socket takes of what lies in a file or a pipe.
pub(crate) fn send_file(socket: &impl AsFd, piece: &FilePiece<'_>) -> io::Result<usize> {
    let (file, start) = match piece.place {
        Place::File(file, at) => (file, at),
        Place::Pipe(outlet) => return outlet.send(socket, piece.bytes),
    };
    let sent = retry_on_intr(|| {
        let mut at = start;
        rustix::fs::sendfile(socket, file, Some(&mut at), piece.bytes)
    });
    Ok(sent?)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::future::poll_fn;

    use tokio::{
        io::AsyncWriteExt,
        runtime::{Builder, LocalOptions},
    };

    use super::*;

    const OPTIONS: ListenerOptions = ListenerOptions::DEFAULT;

    fn any() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 0))
    }

    /// Runs what needs sockets of a runtime.
    pub(crate) fn run(test: impl Future<Output = ()>) {
        Builder::new_current_thread().enable_io().build_local(LocalOptions::default()).unwrap().block_on(test);
    }

    /// What has become of the other end of a stream, as far as has been seen.
    pub(crate) async fn seen(stream: &impl Transport) -> Option<Departure> {
        poll_fn(|context| match stream.poll_departure(context, &Cell::new(false)) {
            Poll::Ready(departure) => Poll::Ready(Some(departure)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }

    async fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind(any()).await.unwrap();
        let near = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (near, listener.accept().await.unwrap().0)
    }

    #[test]
    fn departure_is_seen_behind_unread_bytes_and_leaves_them() {
        run(async {
            let (near, mut far) = pair().await;
            assert_eq!(seen(&near).await, None);
            far.write_all(b"more").await.unwrap();
            near.readable().await.unwrap();
            assert_eq!(seen(&near).await, None, "it only says more");
            far.shutdown().await.unwrap();
            assert_eq!(poll_fn(|context| near.poll_departure(context, &Cell::new(false))).await, Departure::Ended);
            let mut room = Vec::with_capacity(10);
            assert_eq!(near.receive_into_now(&mut room).unwrap(), 4);
            assert_eq!(room, b"more");
        });
    }

    #[test]
    fn reset_is_seen_behind_unread_bytes() {
        run(async {
            let (near, mut far) = pair().await;
            far.write_all(b"more").await.unwrap();
            near.readable().await.unwrap();
            far.set_zero_linger().unwrap();
            drop(far);
            assert_eq!(poll_fn(|context| near.poll_departure(context, &Cell::new(false))).await, Departure::Reset);
        });
    }

    #[test]
    fn port_zero_is_one_port_for_all_workers() {
        let listeners = bind(any(), &OPTIONS, 3).unwrap();
        let ports: Vec<_> = listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect();
        assert_eq!(ports, [ports[0]; 3]);
        assert_ne!(ports[0], 0);
    }

    #[test]
    fn address_of_a_running_server_is_refused() {
        let first = bind(any(), &OPTIONS, 1).unwrap();
        let error = bind(first[0].local_addr().unwrap(), &OPTIONS, 1).unwrap_err();
        assert!(matches!(error, BindFault::Io(error) if error.kind() == io::ErrorKind::AddrInUse));
    }

    #[test]
    fn address_is_free_again_after_its_server() {
        let first = bind(any(), &OPTIONS, 2).unwrap();
        let address = first[0].local_addr().unwrap();
        drop(first);
        assert!(bind(address, &OPTIONS, 2).is_ok());
    }

    #[test]
    fn congestion_is_inherited_and_an_unknown_one_says_what_there_is() {
        let reno = ListenerOptions { congestion: Some("reno"), ..OPTIONS };
        let listeners = bind(any(), &reno, 1).unwrap();
        let _client = net::TcpStream::connect(listeners[0].local_addr().unwrap()).unwrap();
        listeners[0].set_nonblocking(false).unwrap();
        let accepted = Socket::from(listeners[0].accept().unwrap().0);
        assert!(accepted.tcp_congestion().unwrap().starts_with(b"reno\0") || accepted.tcp_congestion().unwrap() == b"reno");
        let fault = bind(any(), &ListenerOptions { congestion: Some("kiln"), ..OPTIONS }, 1).unwrap_err();
        let said = fault.to_string();
        assert!(said.contains("it has: ") && said.contains("reno"), "{said}");
    }

    #[test]
    fn dual_stack_address_takes_both_families_and_others_one() {
        let six = SocketAddr::from(([0_u16; 8], 0));
        let Ok(only_six) = bind(six, &OPTIONS, 1) else { return };
        let port = |listeners: &[net::TcpListener]| listeners[0].local_addr().unwrap().port();
        let four = |port| net::TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], port)));
        assert!(four(port(&only_six)).is_err());
        let both = bind(six, &ListenerOptions { is_dual_stack: true, ..OPTIONS }, 1).unwrap();
        assert!(four(port(&both)).is_ok());
    }
}
