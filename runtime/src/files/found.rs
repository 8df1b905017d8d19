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

use semantics::{
    mime,
    negotiate::{Coding, Codings},
};

use super::{Root, open::Unopened, pinned::Directory};
use crate::{
    buffer::{Buffer, Chunk},
    file_reader,
    open_file::{BODY_BYTES_MAX, Face, OpenFile, Stamp},
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

/// The file of that name, if it is kept and was looked at within the last second. Otherwise whoever asks is to look: another who asks meanwhile is not told to.
/// One that is sent from its descriptor is looked at each time, or its old head would stand before what has been written to it in place.
pub(super) fn kept(root: &'static Root, name: &[u8]) -> Option<Rc<OpenFile>> {
    open_files::fresh(key(root, name)).filter(|file| file.is_current())
}

fn key<'a>(root: &'static Root, name: &'a [u8]) -> Key<'a> {
    Key { root: ptr::from_ref(root).addr(), name }
}

/// What has been opened of a name: its file, and of a regular one the compressed siblings.
struct Opened {
    file: OwnedFd,
    siblings: Vec<(Coding, OwnedFd)>,
}

impl Sought<'_> {
    fn key(&self) -> Key<'_> {
        key(self.root, self.name)
    }

    /// Looks without waiting for a disk.
    pub(super) fn look(&self) -> Result<Found, Unopened> {
        let open = || open(self.root, self.name, |name| self.directory.open_cached(name));
        let opened = match open() {
            Err(Unopened::Errno(Errno::MFILE | Errno::NFILE)) => {
                open_files::clear();
                open()
            }
            opened => opened,
        };
        match opened {
            Err(Unopened::NotCached) => Err(Unopened::NotCached),
            Err(Unopened::Errno(error)) => self.opened(Err(error)).map_err(Unopened::Errno),
            Ok(opened) => self.opened(Ok(opened)).map_err(Unopened::Errno),
        }
    }

    /// Looks in the blocking pool.
    pub(super) async fn look_in_pool(root: &'static Root, directory: Arc<Directory>, name: Buffer) -> Result<Found, Errno> {
        let opened = match open_in_pool(root, &directory, &name).await {
            Err(Errno::MFILE | Errno::NFILE) => {
                open_files::clear();
                open_in_pool(root, &directory, &name).await
            }
            opened => opened,
        };
        Sought { root, directory: &directory, name: &name }.opened(opened)
    }

    /// What came of opening it. Keeps the file, if it may be kept; what is kept of another is closed.
    fn opened(&self, opened: Result<Opened, Errno>) -> Result<Found, Errno> {
        let found = opened.and_then(|opened| self.found(opened));
        if !matches!(found, Ok(Found::File(_))) {
            open_files::forget(self.key());
        }
        found
    }

    fn found(&self, opened: Opened) -> Result<Found, Errno> {
        let stat = fstat(&opened.file)?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        if kind != FileType::RegularFile {
            return Ok(if kind == FileType::Directory { Found::Directory } else { Found::Other });
        }
        let (file, stamp, siblings) = (opened.file, Stamp::of(&stat), stamped(opened.siblings));
        let is_settled = open_files::is_settled(&stamp) && siblings.iter().all(|(_, _, stamp)| open_files::is_settled(stamp));
        if is_settled && let Some(known) = open_files::known(self.key()).filter(|known| known.is(&stamp, &siblings) && known.is_whole()) {
            open_files::renew(self.key());
            return Ok(Found::File(known));
        }
        let face = self.face(!siblings.is_empty());
        let form = |coding, file: OwnedFd, stamp| {
            let body = if is_settled { body(&file, &stamp) } else { None };
            OpenFile::new(file, stamp, Face { coding, ..face }, body.as_deref())
        };
        let siblings = siblings.into_iter().map(|(coding, file, stamp)| Rc::new(form(coding, file, stamp))).collect();
        let file = Rc::new(form(Coding::Identity, file, stamp).with_siblings(siblings));
        if is_settled {
            open_files::keep(self.key(), &file);
        } else {
            open_files::forget(self.key());
        }
        Ok(Found::File(file))
    }

    /// What the site says of the file.
    fn face(&self, has_siblings: bool) -> Face {
        let (rules, content_type) = (&self.root.rules, mime::content_type_of(self.name));
        let varies = has_siblings || rules.is_encoded && mime::is_compressible(content_type);
        Face { content_type, coding: Coding::Identity, is_immutable: rules.is_immutable(self.name), varies }
    }
}

/// Opens the name wherever it has to wait for a disk.
async fn open_in_pool(root: &'static Root, directory: &Arc<Directory>, name: &[u8]) -> Result<Opened, Errno> {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return Err(Errno::IO) };
    let (directory, name) = (Arc::clone(directory), name.to_vec());
    let opening = runtime.spawn_blocking(move || open(root, &name, |name| directory.open(name).map_err(Unopened::Errno)));
    opening.await.map_err(|_panic| Errno::IO)?.map_err(Unopened::errno)
}

/// Opens the name, and what the site takes for compressed siblings of its file. One that can't be opened is none, unless the reason is of the moment.
fn open(root: &Root, name: &[u8], open: impl Fn(&[u8]) -> Result<OwnedFd, Unopened>) -> Result<Opened, Unopened> {
    let file = open(name)?;
    let mut siblings = Vec::new();
    let codings = root.rules.precompressed;
    let may_have_siblings =
        codings != Codings::IDENTITY && fstat(&file).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile);
    if may_have_siblings {
        for coding in codings.coded() {
            match open(&[name, coding.extension().as_bytes()].concat()) {
                Ok(sibling) => siblings.push((coding, sibling)),
                Err(error @ (Unopened::NotCached | Unopened::Errno(Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN))) => {
                    return Err(error);
                }
                Err(Unopened::Errno(_)) => {}
            }
        }
    }
    Ok(Opened { file, siblings })
}

/// Those that are regular files, each with its stamp.
fn stamped(siblings: Vec<(Coding, OwnedFd)>) -> Vec<(Coding, OwnedFd, Stamp)> {
    let stamped = siblings.into_iter().filter_map(|(coding, file)| {
        let stat = fstat(&file).ok().filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)?;
        Some((coding, file, Stamp::of(&stat)))
    });
    stamped.collect()
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
