//! The embedded files, large maps and records of the site, as blobs.
#![forbid(unsafe_code)]

pub static BLOB: &[u8] = include_bytes!("../assets.bin");
