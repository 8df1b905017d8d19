//! Guard words: several nodes must all hold, several arguments of one: any; a name alone: present.

use super::{Argument, Block, Count, Kind, Repeat, Scope, Word};

pub(super) const WORDS: &[Word] = &[
    leaf("path", &[many("pattern")], "The path is taken by one of the patterns.", r#"when { not { path "/public/*" "/" } }"#),
    leaf("method", &[many("method")], "The method is one of these.", r#"when { method "GET" "HEAD" }"#),
    leaf("host", &[many("host")], "The host is one of these names or wildcards.", r#"when { host "shop.example" "*.shop.example" }"#),
    Word {
        name: "header",
        scopes: &[Scope::Guard],
        arguments: &[
            Argument { name: "name", kind: Kind::Text, count: Count::One },
            Argument { name: "value", kind: Kind::Text, count: Count::Any },
        ],
        repeat: Repeat::Many,
        doc: "Any line of the header has one of the values; without values: the header is present.",
        example: r#"when { header "x-requested-with"; header "x-plan" "gold" "silver" }"#,
        ..Word::NEW
    },
    branch("any", "At least one of the conditions holds.", r#"when { any { method "POST"; header "x-draft" } }"#),
    branch("all", "All of the conditions hold.", r#"when { any { method "POST"; all { method "GET"; header "x-draft" } } }"#),
    branch("not", "The conditions do not all hold.", r#"when { not { header "cookie" } }"#),
];

const fn leaf(name: &'static str, arguments: &'static [Argument], doc: &'static str, example: &'static str) -> Word {
    Word { name, scopes: &[Scope::Guard], arguments, repeat: Repeat::Many, doc, example, ..Word::NEW }
}

const fn many(name: &'static str) -> Argument {
    Argument { name, kind: Kind::Text, count: Count::Many }
}

const fn branch(name: &'static str, doc: &'static str, example: &'static str) -> Word {
    Word { name, scopes: &[Scope::Guard], block: Block::Required(Scope::Guard), repeat: Repeat::Many, doc, example, ..Word::NEW }
}
