//! `vhost`, `route` and the words of a route that are neither action nor policy.

use super::{Argument, Block, Count, Kind, Property, Repeat, Scope, Since, Word};
use crate::resolve::inherit;

pub(super) const WORDS: &[Word] = &[
    Word {
        name: "vhost",
        scopes: &[Scope::Top],
        arguments: &[Argument { name: "host", kind: Kind::Text, count: Count::Any }],
        properties: &[
            Property {
                name: "default",
                kind: Kind::Bool,
                is_required: false,
                doc: "Answers the hosts that no other vhost takes.",
                since: Since::Version("0.1.0"),
            },
            Property {
                name: "on",
                kind: Kind::Text,
                is_required: false,
                doc: "The listener, by name, that the vhost is reached on; all of them without it.",
                since: Since::Version("0.1.0"),
            },
        ],
        block: Block::Required(Scope::Vhost),
        repeat: Repeat::Many,
        is_required: true,
        doc: "What some hosts answer: exact names, or wildcards such as `*.example`.",
        example: r#"vhost "shop.example" "*.shop.example" {
    route "/*" { respond 200 "shop\n" }
}
vhost default=#true {
    route "/*" { refuse 421 }
}"#,
        ..Word::NEW
    },
    Word {
        name: "on",
        scopes: &[Scope::Vhost],
        arguments: &[Argument { name: "listener", kind: Kind::Text, count: Count::Many }],
        doc: "The listeners, by name, that the vhost is reached on, where `on=` is too few.",
        example: r#"site "demo" language=1 {
    listen "0.0.0.0:8080" name="public"
    listen "127.0.0.1:8081" name="local"
    listen "127.0.0.1:8082" name="metrics"
}
vhost "shop.example" {
    on "public" "local"
    route "/*" { respond 200 "shop\n" }
}
vhost default=#true on="metrics" {
    route "/*" { respond 200 "up\n" }
}"#,
        ..Word::NEW
    },
    Word {
        name: "canonical-host",
        scopes: &[Scope::Vhost],
        arguments: &[Argument { name: "host", kind: Kind::Text, count: Count::One }],
        properties: &[Property {
            name: "status",
            kind: Kind::Status,
            is_required: false,
            doc: "301, 302, 303, 307 or 308.",
            since: Since::Version("0.1.0"),
        }],
        default: Some(inherit::CANONICAL_STATUS),
        doc: "The host that the vhost answers; requests for its other hosts are sent there.",
        example: r#"vhost "shop.example" "www.shop.example" {
    canonical-host "shop.example" status=301
    route "/*" { respond 200 "shop\n" }
}"#,
        ..Word::NEW
    },
    Word {
        name: "group",
        scopes: &[Scope::Vhost, Scope::Group],
        arguments: &[Argument { name: "pattern", kind: Kind::Text, count: Count::Many }],
        block: Block::Required(Scope::Group),
        repeat: Repeat::Many,
        doc: "Routes that share conditions and policies; their patterns are absolute and lie inside the group's.",
        example: r#"group "/api/*" {
    limit-body "1MiB"
    headers { set "cache-control" "no-store" }
    route "/api/upload" { methods "PUT"; limit-body "100MiB"; respond 204 }
    route "/api/*" { respond 200 "{}\n" }
}"#,
        ..Word::NEW
    },
    Word {
        name: "route",
        scopes: &[Scope::Vhost, Scope::Group],
        arguments: &[Argument { name: "pattern", kind: Kind::Text, count: Count::Many }],
        block: Block::Required(Scope::Route),
        repeat: Repeat::Many,
        doc: "What the paths of some patterns answer: exactly one action, and policies.",
        example: r#"route "/" "/home" { respond 200 "home\n" }
route "/users/{id}" { respond 200 "user {id}\n" template=#true }
route "/docs/{rest*}" { redirect "https://docs.example/{rest}" }
route "/*" { refuse 404 }"#,
        ..Word::NEW
    },
    Word {
        name: "methods",
        scopes: &[Scope::Group, Scope::Route],
        arguments: &[Argument { name: "method", kind: Kind::Text, count: Count::Many }],
        doc: "The methods that the route takes; GET brings HEAD. Others are answered with 405.",
        example: r#"route "/form" { methods "POST" "PUT"; redirect "/thanks" status=303 query="drop" }
route "/thanks" { respond 200 "thanks\n" }"#,
        ..Word::NEW
    },
    Word {
        name: "when",
        scopes: &[Scope::Route, Scope::Group],
        block: Block::Required(Scope::Guard),
        doc: "Conditions that must all hold, else the next route of the pattern is asked.",
        example: r#"route "/" { when { host "m.shop.example" }; redirect "https://shop.example/" }
route "/" { respond 200 "shop\n" }"#,
        ..Word::NEW
    },
    Word {
        name: "path",
        scopes: &[Scope::Group, Scope::Route],
        arguments: &[Argument { name: "mode", kind: Kind::Choice(&["keep", "raw"]), count: Count::One }],
        doc: "Takes paths with an encoded `/` or `\\`: `keep` in normal form, `raw` also as the client sent them; without it they are refused with 400.",
        example: r#"route "/files/*" { path "keep"; respond 200 "an encoded slash is part of a segment\n" }"#,
        ..Word::NEW
    },
];
