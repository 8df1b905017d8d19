//! The actions: a route has exactly one.

use super::{Argument, Block, Count, Kind, Property, Scope, Since, Word};
use crate::resolve::inherit;

/// The words that are a route's action, also those of later versions.
pub const ACTIONS: &[&str] = &["respond", "redirect", "refuse", "abort", "files", "proxy", "php", "split", "rewrite"];

pub(super) const WORDS: &[Word] = &[
    Word {
        name: "respond",
        scopes: &[Scope::Route],
        arguments: &[
            Argument { name: "status", kind: Kind::Status, count: Count::Optional },
            Argument { name: "body", kind: Kind::Text, count: Count::Optional },
        ],
        properties: &[
            property("content-type", Kind::Text, "The media type of the body."),
            property("template", Kind::Bool, "The body is a template."),
        ],
        default: Some(inherit::RESPOND_STATUS),
        doc: "Answers with a status (200 without one) and a body from the site file.",
        ..Word::NEW
    },
    Word {
        name: "redirect",
        scopes: &[Scope::Route],
        arguments: &[Argument { name: "target", kind: Kind::Text, count: Count::One }],
        properties: &[
            property("status", Kind::Status, "300, 301, 302, 303, 307 or 308."),
            property("query", Kind::Choice(&["drop"]), "`drop`: the request's query is not carried over."),
        ],
        default: Some(inherit::REDIRECT_STATUS),
        doc: "Sends the client elsewhere; the query is kept unless the target has one.",
        ..Word::NEW
    },
    Word {
        name: "refuse",
        scopes: &[Scope::Route],
        arguments: &[Argument { name: "status", kind: Kind::Status, count: Count::Optional }],
        default: Some(inherit::REFUSE_STATUS),
        doc: "Answers with an error status of kiln's own.",
        ..Word::NEW
    },
    Word { name: "abort", scopes: &[Scope::Route], doc: "Closes the connection without an answer.", ..Word::NEW },
    Word {
        name: "files",
        scopes: &[Scope::Route],
        arguments: &[Argument { name: "directory", kind: Kind::Text, count: Count::One }],
        block: Block::Optional(Scope::Files),
        doc: "Answers with the files below a directory.",
        ..Word::NEW
    },
    Word { name: "embed", scopes: &[Scope::Files], doc: "Packs the directory into the binary at build time.", ..Word::NEW },
    Word {
        name: "index",
        scopes: &[Scope::Files],
        arguments: &[Argument { name: "name", kind: Kind::Text, count: Count::One }],
        default: Some(inherit::INDEX),
        doc: "The file that stands for its directory.",
        ..Word::NEW
    },
];

const fn property(name: &'static str, kind: Kind, doc: &'static str) -> Property {
    Property { name, kind, is_required: false, doc, since: Since::Version("0.1.0") }
}
