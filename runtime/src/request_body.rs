//! The request's body as an owned handle: it may outlive the handler that got it and moves with the exchange.

use std::{
    fmt,
    rc::Rc,
    task::{Context, Poll},
};

use crate::fault::Fault;

/// An owned handle on the request's body. Back-pressure is the reader's pace.
#[derive(Debug)]
pub enum RequestBody {
    /// No body: costs nothing.
    Empty,
    /// A body that comes from the client's connection or stream.
    Stream(Stream),
}

/// A body of any engine. Opaque: the engine behind it is this module's secret.
pub struct Stream {
    source: Rc<dyn Source>,
}

/// What an engine gives for a request's body.
pub(crate) trait Source {
    /// Appends what has arrived, at least one byte, and gives how many; 0 at the end. Waits while enough comes within each body timeout.
    fn poll_read(&self, context: &mut Context<'_>, into: &mut Vec<u8>) -> Poll<Result<usize, Fault>>;

    /// Bytes still to come, where the framing says so.
    fn remaining(&self) -> Option<u64>;

    /// No more than so many bytes may still come; the engine's own limit stays.
    fn limit(&self, bytes: u64);

    /// As [`RequestBody::awaits_continue`].
    fn awaits_continue(&self) -> bool;

    /// As [`RequestBody::push_trailer_lines`].
    fn push_trailer_lines(&self, into: &mut Vec<u8>);
}

impl RequestBody {
    pub(crate) fn stream(source: Rc<dyn Source>) -> Self {
        Self::Stream(Stream { source })
    }

    /// Bytes still to come; `None` where only the end will tell.
    pub fn remaining(&self) -> Option<u64> {
        match self {
            Self::Empty => Some(0),
            Self::Stream(stream) => stream.source.remaining(),
        }
    }

    /// Whether more than `limit_bytes` are still to come; where only the end will tell, the reader will be told.
    pub(crate) fn exceeds(&self, limit_bytes: u64) -> bool {
        match self {
            Self::Empty => false,
            Self::Stream(stream) => {
                stream.source.limit(limit_bytes);
                stream.source.remaining().is_some_and(|remaining| remaining > limit_bytes)
            }
        }
    }

    /// The client sends nothing of it before it is told to go on, which the first [`Self::poll_read`] does (RFC 9110 §10.1.1). The engine tells it: nobody else sends 100.
    pub fn awaits_continue(&self) -> bool {
        match self {
            Self::Empty => false,
            Self::Stream(stream) => stream.source.awaits_continue(),
        }
    }

    /// Appends the field lines that stood behind a chunked body, each with CRLF: known when [`Self::poll_read`] has given 0.
    pub fn push_trailer_lines(&self, into: &mut Vec<u8>) {
        match self {
            Self::Empty => {}
            Self::Stream(stream) => stream.source.push_trailer_lines(into),
        }
    }

    /// Appends what has arrived to `into` (at least one byte, at most what one read gives) and tells how many bytes; 0 at the end. What `into` has room for without
    /// growing is read at once where more than a few KiB have come: whoever moves large bodies gives it 64 KiB. The first call lets
    /// a client go on that expects 100 (RFC 9110 §10.1.1). After a fault the connection is closed behind the answer.
    pub fn poll_read(&mut self, context: &mut Context<'_>, into: &mut Vec<u8>) -> Poll<Result<usize, Fault>> {
        match self {
            Self::Empty => Poll::Ready(Ok(0)),
            Self::Stream(stream) => stream.source.poll_read(context, into),
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Stream").field("remaining", &self.source.remaining()).finish()
    }
}
