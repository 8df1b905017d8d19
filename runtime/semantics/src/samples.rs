//! Heads and fields for unit tests, made the way the runtime makes them: scanned from bytes.

use std::net::{IpAddr, Ipv4Addr};

use crate::head::{self, Arrival, Fields, Head, ScanLimits, Scheme, Scratch};

/// Calls `then` with the head of `method target HTTP/1.1` for `shop.example` with these fields, sent from 192.0.2.1 without TLS.
pub(crate) fn with_head<R>(method: &str, target: &str, fields: &[(&str, &str)], then: impl FnOnce(&Head<'_>) -> R) -> R {
    let mut bytes = format!("{method} {target} HTTP/1.1\r\nhost: shop.example\r\n");
    for (name, value) in fields {
        bytes.push_str(&format!("{name}: {value}\r\n"));
    }
    bytes.push_str("\r\n");
    with_bytes(bytes.as_bytes(), then)
}

/// Calls `then` with the head that these bytes are.
pub(crate) fn with_bytes<R>(bytes: &[u8], then: impl FnOnce(&Head<'_>) -> R) -> R {
    scanned(bytes, then).unwrap()
}

/// Calls `then` with the head of `GET target`, where that is one.
pub(crate) fn with_head_if_valid<R>(target: &str, then: impl FnOnce(&Head<'_>) -> R) -> Option<R> {
    scanned(format!("GET {target} HTTP/1.1\r\nhost: a\r\n\r\n").as_bytes(), then)
}

fn scanned<R>(bytes: &[u8], then: impl FnOnce(&Head<'_>) -> R) -> Option<R> {
    let mut table = Vec::new();
    let limits = ScanLimits { head_bytes: 1 << 20, fields: 1000 };
    let scanned = head::scan(bytes, limits, &mut table).ok()??;
    let arrival = Arrival::direct(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), Scheme::Http);
    let mut scratch = Scratch::default();
    Some(then(&head::view(bytes, &scanned, &table, &mut scratch, arrival).ok()?))
}

/// Calls `then` with these fields (after a Host).
pub(crate) fn with_fields<R>(fields: &[(&str, &str)], then: impl FnOnce(Fields<'_>) -> R) -> R {
    with_head("GET", "/", fields, |head| then(head.fields))
}
