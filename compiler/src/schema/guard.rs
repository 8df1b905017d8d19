//! Guard words: several nodes must all hold, several arguments of one: any; a name alone: present.

use super::{Argument, Block, Count, Kind, LATE_DEFAULT, Property, Repeat, Scope, Word};

pub(super) const WORDS: &[Word] = &[
    leaf("path", &[many("pattern")], "The path is taken by one of the patterns.", r#"when { not { path "/public/*" "/" } }"#),
    leaf(
        "extension",
        &[Argument { name: "extension", kind: Kind::Text, count: Count::Any }],
        "The last segment of the path ends in one of the extensions (without their dot), ignoring case; without arguments: in any.",
        r#"when { extension "php" "phtml" }"#,
    ),
    leaf(
        "regex",
        &[many("regex")],
        "The path in normal form is matched somewhere by one of the regular expressions; named groups become parameters of the route.",
        r#"route "/*" {
    when { regex "^/(?<year>[0-9]{4})/(?<slug>[a-z-]+)$" }
    redirect "/posts/{year}/{slug}"
}"#,
    ),
    leaf("method", &[many("method")], "The method is one of these.", r#"when { method "GET" "HEAD" }"#),
    leaf("host", &[many("host")], "The host is one of these names or wildcards.", r#"when { host "shop.example" "*.shop.example" }"#),
    valued(
        "header",
        "Any line of the header has one of the values; without values: the header is present.",
        r#"when { header "x-requested-with"; header "x-plan" "gold" "silver" }"#,
    ),
    valued(
        "query",
        "Any value of the query key is one of the values, decoded; without values: the key is present.",
        r#"when { query "preview"; query "lang" "de" "en" }"#,
    ),
    valued(
        "cookie",
        "Any cookie of the name has one of the values; without values: the cookie is present.",
        r#"when { cookie "session"; not { cookie "plan" "free" } }"#,
    ),
    leaf(
        "client-ip",
        &[many("network")],
        "The client's address is in one of the networks.",
        r#"when { client-ip "10.0.0.0/8" "2001:db8::/32" }"#,
    ),
    leaf(
        "protocol",
        &[Argument { name: "protocol", kind: Kind::Choice(&["h1", "h2", "h3"]), count: Count::Many }],
        "The request came by one of the protocols.",
        r#"when { protocol "h2" "h3" }"#,
    ),
    leaf(
        "map",
        &[many("map")],
        "A row (not the default) of one of the maps has the key.",
        r#"map "moved" from="{path}" { case "/old" "/new" }
vhost "shop.example" {
    route "/*" { when { map "moved" }; redirect "{map.moved}" status=301 }
}"#,
    ),
    leaf(
        "match",
        &[many("match")],
        "The conditions of one of the names hold.",
        r#"match "staff" { any { client-ip "10.0.0.0/8"; header "x-staff" } }
vhost "shop.example" {
    route "/staff/*" { when { match "staff" }; respond 200 "welcome\n" }
}"#,
    ),
    branch("any", "At least one of the conditions holds.", r#"when { any { method "POST"; header "x-draft" } }"#),
    branch("all", "All of the conditions hold.", r#"when { any { method "POST"; all { method "GET"; header "x-draft" } } }"#),
    branch("not", "The conditions do not all hold.", r#"when { not { header "cookie" } }"#),
];

const fn leaf(name: &'static str, arguments: &'static [Argument], doc: &'static str, example: &'static str) -> Word {
    Word { name, scopes: &[Scope::Guard], arguments, repeat: Repeat::Many, doc, example, ..Word::NEW }
}

/// A named thing of the request and the values it may have, which may be known at start only.
const fn valued(name: &'static str, doc: &'static str, example: &'static str) -> Word {
    const ARGUMENTS: &[Argument] = &[
        Argument { name: "name", kind: Kind::Text, count: Count::One },
        Argument { name: "value", kind: Kind::LateText, count: Count::Any },
    ];
    const PROPERTIES: &[Property] = &[LATE_DEFAULT];
    Word { properties: PROPERTIES, ..leaf(name, ARGUMENTS, doc, example) }
}

const fn many(name: &'static str) -> Argument {
    Argument { name, kind: Kind::Text, count: Count::Many }
}

const fn branch(name: &'static str, doc: &'static str, example: &'static str) -> Word {
    Word { name, scopes: &[Scope::Guard], block: Block::Required(Scope::Guard), repeat: Repeat::Many, doc, example, ..Word::NEW }
}
