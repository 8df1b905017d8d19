//! Where and how the site is listened for.

use std::net::SocketAddr;

use super::LateId;
pub use crate::model::ListenerOptions;
use crate::source::Provenance;

#[derive(Clone, Debug)]
pub struct Listener {
    /// As written, else its address.
    pub name: String,
    pub address: Address,
    pub options: ListenerOptions,
    pub provenance: Provenance,
}

/// Where a listener listens.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Address {
    Known(SocketAddr),
    Late(LateId),
    /// The path of a socket.
    Unix(String),
}
