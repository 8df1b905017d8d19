//! Reads values that are known on the host only, before any listener is bound (feature `late`; without it `late/absent.rs` stands here).
//!
//! All are looked for, so that everything that is missing is told at once. Blocks: the control thread calls it. A value that was read once is never read again.

use std::{
    env,
    fs::File,
    io::{self, Read},
};

use semantics::late::{LATE_BYTES_MAX, Late, Source};

/// Sets every value, or says of each that can't be had why not, in a line.
pub(crate) fn resolve(values: &[&Late<'_>]) -> Result<(), Vec<String>> {
    let faults: Vec<String> = values.iter().filter(|late| !late.is_set()).filter_map(|late| fault(late)).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Sets one value; a line that says why it can't.
fn fault(late: &Late<'_>) -> Option<String> {
    let source = late.source();
    let found = match source {
        Source::Env { name, .. } => env::var_os(name).map(|value| value.into_encoded_bytes()),
        Source::File { path } => match read(path) {
            Ok(bytes) => Some(bytes),
            Err(error) => return Some(format!("{source}: {error}")),
        },
    };
    late.set(found).err().map(|fault| format!("{source} {fault}"))
}

/// A file's first bytes: one more than a value may have, so that a longer one is told from one that fits.
fn read(path: &str) -> io::Result<Vec<u8>> {
    // The line's end is no part of the value.
    let bytes_max = LATE_BYTES_MAX as u64 + 3;
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(bytes)
}
