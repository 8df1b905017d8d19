//! The top level, `site` and what stands in it.

use super::{Argument, Block, Count, Kind, Property, Repeat, Scope, Since, Word};
use crate::resolve::inherit;

const KIB: u64 = 1024;
const GIB: u64 = KIB * KIB * KIB;

pub(super) const WORDS: &[Word] = &[
    Word {
        name: "site",
        scopes: &[Scope::Top],
        arguments: &[Argument { name: "name", kind: Kind::Text, count: Count::One }],
        properties: &[Property {
            name: "language",
            kind: Kind::Integer(1, 1_000),
            is_required: true,
            doc: "The version of the site language that the file is written in: 1.",
            since: Since::Version("0.1.0"),
        }],
        block: Block::Required(Scope::Site),
        is_required: true,
        doc: "Names the site and holds what is said for all of it.",
        example: r#"site "shop" language=1 {
    listen "0.0.0.0:8080"
}"#,
        ..Word::NEW
    },
    Word {
        name: "include",
        scopes: &[Scope::Top],
        arguments: &[Argument { name: "pattern", kind: Kind::Text, count: Count::One }],
        repeat: Repeat::Many,
        doc: "Reads other files in its place, sorted by name; relative to the file that says it.",
        example: r#"include "vhosts/*.kdl""#,
        ..Word::NEW
    },
    Word {
        name: "allow-lint",
        scopes: &[Scope::Top, Scope::Site, Scope::Vhost, Scope::Group, Scope::Route, Scope::Files, Scope::Upstream],
        arguments: &[Argument { name: "code", kind: Kind::Text, count: Count::One }],
        properties: &[Property {
            name: "reason",
            kind: Kind::Text,
            is_required: true,
            doc: "Why the lint does not apply here.",
            since: Since::Version("0.1.0"),
        }],
        repeat: Repeat::Many,
        doc: "Silences a lint in the block it stands in (at the top level: in its file, in `site`: everywhere), with a reason.",
        example: r#"vhost "soon.example" {
    allow-lint "K0402" reason="its routes come with the launch"
}"#,
        ..Word::NEW
    },
    Word {
        name: "trusted-proxies",
        scopes: &[Scope::Site],
        arguments: &[Argument { name: "network", kind: Kind::Text, count: Count::Many }],
        properties: &[Property {
            name: "fields",
            kind: Kind::Choice(&["either", "forwarded", "x-forwarded"]),
            is_required: false,
            doc: "The fields that these proxies write; `either`: both are read, and refused with 400 where they contradict each other.",
            since: Since::Version("0.1.0"),
        }],
        default: Some(inherit::FORWARDING_FIELDS),
        doc: "Networks of proxies whose word about the client's address and scheme counts; nobody is believed without it.",
        example: r#"trusted-proxies "10.0.0.0/8" "2001:db8::/32" fields="x-forwarded""#,
        ..Word::NEW
    },
    Word {
        name: "workers",
        scopes: &[Scope::Site],
        arguments: &[Argument { name: "count", kind: Kind::Integer(1, 1024), count: Count::One }],
        doc: "How many worker threads serve requests; one for each core without it.",
        example: r#"workers 4"#,
        ..Word::NEW
    },
    Word {
        name: "limits",
        scopes: &[Scope::Site],
        block: Block::Required(Scope::Limits),
        doc: "Upper bounds, each for the whole process.",
        example: r#"limits { connections 4096; head "16KiB"; fields 64; body "1MiB" }"#,
        ..Word::NEW
    },
    Word {
        name: "connections",
        scopes: &[Scope::Limits],
        arguments: &[Argument { name: "count", kind: Kind::Integer(1, 10_000_000), count: Count::One }],
        default: Some(inherit::CONNECTIONS),
        doc: "Connections open at a time; one more is answered with 503.",
        example: r#"limits { connections 4096 }"#,
        ..Word::NEW
    },
    Word {
        name: "connections-per-client",
        scopes: &[Scope::Limits],
        arguments: &[Argument { name: "count", kind: Kind::Integer(1, 10_000_000), count: Count::One }],
        doc: "Connections of one client open at a time (an IPv6 /64 is one client, trusted proxies are none); one more is answered with 429. No limit without it.",
        example: r#"limits { connections-per-client 256 }"#,
        ..Word::NEW
    },
    Word {
        name: "requests",
        scopes: &[Scope::Limits],
        arguments: &[Argument { name: "count", kind: Kind::Integer(1, 100_000_000), count: Count::One }],
        default: Some(inherit::REQUESTS),
        doc: "Requests in flight at a time, beside those that are answered at once; one more is answered with 503.",
        example: r#"limits { requests 8192 }"#,
        ..Word::NEW
    },
    Word {
        name: "head",
        scopes: &[Scope::Limits],
        arguments: &[Argument { name: "size", kind: Kind::Size(KIB, KIB * KIB), count: Count::One }],
        default: Some(inherit::HEAD),
        doc: "Bytes of a request's head; more is answered with 431, or 414 where the request line alone is longer.",
        example: r#"limits { head "16KiB" }"#,
        ..Word::NEW
    },
    Word {
        name: "fields",
        scopes: &[Scope::Limits],
        arguments: &[Argument { name: "count", kind: Kind::Integer(1, 1000), count: Count::One }],
        default: Some(inherit::FIELDS),
        doc: "Field lines of a request's head; more is answered with 431.",
        example: r#"limits { fields 64 }"#,
        ..Word::NEW
    },
    Word {
        name: "body",
        scopes: &[Scope::Limits],
        arguments: &[Argument { name: "size", kind: Kind::Size(0, 1024 * GIB), count: Count::One }],
        default: Some(inherit::BODY),
        doc: "Bytes of a request's body; more is answered with 413.",
        example: r#"limits { body "1MiB" }"#,
        ..Word::NEW
    },
    Word {
        name: "memory",
        scopes: &[Scope::Limits],
        arguments: &[Argument { name: "size", kind: Kind::Size(KIB * KIB, 1024 * GIB), count: Count::One }],
        doc: "Bytes of buffers; a request that waits for some longer than five seconds is answered with 503. No limit without it.",
        example: r#"limits { memory "512MiB" }"#,
        ..Word::NEW
    },
    Word {
        name: "delivery",
        scopes: &[Scope::Site],
        arguments: &[Argument { name: "when", kind: Kind::Text, count: Count::One }],
        default: Some(inherit::DELIVERY),
        doc: "When answers are written: `\"immediate\"` each for itself, `\"coalesce\"` together while requests lie in the input (64 KiB at most), or at so many bytes; none ever waits for a request that has not come.",
        example: r#"delivery "16KiB""#,
        ..Word::NEW
    },
    Word {
        name: "timeouts",
        scopes: &[Scope::Site],
        block: Block::Required(Scope::Timeouts),
        doc: "How long the server waits for a client.",
        example: r#"timeouts { head "5s"; body "30s"; idle "60s"; write "30s"; drain "20s" }"#,
        ..Word::NEW
    },
    timeout("head", inherit::HEAD_TIMEOUT, "From the first byte of a request to the end of its head.", r#"timeouts { head "20s" }"#),
    timeout(
        "body",
        inherit::BODY_TIMEOUT,
        "In each such span a request's body comes to its end or moves on by 500 bytes a second; else 408.",
        r#"timeouts { body "20s" }"#,
    ),
    timeout("idle", inherit::IDLE_TIMEOUT, "From one answer to the next request of a connection.", r#"timeouts { idle "20s" }"#),
    timeout(
        "write",
        inherit::WRITE_TIMEOUT,
        "In each such span the client takes 500 bytes a second of an answer, or the rest of it; else it is given up.",
        r#"timeouts { write "20s" }"#,
    ),
    timeout("drain", inherit::DRAIN_TIMEOUT, "From the order to stop until open connections are closed.", r#"timeouts { drain "20s" }"#),
];

const fn timeout(name: &'static str, default: &'static str, doc: &'static str, example: &'static str) -> Word {
    const DURATION: &[Argument] = &[Argument { name: "duration", kind: Kind::Duration, count: Count::One }];
    Word { name, scopes: &[Scope::Timeouts], arguments: DURATION, default: Some(default), doc, example, ..Word::NEW }
}
