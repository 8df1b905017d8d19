//! The embedded files and the large maps of the site, as blobs.
#![forbid(unsafe_code)]

pub static BLOB: &[u8] = include_bytes!("../assets.bin");
