//! A file that is served: its descriptor, and what can be said of it before anybody asks (heads, validators, a small body).
//!
//! Of one worker. Whoever sends from it holds it, so that it stays what it was however the directory changes meanwhile.
//!
//! The entity tag is strong: `"SECONDS-NANOSECONDS-SIZE"` of the last modification, hexadecimal, and the coding behind it; without the inode, so that copies on several
//! hosts agree when their times do. It presumes, as every server of files does, that a file which changes gets another time or size.

use std::{
    cell::Cell,
    ops::Range,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    rc::Rc,
    sync::Arc,
};

use rustix::fs::{Stat, fstat};
use semantics::{
    conditional::{self, Verdict},
    date,
    files::IMMUTABLE,
    head::Head,
    negotiate::{self, Coding, Codings},
    ranges::{self, Ranged},
};

use crate::{buffer::Buffer, clock};

/// Bytes of the largest body that is kept in memory, or read at once: above, sending from the file costs less (docs/decisions/0013-files-from-a-root.md).
pub(crate) const BODY_BYTES_MAX: u64 = 16 * 1024;

/// What tells one state of a file from another: nothing that changes a file, or what it is, leaves all of it as it was.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    modified: (i64, u64),
    changed: (i64, u64),
    bytes: i64,
}

/// What is said of a file beside its stamp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub(crate) content_type: &'static str,
    /// What its bytes are coded with.
    pub(crate) coding: Coding,
    /// It never changes its content.
    pub(crate) is_immutable: bool,
    /// Other codings would get other bytes.
    pub(crate) varies: bool,
}

/// A regular file, open.
#[derive(Debug)]
pub(crate) struct OpenFile {
    file: Arc<OwnedFd>,
    stamp: Stamp,
    coding: Coding,
    /// Its compressed siblings, which answer for it.
    siblings: Box<[Rc<Self>]>,
    /// The head of a 200, that of a 304, and the body where it is kept.
    text: Box<[u8]>,
    head_bytes: usize,
    heads_bytes: usize,
    /// In the head; with its quotes.
    etag: Range<usize>,
    has_body: bool,
    /// A stretch of it, from byte to byte, that was read through since it was opened.
    read: Cell<(u64, u64)>,
    /// A stretch of which some pages were seen in the kernel's cache at that tick.
    seen: Cell<(u32, u64, u64)>,
    /// Its file system can't send from it.
    is_unsendable: Cell<bool>,
}

impl Stamp {
    pub(crate) fn of(stat: &Stat) -> Self {
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
            modified: (stat.st_mtime, stat.st_mtime_nsec),
            changed: (stat.st_ctime, stat.st_ctime_nsec),
            bytes: stat.st_size,
        }
    }

    /// Seconds since the epoch of the last change of anything; 0 before it.
    pub(crate) fn last_change(&self) -> u64 {
        u64::try_from(self.modified.0.max(self.changed.0)).unwrap_or_default()
    }

    /// Bytes of the file.
    pub(crate) fn bytes(&self) -> u64 {
        u64::try_from(self.bytes).unwrap_or_default()
    }

    /// Seconds since the epoch of the last modification; `None` before it.
    fn modified(&self) -> Option<u64> {
        u64::try_from(self.modified.0).ok()
    }

    fn push_etag(&self, coding: Coding, buffer: &mut Buffer) {
        buffer.push(b'"');
        buffer.push_hex(self.modified.0.cast_unsigned());
        buffer.push(b'-');
        buffer.push_hex(self.modified.1);
        buffer.push(b'-');
        buffer.push_hex(self.bytes.cast_unsigned());
        if coding != Coding::Identity {
            buffer.push(b'-');
            buffer.extend_from_slice(coding.name().as_bytes());
        }
        buffer.push(b'"');
    }
}

impl OpenFile {
    /// `body`, if given, is all that the file holds.
    pub(crate) fn new(file: OwnedFd, stamp: Stamp, face: Face, body: Option<&[u8]>) -> Self {
        let mut text = Buffer::take();
        text.push_status_line(200);
        text.push_field("content-type", face.content_type);
        text.push_number_field("content-length", stamp.bytes());
        text.push_field("accept-ranges", "bytes");
        if face.coding != Coding::Identity {
            text.push_field("content-encoding", face.coding.name());
        }
        let validators_start = text.len();
        text.extend_from_slice(b"etag: ");
        let etag_start = text.len();
        stamp.push_etag(face.coding, &mut text);
        let etag = etag_start..text.len();
        text.extend_from_slice(b"\r\n");
        if let Some(modified) = stamp.modified().map(clock::not_after_now) {
            let mut date = [0; 29];
            date::write(modified, &mut date);
            text.extend_from_slice(b"last-modified: ");
            text.extend_from_slice(&date);
            text.extend_from_slice(b"\r\n");
        }
        if face.is_immutable {
            text.extend_from_slice(IMMUTABLE.as_bytes());
        }
        if face.varies {
            text.push_field("vary", "accept-encoding");
        }
        let head_bytes = text.len();
        text.push_status_line(304);
        // RFC 9110 §15.4.5: what the 200 would have of validators, cache-control and vary.
        text.extend_from_within(validators_start..head_bytes);
        let heads_bytes = text.len();
        text.extend_from_slice(body.unwrap_or_default());
        Self {
            file: Arc::new(file),
            stamp,
            coding: face.coding,
            siblings: Box::default(),
            text: text.as_slice().into(),
            head_bytes,
            heads_bytes,
            etag,
            has_body: body.is_some(),
            read: Cell::default(),
            seen: Cell::default(),
            is_unsendable: Cell::new(false),
        }
    }

