//! The files of a tree, sorted by their path.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use semantics::files;

use super::{FaultKind, SkipReason};

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Path below the tree with `/` between parts, and where the file lies.
    pub(super) files: Vec<(String, PathBuf)>,
    pub(super) skipped: Vec<(String, SkipReason)>,
}

/// Where a walk failed: path below the tree, and why.
type WalkFault = (String, FaultKind);

/// Walks `root`, without dotfiles (but `.well-known`) and backups. Links are followed within the tree, each directory once on its way down.
pub(super) fn walk(root: &Path) -> Result<Walked, WalkFault> {
    let real_root = fs::canonicalize(root).map_err(|error| io_fault("", &error))?;
    let mut walked = Walked::default();
    let mut above = BTreeSet::new();
    Walk { real_root, walked: &mut walked, above: &mut above }.directory(root, "")?;
    walked.files.sort();
    walked.skipped.sort();
    Ok(walked)
}

struct Walk<'a> {
    real_root: PathBuf,
    walked: &'a mut Walked,
    /// Directories that are being walked, without links: a link to one of them would never end.
    above: &'a mut BTreeSet<PathBuf>,
}

impl Walk<'_> {
    fn directory(&mut self, directory: &Path, path: &str) -> Result<(), WalkFault> {
        let real = fs::canonicalize(directory).map_err(|error| io_fault(path, &error))?;
        if !self.above.insert(real.clone()) {
            return Ok(());
        }
        for entry in fs::read_dir(directory).map_err(|error| io_fault(path, &error))? {
            let entry = entry.map_err(|error| io_fault(path, &error))?;
            let Ok(name) = entry.file_name().into_string() else {
                return Err((join(path, &entry.file_name().to_string_lossy()), FaultKind::NotUtf8));
            };
            if !files::is_hidden(name.as_bytes()) {
                self.entry(&entry.path(), join(path, &name))?;
            }
        }
        self.above.remove(&real);
        Ok(())
    }

    fn entry(&mut self, source: &Path, path: String) -> Result<(), WalkFault> {
        let real = match fs::canonicalize(source) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.walked.skipped.push((path, SkipReason::DanglingLink));
                return Ok(());
            }
            Err(error) => return Err(io_fault(&path, &error)),
        };
        if !real.starts_with(&self.real_root) {
            self.walked.skipped.push((path, SkipReason::LeavesTree));
            return Ok(());
        }
        let kind = fs::metadata(&real).map_err(|error| io_fault(&path, &error))?.file_type();
        if kind.is_dir() {
            return self.directory(source, &path);
        }
        if kind.is_file() {
            self.walked.files.push((path, source.to_owned()));
        } else {
            self.walked.skipped.push((path, SkipReason::Special));
        }
        Ok(())
    }
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

fn io_fault(path: &str, error: &io::Error) -> WalkFault {
    (path.to_owned(), FaultKind::Io(error.to_string()))
}
