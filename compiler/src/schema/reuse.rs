//! Words that name something once for use in many places: snippets, maps, named conditions.

use super::{Argument, Block, Count, Kind, Property, Repeat, Scope, Since, Word};

const NAME: &[Argument] = &[Argument { name: "name", kind: Kind::Text, count: Count::One }];

pub(super) const WORDS: &[Word] = &[
    Word {
        name: "snippet",
        scopes: &[Scope::Top],
        arguments: NAME,
        block: Block::Required(Scope::Snippet),
        repeat: Repeat::Many,
        doc: "Words for reuse. Its properties are its parameters with their defaults (`#null`: none); `$name` of one is replaced in every text.",
        example: r#"snippet "cached" age="60" {
    headers { set "cache-control" "max-age=$age" }
}
vhost "shop.example" {
    route "/news" { use "cached"; respond 200 "news\n" }
    route "/*" { use "cached" age="3600"; respond 200 "old\n" }
}"#,
        ..Word::NEW
    },
    Word {
        name: "use",
        scopes: &[Scope::Site, Scope::Vhost, Scope::Group, Scope::Route],
        arguments: NAME,
        repeat: Repeat::Many,
        doc: "Puts the words of a snippet in its place; its properties set the snippet's parameters.",
        example: r#"snippet "limited" size="1MiB" { limit-body "$size" }
vhost "shop.example" {
    use "limited" size="8MiB"
    route "/*" { respond 204 }
}"#,
        ..Word::NEW
    },
    Word {
        name: "match",
        scopes: &[Scope::Top],
        arguments: NAME,
        block: Block::Required(Scope::Guard),
        repeat: Repeat::Many,
        doc: "Names conditions for use in `when`.",
        example: r#"match "staff" { any { client-ip "10.0.0.0/8"; header "x-staff-key" (env)"STAFF_KEY" } }
vhost "shop.example" {
    route "/staff/*" { when { match "staff" }; respond 200 "welcome\n" }
}"#,
        ..Word::NEW
    },
    Word {
        name: "map",
        scopes: &[Scope::Top],
        arguments: NAME,
        properties: &[
            Property {
                name: "from",
                kind: Kind::Text,
                is_required: true,
                doc: "A template: the text that is looked for among the keys.",
                since: Since::Version("0.1.0"),
            },
            Property {
                name: "file",
                kind: Kind::Text,
                is_required: false,
                doc: "A file with a key, a tab and a value on each line; empty lines and those that begin with `#` are skipped.",
                since: Since::Version("0.1.0"),
            },
        ],
        block: Block::Optional(Scope::Map),
        repeat: Repeat::Many,
        doc: "Turns a text into another by a table: `{map.name}` is the value of the row whose key is equal, else the default, else empty.",
        example: r#"map "greeting" from="{query.lang}" {
    case "de" "moin"
    case "fr" "salut"
    default "hello"
}
vhost "shop.example" {
    route "/" { respond 200 "{map.greeting}\n" template=#true }
}"#,
        ..Word::NEW
    },
    Word {
        name: "case",
        scopes: &[Scope::Map],
        arguments: &[
            Argument { name: "key", kind: Kind::Text, count: Count::One },
            Argument { name: "value", kind: Kind::Text, count: Count::One },
        ],
        repeat: Repeat::Many,
        doc: "A row: a key and its value.",
        example: r#"map "moved" from="{path}" { case "/old" "/new"; case "/older" "/new" }"#,
        ..Word::NEW
    },
    Word {
        name: "default",
        scopes: &[Scope::Map],
        arguments: &[Argument { name: "value", kind: Kind::Text, count: Count::One }],
        doc: "The value of keys without a row.",
        example: r#"map "immutable" from="{query.v}" { case "" ""; default ", immutable" }"#,
        ..Word::NEW
    },
];
