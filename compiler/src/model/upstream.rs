//! Upstreams: named sets of endpoints that requests are sent on to.

use std::{net::SocketAddr, time::Duration};

use super::{Defaulted, LateValue};
use crate::source::Span;

#[derive(Clone, Debug)]
pub struct Upstream {
    /// As written; of an anonymous one its URL.
    pub name: String,
    /// A `proxy` names it by its URL.
    pub is_anonymous: bool,
    /// At least one, in written order.
    pub endpoints: Vec<Endpoint>,
    pub balance: Defaulted<Balance>,
    pub pool: Pool,
    pub timeouts: UpstreamTimeouts,
    /// Failing endpoints stay in rotation without it.
    pub eject: Option<Eject>,
    /// A request is sent once without it.
    pub retry: Option<Retry>,
    /// Of its node; of an anonymous one the first URL.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Endpoint {
    pub address: EndpointAddress,
    /// At least 1.
    pub weight: Defaulted<u32>,
    /// It is asked where no other is in rotation.
    pub is_backup: bool,
    pub span: Span,
}

/// Where an endpoint is: known now, or when the server starts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum EndpointAddress {
    Known(SocketAddr),
    Late(LateValue),
    /// The path of a socket.
    Unix(String),
}

/// How an endpoint is picked.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Balance {
    /// One after the other, by weight.
    RoundRobin,
}

/// Idle connections kept to each endpoint.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pool {
    /// Per process, divided over workers; 0: no connection is used twice.
    pub idle_connections: Defaulted<u32>,
    pub idle_timeout: Defaulted<Duration>,
    /// At least 1.
    pub requests_per_connection: Defaulted<u32>,
    pub connection_age: Defaulted<Duration>,
}

/// How long an upstream is waited for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UpstreamTimeouts {
    pub connect: Defaulted<Duration>,
    pub first_byte: Defaulted<Duration>,
    pub between_bytes: Defaulted<Duration>,
    /// Until the last byte of the answer; `None`: no bound.
    pub total: Defaulted<Option<Duration>>,
    pub tunnel_idle: Defaulted<Duration>,
}

/// When an endpoint is taken out of rotation.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Eject {
    /// Failures in a row, at least 1.
    pub after: Defaulted<u32>,
    /// How long it stays out.
    pub time: Defaulted<Duration>,
}

/// When a request is sent once more.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Retry {
    /// Sent again at most so often, at least 1.
    pub times: Defaulted<u8>,
    /// Of all requests, 1 to 100.
    pub budget_percent: Defaulted<u8>,
    pub on: Defaulted<RetryOn>,
}

/// What a request is sent again after.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct RetryOn {
    /// No connection came to stand: nothing was sent.
    pub connect: bool,
    /// The answer did not begin in time.
    pub first_byte_timeout: bool,
    /// The connection ended before the answer began.
    pub reset: bool,
    /// Statuses of the answer, ascending, each once.
    pub statuses: Vec<u16>,
}
