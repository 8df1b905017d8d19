//! The one cargo workspace in the user's cache that every site is built in: unpacked runtime, settled lockfile, shared target directory.
//!
//! ```text
//! CACHE/lock                                        held while a site is built
//! CACHE/target/                                     shared by all workspaces and profiles
//! CACHE/HASH/{Cargo.toml, Cargo.lock, runtime/, site/}   HASH: of runtime and lockfile
//! ```
//! Paths inside the workspace are the same for everyone, which reproducible builds rest on (docs/decisions/0004). Only what changed is written. Cargo
//! decides by modification times, so everything is touched when another workspace used the target directory last.

use std::{
    collections::BTreeSet,
    env, fs,
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{
    fingerprint,
    package::{Package, PackageFault, Written, write_if_changed},
    packed,
};

/// Profiles as `cargo.rs` selects them; `dev` is `release` with the site's own crate unoptimised, so that both share all dependencies.
const CARGO_TOML: &str = "# Written by kiln: the runtime, and the site that was built last.
[workspace]
resolver = \"3\"
members = [\"runtime\", \"runtime/semantics\", \"site\"]

[profile.release]
opt-level = 3
codegen-units = 16
debug = false
incremental = false
lto = false
panic = \"unwind\"

# Compiled once for all sites with the same features: as one unit each they are faster, smaller and cost less to compile.
[profile.release.package.\"*\"]
codegen-units = 1

[profile.release.package.kiln-runtime]
codegen-units = 1

[profile.release.package.kiln-semantics]
codegen-units = 1

[profile.ship]
inherits = \"release\"
codegen-units = 1
lto = \"fat\"
";

/// Hex digits of the hash in a workspace's name.
const NAME_DIGITS: usize = 16;

/// The workspace, ours alone until it is dropped.
#[derive(Debug)]
pub struct Workspace {
    pub directory: PathBuf,
    pub target: PathBuf,
    _lock: File,
}

/// `KILN_CACHE_DIR`, or `kiln` in the user's cache directory; `None` where the environment names none.
pub fn cache() -> Option<PathBuf> {
    let directory = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let xdg = || directory("XDG_CACHE_HOME").filter(|path| path.is_absolute()).map(|path| path.join("kiln"));
    let home = || directory("HOME").map(|path| path.join(".cache/kiln"));
    let cache = directory("KILN_CACHE_DIR").or_else(xdg).or_else(home)?;
    std::path::absolute(cache).ok()
}

impl Workspace {
    /// Opens the workspace of this kiln in `cache`; calls `wait` before it blocks for another kiln that builds there.
    pub fn open(cache: &Path, wait: &mut dyn FnMut()) -> Result<Self, PackageFault> {
        fs::create_dir_all(cache).map_err(|error| fault(cache, error))?;
        let cache = &fs::canonicalize(cache).map_err(|error| fault(cache, error))?;
        let lock = lock(&cache.join("lock"), wait)?;
        let hash = fingerprint::workspace();
        let directory = cache.join(&hash[..NAME_DIGITS]);
        let workspace = Self { directory, target: cache.join("target"), _lock: lock };
        for (path, contents) in packed::runtime() {
            write_if_changed(&workspace.directory.join(path), contents)?;
        }
        write_if_changed(&workspace.directory.join("Cargo.toml"), CARGO_TOML.as_bytes())?;
        if write_if_changed(&workspace.target.join("kiln-workspace"), hash.as_bytes())? {
            touch(&workspace.directory)?;
        }
        Ok(workspace)
    }

    /// Puts a site in.
    pub fn put(&self, site: &Package) -> Result<Written, PackageFault> {
        let written = site.write(&self.site())?;
        self.seed(site.files().contains_key("assets/Cargo.toml"))?;
        Ok(written)
    }

    pub fn site(&self) -> PathBuf {
        self.directory.join("site")
    }

    /// Whether cargo has yet to write the lockfile's entries for the site itself.
    pub fn is_settled(&self) -> bool {
        self.directory.join("settled").exists()
    }

    /// Takes the lockfile as cargo has written it, if every package in it is one that kiln brought. Gives what is not.
    pub fn settle(&self) -> Result<Result<(), String>, PackageFault> {
        let path = self.directory.join("Cargo.lock");
        let text = fs::read_to_string(&path).map_err(|error| fault(&path, error))?;
        if let Some(foreign) = foreign_package(&text, packed::lockfile()) {
            return Ok(Err(foreign));
        }
        write_if_changed(&self.directory.join("settled"), b"").map(|_| Ok(()))
    }

    /// The lockfile to start from, anew where the site's own dependencies are others than before.
    fn seed(&self, has_assets: bool) -> Result<(), PackageFault> {
        let seed: &[u8] = if has_assets { b"with embedded files\n" } else { b"without embedded files\n" };
        if write_if_changed(&self.directory.join("seed"), seed)? || !self.directory.join("Cargo.lock").exists() {
            drop(fs::remove_file(self.directory.join("settled")));
            write_if_changed(&self.directory.join("Cargo.lock"), packed::lockfile().as_bytes())?;
        }
        Ok(())
    }
}

fn lock(path: &Path, wait: &mut dyn FnMut()) -> Result<File, PackageFault> {
    let file = File::options().create(true).truncate(false).write(true).open(path).map_err(|error| fault(path, error))?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => wait(),
        Err(TryLockError::Error(error)) => return Err(fault(path, error)),
    }
    file.lock().map_err(|error| fault(path, error))?;
    Ok(file)
}

/// Makes every file below `directory` newer than anything that was built.
fn touch(directory: &Path) -> Result<(), PackageFault> {
    let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
    for entry in entries.filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            touch(&path)?;
        } else {
            let file = File::options().append(true).open(&path).map_err(|error| fault(&path, error))?;
            file.set_modified(SystemTime::now()).map_err(|error| fault(&path, error))?;
        }
    }
    Ok(())
}

/// The first package of `lockfile` from a registry that `known` does not have in exactly that form.
fn foreign_package(lockfile: &str, known: &str) -> Option<String> {
    let known: BTreeSet<_> = registry_packages(known).collect();
    registry_packages(lockfile).find(|package| !known.contains(package)).map(|package| package.join(" "))
}

/// Name, version, source and checksum of each.
fn registry_packages(lockfile: &str) -> impl Iterator<Item = [&str; 4]> {
    lockfile.split("\n[[package]]\n").skip(1).filter_map(|entry| {
        let value = |key: &str| entry.lines().find_map(|line| Some(line.strip_prefix(key)?.strip_prefix(" = ")?.trim_matches('"')));
        Some([value("name")?, value("version")?, value("source")?, value("checksum")?])
    })
}

fn fault(path: &Path, error: io::Error) -> PackageFault {
    PackageFault::Io { path: path.to_owned(), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &str = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry\"\nchecksum = \"12\"\n\n[[package]]\nname = \"b\"\nversion = \"1.0.0\"\nsource = \"registry\"\nchecksum = \"34\"\n";

    #[test]
    fn lockfile_of_known_packages_has_no_foreign_one() {
        let settled = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry\"\nchecksum = \"12\"\n\n[[package]]\nname = \"site\"\nversion = \"0.0.0\"\n";
        assert_eq!(foreign_package(settled, KNOWN), None);
    }

    #[test]
    fn lockfile_with_other_checksum_is_foreign() {
        let other = KNOWN.replace("34", "56");
        assert_eq!(foreign_package(&other, KNOWN).as_deref(), Some("b 1.0.0 registry 56"));
    }
}
