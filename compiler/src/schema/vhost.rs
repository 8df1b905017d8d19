//! `vhost`, `route` and the words of a route that are neither action nor policy.

use super::{Argument, Block, Count, Kind, Property, Repeat, Scope, Since, Word};

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
                doc: "The listener, by name, that the vhost is reached on.",
                since: Since::Later,
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
        scopes: &[Scope::Route],
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
        scopes: &[Scope::Route],
        arguments: &[Argument { name: "mode", kind: Kind::Choice(&["keep", "raw"]), count: Count::One }],
        doc: "Takes paths with an encoded `/` or `\\`: `keep` in normal form, `raw` also as the client sent them; without it they are refused with 400.",
        example: r#"route "/files/*" { path "keep"; respond 200 "an encoded slash is part of a segment\n" }"#,
        ..Word::NEW
    },
];
