//! Files and the build: K05xx.

use super::{Code, Entry, entry};

pub(super) const ENTRIES: &[Entry] = &[
    entry(
        Code::MissingDirectory,
        "the directory to embed does not exist",
        "`files` with `embed` packs the directory into the binary at build time. The path is relative to the\n\
         file that names it.",
    ),
    entry(
        Code::MissingFile,
        "a file that the site needs can't be read",
        "The table of a `map` (at most 256 MiB) and the pages of `errors` (at most 1 MiB each) are read when the\n\
         site is built. Paths are relative to the file that names them. The page of `spa` is a file of the directory\n\
         that is embedded.",
    ),
];
