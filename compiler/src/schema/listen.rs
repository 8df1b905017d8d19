//! `listen` and what stands in it.

use super::{Argument, Block, Count, Kind, Property, Repeat, Scope, Since, Word};

pub(super) const WORDS: &[Word] = &[
    Word {
        name: "listen",
        scopes: &[Scope::Site],
        arguments: &[Argument { name: "address", kind: Kind::LateText, count: Count::One }],
        properties: &[
            property("name", Kind::Text, "A name by which a vhost can choose the listener."),
            property("mode", Kind::Text, "Permission bits of a Unix socket's file, octal; `\"0660\"` without it."),
            property("dual-stack", Kind::Bool, "An IPv6 address takes IPv4 clients as well."),
            super::LATE_DEFAULT,
        ],
        block: Block::Optional(Scope::Listen),
        repeat: Repeat::Many,
        is_required: true,
        doc: "Where to accept connections: an address and port, or `unix:` and the absolute path of a socket.",
        example: r#"listen "0.0.0.0:8080"
listen "[::]:8081" name="local" dual-stack=#true
listen "unix:/run/kiln/shop.sock" mode="0600""#,
        ..Word::NEW
    },
    Word {
        name: "congestion",
        scopes: &[Scope::Listen],
        arguments: &[Argument { name: "algorithm", kind: Kind::Text, count: Count::One }],
        doc: "The congestion control of the listener's connections, by the system's name for it; the system's own choice without it.",
        example: r#"listen "0.0.0.0:8080" { congestion "bbr" }"#,
        ..Word::NEW
    },
];

const fn property(name: &'static str, kind: Kind, doc: &'static str) -> Property {
    Property { name, kind, is_required: false, doc, since: Since::Version("0.1.0") }
}
