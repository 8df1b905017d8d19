//! Roots that a worker has opened: once each, held for as long as it lives. A root that is renamed or replaced meanwhile is not followed.

use std::{cell::RefCell, os::fd::OwnedFd, ptr, sync::Arc};

use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2},
    io::Errno,
};

use super::Root;

/// An open root. Shared with the blocking pool.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) root: OwnedFd,
    /// The kernel has `openat2` and lets us call it.
    pub(super) opens_beneath: bool,
    /// Symlinks that stay below it are followed.
    pub(super) follows_links: bool,
}

thread_local! {
    /// By the address of their static; as many as the site has roots.
    static PINNED: RefCell<Vec<(usize, Arc<Directory>)>> = const { RefCell::new(Vec::new()) };
}

/// The open directory of `root`. The first call of a worker opens it, which may wait for a disk; a failure is not remembered.
pub(super) fn directory(root: &'static Root) -> Result<Arc<Directory>, Errno> {
    let address = ptr::from_ref(root).addr();
    PINNED.with_borrow_mut(|pinned| {
        if let Some((_, directory)) = pinned.iter().find(|(known, _)| *known == address) {
            return Ok(Arc::clone(directory));
        }
        let directory = Arc::new(open(root)?);
        pinned.push((address, Arc::clone(&directory)));
        Ok(directory)
    })
}

fn open(root: &'static Root) -> Result<Directory, Errno> {
    let (path, follows_links) = (root.directory.text(), root.rules.follows_links);
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let root = openat(CWD, path, flags, Mode::empty())?;
    let opens_beneath = match openat2(&root, ".", flags, Mode::empty(), ResolveFlags::BENEATH) {
        // Before Linux 5.6, or forbidden by a seccomp filter.
        Err(Errno::NOSYS | Errno::PERM) => false,
        Ok(_) | Err(_) => true,
    };
    Ok(Directory { root, opens_beneath, follows_links })
}
