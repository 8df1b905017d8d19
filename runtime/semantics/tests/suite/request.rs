//! One request as bytes, scanned and viewed: what the other tests ask questions of.

use std::net::{IpAddr, Ipv4Addr};

use semantics::head::{self, Arrival, FieldSpan, Head, HeadFault, ScanLimits, Scanned, Scheme, Scratch};

pub(crate) const LIMITS: ScanLimits = ScanLimits { head_bytes: 32 << 10, fields: 100 };

pub(crate) const ARRIVAL: Arrival = Arrival::direct(IpAddr::V4(Ipv4Addr::new(203, 0, 113, 9)), Scheme::Https);

/// Scan and view of `bytes`, then `ask`; `None` where the head is not complete.
pub(crate) fn judge<T>(bytes: &[u8], ask: impl FnOnce(&Scanned, &Head<'_>) -> T) -> Result<Option<T>, HeadFault> {
    let mut table: Vec<FieldSpan> = Vec::new();
    let Some(scanned) = head::scan(bytes, LIMITS, &mut table)? else { return Ok(None) };
    let mut scratch = Scratch::default();
    let head = head::view(bytes, &scanned, &table, &mut scratch, ARRIVAL)?;
    Ok(Some(ask(&scanned, &head)))
}

/// Asks about a request with a target and field lines (each with its CRLF).
#[track_caller]
pub(crate) fn ask<T>(target: &str, lines: &str, ask: impl FnOnce(&Head<'_>) -> T) -> T {
    let bytes = format!("GET {target} HTTP/1.1\r\nHost: shop.example\r\n{lines}\r\n");
    match judge(bytes.as_bytes(), |_, head| ask(head)) {
        Ok(Some(answer)) => answer,
        other => panic!("{bytes:?}: {:?}", other.map(|_| ())),
    }
}
