//! Limits of the process: descriptors.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the number of descriptors that may be open as far as the system lets it. A failure leaves what was: connections then meet EMFILE earlier.
pub(crate) fn raise_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
}
