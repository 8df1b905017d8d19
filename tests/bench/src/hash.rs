//! SHA-256 in hexadecimal: of bytes, of a file, of a tree of files.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use crate::fault::Fault;

/// 64 hex digits.
pub fn bytes(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all");
        text
    })
}

/// The same of a file's contents.
pub fn file(path: &Path) -> Result<String, Fault> {
    fs::read(path).map(|contents| bytes(&contents)).map_err(Fault::file(path))
}

/// The same of the list of all files below a directory with their hashes.
pub fn tree(directory: &Path) -> Result<String, Fault> {
    let mut list = String::new();
    for path in files(directory)? {
        let name = path.strip_prefix(directory).unwrap_or(&path);
        writeln!(list, "{}  {}", file(&path)?, name.display()).expect("a string takes all");
    }
    Ok(bytes(list.as_bytes()))
}

/// All files below a directory, in order.
pub fn files(directory: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(Fault::file(directory))? {
        let path = entry.map_err(Fault::file(directory))?.path();
        if path.is_dir() { found.extend(files(&path)?) } else { found.push(path) }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    #[test]
    fn hash_of_nothing_is_the_standard_one() {
        assert_eq!(super::bytes(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
