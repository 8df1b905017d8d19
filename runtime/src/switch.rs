//! What an upstream goes on with behind a 101 (feature `proxy-upgrade`; without it `switch/absent.rs` stands here): its connection, from which the client's engine
//! moves the bytes both ways. The endpoint is held until the last of them.

use std::{
    io,
    task::{Context, Poll},
    time::Duration,
};

use crate::{
    buffer::{Buffer, Chunk},
    response::Response,
    tunnel::{Switched, Tunnel},
    upstream::{Connection, Lease},
};

/// An upstream's connection that speaks another protocol now.
#[derive(Debug)]
struct Switch {
    /// What came with the head.
    early: Option<Chunk>,
    connection: Connection,
    idle: Duration,
    _lease: Lease,
}

/// The answer, whose lines those are, perhaps with a `date`: `early` are bytes that came behind its head.
pub(crate) fn response(
    (lines, has_date): (Buffer, bool),
    early: Option<Chunk>,
    (connection, lease): (Connection, Lease),
    idle: Duration,
) -> Response {
    Response::Switched(Switched::new(lines, Box::new(Switch { early, connection, idle, _lease: lease })).with_date(has_date))
}

impl Tunnel for Switch {
    fn poll_receive(&mut self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        let Some(early) = &mut self.early else { return self.connection.poll_receive(context, room) };
        let bytes = early.len().min(room.len());
        if let (Some(to), Some(from)) = (room.get_mut(..bytes), early.get(..bytes)) {
            to.copy_from_slice(from);
        }
        early.consume(bytes);
        if early.is_empty() {
            self.early = None;
        }
        Poll::Ready(Ok(bytes))
    }

    fn poll_send(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.connection.poll_send(context, bytes)
    }

    fn poll_shutdown(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.connection.end_sending())
    }

    fn idle(&self) -> Option<Duration> {
        Some(self.idle)
    }
}
