//! When an embedded file was changed. Off unless the site asks for it: every copy of the sources has other times.

use std::{
    env, fs, io,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

/// The variable by which builds agree on a time (reproducible-builds.org), in seconds since 1970.
const VARIABLE: &str = "SOURCE_DATE_EPOCH";

/// Seconds since 1970, not after [`VARIABLE`] where that is set, and never after now: an answer's date is never before its `last-modified` (RFC 9110
/// §8.8.2.1). `None` before 1970.
pub(super) fn modified(source: &Path) -> io::Result<Option<u64>> {
    let modified = seconds(fs::metadata(source)?.modified()?);
    let now = seconds(SystemTime::now()).unwrap_or_default();
    let agreed = env::var(VARIABLE).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(now);
    Ok(modified.map(|modified| modified.min(agreed).min(now)))
}

fn seconds(time: SystemTime) -> Option<u64> {
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs())
}
