//! Compressed forms on disk, by content hash: `HASH.br9`. An empty file says that the form is not smaller than the content.
//!
//! Several compilers may share the directory: a form appears whole or not at all, and whoever comes second writes the same bytes.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

use semantics::negotiate::Coding;

use super::compress;

pub(super) struct Store {
    directory: PathBuf,
    /// Number of the next file being written, which tells the threads apart.
    next: AtomicU32,
}

impl Store {
    pub(super) fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), next: AtomicU32::new(0) }
    }

    /// The form of `body`, whose hash is `hash`; `None` where it is not smaller.
    pub(super) fn form(&self, hash: &[u8; 32], coding: Coding, body: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let path = self.directory.join(format!("{}.{}", hex(hash), compress::label(coding)));
        let form = match fs::read(&path) {
            Ok(form) => form,
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.add(&path, coding, body)?,
            Err(error) => return Err(error),
        };
        Ok((!form.is_empty()).then_some(form))
    }

    fn add(&self, path: &Path, coding: Coding, body: &[u8]) -> io::Result<Vec<u8>> {
        let mut form = compress::compress(coding, body)?;
        if form.len() >= body.len() {
            form.clear();
        }
        fs::create_dir_all(&self.directory)?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.directory.join(format!("unfinished-{}-{number}", process::id()));
        fs::write(&unfinished, &form)?;
        fs::rename(&unfinished, path)?;
        Ok(form)
    }
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
