//! What an upstream is told of how a request came.

use std::net::IpAddr;

use crate::{Seen, forward::asked, path};

/// How the request came: what trusted proxies have written, and this connection behind it.
pub fn fields(kinds: &[&str], seen: &Seen<'_>) -> Vec<(String, String)> {
    let peer = seen.request.client.to_canonical();
    let written = |kind: &str, name: &str| -> Vec<String> {
        let lines = kinds.contains(&kind).then(|| seen.lines(name).filter(|line| !line.is_empty()).map(str::to_owned));
        lines.into_iter().flatten().collect()
    };
    let told = |hops: Vec<String>, client: String, peer: String| -> String {
        let client = (hops.is_empty() && seen.client != seen.request.client.to_canonical()).then_some(client);
        hops.into_iter().chain(client).chain([peer]).collect::<Vec<_>>().join(", ")
    };
    let node = |address: IpAddr| if address.is_ipv6() { format!("for=\"[{address}]\"") } else { format!("for={address}") };
    let quote = if path::port(&seen.request.host).is_some() || seen.host.starts_with('[') { "\"" } else { "" };
    let host = if seen.host.is_empty() { String::new() } else { format!(";host={quote}{}{quote}", asked(seen)) };
    let parameters = format!("{host};proto={}", seen.scheme);
    let elements = written("forwarded", "forwarded");
    // What was asked for is told of whoever asked.
    let of_peer = if elements.is_empty() && seen.client == peer { parameters.as_str() } else { "" };
    let forwarded = told(elements, format!("{}{parameters}", node(seen.client)), format!("{}{of_peer}", node(peer)));
    let hops = told(written("x-forwarded", "x-forwarded-for"), seen.client.to_string(), peer.to_string());
    let via: Vec<String> = if kinds.is_empty() { Vec::new() } else { seen.lines("via").map(str::to_owned).collect() };
    let via = via.into_iter().filter(|line| !line.is_empty()).chain(["1.1 kiln".to_owned()]).collect::<Vec<_>>().join(", ");
    let lines: Vec<&str> = seen.lines("x-forwarded-host").collect();
    let asked_before = kinds.contains(&"x-forwarded").then_some(&lines[..]);
    let x_host = match asked_before {
        Some([line]) if !line.is_empty() => (*line).to_owned(),
        _ => asked(seen),
    };
    let fields = [
        ("x-forwarded-for", hops),
        ("x-forwarded-host", x_host),
        ("x-forwarded-proto", seen.scheme.clone()),
        ("forwarded", forwarded),
        ("via", via),
    ];
    fields.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name.to_owned(), value)).collect()
}
