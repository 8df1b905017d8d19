//! What a name below a root leads to: from the worker's open files, from the kernel's caches, or from the disk in the blocking pool.

use std::{
    os::fd::{AsFd, OwnedFd},
    ptr,
    rc::Rc,
    sync::Arc,
};

use rustix::{
    fs::{FileType, fstat},
    io::Errno,
};

use super::{Root, open::Unopened, pinned::Directory};
use crate::{
    buffer::{Buffer, Chunk},
    file_reader,
    open_file::{BODY_BYTES_MAX, OpenFile, Stamp},
    open_files::{self, Key},
};

/// What is there.
#[derive(Debug)]
pub(super) enum Found {
    Directory,
    File(Rc<OpenFile>),
    /// Neither: a device, a socket, a FIFO.
    Other,
}

/// A name that is looked for.
#[derive(Clone, Copy)]
pub(super) struct Sought<'a> {
    pub(super) root: &'static Root,
    pub(super) directory: &'a Arc<Directory>,
    /// Decoded and relative.
    pub(super) name: &'a [u8],
}

/// The file of that name, if it is kept and was looked at within the last second.
pub(super) fn kept(root: &'static Root, name: &[u8]) -> Option<Rc<OpenFile>> {
    open_files::fresh(key(root, name))
}

fn key<'a>(root: &'static Root, name: &'a [u8]) -> Key<'a> {
    Key { root: ptr::from_ref(root).addr(), name }
}

impl Sought<'_> {
    fn key(&self) -> Key<'_> {
        key(self.root, self.name)
    }

    /// Looks without waiting for a disk.
    pub(super) fn look(&self) -> Result<Found, Unopened> {
        let opened = match self.directory.open_cached(self.name) {
            Err(Unopened::Errno(Errno::MFILE | Errno::NFILE)) => {
                open_files::clear();
                self.directory.open_cached(self.name)
            }
            opened => opened,
        };
        match opened {
            Err(Unopened::NotCached) => Err(Unopened::NotCached),
            Err(Unopened::Errno(error)) => self.opened(Err(error)).map_err(Unopened::Errno),
            Ok(file) => self.opened(Ok(file)).map_err(Unopened::Errno),
        }
    }

    /// Looks in the blocking pool.
    pub(super) async fn look_in_pool(root: &'static Root, directory: Arc<Directory>, name: Buffer) -> Result<Found, Errno> {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return Err(Errno::IO) };
        let (opening, sought) = (Arc::clone(&directory), name.as_slice().to_vec());
        let opened = runtime.spawn_blocking(move || opening.open(&sought)).await.map_err(|_panic| Errno::IO)?;
        Sought { root, directory: &directory, name: &name }.opened(opened)
    }

    /// What came of opening it. Keeps the file, if it may be kept; what is kept of another is closed.
    fn opened(&self, opened: Result<OwnedFd, Errno>) -> Result<Found, Errno> {
        let found = opened.and_then(|file| self.found(file));
        if !matches!(found, Ok(Found::File(_))) {
            open_files::forget(self.key());
        }
        found
    }

    fn found(&self, file: OwnedFd) -> Result<Found, Errno> {
        let stat = fstat(&file)?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind != FileType::RegularFile {
            return Ok(if kind == FileType::Directory { Found::Directory } else { Found::Other });
        }
        let stamp = Stamp::of(&stat);
        if !open_files::is_settled(&stamp) {
            open_files::forget(self.key());
            return Ok(Found::File(Rc::new(OpenFile::new(file, stamp, self.name, None))));
        }
        if let Some(known) = open_files::known(self.key())
            && *known.stamp() == stamp
            && (known.body().is_some() || stamp.bytes() > BODY_BYTES_MAX)
        {
            open_files::renew(self.key());
            return Ok(Found::File(known));
        }
        let body = body(&file, &stamp);
        let file = Rc::new(OpenFile::new(file, stamp, self.name, body.as_deref()));
        open_files::keep(self.key(), &file);
        Ok(Found::File(file))
    }
}

/// All that a small file holds, if the page cache has it and it is what the stamp tells of.
fn body(file: impl AsFd, stamp: &Stamp) -> Option<Chunk> {
    let bytes = usize::try_from(stamp.bytes()).ok().filter(|_| stamp.bytes() <= BODY_BYTES_MAX)?;
    let mut chunk = Chunk::take();
    let filled = file_reader::fill_cached(&file, 0, chunk.memory().get_mut(..bytes)?)?;
    chunk.set_filled(filled);
    // Whoever writes sets the time before the bytes: with the same stamp behind the read no byte is younger than the stamp.
    let is_same = filled == bytes && Stamp::of(&fstat(&file).ok()?) == *stamp;
    is_same.then_some(chunk)
}

#[cfg(test)]
mod tests;
