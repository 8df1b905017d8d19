//! Where requests are sent on to.

use std::net::SocketAddr;

use super::LateId;
pub use crate::model::{Balance, Eject, Pool, Retry, RetryOn, UpstreamTimeouts};
use crate::{model::Defaulted, source::Provenance};

/// Index into `Plan::upstreams`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct UpstreamId(pub u16);

#[derive(Clone, Debug)]
pub struct Upstream {
    /// Unique snake-case name of its static.
    pub name: String,
    /// As people know it: its name as written, or the URL of one that has none.
    pub title: String,
    /// Routes name it by its URL.
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
    pub provenance: Provenance,
}

#[derive(Clone, Debug)]
pub struct Endpoint {
    pub address: EndpointAddress,
    /// At least 1.
    pub weight: Defaulted<u32>,
    /// It is asked where no other is in rotation.
    pub is_backup: bool,
}

/// Where an endpoint is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum EndpointAddress {
    Known(SocketAddr),
    /// As text one of the others: `10.0.0.5:3000`, `unix:/run/app.sock`.
    Late(LateId),
    /// The path of a socket.
    Unix(String),
}
