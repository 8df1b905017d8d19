//! The site whose trees are files of every kind: one binary for the tests of names, trees, races and conditions.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use crate::{
    docroot,
    server::Server,
    site::{Profile, build, copy_tree, repository, scratch},
    table::Kind,
    tools,
};

/// The hosts that have the document root, and what they serve it from.
pub const HOSTS: &[(&str, Kind)] =
    &[("root.test", Kind::Root), ("embedded.test", Kind::Embedded), ("dated.test", Kind::Dated), ("encoded.test", Kind::Encoded)];

/// `tests/sites/files`, compiled beside a document root of its own.
static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    copy_tree(&repository().join("tests/sites/files"), &directory());
    docroot::make(&directory());
    build(directory().join("site.kdl"), Profile::Dev, &[])
});

/// For who starts it in another way.
pub fn binary() -> &'static Path {
    &BINARY
}

/// Where it lies, with its document root.
fn directory() -> PathBuf {
    scratch("sites").join("files")
}

/// Starts it where it was built, so that roots and embedded trees are the same files.
pub fn start_at_home() -> Server {
    start(&directory())
}

/// Starts it in a directory that holds what it is asked for.
pub fn start(directory: &Path) -> Server {
    Server::start(&BINARY, directory)
}

/// The same as a process that file permissions bind, whoever runs the tests. `None`: the test is skipped, and that has been said.
pub fn start_bound(directory: &Path) -> Option<Server> {
    if !rustix::process::geteuid().is_root() {
        return Some(start(directory));
    }
    let mut command = Command::new(tools::find("setpriv")?);
    // The superuser without the capabilities that pass over permissions.
    command.args(["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]).arg(&*BINARY);
    Some(Server::start_command(command.current_dir(directory)))
}
