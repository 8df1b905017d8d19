//! Guard words: several nodes must all hold, several arguments of one: any; a name alone: present.

use super::{Argument, Block, Count, Kind, Repeat, Scope, Word};

pub(super) const WORDS: &[Word] = &[
    leaf("path", &[many("pattern")], "The path is taken by one of the patterns."),
    leaf("method", &[many("method")], "The method is one of these."),
    leaf("host", &[many("host")], "The host is one of these names or wildcards."),
    Word {
        name: "header",
        scopes: &[Scope::Guard],
        arguments: &[
            Argument { name: "name", kind: Kind::Text, count: Count::One },
            Argument { name: "value", kind: Kind::Text, count: Count::Any },
        ],
        repeat: Repeat::Many,
        doc: "Any line of the header has one of the values; without values: the header is present.",
        ..Word::NEW
    },
    branch("any", "At least one of the conditions holds."),
    branch("all", "All of the conditions hold."),
    branch("not", "The conditions do not all hold."),
];

const fn leaf(name: &'static str, arguments: &'static [Argument], doc: &'static str) -> Word {
    Word { name, scopes: &[Scope::Guard], arguments, repeat: Repeat::Many, doc, ..Word::NEW }
}

const fn many(name: &'static str) -> Argument {
    Argument { name, kind: Kind::Text, count: Count::Many }
}

const fn branch(name: &'static str, doc: &'static str) -> Word {
    Word { name, scopes: &[Scope::Guard], block: Block::Required(Scope::Guard), repeat: Repeat::Many, doc, ..Word::NEW }
}
