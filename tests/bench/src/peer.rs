//! Other servers: where they are, which they are, and their configurations, which are filled in at each start.

use std::{
    collections::BTreeMap,
    env, fs,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::{fault::Fault, hash};

/// Which program.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Peer {
    Haproxy,
    Nginx,
}

impl Peer {
    /// The name of its program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Haproxy => "haproxy",
            Self::Nginx => "nginx",
        }
    }

    /// The ending of its configurations.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Haproxy => "cfg",
            Self::Nginx => "conf",
        }
    }

    /// Its program, on the search path or where systems keep it for their administrators.
    pub fn program(self) -> Option<PathBuf> {
        let path = env::var_os("PATH").unwrap_or_default();
        let directories = env::split_paths(&path).chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")]);
        directories.map(|directory| directory.join(self.name())).find(|program| program.is_file())
    }

    /// How it is started, in the foreground.
    pub fn command(self, program: &Path, directory: &Path, file: &Path) -> Command {
        let mut command = Command::new(program);
        match self {
            Self::Haproxy => command.arg("-db").arg("-C").arg(directory).arg("-f").arg(file),
            Self::Nginx => command.arg("-p").arg(directory).arg("-c").arg(file),
        };
        command
    }

    /// Version and hash, for `env.json`.
    pub fn describe(self, program: &Path) -> Result<Value, Fault> {
        let output = Command::new(program).arg("-v").output().map_err(Fault::file(program))?;
        let said = [output.stdout, output.stderr].concat();
        let version = String::from_utf8_lossy(&said).lines().next().unwrap_or_default().to_owned();
        Ok(json!({ "version": version, "sha256": hash::file(program)? }))
    }

    /// Fills a template in: `@DIR@` is the directory, `@ORIGIN@` where requests go on to, each `@PORT:name@` a free port. Gives the file and the listeners.
    pub fn configure(
        self,
        template: &Path,
        directory: &Path,
        origin: Option<SocketAddr>,
    ) -> Result<(PathBuf, BTreeMap<String, SocketAddr>), Fault> {
        let text = fs::read_to_string(template).map_err(Fault::file(template))?;
        let origin = origin.map(|origin| origin.to_string()).unwrap_or_default();
        let mut text = text.replace("@DIR@", &directory.display().to_string()).replace("@ORIGIN@", &origin);
        let mut addresses = BTreeMap::new();
        // All are held until the last is chosen, so that they differ.
        let mut held = Vec::new();
        while let Some((_, rest)) = text.split_once("@PORT:") {
            let name = rest.split('@').next().unwrap_or_default().to_owned();
            let listener = TcpListener::bind("127.0.0.1:0").map_err(Fault::io("a free port"))?;
            let address = listener.local_addr().map_err(Fault::io("a free port"))?;
            text = text.replace(&format!("@PORT:{name}@"), &address.port().to_string());
            addresses.insert(name, address);
            held.push(listener);
        }
        let file = directory.join(self.name()).with_extension(self.extension());
        fs::write(&file, text).map_err(Fault::file(&file))?;
        Ok((file, addresses))
    }
}
