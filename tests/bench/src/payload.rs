//! The bodies that are served: fixed bytes that no coding makes smaller, so that every server sends the same ones whatever a client accepts.

use std::{fs, path::Path};

use crate::fault::Fault;

/// Body of the answers that come from the configuration itself.
pub const RESPOND: &[u8] = b"hello world\n";
/// Sizes of the files, in bytes.
pub const SIZES: [usize; 3] = [1_040, 65_536, 1_048_576];

/// The body of a size: the configuration's own for its length, else the file's.
pub fn body(bytes: usize) -> Vec<u8> {
    if bytes == RESPOND.len() { RESPOND.to_vec() } else { noise(bytes) }
}

/// Name of the file of a size.
pub fn name(bytes: usize) -> String {
    format!("{bytes}.bin")
}

/// Writes the files to a directory.
pub fn write(directory: &Path) -> Result<(), Fault> {
    fs::create_dir_all(directory).map_err(Fault::file(directory))?;
    for bytes in SIZES {
        let path = directory.join(name(bytes));
        let body = noise(bytes);
        // Written once: a peer's file cache sees the same file in every run.
        if fs::read(&path).ok().as_ref() != Some(&body) {
            fs::write(&path, body).map_err(Fault::file(&path))?;
        }
    }
    Ok(())
}

/// xorshift64 (Marsaglia 2003) from a fixed seed.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut body = Vec::with_capacity(bytes + 8);
    while body.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        body.extend_from_slice(&state.to_le_bytes());
    }
    body.truncate(bytes);
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;

    #[test]
    fn bodies_are_the_same_bytes_for_ever() {
        assert_eq!(hash::bytes(&body(12)), "a948904f2f0f479b8f8197694b30184b0d2ed1c1cd2a1ec0fb85d299a192a447");
        assert_eq!(body(65_536)[..1_040], body(1_040)[..]);
    }
}
