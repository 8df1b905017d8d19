//! Opens a name below a root without ever leaving it: no `..`, no magic link, no symlink but where those that stay inside are followed, whatever is renamed meanwhile.

use std::os::fd::OwnedFd;

use rustix::{
    fs::{Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2},
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
            let result = if self.opens_beneath { openat2(&self.root, name, FLAGS, Mode::empty(), self.beneath()) } else { self.walk(name) };
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

    /// What a name leads to where links are followed that stay below the root; without `openat2` none is.
    pub(super) fn stat(&self, name: &[u8]) -> Result<Stat, Errno> {
        if !self.opens_beneath {
            return Err(Errno::LOOP);
        }
        fstat(openat2(&self.root, name, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), BENEATH)?)
    }

    fn beneath(&self) -> ResolveFlags {
        if self.follows_links { BENEATH } else { BENEATH | ResolveFlags::NO_SYMLINKS }
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

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink, path::Path};

    use super::*;

    /// Whether each name opens, with `openat2` and without.
    fn opened(directory: &Path, name: &str) -> [Result<(), Errno>; 2] {
        [true, false].map(|opens_beneath| {
            let root = fs::File::open(directory).expect("a directory").into();
            Directory { root, opens_beneath, follows_links: false }.open(name.as_bytes()).map(drop)
        })
    }

    #[test]
    fn walk_opens_what_openat2_opens() {
        let directory = std::env::temp_dir().join(format!("kiln-walk-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(directory.join("root/a/b")).expect("directories");
        fs::write(directory.join("root/a/b/c.txt"), "c").expect("written");
        fs::write(directory.join("secret"), "s").expect("written");
        for (link, to) in [("root/file", "a/b/c.txt"), ("root/dir", "a"), ("root/up", ".."), ("root/a/loop", "loop")] {
            symlink(to, directory.join(link)).expect("a link");
        }
        let root = directory.join("root");
        for name in ["a/b/c.txt", "a/b", "a"] {
            assert_eq!(opened(&root, name), [Ok(()), Ok(())], "{name}");
        }
        for name in ["file", "dir/b/c.txt", "dir", "up/secret", "up", "a/loop", "a/b/c.txt/d", "nope", "a/nope"] {
            assert!(opened(&root, name).iter().all(Result::is_err), "{name}");
        }
        let walk = Directory { root: fs::File::open(&root).expect("a directory").into(), opens_beneath: false, follows_links: false };
        for name in ["", ".", "..", "../secret", "a/../../secret", "/etc/passwd", "a//b", "a/"] {
            assert_eq!(walk.open(name.as_bytes()).map(drop), Err(Errno::NOENT), "{name}");
        }
        assert!(matches!(walk.open_cached(b"a"), Err(Unopened::NotCached)));
        fs::remove_dir_all(&directory).expect("removed");
    }
}
