//! Pages of a file, and whether they are in the kernel's cache: `sendfile` can't be told not to wait for a disk, so what it is given was read before. A copy can be told,
//! and a long one costs less: it is tried first, as long as the client takes all of it.
//!
//! A stretch that was read through once is looked at in a few places only before it is sent again, and once in a tick: pages go in groups, and not while they are in use.
//! Whatever has to be waited for, the blocking pool reads, one stretch at a time for an answer; it holds no more memory than a chunk for each of its threads.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use rustix::{
    fs::{Advice, fadvise},
    io::{Errno, pread},
};
use tokio::{runtime::Handle, task::JoinHandle};

use crate::{
    buffer::{CHUNK_BYTES, Chunk},
    file_reader::fill_cached,
    open_file::OpenFile,
};

/// Bytes of the longest stretch that is sent from its pages where it is known to be there; a longer one is copied, which costs less (docs/decisions/0013-files-from-a-root.md).
const SENT_BYTES_MAX: usize = 128 * 1024;
/// Bytes between two places that are looked at: few, as each is a system call.
const PROBE_BYTES: u64 = 256 * 1024;

/// The pages that an answer sends next.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// The blocking pool reads them.
    reading: Option<JoinHandle<io::Result<usize>>>,
    way: Way,
}

/// How they go.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Way {
    /// By a copy, where that pays. The last one was of so many bytes.
    Copied(usize),
    /// They were to be copied, but they are not in the cache.
    Missing,
    /// From where they are: they were missing until now.
    Read,
    /// From where they are, and so does whatever follows: the client takes less at a time than was copied for it.
    Sent,
}

impl Default for Way {
    fn default() -> Self {
        Self::Copied(0)
    }
}

impl Pages {
    /// How many of the `bytes` at `at` can be sent without waiting for a disk, or may be tried to be copied, at least one. Fewer than asked for: the file ends there.
    pub(crate) fn poll(&mut self, file: &OpenFile, at: u64, bytes: usize, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.reading.is_none() {
            if self.are_copied(bytes) || (self.way != Way::Missing && is_there(file, at, bytes)) {
                return Poll::Ready(Ok(bytes));
            }
            if self.way == Way::Missing {
                self.way = Way::Read;
            }
            self.reading = Some(read_in_pool(file.file(), at, bytes)?);
        }
        let Some(task) = &mut self.reading else { return Poll::Pending };
        let read = ready!(Pin::new(task).poll(context));
        self.reading = None;
        match read.map_err(|_panic| io::ErrorKind::Other)?? {
            0 => Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
            read => {
                file.set_read(at, read);
                Poll::Ready(Ok(read))
            }
        }
    }

    /// So many of them, which [`Self::poll`] gave, go by [`Self::copy`].
    pub(crate) fn are_copied(&self, bytes: usize) -> bool {
        matches!(self.way, Way::Copied(_)) && bytes > SENT_BYTES_MAX
    }

    /// Fills `room` from `at` on as far as the cache has it. `None`: not at all, and [`Self::poll`] will read, or meet the end of the file.
    pub(crate) fn copy(&mut self, file: &OpenFile, at: u64, room: &mut [u8]) -> Option<usize> {
        let copied = fill_cached(file.descriptor(), at, room).filter(|bytes| *bytes > 0);
        self.way = copied.map_or(Way::Missing, Way::Copied);
        file.set_read(at, copied?);
        copied
    }

    /// So many of them were sent.
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.way = match self.way {
            Way::Copied(copied) if bytes < copied => Way::Sent,
            Way::Sent => Way::Sent,
            Way::Copied(_) | Way::Missing | Way::Read => Way::default(),
        };
    }
}

/// Whether the whole stretch is in the cache, as far as can be told at once.
fn is_there(file: &OpenFile, at: u64, bytes: usize) -> bool {
    if file.was_read(at, bytes) && (file.was_seen(at, bytes) || is_cached(file.descriptor(), at, bytes)) {
        file.set_seen(at, bytes);
        return true;
    }
    let is_read = read_cached(file.descriptor(), at, bytes);
    if is_read {
        file.set_read(at, bytes);
    }
    is_read
}

