//! Listeners: sockets bound before any worker runs, and the loops that accept from them.

pub(crate) mod activation;
pub(crate) mod tcp;
