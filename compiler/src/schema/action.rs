//! The actions: a route has exactly one.

use super::{Argument, Block, Count, Kind, Property, Repeat, Scope, Since, Word};
use crate::resolve::inherit;

/// The words that are a route's action, also those of later versions.
pub const ACTIONS: &[&str] = &["respond", "redirect", "refuse", "abort", "files", "proxy", "php", "split", "rewrite"];

/// Where an action stands.
pub(super) const ACTION: &[Scope] = &[Scope::Miss, Scope::On, Scope::Route, Scope::Share];

pub(super) const WORDS: &[Word] = &[
    Word {
        name: "respond",
        scopes: ACTION,
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
        example: r#"route "/healthz" { respond 200 "ok\n" }
route "/hello/{name}" { respond "hello, {name}\n" template=#true }
route "/robots.txt" { respond 200 "User-agent: *\n" content-type="text/plain" }"#,
        ..Word::NEW
    },
    Word {
        name: "redirect",
        scopes: ACTION,
        arguments: &[Argument { name: "target", kind: Kind::Text, count: Count::One }],
        properties: &[
            property("status", Kind::Status, "300, 301, 302, 303, 307 or 308."),
            property("query", Kind::Choice(&["drop"]), "`drop`: the request's query is not carried over."),
        ],
        default: Some(inherit::REDIRECT_STATUS),
        doc: "Sends the client elsewhere; the query is kept unless the target has one. A path that a value turns into another host is a 400.",
        example: r#"route "/old/{rest*}" { redirect "/new/{rest}" status=308 }
route "/login" { redirect "https://id.example/" query="drop" }"#,
        ..Word::NEW
    },
    Word {
        name: "refuse",
        scopes: ACTION,
        arguments: &[Argument { name: "status", kind: Kind::Status, count: Count::Optional }],
        default: Some(inherit::REFUSE_STATUS),
        doc: "Answers with an error status of kiln's own.",
        example: r#"route "/internal/*" { refuse }
route "/gone" { refuse 410 }"#,
        ..Word::NEW
    },
    Word {
        name: "abort",
        scopes: ACTION,
        doc: "Closes the connection without an answer.",
        example: r#"route "/wp-login.php" { abort }"#,
        ..Word::NEW
    },
    Word {
        name: "rewrite",
        scopes: &[Scope::Miss, Scope::Route, Scope::Share],
        arguments: &[Argument { name: "target", kind: Kind::Text, count: Count::One }],
        doc: "Starts matching once more with another path; the query is kept unless the target has one.",
        example: r#"route "/blog/{slug}" { rewrite "/posts/{slug}" }
route "/posts/{slug}" { respond 200 "{slug}\n" template=#true }"#,
        ..Word::NEW
    },
    Word {
        name: "split",
        scopes: &[Scope::Route],
        properties: &[Property {
            name: "by",
            kind: Kind::Text,
            is_required: true,
            doc: "A template: requests for which it renders the same text take the same share.",
            since: Since::Version("0.1.0"),
        }],
        block: Block::Required(Scope::Split),
        doc: "Shares requests among actions.",
        example: r#"split by="{client-ip}" {
    share 95 { respond 200 "as before\n" }
    share 5 { respond 200 "the new one\n" }
}"#,
        ..Word::NEW
    },
    Word {
        name: "share",
        scopes: &[Scope::Split],
        arguments: &[Argument { name: "weight", kind: Kind::Integer(0, 1_000_000), count: Count::One }],
        block: Block::Required(Scope::Share),
        repeat: Repeat::Many,
        is_required: true,
        doc: "An action and its part of the requests: its weight of the sum of all weights.",
        example: r#"split by="{cookie.id}" {
    share 1 { redirect "/a" }
    share 1 { redirect "/b" }
}"#,
        ..Word::NEW
    },
];

const fn property(name: &'static str, kind: Kind, doc: &'static str) -> Property {
    Property { name, kind, is_required: false, doc, since: Since::Version("0.1.0") }
}
