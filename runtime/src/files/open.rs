//! Opens a name below a root without ever leaving it: no `..`, no magic link, no symlink but where those that stay inside are followed, whatever is renamed meanwhile.

use std::os::fd::OwnedFd;

use rustix::{
    fs::{Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2},
    io::Errno,
};

use super::{pinned::Directory, walk};

/// Tries of one open that the kernel wants repeated (a rename ran beside it, a signal came).
const TRIES_MAX: u32 = 8;

/// Why [`Directory::open_cached`] has no file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unopened {
    Errno(Errno),
    /// The kernel would have to wait: ask the blocking pool.
    NotCached,
}

impl Unopened {
    /// What stood in the way.
    pub(super) fn errno(self) -> Errno {
        match self {
            Self::Errno(error) => error,
            Self::NotCached => Errno::AGAIN,
        }
    }
}

/// A FIFO does not wait for its writer, a terminal does not become ours.
const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

impl Directory {
    /// Opens `name` if the kernel knows every part of it already. Never waits for a disk.
    pub(super) fn open_cached(&self, name: &[u8]) -> Result<OwnedFd, Unopened> {
        if !self.opens_beneath {
            return Err(Unopened::NotCached);
        }
        openat2(&self.root, name, FLAGS, Mode::empty(), self.beneath() | ResolveFlags::CACHED).map_err(|error| match error {
            // EINVAL: before Linux 5.12, which does not know the flag.
            Errno::AGAIN | Errno::INTR | Errno::INVAL => Unopened::NotCached,
            error => Unopened::Errno(error),
        })
    }

    /// Opens `name`; may wait for a disk.
    pub(super) fn open(&self, name: &[u8]) -> Result<OwnedFd, Errno> {
        let mut tries = 0;
        loop {
            let result = if self.opens_beneath {
                openat2(&self.root, name, FLAGS, Mode::empty(), self.beneath())
            } else {
                walk::open(self, name, FLAGS)
            };
            tries += 1;
            match result {
                Err(Errno::AGAIN | Errno::INTR) if tries < TRIES_MAX => {}
                other => return other,
            }
        }
    }

    /// Opens a directory to read its entries; the empty name is the root itself. May wait for a disk.
    pub(super) fn open_directory(&self, name: &[u8]) -> Result<OwnedFd, Errno> {
        if name.is_empty() { openat(&self.root, ".", FLAGS | OFlags::DIRECTORY, Mode::empty()) } else { self.open(name) }
    }

    /// What a name leads to where links are followed that stay below the root.
    pub(super) fn stat(&self, name: &[u8]) -> Result<Stat, Errno> {
        if !self.opens_beneath {
            return fstat(walk::open(self, name, OFlags::PATH)?);
        }
        fstat(openat2(&self.root, name, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), BENEATH)?)
    }

    fn beneath(&self) -> ResolveFlags {
        if self.follows_links { BENEATH } else { BENEATH | ResolveFlags::NO_SYMLINKS }
    }
}
