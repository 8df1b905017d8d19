//! Who the client is where trusted proxies stand before the site (feature `trusted-proxies`; without it `client/absent.rs` stands here).

use semantics::{
    client::{self, Contradiction, Trust},
    head::{Arrival, Fields},
};

use crate::fault::Fault;

/// The client's address and scheme, for a request that `peer` has brought.
pub(crate) fn arrival(peer: Arrival, trusted: Option<&Trust<'_>>, fields: Fields<'_>) -> Result<Arrival, Fault> {
    match trusted {
        None => Ok(peer),
        Some(trust) => client::arrival(peer, trust, fields).map_err(|Contradiction| Fault::ForwardingContradiction),
    }
}
