//! `proxy` and the words in its block.

use super::{Argument, Block, Count, Kind, LATE_DEFAULT, Property, Repeat, Scope, Since, Word, action::ACTION};
use crate::resolve::inherit;

pub(super) const WORDS: &[Word] = &[
    Word {
        name: "proxy",
        scopes: ACTION,
        arguments: &[Argument { name: "upstream", kind: Kind::Text, count: Count::One }],
        block: Block::Optional(Scope::Proxy),
        doc: "Sends the request on to an upstream, named or as the URL of its one endpoint, and its answer back. Both bodies stream; the path is the normal form, \
              the query unchanged. Hop-by-hop fields stay behind; `x-forwarded-for`, `-proto` and `-host`, `forwarded` and `via` say what is known of the client: \
              what it wrote there itself stays behind unless it is one of `trusted-proxies`.",
        example: r#"upstream "app" { endpoint "10.0.0.5:3000" }
vhost "shop.example" {
    route "/api/*" { proxy "app" { strip-prefix "/api" } }
    route "/old/*" { proxy "http://10.0.2.9:3000" }
    route "/*" { files "public" { miss { proxy "app" } } }
}"#,
        ..Word::NEW
    },
    Word {
        name: "strip-prefix",
        arguments: &[Argument { name: "prefix", kind: Kind::Text, count: Count::One }],
        doc: "Takes the beginning of the path away, which every path of the route has: `/api/users` becomes `/users`, and `/api` becomes `/`.",
        example: r#"route "/api/*" { proxy "http://10.0.0.5:3000" { strip-prefix "/api" } }"#,
        ..PROXY
    },
    Word {
        name: "target",
        arguments: &[Argument { name: "target", kind: Kind::Text, count: Count::One }],
        doc: "The path that the upstream gets, a template, such as `\"/v1{path}\"`; the query is kept unless it has one.",
        example: r#"route "/users/{id}" { proxy "http://10.0.0.5:3000" { target "/v2/user?id={id}" } }"#,
        ..PROXY
    },
    Word {
        name: "host",
        arguments: &[Argument { name: "host", kind: Kind::Text, count: Count::One }],
        default: Some(inherit::PROXIED_HOST),
        doc: "The Host that the upstream gets: `\"preserve\"` the client's, `\"endpoint\"` the endpoint's address, or this one.",
        example: r#"route "/*" { proxy "http://10.0.0.5:3000" { host "internal.example" } }"#,
        ..PROXY
    },
    Word {
        name: "upgrade",
        arguments: &[Argument { name: "protocol", kind: Kind::Text, count: Count::Many }],
        doc: "Protocols that may take the connection over, such as `\"websocket\"`; `\"*\"` any. A request for another one is sent on without its upgrade.",
        example: r#"route "/ws" { proxy "http://10.0.0.5:3000" { upgrade "websocket" } }"#,
        ..PROXY
    },
    Word {
        name: "intercept",
        block: Block::Required(Scope::Intercept),
        doc: "Answers in place of some answers of the upstream: a field decides before a status, and the first of those that hold.",
        example: r#"route "/*" {
    proxy "http://10.0.0.5:3000" {
        intercept {
            accel root="/srv/files"
            page 502 504 file="public/index.html"
            on 404 { redirect "/" }
        }
    }
}"#,
        ..PROXY
    },
    Word {
        name: "page",
        arguments: &[Argument { name: "status", kind: Kind::Status, count: Count::Many }],
        properties: &[Property {
            name: "file",
            kind: Kind::Text,
            is_required: true,
            doc: "The page, read at build time; relative to the file that names it.",
            since: Since::Version("0.1.0"),
        }],
        repeat: Repeat::Many,
        doc: "The file that is the body of the upstream's answers with these statuses, 400 to 599; the status is kept.",
        example: r#"route "/*" {
    proxy "http://10.0.0.5:3000" {
        intercept { page 502 504 file="public/index.html" }
    }
}"#,
        ..INTERCEPT
    },
    Word {
        name: "accel",
        properties: &[
            Property {
                name: "header",
                kind: Kind::Text,
                is_required: false,
                doc: "The field with the file's path below the root; `x-accel-redirect` without it.",
                since: Since::Version("0.1.0"),
            },
            Property {
                name: "root",
                kind: Kind::LateText,
                is_required: true,
                doc: "The directory of the host that holds the files; none outside of it is sent.",
                since: Since::Version("0.1.0"),
            },
            LATE_DEFAULT,
        ],
        repeat: Repeat::Many,
        doc: "Sends the file that the upstream names in a field of its answer.",
        example: r#"route "/downloads/*" {
    proxy "http://10.0.0.5:3000" {
        intercept { accel header="x-sendfile" root="/srv/files" }
    }
}"#,
        ..INTERCEPT
    },
    Word {
        name: "on",
        arguments: &[Argument { name: "status", kind: Kind::Status, count: Count::Any }],
        properties: &[Property {
            name: "header",
            kind: Kind::Text,
            is_required: false,
            doc: "A field, in the place of statuses: answers that have it.",
            since: Since::Version("0.1.0"),
        }],
        block: Block::Required(Scope::On),
        repeat: Repeat::Many,
        doc: "An action for the request that the upstream answered with one of these statuses, 200 to 599, or with a field.",
        example: r#"route "/*" {
    proxy "http://10.0.0.5:3000" {
        intercept {
            on 404 410 { proxy "http://10.0.2.9:3000" }
            on header="x-fallback" { redirect "/login" status=303 }
        }
    }
}"#,
        ..INTERCEPT
    },
];

/// The defaults of a word in `proxy`.
const PROXY: Word = Word { scopes: &[Scope::Proxy], ..Word::NEW };

/// The defaults of a word in `intercept`.
const INTERCEPT: Word = Word { scopes: &[Scope::Intercept], ..Word::NEW };
