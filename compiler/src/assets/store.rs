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

/// Number of the next file being written, which tells the threads of this process apart, also where several stores share a directory.
static NEXT: AtomicU32 = AtomicU32::new(0);

pub(super) struct Store {
    directory: PathBuf,
}

impl Store {
    pub(super) fn new(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
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
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_of_one_directory_never_write_to_one_file() {
        let directory = std::env::temp_dir().join(format!("kiln-store-{}", process::id()));
        let texts: Vec<Vec<u8>> = (0..64_u8).map(|number| vec![number; 4096]).collect();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let store = Store::new(&directory);
                    for (number, text) in texts.iter().enumerate() {
                        store.form(&[number as u8; 32], Coding::Gzip, text).unwrap();
                    }
                });
            }
        });
        let store = Store::new(&directory);
        for (number, text) in texts.iter().enumerate() {
            let form = store.form(&[number as u8; 32], Coding::Gzip, text).unwrap();
            assert_eq!(form, Some(compress::compress(Coding::Gzip, text).unwrap()), "{number}");
        }
        fs::remove_dir_all(&directory).unwrap();
    }
}
