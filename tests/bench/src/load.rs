//! The load generator: one thread, epoll, every answer checked for its status and exact length, CPU time of both sides over the same span.
//!
//! It never looks at bodies while it measures: `answer` does that before and after. Large bodies are dropped in the kernel (MSG_TRUNC), so that the
//! generator does not cost more than the server.

use std::{
    io,
    net::SocketAddr,
    time::{Duration, Instant},
};

use crate::fault::Fault;

pub mod histogram;
pub mod idle;
mod keep_alive;
mod per_connection;
mod socket;
mod window;

use self::histogram::Histogram;

/// Whom to ask what, and how long each answer is.
#[derive(Clone, Copy, Debug)]
pub struct Target<'t> {
    pub address: SocketAddr,
    /// One request.
    pub request: &'t [u8],
    /// Head and body of one answer.
    pub answer_bytes: usize,
    pub connections: usize,
}

/// How the next request comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// When the answers to the last `depth` are there.
    Closed { depth: usize },
    /// When it is due, of so many a second.
    Fixed { rate: f64 },
    /// When the connection of the last one has ended.
    PerConnection,
}

/// How long.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub warm_up: Duration,
    pub measured: Duration,
}

/// What was counted between the end of the warm-up and the end of the span.
#[derive(Clone, Debug)]
pub struct Measured {
    pub answers: u64,
    pub elapsed: Duration,
    pub server_cpu: Duration,
    pub generator_cpu: Duration,
    /// From when a request was sent, or due, to the end of its answer.
    pub latency: Histogram,
    /// From when a request was due to when it was sent; empty unless the pace is fixed.
    pub lateness: Histogram,
    /// Of the whole run.
    pub failure: Option<String>,
    /// Requests and answers of the whole run: equal if nothing failed.
    pub requests_total: u64,
    pub answers_total: u64,
}

/// Reads the nanoseconds that the server was on a core.
pub type Meter<'m> = &'m mut dyn FnMut() -> io::Result<u64>;

/// Sends requests for a span and counts. Blocks; what the server does wrong is in the result, what this machine does wrong is a fault.
pub fn run(target: &Target<'_>, pace: Pace, span: Span, meter: Meter<'_>) -> Result<Measured, Fault> {
    let window = window::Window::new(Instant::now(), span, meter);
    match pace {
        Pace::Closed { depth } => keep_alive::run(target, depth, None, window),
        Pace::Fixed { rate } => keep_alive::run(target, 1, Some(rate), window),
        Pace::PerConnection => per_connection::run(target, window),
    }
}
