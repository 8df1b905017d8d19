//! Policies: words that tune an answer in `site`, `vhost` and `route`, outer scopes first.

use super::{Argument, Block, Count, Kind, Property, Repeat, Scope, Since, Word};

const NAME: Argument = Argument { name: "name", kind: Kind::Text, count: Count::One };
const NAMES: Argument = Argument { name: "names", kind: Kind::Text, count: Count::Many };

pub(super) const WORDS: &[Word] = &[
    Word {
        name: "headers",
        scopes: &[Scope::Site, Scope::Vhost, Scope::Route],
        block: Block::Required(Scope::Headers),
        doc: "Edits the headers of every answer of the scope, errors and 304 included.",
        example: r#"headers {
    set "x-content-type-options" "nosniff"
    default "cache-control" "max-age=300"
    add "link" "</style.css>; rel=preload; as=style"
    remove "x-powered-by"
}"#,
        ..Word::NEW
    },
    rule("set", "The header has exactly this value; drops outer rules of that name.", r#"headers { set "x-frame-options" "DENY" }"#),
    rule(
        "add",
        "One more line of the header; drops nothing.",
        r#"headers { add "link" "</next>; rel=next"; add "link" "</prev>; rel=prev" }"#,
    ),
    rule(
        "default",
        "The value where the answer has none of that name; drops outer rules of that name.",
        r#"headers { default "cache-control" "no-cache" }"#,
    ),
    Word {
        name: "remove",
        scopes: &[Scope::Headers, Scope::OnlyHeaders],
        arguments: &[NAMES],
        repeat: Repeat::Many,
        doc: "No header of these names, or of the names that begin as `\"x-*\"` says; drops outer rules of those names.",
        example: r#"headers { remove "server" "x-debug-*" }"#,
        ..Word::NEW
    },
    Word {
        name: "reset",
        scopes: &[Scope::Headers],
        doc: "Drops all rules of outer scopes.",
        example: r#"route "/plain" {
    headers { reset; set "x-only" "this one" }
    respond 200 "no header of an outer scope\n"
}"#,
        ..Word::NEW
    },
    Word {
        name: "only",
        scopes: &[Scope::Headers],
        properties: &[Property {
            name: "status",
            kind: Kind::Status,
            is_required: true,
            doc: "The status that an answer must have.",
            since: Since::Version("0.1.0"),
        }],
        block: Block::Required(Scope::OnlyHeaders),
        repeat: Repeat::Many,
        doc: "Rules for answers with one status; an inner rule drops an outer one only where it holds for all of its statuses.",
        example: r#"headers {
    only status=404 { set "cache-control" "no-store" }
}"#,
        ..Word::NEW
    },
];

const fn rule(name: &'static str, doc: &'static str, example: &'static str) -> Word {
    const ARGUMENTS: &[Argument] = &[NAME, Argument { name: "value", kind: Kind::Text, count: Count::One }];
    Word { name, scopes: &[Scope::Headers, Scope::OnlyHeaders], arguments: ARGUMENTS, repeat: Repeat::Many, doc, example, ..Word::NEW }
}
