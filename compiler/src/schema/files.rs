//! `files` and the words in its block.

use super::{Argument, Block, Count, Kind, Property, Repeat, Scope, Since, Word, action::ACTION};
use crate::resolve::inherit;

/// The names of the codings that a compressed sibling can have.
pub const CODINGS: &[&str] = &["zstd", "br", "gzip"];

pub(super) const WORDS: &[Word] = &[
    Word {
        name: "files",
        scopes: ACTION,
        arguments: &[Argument { name: "directory", kind: Kind::LateText, count: Count::One }],
        properties: &[super::LATE_DEFAULT],
        block: Block::Optional(Scope::Files),
        doc: "Answers with the files below a directory, which without `embed` is read as requests come, and may be relative to the working directory of the server. Conditions, entity tags and byte ranges (up to 16 parts) are included. The path of a directory with an index or a listing gets its last slash by a 308.",
        example: r#"route "/downloads/*" { files "/srv/downloads" }
route "/*" { files "public" { embed; index "index.html" } }"#,
        ..Word::NEW
    },
    Word {
        name: "embed",
        doc: "Packs the directory into the binary at build time.",
        properties: &[Property {
            name: "last-modified",
            kind: Kind::Bool,
            is_required: false,
            doc: "Answers say when the file was changed, which is another time in every copy of the sources.",
            since: Since::Version("0.1.0"),
        }],
        example: r#"files "public" { embed }"#,
        ..FILES
    },
    Word {
        name: "index",
        arguments: &[Argument { name: "name", kind: Kind::Text, count: Count::One }],
        default: Some(inherit::INDEX),
        doc: "The file that stands for its directory.",
        example: r#"files "public" { embed; index "index.html" }"#,
        ..FILES
    },
    Word {
        name: "try",
        arguments: &[Argument { name: "name", kind: Kind::Text, count: Count::Many }],
        doc: "Names tried in order where no file has the path's own; `{path}` is the path below the route.",
        example: r#"files "/srv/site" { try "{path}.html" "{path}/index.html" }"#,
        ..FILES
    },
    Word {
        name: "spa",
        arguments: &[Argument { name: "name", kind: Kind::Text, count: Count::One }],
        doc: "The page that answers every path without a file, but hidden ones and those that end as other files do (`.js`, `.css`, `.png`).",
        example: r#"files "public" { embed; spa "index.html" }"#,
        ..FILES
    },
    Word {
        name: "miss",
        block: Block::Required(Scope::Miss),
        doc: "The action for a path without a file, and for every method but GET and HEAD.",
        example: r#"files "public" {
    embed
    miss { respond 404 "there is no such page\n" }
}"#,
        ..FILES
    },
    Word {
        name: "listing",
        doc: "A directory without its index shows what it holds: as a page, or as JSON to clients that prefer it.",
        example: r#"files "/srv/downloads" { listing }"#,
        ..FILES
    },
    Word {
        name: "immutable",
        arguments: &[Argument { name: "glob", kind: Kind::Text, count: Count::Many }],
        repeat: Repeat::Many,
        doc: "Files that never change under their name, so that clients keep them for a year. A glob without `/` is of the last part of the name; `*` and `?` stop at `/`, `**` is any number of parts.",
        example: r#"files "/srv/site" { immutable "*-????????.js" "assets/**" }"#,
        ..FILES
    },
    Word {
        name: "precompressed",
        arguments: &[Argument { name: "coding", kind: Kind::Choice(CODINGS), count: Count::Any }],
        doc: "Sends the compressed files that lie beside the plain ones (`.zst`, `.br`, `.gz`) to clients that take them; without a name all three. They are sent as they are: that one holds what its plain file does is for who makes it.",
        example: r#"files "/srv/site" { precompressed "br" "gzip" }"#,
        ..FILES
    },
    Word {
        name: "symlinks",
        doc: "Follows links that stay below the directory; embedded trees always do.",
        example: r#"files "/srv/site" { symlinks }"#,
        ..FILES
    },
    Word {
        name: "hidden",
        doc: "Serves names that begin with a dot, and backups, too.",
        example: r#"files "/srv/site" { hidden }"#,
        ..FILES
    },
];

/// The defaults of a word in the block.
const FILES: Word = Word { scopes: &[Scope::Files], ..Word::NEW };
