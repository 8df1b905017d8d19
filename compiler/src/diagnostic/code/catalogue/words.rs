//! Words: K01xx.

use super::{Code, Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        Code::MissingWord,
        "a required word is missing",
        "The block lacks a word that it can't do without: a file needs a `site` and at least one `vhost`, a\n\
         site needs a `listen`, an upstream an `endpoint`.",
    ),
    entry(
        Code::MisplacedWord,
        "a word stands where it has no meaning",
        "The word exists, in another block. The message says in which ones.",
    ),
    entry(
        Code::DuplicateWord,
        "a word stands twice where it may stand once",
        "Nothing is quietly replaced: write the word once. Several values of one word are several arguments.",
    ),
    entry(
        Code::UnexpectedArgument,
        "an argument too many",
        "The word takes fewer arguments than were written. The message says which it takes.",
    ),
    entry(Code::MissingArgument, "a required argument is missing", "The word needs a value behind it. The message says which."),
    entry(
        Code::UnknownProperty,
        "a property that the word does not have",
        "Properties are written `name=value`. The message lists those that the word has.",
    ),
    entry(
        Code::UnknownWord,
        "an unknown word",
        "No word of the site language has this name. Words of nginx, Caddy, Ferron, HAProxy and Traefik are\n\
         answered with kiln's own; a word that is nearly right is answered with the nearest one.",
    ),
    entry(
        Code::DuplicateProperty,
        "a property stands twice",
        "In KDL the last of two equal properties would win in silence; here it is an error.",
    ),
    entry(Code::MissingProperty, "a required property is missing", "The word needs this property. The message says what it means."),
    entry(
        Code::NotInThisVersion,
        "a word of a later version",
        "The site language has this word, but this version of kiln does not understand it yet. What stands\n\
         inside it was not checked.",
    ),
    entry(
        Code::UnexpectedBlock,
        "a block where the word takes none",
        "The word has no `{ .. }`. What was meant may be an argument, or a word of its own.",
    ),
    entry(Code::EmptyBlock, "an empty block", "The word means nothing without at least one word inside its `{ .. }`."),
    entry(
        Code::UnknownAnnotation,
        "an unknown type annotation",
        "The site language knows the annotations `(env)\"NAME\"` and `(file)\"/path\"`, for values that only the\n\
         host knows.",
    ),
    entry(
        Code::UnknownParameter,
        "a `use` sets a parameter that its snippet has not",
        "The parameters of a snippet are the properties of its `snippet` node: `snippet \"hardened\" age=\"3600\"`\n\
         has one, which `use \"hardened\" age=\"60\"` sets.",
    ),
    entry(
        Code::MissingParameter,
        "a `use` leaves out a parameter without a default",
        "A parameter that is declared as `name=#null` has no default: each `use` of the snippet says its value.",
    ),
    entry(
        Code::UnusedParameter,
        "a snippet does not use one of its parameters",
        "A parameter stands as `$name` in a text of the snippet. In `$a-b` first a parameter `a-b` is looked\n\
         for, then `a`; a `$` before any other name is a dollar sign.",
    ),
    entry(
        Code::Contradiction,
        "settings that exclude each other",
        "Each could stand alone; together they say two things at once, or nothing. Leave one of them out.",
    ),
];
