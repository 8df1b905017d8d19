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

/// nginx, on the search path or where systems keep it for their administrators.
pub fn nginx() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = env::split_paths(&path).chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")]);
    directories.map(|directory| directory.join("nginx")).find(|program| program.is_file())
}

/// Version and hash, for `env.json`.
pub fn describe(program: &Path) -> Result<Value, Fault> {
    let output = Command::new(program).arg("-v").output().map_err(Fault::file(program))?;
    let version = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Ok(json!({ "version": version, "sha256": hash::file(program)? }))
}

/// Fills a template in: `@DIR@` is the directory, each `@PORT:name@` a free port. Gives the file and the listeners.
pub fn configure(template: &Path, directory: &Path) -> Result<(PathBuf, BTreeMap<String, SocketAddr>), Fault> {
    let text = fs::read_to_string(template).map_err(Fault::file(template))?;
    let mut text = text.replace("@DIR@", &directory.display().to_string());
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
    let file = directory.join("nginx.conf");
    fs::write(&file, text).map_err(Fault::file(&file))?;
    Ok((file, addresses))
}
