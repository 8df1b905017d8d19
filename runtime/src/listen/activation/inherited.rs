//! Descriptors that this process was started with, by their number: the one place that makes an owner of a number (docs/decisions/0007).

use std::{
    io,
    os::fd::{FromRawFd, OwnedFd, RawFd},
};

/// Makes descriptor `number` ours, closed on exec. To be called once for each number, and before this process has opened anything: then whatever is open
/// at a number behind LISTEN_FDS was passed to be taken.
#[expect(unsafe_code, reason = "there is no safe way from a number to its owner")]
pub(super) fn own(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: F_SETFD takes any number and fails for one that is not open.
    if unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) } == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is open, as the line above has shown, and the caller asks once, for a descriptor that nobody else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}
