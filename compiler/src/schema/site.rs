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
        ..Word::NEW
    },
    Word {
        name: "include",
        scopes: &[Scope::Top],
        arguments: &[Argument { name: "pattern", kind: Kind::Text, count: Count::One }],
        repeat: Repeat::Many,
        doc: "Reads other files in its place, sorted by name; relative to the file that says it.",
        ..Word::NEW
    },
    Word {
        name: "allow-lint",
        scopes: &[Scope::Top, Scope::Site, Scope::Vhost, Scope::Route, Scope::Files],
        arguments: &[Argument { name: "code", kind: Kind::Text, count: Count::One }],
        properties: &[Property {
            name: "reason",
            kind: Kind::Text,
            is_required: false,
            doc: "Why the lint does not apply here; it can't be left out.",
            since: Since::Version("0.1.0"),
        }],
        repeat: Repeat::Many,
        doc: "Silences a lint in the block it stands in (at the top level: in its file, in `site`: everywhere), with a reason.",
        ..Word::NEW
    },
    Word {
        name: "listen",
        scopes: &[Scope::Site],
        arguments: &[Argument { name: "address", kind: Kind::Text, count: Count::One }],
        properties: &[Property {
            name: "name",
            kind: Kind::Text,
            is_required: false,
            doc: "A name by which a vhost can choose the listener.",
            since: Since::Version("0.1.0"),
        }],
        block: Block::Optional(Scope::Listen),
        repeat: Repeat::Many,
        is_required: true,
        doc: "An address and port to accept connections on.",
        ..Word::NEW
    },
    Word {
        name: "workers",
        scopes: &[Scope::Site],
        arguments: &[Argument { name: "count", kind: Kind::Integer(1, 1024), count: Count::One }],
        doc: "How many worker threads serve requests; one for each core without it.",
        ..Word::NEW
    },
    Word {
        name: "limits",
        scopes: &[Scope::Site],
        block: Block::Required(Scope::Limits),
        doc: "Upper bounds, each for the whole process.",
        ..Word::NEW
    },
    Word {
        name: "connections",
        scopes: &[Scope::Limits],
        arguments: &[Argument { name: "count", kind: Kind::Integer(1, 10_000_000), count: Count::One }],
        default: Some(inherit::CONNECTIONS),
        doc: "Connections open at a time.",
        ..Word::NEW
    },
    Word {
        name: "head",
        scopes: &[Scope::Limits],
        arguments: &[Argument { name: "size", kind: Kind::Size(KIB, KIB * KIB), count: Count::One }],
        default: Some(inherit::HEAD),
        doc: "Bytes of a request's head; more is answered with 431, or 414 where the request line alone is longer.",
        ..Word::NEW
    },
    Word {
        name: "fields",
        scopes: &[Scope::Limits],
        arguments: &[Argument { name: "count", kind: Kind::Integer(1, 1000), count: Count::One }],
        default: Some(inherit::FIELDS),
        doc: "Field lines of a request's head; more is answered with 431.",
        ..Word::NEW
    },
    Word {
        name: "body",
        scopes: &[Scope::Limits],
        arguments: &[Argument { name: "size", kind: Kind::Size(0, 1024 * GIB), count: Count::One }],
        default: Some(inherit::BODY),
        doc: "Bytes of a request's body; more is answered with 413.",
        ..Word::NEW
    },
    Word {
        name: "timeouts",
        scopes: &[Scope::Site],
        block: Block::Required(Scope::Timeouts),
        doc: "How long the server waits for a client.",
        ..Word::NEW
    },
    timeout("head", inherit::HEAD_TIMEOUT, "From the first byte of a request to the end of its head."),
    timeout("body", inherit::BODY_TIMEOUT, "Between two pieces of a request's body."),
    timeout("idle", inherit::IDLE_TIMEOUT, "From one answer to the next request of a connection."),
    timeout("write", inherit::WRITE_TIMEOUT, "Between two pieces of an answer that the client takes."),
    timeout("drain", inherit::DRAIN_TIMEOUT, "From the order to stop until open connections are closed."),
];

const fn timeout(name: &'static str, default: &'static str, doc: &'static str) -> Word {
    const DURATION: &[Argument] = &[Argument { name: "duration", kind: Kind::Duration, count: Count::One }];
    Word { name, scopes: &[Scope::Timeouts], arguments: DURATION, default: Some(default), doc, ..Word::NEW }
}