    /// The same file, for which those answer.
    pub(crate) fn with_siblings(self, siblings: Vec<Rc<Self>>) -> Self {
        Self { siblings: siblings.into(), ..self }
    }

    /// The form of it that the request prefers.
    #[inline]
    pub(crate) fn form(self: Rc<Self>, head: &Head<'_>) -> Rc<Self> {
        if self.siblings.is_empty() { self } else { self.preferred(head) }
    }

    fn preferred(self: Rc<Self>, head: &Head<'_>) -> Rc<Self> {
        let offered = self.siblings.iter().fold(Codings::IDENTITY, |offered, sibling| offered.with(sibling.coding));
        let coding = negotiate::coding(head, offered);
        self.siblings.iter().find(|sibling| sibling.coding == coding).map(Rc::clone).unwrap_or(self)
    }

    /// Its bytes are coded.
    pub(crate) fn is_coded(&self) -> bool {
        self.coding != Coding::Identity
    }

    /// What was opened is this very state of this file, with these siblings.
    pub(crate) fn is(&self, stamp: &Stamp, siblings: &[(Coding, OwnedFd, Stamp)]) -> bool {
        let are_same = |(own, (coding, _, stamp)): (&Rc<Self>, &(Coding, OwnedFd, Stamp))| own.coding == *coding && own.stamp == *stamp;
        self.stamp == *stamp && self.siblings.len() == siblings.len() && self.siblings.iter().zip(siblings).all(are_same)
    }

    /// Every body that is small enough is in memory.
    pub(crate) fn is_whole(&self) -> bool {
        (self.has_body || self.bytes() > BODY_BYTES_MAX) && self.siblings.iter().all(|sibling| sibling.is_whole())
    }

    /// Its own and those of its siblings.
    pub(crate) fn descriptors(&self) -> usize {
        1 + self.siblings.len()
    }

    /// Whatever is sent from a descriptor is still what the heads tell of. A body in memory is, whatever becomes of its file.
    pub(crate) fn is_current(&self) -> bool {
        let is_as_it_was = || fstat(&*self.file).is_ok_and(|stat| Stamp::of(&stat) == self.stamp);
        (self.has_body || is_as_it_was()) && self.siblings.iter().all(|sibling| sibling.is_current())
    }

    #[cfg(test)]
    pub(crate) fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// Bytes of the file when it was opened.
    pub(crate) fn bytes(&self) -> u64 {
        self.stamp.bytes()
    }

    /// Bytes of memory beside what is the same for every file.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.text.len() + self.siblings.iter().map(|sibling| sibling.memory_bytes()).sum::<usize>()
    }

    /// The descriptor, which another thread may read from.
    pub(crate) fn file(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.file)
    }

    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Whether so many bytes at `at` have been read since it was opened: they may be in the kernel's cache.
    pub(crate) fn was_read(&self, at: u64, bytes: usize) -> bool {
        let (start, end) = self.read.get();
        start <= at && at.saturating_add(bytes as u64) <= end
    }

    /// They have. Of stretches that do not touch each other the longer one is remembered.
    pub(crate) fn set_read(&self, at: u64, bytes: usize) {
        let (start, end) = self.read.get();
        let until = at.saturating_add(bytes as u64);
        let (first, last) = if at <= end && start <= until { (start.min(at), end.max(until)) } else { (at, until) };
        if last - first > end - start {
            self.read.set((first, last));
        }
    }

    /// Nobody has found that its file system can't send from it.
    pub(crate) fn is_sendable(&self) -> bool {
        !self.is_unsendable.get()
    }

    /// Its file system can't.
    pub(crate) fn set_unsendable(&self) {
        self.is_unsendable.set(true);
    }

    /// Whether so many bytes at `at` were seen to be in the kernel's cache within the running tick. Never on a thread without a clock.
    pub(crate) fn was_seen(&self, at: u64, bytes: usize) -> bool {
        let (tick, _) = clock::coarse();
        tick > 0 && self.seen.get() == (tick, at, at.saturating_add(bytes as u64))
    }

    /// They were, just now.
    pub(crate) fn set_seen(&self, at: u64, bytes: usize) {
        self.seen.set((clock::coarse().0, at, at.saturating_add(bytes as u64)));
    }

    /// The head of a 200.
    pub(crate) fn head(&self) -> &[u8] {
        self.text.get(..self.head_bytes).unwrap_or_default()
    }

    /// The head of a 304.
    pub(crate) fn not_modified(&self) -> &[u8] {
        self.text.get(self.head_bytes..self.heads_bytes).unwrap_or_default()
    }

    /// The whole body, where it is kept.
    pub(crate) fn body(&self) -> Option<&[u8]> {
        self.text.get(self.heads_bytes..).filter(|_| self.has_body)
    }

    pub(crate) fn evaluate(&self, head: &Head<'_>) -> Verdict {
        conditional::evaluate(head, self.validators(self.stamp.modified().map(clock::not_after_now)))
    }

    /// What a request whose conditions let it proceed asks for.
    pub(crate) fn ranged(&self, head: &Head<'_>) -> Ranged {
        // Within the second of its last modification a file may change again without another date.
        let modified = self.stamp.modified().filter(|modified| clock::not_after_now(modified.saturating_add(1)) > *modified);
        match conditional::is_range_current(head, self.validators(modified)) {
            true => ranges::requested(head, self.bytes()),
            false => Ranged::Whole,
        }
    }

    fn validators(&self, modified: Option<u64>) -> conditional::Validators<'_> {
        conditional::Validators { etag: self.text.get(self.etag.clone()).and_then(|etag| str::from_utf8(etag).ok()), modified }
    }
}
