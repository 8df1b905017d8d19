//! The codings that an embedded file is stored in beside its own bytes.

use std::io::{self, Write};

use semantics::negotiate::Coding;

// Measured on a tenth of the Python documentation (5.7 MB, one core): brotli 9 takes 2.0 s for 849 kB, 10 takes 7.2 s for 771 kB, 11 takes 16 s for 752 kB;
// zstd 17 takes 0.9 s for 865 kB, 19 takes 2.0 s for 861 kB; gzip 9 takes 0.1 s for 980 kB. The whole of it is to cost less than a minute on two cores.
const BROTLI_QUALITY: u32 = 9;
/// Log2 of bytes: what every decoder accepts without asking (RFC 7932 §9.1).
const BROTLI_WINDOW: u32 = 22;
const GZIP_LEVEL: u32 = 9;
const ZSTD_LEVEL: i32 = 17;

/// Level in the name of a stored form: another level is another form.
pub(super) fn label(coding: Coding) -> String {
    match coding {
        Coding::Zstd => format!("zstd{ZSTD_LEVEL}"),
        Coding::Brotli => format!("br{BROTLI_QUALITY}"),
        Coding::Gzip => format!("gzip{GZIP_LEVEL}"),
        Coding::Identity => "identity".to_owned(),
    }
}

/// The bytes in that coding, the same for the same bytes.
pub(super) fn compress(coding: Coding, body: &[u8]) -> io::Result<Vec<u8>> {
    match coding {
        Coding::Zstd => zstd(body),
        Coding::Brotli => brotli(body),
        Coding::Gzip => gzip(body),
        Coding::Identity => Ok(body.to_vec()),
    }
}

/// The frame names its size, and its window stays within the 8 MiB that HTTP clients accept (RFC 9659).
fn zstd(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
    compressor.set_parameter(zstd::zstd_safe::CParameter::WindowLog(23))?;
    compressor.compress(body)
}

fn brotli(body: &[u8]) -> io::Result<Vec<u8>> {
    let parameters = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY.cast_signed(),
        lgwin: BROTLI_WINDOW.cast_signed(),
        size_hint: body.len(),
        ..Default::default()
    };
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut &body[..], &mut out, &parameters)?;
    Ok(out)
}

/// Without a name and a time in its header.
fn gzip(body: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(GZIP_LEVEL));
    encoder.write_all(body)?;
    encoder.finish()
}
