//! The files of a generated package: written only where they changed, so that cargo rebuilds only what did.
//!
//! A directory that is not empty and holds no `manifest.txt` is not kiln's: nothing is written there. Files of an earlier package that the new one
//! does not have are removed from its own directories, and from nowhere else.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// The directories that belong to a package alone.
const OWN: &[&str] = &["assets", "pages", "regexes", "src"];

/// Contents by path, `/` between parts, relative to the package.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Package {
    files: BTreeMap<String, Vec<u8>>,
}

/// What became of a directory.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Written {
    pub files: usize,
    /// Written or removed.
    pub changed: usize,
}

/// Why a package was not written.
#[derive(Debug)]
pub enum PackageFault {
    /// The file system's fault at a path.
    Io { path: PathBuf, error: io::Error },
    /// The directory holds something that kiln did not write.
    NotOurs { directory: PathBuf },
}

impl Package {
    pub fn add(&mut self, path: &str, contents: impl Into<Vec<u8>>) {
        self.files.insert(path.to_owned(), contents.into());
    }

    pub fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// Makes `directory` hold this package.
    pub fn write(&self, directory: &Path) -> Result<Written, PackageFault> {
        refuse_foreign(directory)?;
        let mut changed = 0;
        for (path, contents) in &self.files {
            changed += usize::from(write_if_changed(&directory.join(path), contents)?);
        }
        for path in self.surplus(directory)? {
            fs::remove_file(directory.join(&path)).map_err(|error| io_fault(&directory.join(&path), error))?;
            changed += 1;
        }
        Ok(Written { files: self.files.len(), changed })
    }

    /// Paths whose contents `directory` does not have, or has too much, sorted.
    pub fn stale(&self, directory: &Path) -> Result<Vec<String>, PackageFault> {
        let mut stale = self.surplus(directory)?;
        for (path, contents) in &self.files {
            if !holds(&directory.join(path), contents)? {
                stale.push(path.clone());
            }
        }
        stale.sort();
        Ok(stale)
    }

    /// Files in the package's own directories that this package does not have.
    fn surplus(&self, directory: &Path) -> Result<Vec<String>, PackageFault> {
        let mut found = Vec::new();
        for own in OWN {
            list(directory, own, &mut found)?;
        }
        found.retain(|path| !self.files.contains_key(path));
        Ok(found)
    }
}

/// Writes a file unless it holds `contents` already; gives whether it did.
pub fn write_if_changed(path: &Path, contents: &[u8]) -> Result<bool, PackageFault> {
    if holds(path, contents)? {
        return Ok(false);
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| io_fault(parent, error))?;
    }
    fs::write(path, contents).map_err(|error| io_fault(path, error))?;
    Ok(true)
}

fn holds(path: &Path, contents: &[u8]) -> Result<bool, PackageFault> {
    match fs::read(path) {
        Ok(found) => Ok(found == contents),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(io_fault(path, error)),
    }
}

fn refuse_foreign(directory: &Path) -> Result<(), PackageFault> {
    let is_empty = match fs::read_dir(directory) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(io_fault(directory, error)),
    };
    if is_empty || directory.join("manifest.txt").is_file() {
        return Ok(());
    }
    Err(PackageFault::NotOurs { directory: directory.to_owned() })
}

/// Every file below `directory/below`, as paths relative to `directory`.
fn list(directory: &Path, below: &str, found: &mut Vec<String>) -> Result<(), PackageFault> {
    let at = directory.join(below);
    let entries = match fs::read_dir(&at) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(io_fault(&at, error)),
    };
    for entry in entries {
        let entry = entry.map_err(|error| io_fault(&at, error))?;
        let path = format!("{below}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            list(directory, &path, found)?;
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(())
}

fn io_fault(path: &Path, error: io::Error) -> PackageFault {
    PackageFault::Io { path: path.to_owned(), error }
}

impl std::fmt::Display for PackageFault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io { path, error } => write!(formatter, "{}: {error}", path.display()),
            Self::NotOurs { directory } => {
                write!(formatter, "{} is not empty and was not written by kiln: choose another directory", directory.display())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let directory = std::env::temp_dir().join(format!("kiln-package-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&directory));
        directory
    }

    fn package(files: &[(&str, &str)]) -> Package {
        let mut package = Package::default();
        files.iter().for_each(|(path, text)| package.add(path, *text));
        package
    }

    #[test]
    fn write_twice_changes_nothing() {
        let directory = scratch("twice");
        let package = package(&[("manifest.txt", "a"), ("src/main.rs", "fn main() {}")]);
        assert_eq!(package.write(&directory).unwrap(), Written { files: 2, changed: 2 });
        let modified = fs::metadata(directory.join("src/main.rs")).unwrap().modified().unwrap();
        assert_eq!(package.write(&directory).unwrap(), Written { files: 2, changed: 0 });
        assert_eq!(fs::metadata(directory.join("src/main.rs")).unwrap().modified().unwrap(), modified);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn write_removes_what_the_package_lost() {
        let directory = scratch("lost");
        package(&[("manifest.txt", "a"), ("src/old.rs", "")]).write(&directory).unwrap();
        fs::write(directory.join("notes.md"), "mine").unwrap();
        let new = package(&[("manifest.txt", "a"), ("src/new.rs", "")]);
        assert_eq!(new.stale(&directory).unwrap(), ["src/new.rs", "src/old.rs"]);
        assert_eq!(new.write(&directory).unwrap(), Written { files: 2, changed: 2 });
        assert!(new.stale(&directory).unwrap().is_empty());
        assert!(directory.join("notes.md").exists());
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn write_into_foreign_directory_is_refused() {
        let directory = scratch("foreign");
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("thesis.tex"), "mine").unwrap();
        let fault = package(&[("manifest.txt", "a")]).write(&directory).unwrap_err();
        assert!(matches!(fault, PackageFault::NotOurs { .. }), "{fault}");
        fs::remove_dir_all(directory).unwrap();
    }
}
