//! What the answers of several vhosts are encoded by.

use runtime::{Encoding, coders};

/// `encode` of the site
pub static SITE_ENCODE: Encoding = Encoding::new(
    &[coders::ZSTD, coders::BROTLI, coders::GZIP],
    512,
);
