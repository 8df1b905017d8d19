//! A head that is cut anywhere says what the whole one says, and what is taken has a form that the rest of kiln relies on.

use std::net::Ipv4Addr;

use semantics::head::{self, Arrival, HeadFault, ScanLimits, Scanned, Scheme, Scratch};

/// Low, so that inputs of a few hundred bytes meet them.
const LIMITS: ScanLimits = ScanLimits { head_bytes: 512, fields: 12 };

pub(crate) fn check(bytes: &[u8]) {
    let whole = scan(bytes);
    for cut in 0..bytes.len() {
        match scan(&bytes[..cut]) {
            Ok(None) => {}
            early => assert_eq!(early, whole, "cut at {cut}: {:?}", String::from_utf8_lossy(bytes)),
        }
    }
    let mut table = Vec::new();
    let Ok(Some(scanned)) = head::scan(bytes, LIMITS, &mut table) else { return };
    assert!(scanned.head_bytes <= bytes.len() && bytes[..scanned.head_bytes].ends_with(b"\r\n\r\n"));
    assert!(table.len() <= usize::from(LIMITS.fields));
    let arrival = Arrival::direct(Ipv4Addr::LOCALHOST.into(), Scheme::Http);
    let mut scratch = Scratch::default();
    let Ok(head) = head::view(bytes, &scanned, &table, &mut scratch, arrival) else { return };
    assert!(head.path.text.starts_with('/') || head.path.text == "*");
    assert!(head.path.text.split('/').all(|segment| segment != "." && segment != ".."), "{:?}", head.path.text);
    assert!(!head.host.bytes().any(|byte| byte.is_ascii_uppercase() || byte <= b' ' || b"/?#@\\".contains(&byte)), "{:?}", head.host);
    for (name, value) in head.fields.iter() {
        assert!(!name.is_empty() && !value.iter().any(|&byte| (byte < b' ' && byte != b'\t') || byte == 0x7F));
    }
}

fn scan(bytes: &[u8]) -> Result<Option<Scanned>, HeadFault> {
    head::scan(bytes, LIMITS, &mut Vec::new())
}
