//! The site trusts no proxy (feature `trusted-proxies` is off): who has connected is the client.

use semantics::{
    client::Trust,
    head::{Arrival, Fields},
};

use crate::fault::Fault;

/// What is known of the connection.
#[inline(always)]
pub(crate) fn arrival(peer: Arrival, _trusted: Option<&Trust<'_>>, _fields: Fields<'_>) -> Result<Arrival, Fault> {
    Ok(peer)
}
