//! How a request came here, told to the upstream: X-Forwarded-For, -Host and -Proto, Forwarded (RFC 7239) and Via (RFC 9110 §7.6.3).
//!
//! What a trusted proxy has written is appended to. Of what it does not write (the site says which fields it does) nothing is kept, since it passes on what clients
//! write there; then the client that it has told of otherwise stands first.

use std::net::IpAddr;

use crate::{
    client::{ForwardingFields, Trust},
    forward::push_authority,
    head::{Head, Scheme, Version},
    template,
};

/// Whose word of how the request came counts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Word {
    /// That of the peer, in `forwarded`;
    pub(super) has_forwarded: bool,
    /// in `x-forwarded-*` and their like;
    pub(super) has_x_forwarded: bool,
    /// and in `via`.
    pub(super) is_trusted: bool,
}

impl Word {
    pub(super) fn of(head: &Head<'_>, trust: Option<&Trust<'_>>) -> Self {
        let Some(trust) = trust.filter(|trust| trust.networks.contains(head.peer.to_canonical())) else { return Self::default() };
        Self {
            has_forwarded: trust.fields != ForwardingFields::XForwarded,
            has_x_forwarded: trust.fields != ForwardingFields::Forwarded,
            is_trusted: true,
        }
    }
}

/// Appends the lines.
pub(super) fn push(head: &Head<'_>, word: Word, out: &mut Vec<u8>) {
    let peer = head.peer.to_canonical();
    let client = Some(head.client).filter(|client| *client != peer);
    out.extend_from_slice(b"x-forwarded-for: ");
    let has_hops = word.has_x_forwarded && push_members(head, "x-forwarded-for", out);
    if let Some(client) = client.filter(|_| !has_hops) {
        template::client_ip(client, out);
        out.extend_from_slice(b", ");
    }
    let address_start = out.len();
    template::client_ip(peer, out);
    let address = address_start..out.len();
    push_host(head, word, out);
    out.extend_from_slice(match head.scheme {
        Scheme::Http => b"\r\nx-forwarded-proto: http\r\nforwarded: ".as_slice(),
        Scheme::Https => b"\r\nx-forwarded-proto: https\r\nforwarded: ",
    });
    let has_elements = word.has_forwarded && push_members(head, "forwarded", out);
    if let Some(client) = client.filter(|_| !has_elements) {
        push_node(client, out, |out| template::client_ip(client, out));
        push_parameters(head, out);
        out.extend_from_slice(b", ");
    }
    push_node(peer, out, |out| out.extend_from_within(address));
    if client.is_none() && !has_elements {
        push_parameters(head, out);
    }
    out.extend_from_slice(b"\r\nvia: ");
    if word.is_trusted {
        push_members(head, "via", out);
    }
    out.extend_from_slice(match head.version {
        Version::Http10 => b"1.0 kiln\r\n".as_slice(),
        Version::Http11 => b"1.1 kiln\r\n",
        Version::Http2 => b"2 kiln\r\n",
        Version::Http3 => b"3 kiln\r\n",
    });
}

/// Appends what the lines of that name hold, as the front of a list; whether they hold anything.
fn push_members(head: &Head<'_>, name: &str, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    for value in head.fields.all(name).filter(|value| !value.is_empty()) {
        out.extend_from_slice(value);
        out.extend_from_slice(b", ");
    }
    out.len() > start
}

/// Appends X-Forwarded-Host, behind a line that has no end yet: that of a trusted proxy where it has sent one, else what the client asks for.
fn push_host(head: &Head<'_>, word: Word, out: &mut Vec<u8>) {
    const NAME: &[u8] = b"\r\nx-forwarded-host: ";
    if word.has_x_forwarded
        && let mut values = head.fields.all("x-forwarded-host")
        && let (Some(value), None) = (values.next(), values.next())
        && !value.is_empty()
    {
        out.extend_from_slice(NAME);
        out.extend_from_slice(value);
    } else if !head.host.is_empty() {
        out.extend_from_slice(NAME);
        push_authority(head, out);
    }
}

/// Appends `for=` and an address (RFC 7239 §6.1: one of IPv6 in brackets, and therefore quoted).
fn push_node(address: IpAddr, out: &mut Vec<u8>, push_address: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(if address.is_ipv6() { b"for=\"[".as_slice() } else { b"for=" });
    push_address(out);
    if address.is_ipv6() {
        out.extend_from_slice(b"]\"");
    }
}

/// Appends what the client asked for, and by which scheme. A host with a port, and an address in brackets, are no tokens.
fn push_parameters(head: &Head<'_>, out: &mut Vec<u8>) {
    let quote: &[u8] = if head.port.is_some() || head.host.starts_with('[') { b"\"" } else { b"" };
    if !head.host.is_empty() {
        out.extend_from_slice(b";host=");
        out.extend_from_slice(quote);
        push_authority(head, out);
        out.extend_from_slice(quote);
    }
    out.extend_from_slice(match head.scheme {
        Scheme::Http => b";proto=http".as_slice(),
        Scheme::Https => b";proto=https",
    });
}
