//! Who the client is, where a trusted proxy says so: the hops of X-Forwarded-For or Forwarded, read from the nearest one outwards.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kiln::model::{Site, TrustedProxies};
use semantics::{cidr::Prefix, client::ForwardingFields};

use crate::Request;

/// The client's address and the scheme it used; `None` where two kinds of fields contradict each other.
pub fn found(site: &Site, request: &Request) -> Option<(IpAddr, String)> {
    let peer = (request.client.to_canonical(), "http".to_owned());
    let Some(trusted) = site.trusted_proxies.as_ref() else { return Some(peer) };
    let said: Vec<_> = trusted_kinds(site, peer.0).iter().map(|kind| said(kind, trusted, request)).collect();
    let client = agreed(said.iter().filter_map(|(client, _)| *client))?;
    let scheme = agreed(said.iter().filter_map(|(_, scheme)| scheme.clone()))?;
    Some((client.unwrap_or(peer.0), scheme.unwrap_or(peer.1)))
}

/// The kinds of fields in which that peer is believed.
pub fn trusted_kinds(site: &Site, peer: IpAddr) -> &'static [&'static str] {
    match site.trusted_proxies.as_ref().filter(|trusted| is_trusted(trusted, peer)).map(|trusted| trusted.fields.value) {
        None => &[],
        Some(ForwardingFields::Either) => &["forwarded", "x-forwarded"],
        Some(ForwardingFields::Forwarded) => &["forwarded"],
        Some(ForwardingFields::XForwarded) => &["x-forwarded"],
    }
}

/// `Some(None)`: nobody says anything; `None`: two say different things.
#[expect(clippy::option_option, reason = "both are different answers")]
fn agreed<T: PartialEq>(mut said: impl Iterator<Item = T>) -> Option<Option<T>> {
    let first = said.next();
    said.all(|other| Some(&other) == first.as_ref()).then_some(first)
}

/// What one kind of field says of client and scheme.
fn said(kind: &str, trusted: &TrustedProxies, request: &Request) -> (Option<IpAddr>, Option<String>) {
    let lines = |name: &str| -> Vec<String> {
        let values = request.fields.iter().filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str());
        let items: Vec<&str> = values.flat_map(|value| value.split(',')).map(str::trim).filter(|item| !item.is_empty()).collect();
        items.into_iter().rev().map(str::to_owned).collect()
    };
    let hops: Vec<(Option<IpAddr>, Option<String>)> = match kind {
        "forwarded" => lines("forwarded").iter().map(|item| forwarded(item)).collect(),
        _ => lines("x-forwarded-for").iter().map(|item| (address(item), None)).collect(),
    };
    let mut client = None;
    let mut depth = 0;
    let peer = request.client.to_canonical();
    for (at, (address, _)) in hops.iter().enumerate() {
        depth = at;
        client = Some(address.or(client).unwrap_or(peer));
        if address.is_none_or(|address| !is_trusted(trusted, address)) {
            break;
        }
    }
    let schemes = lines("x-forwarded-proto");
    let said = match kind {
        "forwarded" => hops.get(depth).and_then(|(_, scheme)| scheme.clone()),
        // One for each hop, or one for all.
        _ => schemes.get(depth).or_else(|| schemes.last()).cloned(),
    };
    (client, said.and_then(|scheme| known(&scheme)))
}

fn known(scheme: &str) -> Option<String> {
    match scheme.to_ascii_lowercase().as_str() {
        "https" | "wss" => Some("https".to_owned()),
        "http" | "ws" => Some("http".to_owned()),
        _ => None,
    }
}

/// One element of Forwarded: what its `for` and its `proto` say.
fn forwarded(element: &str) -> (Option<IpAddr>, Option<String>) {
    let value = |name: &str| {
        let mut pairs = element.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim_matches('"').to_owned())
    };
    (value("for").and_then(|node| address(&node)), value("proto"))
}

/// An address, also with a port, IPv6 also in brackets.
fn address(text: &str) -> Option<IpAddr> {
    let bracketed = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let found = match bracketed {
        Some((address, _)) => address.parse::<Ipv6Addr>().ok().map(IpAddr::from),
        None => text.parse().ok().or_else(|| text.rsplit_once(':')?.0.parse::<Ipv4Addr>().ok().map(IpAddr::from)),
    };
    found.map(|address| address.to_canonical())
}

fn is_trusted(trusted: &TrustedProxies, address: IpAddr) -> bool {
    trusted.networks.iter().any(|network| holds(network.value, address))
}

/// Bit by bit from the left.
pub fn holds(network: Prefix, address: IpAddr) -> bool {
    let bit = |address: IpAddr, at: u8| match address {
        IpAddr::V4(address) => address.to_bits() >> (31 - at) & 1 == 1,
        IpAddr::V6(address) => address.to_bits() >> (127 - at) & 1 == 1,
    };
    let (first, address) = (network.first(), address.to_canonical());
    first.is_ipv4() == address.is_ipv4() && (0..network.bits()).all(|at| bit(first, at) == bit(address, at))
}
