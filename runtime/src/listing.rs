//! Listings of roots: reads what a directory holds and answers with a page or with JSON (feature `listing`; without it `listing/absent.rs` stands here).
//!
//! Reading and rendering are the blocking pool's: a directory may lie on a slow disk and hold much. Bounded by entries that are looked at, shown, and by the bytes
//! of their names. Shows what a request could get and nothing else: no hidden name, no device, no FIFO, no link that is not followed. What changes while it
//! is read is shown as it was found, or not at all. There is no validator, so that a cache asks each time.

mod read;

use std::{future::Future, os::fd::OwnedFd, sync::Arc};

use rustix::{fs::Stat, io::Errno};
use semantics::{
    files::Rules,
    listing::{self, Format, Listing},
    path,
};
use tokio::sync::Semaphore;

use crate::{
    buffer::Buffer,
    builtin::refusal,
    exchange::Exchange,
    response::{Rendered, Response},
};

/// What opens a directory.
pub(crate) type Open = Box<dyn FnOnce() -> Result<OwnedFd, Errno> + Send>;
/// What leads from the name of a link in the directory to what the link leads to, below the root; an error where that is not to be shown.
pub(crate) type Followed = Box<dyn Fn(&[u8]) -> Result<Stat, Errno> + Send>;

/// A directory that is to be listed.
pub(crate) struct Asked {
    /// Opens it for reading, below its root; may wait for a disk.
    pub(crate) open: Open,
    /// Decoded name below the route, without slashes at its ends; empty for the root itself.
    pub(crate) name: Buffer,
    /// Hidden names are shown too.
    pub(crate) serves_hidden: bool,
    /// `None`: links are left out.
    pub(crate) followed: Option<Followed>,
}

/// Whether a directory without its index is listed.
#[inline(always)]
pub(crate) const fn lists(rules: &Rules<'_>) -> bool {
    rules.lists
}

/// Listings of one worker that are made, or wait to be sent, at the same time: each may hold many MiB that nobody has charged yet.
const AT_ONCE: usize = 2;

thread_local! {
    static ROOM: Arc<Semaphore> = Arc::new(Semaphore::new(AT_ONCE));
}

/// Answers with the listing, in the format that the request prefers. An error is answered with what `status` makes of it. GET and HEAD get the same head.
pub(crate) fn answer(exchange: &Exchange<'_>, asked: Asked, status: fn(Errno) -> u16) -> impl Future<Output = Response> {
    let format = Format::wanted(exchange.head);
    let mut whole = Buffer::take();
    path::decode(exchange.path(), &mut whole);
    let made = made(move || rendered(asked, &whole, format));
    async move {
        match made.await {
            Some(Ok(rendered)) => Response::Rendered(rendered),
            Some(Err(error)) => refusal(exchange, status(error)),
            None => refusal(exchange, 500),
        }
    }
}

/// Lets the blocking pool make something large, when its turn has come; `None` where that is impossible. The turn ends with the making, or when what was made is fetched: also where
/// the client has gone meanwhile.
async fn made<T: Send + 'static>(make: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let turn = ROOM.with(Arc::clone).acquire_owned().await.ok()?;
    let making = tokio::runtime::Handle::try_current().ok()?.spawn_blocking(move || (make(), turn));
    making.await.ok().map(|(made, _turn)| made)
}

/// The whole answer. `path` is the decoded path of the request, of which the directory's name is the end.
fn rendered(asked: Asked, path: &[u8], format: Format) -> Result<Rendered, Errno> {
    let Asked { open, name, serves_hidden, followed } = asked;
    let found = read::read(&open()?, serves_hidden, followed.as_ref())?;
    let mut entries = found.entries();
    listing::sort(&mut entries);
    let listing = Listing { above: above(path, &name), name: &name, entries: &entries, is_truncated: found.is_truncated };
    let mut buffer = Buffer::take();
    format.write(&listing, &mut buffer);
    let body_bytes = buffer.len();
    buffer.push_status_line(200);
    buffer.push_field("content-type", format.content_type());
    buffer.push_number_field("content-length", body_bytes as u64);
    buffer.push_field("vary", "accept");
    buffer.push_field("cache-control", "no-cache");
    buffer.extend_from_slice(format.fields().as_bytes());
    Ok(Rendered::new(200, buffer, body_bytes))
}

/// What stands before `name` in the path of its listing.
fn above<'p>(path: &'p [u8], name: &[u8]) -> &'p [u8] {
    let path = path.strip_suffix(b"/").unwrap_or(path);
    let above = path.strip_suffix(name).unwrap_or_default();
    let above = above.strip_prefix(b"/").unwrap_or(above);
    above.strip_suffix(b"/").unwrap_or(above)
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        pin::pin,
        sync::mpsc,
        task::{Context, Waker},
    };

    use super::*;

    #[test]
    fn listings_are_made_so_many_at_once_and_the_others_wait() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let _entered = runtime.enter();
        let (began, begun) = mpsc::channel();
        let mut futures: Vec<_> = (0..AT_ONCE + 1)
            .map(|number| {
                let began = began.clone();
                Box::pin(made(move || began.send(number).is_ok()))
            })
            .collect();
        let mut context = Context::from_waker(Waker::noop());
        let last = futures.pop().unwrap();
        let mut last = pin!(last);
        assert!(futures.iter_mut().all(|future| future.as_mut().poll(&mut context).is_pending()));
        for _ in 0..AT_ONCE {
            begun.recv().unwrap();
        }
        assert!(last.as_mut().poll(&mut context).is_pending());
        // What was made is not fetched yet: there is no turn for the last one.
        assert_eq!(ROOM.with(|room| room.available_permits()), 0);
        for future in futures {
            assert_eq!(runtime.block_on(future), Some(true));
        }
        assert_eq!(runtime.block_on(poll_fn(|context| last.as_mut().poll(context))), Some(true));
        assert_eq!(begun.try_iter().collect::<Vec<_>>(), [AT_ONCE]);
        assert_eq!(ROOM.with(|room| room.available_permits()), AT_ONCE);
    }

    #[test]
    fn above_is_what_the_route_adds() {
        for (path, name, expected) in [
            ("/", "", ""),
            ("/a/b/", "a/b", ""),
            ("/pub/", "", "pub"),
            ("/pub/linux/a/b/", "a/b", "pub/linux"),
            ("/a/a/", "a", "a"),
            ("/rewritten", "else", ""),
        ] {
            assert_eq!(above(path.as_bytes(), name.as_bytes()), expected.as_bytes(), "{path} {name}");
        }
    }
}
