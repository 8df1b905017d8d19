//! HTTP/1.1 and HTTP/1.0 (RFC 9112), strict, one task for each connection.
//!
//! A turn reads once, answers every complete request that lies in the buffer, and writes once: two system calls for a request, no allocation, no timer
//! operation. While a connection is idle it holds no buffer. Heads are judged by `semantics::head`, bodies by `semantics::chunked`; what is refused is
//! answered, and nothing behind it is read as a request. Never: a second opinion on framing, an answer out of order.

mod answer;
mod close;
mod connection;
mod inbound;
mod input;
mod link;
mod outbound;
#[cfg(test)]
mod tests;
mod tunnel;
mod work;
mod write;

use std::{
    cell::Cell,
    io,
    net::IpAddr,
    rc::Rc,
    task::{Context, Poll},
};

use semantics::head::ScanLimits;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    buffer::CHUNK_BYTES,
    clock,
    deadlines::Pace,
    fault::Fault,
    response::FilePiece,
    settings::{Delivery, Limits, Settings},
    site::Site,
    worker::{Permit, Worker},
};

/// The engine of one worker: what all its connections share.
pub(crate) struct H1 {
    site: &'static dyn Site,
    settings: &'static Settings,
    worker: Rc<Worker>,
    scan_limits: ScanLimits,
    body_bytes_max: u64,
    /// Bytes that are charged for reading a request: its head at its longest, and the buffers for its body and its answer.
    work_bytes: usize,
    /// Bytes of output that are written before the next request of the batch is answered.
    out_bytes: usize,
    waits: Waits,
}

/// The timeouts, in ticks of the worker's clock.
struct Waits {
    head: u32,
    body: Pace,
    idle: u32,
    write: Pace,
}

impl H1 {
    pub(crate) fn new(site: &'static dyn Site, settings: &'static Settings, worker: Rc<Worker>) -> Self {
        let (limits, timeouts) = (&settings.limits, &settings.timeouts);
        Self {
            site,
            settings,
            worker,
            scan_limits: ScanLimits { head_bytes: limits.head_bytes, fields: limits.fields },
            body_bytes_max: limits.body_bytes,
            work_bytes: work::bytes(limits.head_bytes),
            out_bytes: match settings.delivery {
                Delivery::Bytes(bytes) => (bytes as usize).clamp(1, work::OUT_BYTES_MAX),
                Delivery::Immediate => 1,
            },
            waits: Waits {
                head: clock::ticks(timeouts.head),
                body: Pace::of(timeouts.body),
                idle: clock::ticks(timeouts.idle),
                write: Pace::of(timeouts.write),
            },
        }
    }

    /// The tick at which a wait of `ticks` that begins now is over.
    fn due(&self, ticks: u32) -> u32 {
        self.worker.clock.tick().saturating_add(ticks)
    }
}

/// Who has connected, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    /// The other end's address, never mapped.
    pub(crate) client: IpAddr,
    /// The listener's number in the settings.
    pub(crate) listener: usize,
}

/// What has become of a client whose answer is waited for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Departure {
    /// It sends no more, and may still read: a client that closes looks the same.
    Ended,
    /// It is gone.
    Reset,
}

/// A byte stream to a client, in order and reliable.
pub(crate) trait Transport: AsyncRead + AsyncWrite + Unpin + 'static {
    /// Reads at once what has come, without asking whether something has: cheaper than a poll, which decides where this says `WouldBlock`.
    fn receive_now(&self, _room: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::WouldBlock.into())
    }

    /// The same into what `into` has room for without growing.
    fn receive_into_now(&self, _into: &mut Vec<u8>) -> io::Result<usize> {
        Err(io::ErrorKind::WouldBlock.into())
    }

    /// Ready when the client has ended or is gone, whatever lies unread. It forgets that something does, and says so in `has_forgotten`: [`Self::receive_now`] comes
    /// first then.
    fn poll_departure(&self, _context: &mut Context<'_>, _has_forgotten: &Cell<bool>) -> Poll<Departure> {
        Poll::Pending
    }

    /// When it is dropped, what was sent and not taken is thrown away: else the kernel keeps it for as long as the other end lives.
    fn reset(&self) {}

    /// Sends at once what the stream takes, without asking whether it is writable: cheaper than a poll, which decides where this says `WouldBlock`.
    fn send_now(&self, _head: &[u8], _body: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::WouldBlock.into())
    }

    /// The same, and more follows at once: what is too little for a packet waits for it.
    fn send_more_now(&self, head: &[u8]) -> io::Result<usize> {
        self.send_now(head, b"")
    }

    /// [`Self::send_now`], [`Self::poll_writable`] and [`Self::send_file_now`], also for pipes, are there.
    const SENDS_FILES: bool = false;

    /// Ready when the stream takes something, as far as is known without trying.
    fn poll_writable(&self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Sends at once from a file what the stream takes, without a copy; 0: the file has nothing there any more.
    fn send_file_now(&self, _piece: &FilePiece<'_>) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Bytes of the memory budget that one connection alone may hold while it streams an answer: with less of them, none ever could.
pub(crate) fn memory_bytes_min(limits: &Limits) -> usize {
    work::bytes(limits.head_bytes) + work::OUT_BYTES_KEPT + CHUNK_BYTES
}

/// Answers the requests of one connection until it ends.
pub(crate) fn serve<S: Transport>(engine: Rc<H1>, stream: S, arrived: Arrived, permit: Permit) -> impl Future<Output = ()> {
    let mut connection = connection::Connection::new(link::Link::new(engine, stream, arrived), permit);
    async move { connection.run().await }
}

/// Tells a connection over a limit so, and closes it.
pub(crate) async fn turn_away<S: Transport>(engine: Rc<H1>, stream: S, arrived: Arrived, limit: Fault) {
    close::turn_away(link::Link::new(engine, stream, arrived), limit).await;
}
