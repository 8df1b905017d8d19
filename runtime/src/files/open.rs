//! Opens a name below a root without ever leaving it: no `..`, no symlink, no magic link, whatever is renamed meanwhile.

use std::os::fd::OwnedFd;

use rustix::{
    fs::{Mode, OFlags, ResolveFlags, openat, openat2},
    io::Errno,
};

use super::pinned::Directory;

/// Tries of one open that the kernel wants repeated (a rename ran beside it, a signal came).
const TRIES_MAX: u32 = 8;

/// Why [`Directory::open_cached`] has no file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unopened {
    Errno(Errno),
    /// The kernel would have to wait: ask the blocking pool.
    NotCached,
}

/// A FIFO does not wait for its writer, a terminal does not become ours.
const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS).union(ResolveFlags::NO_SYMLINKS);

impl Directory {
    /// Opens `name` if the kernel knows every part of it already. Never waits for a disk.
    pub(super) fn open_cached(&self, name: &[u8]) -> Result<OwnedFd, Unopened> {
        if !self.opens_beneath {
            return Err(Unopened::NotCached);
        }
        openat2(&self.root, name, FLAGS, Mode::empty(), BENEATH | ResolveFlags::CACHED).map_err(|error| match error {
            // EINVAL: before Linux 5.12, which does not know the flag.
            Errno::AGAIN | Errno::INTR | Errno::INVAL => Unopened::NotCached,
            error => Unopened::Errno(error),
        })
    }

    /// Opens `name`; may wait for a disk.
    pub(super) fn open(&self, name: &[u8]) -> Result<OwnedFd, Errno> {
        let mut tries = 0;
        loop {
            let result = if self.opens_beneath { openat2(&self.root, name, FLAGS, Mode::empty(), BENEATH) } else { self.walk(name) };
            tries += 1;
            match result {
                Err(Errno::AGAIN | Errno::INTR) if tries < TRIES_MAX => {}
                other => return other,
            }
        }
    }

    /// Without `openat2`: directory by directory, each opened relative to the one before and never through a symlink. `name` has no `..` (dotfiles are
    /// refused before), so that no step can lead up.
    fn walk(&self, name: &[u8]) -> Result<OwnedFd, Errno> {
        let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut parts = name.split(|&byte| byte == b'/').peekable();
        let mut at: Option<OwnedFd> = None;
        while let Some(part) = parts.next() {
            if matches!(part, b"" | b"." | b"..") {
                return Err(Errno::NOENT);
            }
            let flags = if parts.peek().is_some() { step } else { FLAGS | OFlags::NOFOLLOW };
            at = Some(openat(at.as_ref().unwrap_or(&self.root), part, flags, Mode::empty())?);
        }
        at.ok_or(Errno::NOENT)
    }
}
