//! The embedded files of the site as one blob.
#![forbid(unsafe_code)]

pub static BLOB: &[u8] = include_bytes!("../assets.bin");
