//! The site whose trees are files of every kind: one binary for the tests of names, trees, races and conditions.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use crate::{
    docroot,
    server::Server,
    site::{Profile, build, repository, scratch, write},
    table::Kind,
};

/// The hosts that have the document root, and what they serve it from.
pub const HOSTS: &[(&str, Kind)] = &[("root.test", Kind::Root), ("embedded.test", Kind::Embedded)];

/// `tests/sites/files`, compiled beside a document root of its own.
static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let text = fs::read_to_string(repository().join("tests/sites/files/site.kdl")).expect("a site of the repository");
    let entry = write("files", &[("site.kdl", &text)]);
    docroot::make(&directory());
    build(entry, Profile::Dev, &[])
});

/// Where it lies, with its document root.
fn directory() -> PathBuf {
    scratch("sites").join("files")
}

/// Starts it where it was built, so that roots and embedded trees are the same files.
pub fn start_at_home() -> Server {
    Server::start(&BINARY, &directory())
}

/// Starts it in a directory that holds what it is asked for.
pub fn start(directory: &Path) -> Server {
    Server::start(&BINARY, directory)
}
