//! TCP listeners: one socket for each worker on one address (SO_REUSEPORT), so that workers share nothing while they accept.
//!
//! SO_REUSEPORT would also share the port with a server that was left running, in silence: so the address is first bound without it. A listener that
//! closes drops what is queued: so it is emptied before.

use std::{
    future::poll_fn,
    io::{self, IoSlice},
    net::{self, SocketAddr},
    pin::pin,
    rc::Rc,
    task::Poll,
};

use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, send, sendmsg};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::{
    io::Interest,
    net::{TcpListener, TcpStream},
    sync::watch,
    task,
    time::{Duration, sleep},
};

use crate::engine::h1::{self, Arrived, H1, Transport};

/// Connections that the kernel queues for one worker; it clamps to net.core.somaxconn.
const BACKLOG: i32 = 4096;
/// How long nothing is accepted after the process or the system ran out of descriptors or memory.
const BACK_OFF: Duration = Duration::from_millis(100);
/// Connections over the limit that are told so at the same time, for each worker; more are closed without a word.
const TURNED_AWAY_MAX: usize = 64;

/// Binds `address` once for each worker. Port 0 takes any free one, the same for all.
pub(crate) fn bind(address: SocketAddr, workers: usize) -> io::Result<Vec<net::TcpListener>> {
    let mut address = address;
    if address.port() != 0 {
        socket(address)?.bind(&address.into())?;
    }
    let mut listeners = Vec::with_capacity(workers);
    for _ in 0..workers {
        let socket = socket(address)?;
        socket.set_reuse_port(true)?;
        socket.bind(&address.into())?;
        // Accepted sockets inherit it: no system call for each of them.
        socket.set_tcp_nodelay(true)?;
        socket.listen(BACKLOG)?;
        socket.set_nonblocking(true)?;
        let listener = net::TcpListener::from(socket);
        address = listener.local_addr()?;
        listeners.push(listener);
    }
    Ok(listeners)
}

/// A socket that is bound already, once for each worker: all of them accept from its one queue.
pub(crate) fn share(listener: net::TcpListener, workers: usize) -> io::Result<Vec<net::TcpListener>> {
    let socket = Socket::from(listener);
    socket.set_tcp_nodelay(true)?;
    socket.set_nonblocking(true)?;
    (0..workers).map(|_| socket.try_clone().map(net::TcpListener::from)).collect()
}

fn socket(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // Connections in TIME-WAIT must not keep a new server from starting.
    socket.set_reuse_address(true)?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    Ok(socket)
}

/// Accepts connections of the listener with that number until `stop` changes, then what is queued, then closes the listener.
pub(crate) async fn accept(listener: net::TcpListener, number: usize, engine: Rc<H1>, mut stop: watch::Receiver<bool>) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let door = Door { engine, number, overflow: Rc::new(()) };
    let mut stopped = pin!(stop.changed());
    loop {
        let accepted = poll_fn(|context| match stopped.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(None),
            Poll::Pending => listener.poll_accept(context).map(Some),
        });
        match accepted.await {
            None => break,
            Some(Ok((stream, client))) => door.admit(stream, client),
            Some(Err(error)) if is_of_connection(&error) => {}
            Some(Err(_)) => sleep(BACK_OFF).await,
        }
    }
    // Readiness may not have been told yet, so the socket itself is asked.
    let listener = listener.into_std()?;
    while let Ok((stream, client)) = listener.accept() {
        if stream.set_nonblocking(true).is_ok()
            && let Ok(stream) = TcpStream::from_std(stream)
        {
            door.admit(stream, client);
        }
    }
    Ok(())
}

/// What connections of one listener are given.
struct Door {
    engine: Rc<H1>,
    /// The listener's.
    number: usize,
    /// Held once by each connection that is being turned away.
    overflow: Rc<()>,
}

impl Door {
    /// Starts the task of one connection.
    fn admit(&self, stream: TcpStream, client: SocketAddr) {
        let engine = Rc::clone(&self.engine);
        let arrived = Arrived { client: client.ip().to_canonical(), listener: self.number };
        match engine.admit() {
            Some(permit) => {
                task::spawn_local(h1::serve(engine, stream, arrived, permit));
            }
            None if Rc::strong_count(&self.overflow) <= TURNED_AWAY_MAX => {
                let place = Rc::clone(&self.overflow);
                task::spawn_local(async move {
                    h1::turn_away(engine, stream, arrived).await;
                    drop(place);
                });
            }
            None => {}
        }
    }
}

/// The fault is of one connection that died in the queue; the listener is well (accept(2)).
fn is_of_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted, PermissionDenied};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted | PermissionDenied)
}

impl Transport for TcpStream {
    fn receive_now(&self, room: &mut [u8]) -> io::Result<usize> {
        let room_bytes = room.len();
        let (bytes, _) = recv(self, room, RecvFlags::empty())?;
        if bytes > 0 && bytes < room_bytes {
            // The socket is empty now, which tokio learns so: what comes from here on is a new event, and until then a poll makes no system call.
            let _ = self.try_io(Interest::READABLE, || Err::<(), _>(io::ErrorKind::WouldBlock.into()));
        }
        Ok(bytes)
    }

    fn send_now(&self, head: &[u8], body: &[u8]) -> io::Result<usize> {
        // A direct system call: the C library's is a cancellation point, which costs more than everything else here.
        let sent = if body.is_empty() {
            send(self, head, SendFlags::NOSIGNAL)
        } else {
            let pieces = [IoSlice::new(head), IoSlice::new(body)];
            sendmsg(self, &pieces, &mut SendAncillaryBuffer::default(), SendFlags::NOSIGNAL)
        };
        Ok(sent?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 0))
    }

    #[test]
    fn port_zero_is_one_port_for_all_workers() {
        let listeners = bind(any(), 3).unwrap();
        let ports: Vec<_> = listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect();
        assert_eq!(ports, [ports[0]; 3]);
        assert_ne!(ports[0], 0);
    }

    #[test]
    fn address_of_a_running_server_is_refused() {
        let first = bind(any(), 1).unwrap();
        let error = bind(first[0].local_addr().unwrap(), 1).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    }

    #[test]
    fn address_is_free_again_after_its_server() {
        let first = bind(any(), 2).unwrap();
        let address = first[0].local_addr().unwrap();
        drop(first);
        assert!(bind(address, 2).is_ok());
    }
}