/// Whether some pages of the stretch, its first and its last among them, are in the cache.
fn is_cached(file: impl AsFd, at: u64, bytes: usize) -> bool {
    let last = at.saturating_add(bytes as u64).saturating_sub(1);
    let mut places = (at..last).step_by(PROBE_BYTES as usize).chain([last]);
    places.all(|place| fill_cached(&file, place, &mut [0]) == Some(1))
}

/// Reads the whole stretch as far as it is in the cache; whether it was.
fn read_cached(file: impl AsFd, at: u64, bytes: usize) -> bool {
    let mut chunk = Chunk::take();
    let mut read = 0;
    while read < bytes {
        let room = chunk.memory().get_mut(..(bytes - read).min(CHUNK_BYTES)).unwrap_or_default();
        match fill_cached(&file, at.saturating_add(read as u64), room) {
            Some(0) | None => return false,
            Some(more) => read += more,
        }
    }
    true
}

/// Reads the stretch into the cache, and lets the kernel begin with the next one. Gives how much there was.
fn read_in_pool(file: Arc<OwnedFd>, at: u64, bytes: usize) -> io::Result<JoinHandle<io::Result<usize>>> {
    let runtime = Handle::try_current().map_err(|_| io::ErrorKind::Unsupported)?;
    Ok(runtime.spawn_blocking(move || {
        // Advice that is not taken costs time only.
        let _ = fadvise(&*file, at, (bytes as u64 * 2).try_into().ok(), Advice::WillNeed);
        let mut memory = vec![0; CHUNK_BYTES.min(bytes)];
        let mut read = 0;
        while read < bytes {
            let room = memory.get_mut(..(bytes - read).min(CHUNK_BYTES)).unwrap_or_default();
            match pread(&*file, room, at.saturating_add(read as u64)) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(read)
    }))
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf, task::Waker};

    use rustix::fs::fstat;
    use semantics::negotiate::Coding;

    use super::*;
    use crate::{
        clock::Clock,
        open_file::{Face, Stamp},
    };

    /// A file on a disk, removed at the end.
    struct Place {
        path: PathBuf,
        file: OpenFile,
    }

    impl Place {
        fn new(name: &str, bytes: usize) -> Self {
            let path = std::env::temp_dir().join(format!("kiln-pages-{name}-{}", std::process::id()));
            fs::write(&path, vec![b'x'; bytes]).unwrap();
            let file = fs::File::open(&path).unwrap();
            file.sync_all().unwrap();
            let stamp = Stamp::of(&fstat(&file).unwrap());
            let face = Face { content_type: "text/plain", coding: Coding::Identity, is_immutable: false, varies: false };
            Self { path, file: OpenFile::new(file.into(), stamp, face, None) }
        }

        /// The kernel forgets what it has read of the file. `false`: this file system's files are nowhere else.
        fn forget(&self) -> bool {
            fadvise(self.file.descriptor(), 0, None, Advice::DontNeed).unwrap();
            fill_cached(self.file.descriptor(), 0, &mut [0]).is_none()
        }

        fn poll(&self, pages: &mut Pages, at: u64, bytes: usize) -> Poll<io::Result<usize>> {
            pages.poll(&self.file, at, bytes, &mut Context::from_waker(Waker::noop()))
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.path);
        }
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    /// None of them are copied.
    fn sent() -> Pages {
        Pages { reading: None, way: Way::Sent }
    }

    #[test]
    fn stretch_is_copied_until_the_client_takes_less_than_that() {
        let place = Place::new("copied", 1_000_000);
        let (mut pages, mut room) = (Pages::default(), vec![0; 400_000]);
        assert!(!pages.are_copied(SENT_BYTES_MAX));
        for (copied, taken) in [(400_000, 400_000), (400_000, 300_000)] {
            assert_eq!(place.poll(&mut pages, 0, 400_000).map(Result::unwrap), Poll::Ready(400_000));
            assert!(pages.are_copied(400_000));
            assert_eq!(pages.copy(&place.file, 600_000, &mut room), Some(copied));
            assert!(room.iter().all(|byte| *byte == b'x'));
            pages.advance(taken);
        }
        for _ in 0..2 {
            assert!(!pages.are_copied(400_000));
            assert_eq!(place.poll(&mut pages, 0, 400_000).map(Result::unwrap), Poll::Ready(400_000));
            pages.advance(400_000);
        }
    }

    #[test]
    fn stretch_that_is_missing_when_it_is_copied_is_read_in_the_pool_and_sent_from_there() {
        /// Far from where it was seen to be forgotten: that look alone lets the kernel begin to read there.
        const AT: u64 = 600_000;
        let place = Place::new("missing", 1_000_000);
        if !place.forget() {
            return;
        }
        let (mut pages, mut room) = (Pages::default(), vec![0; 400_000]);
        let runtime = runtime();
        let _entered = runtime.enter();
        assert!(place.poll(&mut pages, AT, 400_000).is_ready());
        assert_eq!(pages.copy(&place.file, AT, &mut room), None);
        let read = runtime.block_on(std::future::poll_fn(|context| pages.poll(&place.file, AT, 400_000, context)));
        assert_eq!((read.unwrap(), pages.are_copied(400_000)), (400_000, false));
        pages.advance(300_000);
        assert!(pages.are_copied(400_000), "what comes next may be there");
    }

    #[test]
    fn stretch_in_the_cache_is_there_at_once_and_remembered() {
        let place = Place::new("cached", 300_000);
        let read = |at, bytes| place.poll(&mut sent(), at, bytes).map(|read| read.unwrap());
        assert!(!place.file.was_read(0, 1));
        assert_eq!(read(0, 200_000), Poll::Ready(200_000));
        assert!(place.file.was_read(0, 200_000) && place.file.was_read(7, 10) && !place.file.was_read(0, 200_001));
        assert_eq!(read(200_000, 100_000), Poll::Ready(100_000));
        assert!(place.file.was_read(0, 300_000), "both touch each other");
    }

    #[test]
    fn stretch_on_the_disk_is_read_in_the_pool_while_the_thread_goes_on() {
        let place = Place::new("cold", 2_000_000);
        let mut pages = sent();
        assert!(matches!(place.poll(&mut pages, 0, 1_000_000), Poll::Ready(Ok(1_000_000))), "written a moment ago");
        if !place.forget() {
            return;
        }
        let runtime = runtime();
        let _entered = runtime.enter();
        for (at, bytes) in [(0, 1_000_000), (1_500_000, 500_000)] {
            // It was read, but it is not there any more; or it never was.
            assert!(place.poll(&mut pages, at, bytes).is_pending() || pages.reading.is_none());
            let read = runtime.block_on(std::future::poll_fn(|context| pages.poll(&place.file, at, bytes, context)));
            assert_eq!(read.unwrap(), bytes);
            assert!(is_cached(place.file.descriptor(), at, bytes));
        }
    }

    #[test]
    fn stretch_that_was_seen_is_looked_at_again_in_the_next_tick() {
        let clock = Clock::new();
        let place = Place::new("seen", 100_000);
        let mut pages = Pages::default();
        for _ in 0..2 {
            assert!(place.poll(&mut pages, 0, 100_000).is_ready());
        }
        assert!(place.file.was_seen(0, 100_000) && !place.file.was_seen(0, 99_999));
        clock.advance(1);
        assert!(!place.file.was_seen(0, 100_000));
    }

    #[test]
    fn file_that_ends_earlier_gives_what_there_is_and_then_an_error() {
        let place = Place::new("short", 100_000);
        let runtime = runtime();
        let _entered = runtime.enter();
        fs::File::options().write(true).open(&place.path).unwrap().set_len(70_000).unwrap();
        let read = |at| {
            let mut pages = sent();
            runtime.block_on(std::future::poll_fn(|context| pages.poll(&place.file, at, 100_000, context)))
        };
        assert_eq!(read(0).unwrap(), 70_000);
        assert_eq!(read(70_000).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(Pages::default().copy(&place.file, 70_000, &mut [0; 10]), None);
    }
}
