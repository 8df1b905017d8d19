//! The site whose routes are proxied in every way: one binary, started anew for each test with the endpoints that the test brings.

use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
};

use crate::{
    client::Client,
    server::Server,
    site::{Profile, build, copy_tree, repository, scratch},
};

static BINARY: LazyLock<PathBuf> = LazyLock::new(|| build("tests/sites/proxy/site.kdl", Profile::Dev, &[]));

/// For who starts it in another way.
pub fn binary() -> &'static Path {
    &BINARY
}

/// A running site.
#[derive(Debug)]
pub struct Proxied {
    pub server: Server,
    directory: PathBuf,
}

/// A line of its access log.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Logged(Vec<String>);

/// The parts of a line, as the site's template has them.
const PARTS: [&str; 7] = ["method", "target", "status", "sent", "received", "outcome", "cause"];

impl Proxied {
    /// Starts it in a directory of its own, with addresses for its endpoints.
    pub fn start(name: &str, endpoints: &[(&str, SocketAddr)]) -> Self {
        Self::start_binary(&BINARY, name, endpoints)
    }

    /// The same with another build of the site.
    pub fn start_binary(binary: &Path, name: &str, endpoints: &[(&str, SocketAddr)]) -> Self {
        // Tests of one name run at the same time.
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let directory = scratch("proxied").join(format!("{name}-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        // It is not there in the first run.
        drop(fs::remove_dir_all(&directory));
        copy_tree(&repository().join("tests/sites/proxy/tree"), &directory.join("tree"));
        let mut command = Command::new(binary);
        command.current_dir(&directory).envs(endpoints.iter().map(|(name, address)| (name, address.to_string())));
        Self { server: Server::start_command(&mut command), directory }
    }

    /// One endpoint, `ONE`.
    pub fn with(name: &str, one: SocketAddr) -> Self {
        Self::start(name, &[("ONE", one)])
    }

    /// A new connection to it.
    pub fn client(&self) -> Client {
        self.server.client()
    }

    /// Ends it, and gives what it has logged.
    pub fn logged(self) -> Vec<Logged> {
        let (status, lines) = self.server.stop();
        assert!(status.success(), "{status}: {lines:?}");
        let text = fs::read_to_string(self.directory.join("access.log")).expect("an access log");
        text.lines().map(|line| Logged(line.split('\t').map(str::to_owned).collect())).collect()
    }
}

impl Logged {
    /// One part of it.
    pub fn get(&self, part: &str) -> &str {
        let at = PARTS.iter().position(|known| *known == part).unwrap_or_else(|| panic!("no part {part}"));
        &self.0[at]
    }
}
