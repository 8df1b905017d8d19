//! The files of a directory that is embedded, sorted by their path, and what is left out of it.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use semantics::files;

/// What a walk found.
#[derive(Debug, Default)]
pub struct Walked {
    /// Path below the tree with `/` between parts, and where the file lies.
    pub files: Vec<(String, PathBuf)>,
    /// Sorted by path.
    pub left_out: Vec<LeftOut>,
}

/// Something in a tree that is not embedded and that its owner may expect there.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct LeftOut {
    /// Below the tree.
    pub path: String,
    pub reason: LeftOutReason,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum LeftOutReason {
    /// A symbolic link that leads nowhere.
    DanglingLink,
    /// A symbolic link to a directory that it lies in.
    LeadsUp,
    /// A symbolic link out of the tree.
    LeavesTree,
    /// Neither file nor directory.
    Special,
}

/// Where a walk failed.
#[derive(Debug)]
pub struct TreeFault {
    /// Below the tree.
    pub path: String,
    /// The system's words; none where the name is not UTF-8.
    pub error: Option<String>,
}

impl Walked {
    /// Where the file of that path lies.
    pub fn find(&self, path: &str) -> Option<&Path> {
        let at = self.files.binary_search_by(|(known, _)| known.as_str().cmp(path)).ok()?;
        Some(&self.files[at].1)
    }

    /// Whether there is a file of that path.
    pub fn has(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// Whether some file has another one beside it whose name has `extension` more.
    pub fn has_sibling(&self, extension: &str) -> bool {
        self.files.iter().any(|(path, _)| path.strip_suffix(extension).is_some_and(|plain| self.has(plain)))
    }
}

/// Walks `root`, without dotfiles (but `.well-known`) and backups unless they are served too. Links are followed within the tree, each directory once on its way down.
pub fn walk(root: &Path, serves_hidden: bool) -> Result<Walked, TreeFault> {
    let real_root = fs::canonicalize(root).map_err(|error| io_fault("", &error))?;
    let mut walked = Walked::default();
    let mut above = BTreeSet::new();
    Walk { real_root, serves_hidden, walked: &mut walked, above: &mut above }.directory(root, "")?;
    walked.files.sort();
    walked.left_out.sort();
    Ok(walked)
}

struct Walk<'a> {
    real_root: PathBuf,
    serves_hidden: bool,
    walked: &'a mut Walked,
    /// Directories that are being walked, without links: a link to one of them would never end.
    above: &'a mut BTreeSet<PathBuf>,
}

impl Walk<'_> {
    fn directory(&mut self, directory: &Path, path: &str) -> Result<(), TreeFault> {
        let real = fs::canonicalize(directory).map_err(|error| io_fault(path, &error))?;
        if !self.above.insert(real.clone()) {
            self.leave_out(path.to_owned(), LeftOutReason::LeadsUp);
            return Ok(());
        }
        for entry in fs::read_dir(directory).map_err(|error| io_fault(path, &error))? {
            let entry = entry.map_err(|error| io_fault(path, &error))?;
            let Ok(name) = entry.file_name().into_string() else {
                return Err(TreeFault { path: join(path, &entry.file_name().to_string_lossy()), error: None });
            };
            if self.serves_hidden || !files::is_hidden(name.as_bytes()) {
                self.entry(&entry.path(), join(path, &name))?;
            }
        }
        self.above.remove(&real);
        Ok(())
    }

    fn entry(&mut self, source: &Path, path: String) -> Result<(), TreeFault> {
        let real = match fs::canonicalize(source) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.leave_out(path, LeftOutReason::DanglingLink);
                return Ok(());
            }
            Err(error) => return Err(io_fault(&path, &error)),
        };
        if !real.starts_with(&self.real_root) {
            self.leave_out(path, LeftOutReason::LeavesTree);
            return Ok(());
        }
        let kind = fs::metadata(&real).map_err(|error| io_fault(&path, &error))?.file_type();
        if kind.is_dir() {
            return self.directory(source, &path);
        }
        if kind.is_file() {
            self.walked.files.push((path, source.to_owned()));
        } else {
            self.leave_out(path, LeftOutReason::Special);
        }
        Ok(())
    }

    fn leave_out(&mut self, path: String, reason: LeftOutReason) {
        self.walked.left_out.push(LeftOut { path, reason });
    }
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

fn io_fault(path: &str, error: &io::Error) -> TreeFault {
    TreeFault { path: path.to_owned(), error: Some(error.to_string()) }
}
