//! Where and how the site is listened for.

use std::net::SocketAddr;

use super::LateValue;
use crate::source::Span;

#[derive(Clone, Debug)]
pub struct Listener {
    pub name: Option<String>,
    pub address: Address,
    pub options: ListenerOptions,
    pub span: Span,
}

/// Where to listen: known now, or when the server starts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Address {
    Known(SocketAddr),
    Late(LateValue),
    /// The path of a socket.
    Unix(String),
}

/// What a listener has that most have not.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ListenerOptions {
    /// The system's own choice without it.
    pub congestion: Option<String>,
    /// An IPv6 address takes IPv4 clients, too.
    pub is_dual_stack: bool,
    /// Permission bits of a Unix socket's file; the default of the language without it.
    pub mode: Option<u16>,
}
