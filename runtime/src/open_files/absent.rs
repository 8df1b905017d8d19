//! A site without `files` keeps no file open.

/// Closes nothing.
pub(crate) fn clear() {}

/// Nothing is open.
pub(crate) fn sweep() -> bool {
    false
}
