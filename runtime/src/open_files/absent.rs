//! A site without `files` keeps no file open.

/// There is nothing to limit.
pub(crate) fn limit(_descriptors: impl FnOnce() -> usize) {}

/// Closes nothing.
pub(crate) fn clear() -> bool {
    false
}

/// Nothing is open.
pub(crate) fn sweep() -> bool {
    false
}
