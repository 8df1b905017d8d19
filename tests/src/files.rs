//! The site whose trees are files of every kind: one binary for the tests of names, trees, races and conditions.

use std::{fs, path::PathBuf, sync::LazyLock};

use crate::{
    server::Server,
    site::{Profile, build, repository, write},
};

/// `tests/sites/files`, compiled beside a document root of its own.
static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let text = fs::read_to_string(repository().join("tests/sites/files/site.kdl")).expect("a site of the repository");
    build(write("files", &[("site.kdl", &text)]), Profile::Dev, &[])
});

/// Starts it in a directory that holds what it is asked for.
pub fn start(directory: &std::path::Path) -> Server {
    Server::start(&BINARY, directory)
}
