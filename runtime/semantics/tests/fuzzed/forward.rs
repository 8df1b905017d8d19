//! What kiln sends on of a request is one request to kiln and to hyper, the one that came; and nothing in it is a client's word of how it came.

use std::net::Ipv4Addr;

use semantics::{
    edits::{Action, Edit, Edits},
    forward::{self, Hop, HostPolicy, Policy, Target},
    head::{self, Arrival, Fields, Framing, ScanLimits, Scheme, Scratch},
    pattern::Captures,
    template::{Part, Subject},
};

use crate::pipeline::{self, Understood};

const LIMITS: ScanLimits = ScanLimits { head_bytes: 16 << 10, fields: 80 };

/// Names that only the next connection's own lines have.
const NEVER: [&str; 5] = ["keep-alive", "proxy", "proxy-authorization", "proxy-connection", "x-real-ip"];

const EDITS: Edits<'static> = Edits {
    appended: b"x-last: 1\r\n",
    rules: &[
        Edit { action: Action::Remove, name: "x-*", value: &[], only: &[], except: &[] },
        Edit { action: Action::Set, name: "x-path", value: &[Part::Header("x-t"), Part::Query], only: &[], except: &[] },
    ],
};

/// The first byte says by which policy.
pub(crate) fn check(bytes: &[u8]) {
    let Some((&choice, request)) = bytes.split_first() else { return };
    let (mut table, mut scratch) = (Vec::new(), Scratch::default());
    let Ok(Some(scanned)) = head::scan(request, LIMITS, &mut table) else { return };
    let arrival = Arrival::direct(Ipv4Addr::LOCALHOST.into(), Scheme::Http);
    let Ok(head) = head::view(request, &scanned, &table, &mut scratch, arrival) else { return };
    let Some((body, _)) = pipeline::body(scanned.framing, &request[scanned.head_bytes..]) else { return };
    let is_set = |bit: u8| choice >> bit & 1 != 0;
    let policy = Policy {
        target: if is_set(0) {
            Target::Template(&[Part::Text("/v2/"), Part::Path, Part::Header("x-t"), Part::QueryValue("a")])
        } else {
            Target::Same
        },
        host: if is_set(1) { HostPolicy::Endpoint } else { HostPolicy::Preserve },
        edits: if is_set(2) { &EDITS } else { &Edits::NONE },
        is_raw: is_set(3),
        upgrades: if is_set(4) { &["*"] } else { &[] },
    };
    let hop =
        Hop { endpoint: "e:1", trust: None, framing: scanned.framing, expects_continue: scanned.expects_continue, is_last: is_set(5) };
    let captures = Captures::default();
    let subject = Subject { head: &head, captures: &captures, status: 0, request_id: &"" };
    let mut out = Vec::new();
    if forward::head(&policy, &subject, &hop, &mut out).is_err() {
        assert!(out.is_empty());
        return;
    }
    let (head_bytes, shown) = (out.len(), String::from_utf8_lossy(&out).into_owned());
    let mut table = Vec::new();
    let again = head::scan(&out, LIMITS, &mut table).ok().flatten().unwrap_or_else(|| panic!("a head: {shown:?}"));
    assert_eq!((again.head_bytes, again.framing, again.method), (head_bytes, scanned.framing, scanned.method), "{shown:?}");
    assert_eq!(again.is_persistent, !is_set(5) || again.asks_upgrade, "{shown:?}");
    let fields = Fields::new(&out, &table);
    assert_eq!(fields.all("host").count(), 1, "{shown:?}");
    assert!(fields.iter().all(|(name, _)| !name.contains('_') && !NEVER.contains(&name)), "{shown:?}");
    if !is_set(2) {
        assert_eq!(fields.all("x-forwarded-for").collect::<Vec<_>>(), [b"127.0.0.1"], "{shown:?}");
        assert_eq!(fields.all("via").count(), 1, "{shown:?}");
    }
    push_body(scanned.framing, &body, &mut out);
    by_both(&out, &body, &shown);
}

fn push_body(framing: Framing, body: &[u8], out: &mut Vec<u8>) {
    match framing {
        Framing::Chunked if body.is_empty() => out.extend_from_slice(b"0\r\n\r\n"),
        Framing::Chunked => {
            out.extend_from_slice(format!("{:x}\r\n", body.len()).as_bytes());
            out.extend_from_slice(body);
            out.extend_from_slice(b"\r\n0\r\n\r\n");
        }
        Framing::Empty | Framing::Length(_) => out.extend_from_slice(body),
    }
}

fn by_both(bytes: &[u8], body: &[u8], shown: &str) {
    let ours = pipeline::by_kiln(bytes);
    let theirs = pipeline::by_hyper(bytes);
    let [Understood { body: ours_body, .. }] = ours.as_slice() else { panic!("one request: {shown:?}") };
    assert_eq!(ours_body, body, "{shown:?}");
    assert!(theirs.is_empty() || theirs == ours, "{shown:?}");
}
