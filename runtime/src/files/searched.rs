//! A request whose own name is no file that is at hand: what else answers, by [`Search`].
//!
//! Goes as far as the kernel's caches lead, and in the blocking pool from there on. A name that can't be opened for another reason than that it is not there
//! ends the search with its status.

use std::{rc::Rc, sync::Arc};

use rustix::io::Errno;
use semantics::files::{self, Next, Search};

use super::{
    Miss, Root, answer,
    found::{self, Found, Sought},
    open::Unopened,
    pinned::Directory,
    status,
};
use crate::{
    at::{self, At},
    buffer::Buffer,
    builtin::refusal,
    exchange::Exchange,
    later::Later,
    listing::{self, Asked, Followed},
    open_file::OpenFile,
    response::Response,
    step::Step,
};

/// A search on its way.
pub(super) struct Searched<'a> {
    exchange: Exchange<'a>,
    root: &'static Root,
    directory: Arc<Directory>,
    miss: Miss,
    search: Search<'a>,
    next: Next,
    /// What is looked up, or answers.
    name: Buffer,
    /// What the last name led to.
    file: Option<Rc<OpenFile>>,
}

impl<'a> Searched<'a> {
    pub(super) fn new(exchange: Exchange<'a>, root: &'static Root, directory: Arc<Directory>, (at, miss): (At, Miss)) -> Self {
        let mut search = Search::new(&root.rules, at::below(&exchange, at));
        let mut name = Buffer::take();
        let next = search.first(&mut name);
        Self { exchange, root, directory, miss, search, next, name, file: None }
    }

    /// Answers. `looked` is what the first name has led to, where that is known.
    pub(super) fn step(mut self, mut looked: Option<Result<Found, Unopened>>) -> Step<'a> {
        while self.next == Next::LookUp {
            let found = match looked.take().unwrap_or_else(|| self.look()) {
                Err(Unopened::NotCached) => return Step::Later(Later::new(self.wait())),
                Err(Unopened::Errno(error)) => Err(error),
                Ok(found) => Ok(found),
            };
            if let Err(status) = self.tell(found) {
                return Step::Ready(refusal(&self.exchange, status));
            }
        }
        self.end()
    }

    /// The same in the blocking pool.
    async fn wait(mut self) -> Response {
        // The first was asked for already.
        let mut may_be_kept = false;
        while self.next == Next::LookUp {
            let found = match self.at_hand(may_be_kept) {
                Some(found) => Ok(found),
                None => {
                    let mut name = Buffer::take();
                    name.extend_from_slice(&self.name);
                    Sought::look_in_pool(self.root, Arc::clone(&self.directory), name).await
                }
            };
            may_be_kept = true;
            if let Err(status) = self.tell(found) {
                return refusal(&self.exchange, status);
            }
        }
        match self.end() {
            Step::Ready(response) => response,
            Step::Later(later) => later.await,
        }
    }

    /// What needs no look: the empty name is the root itself, a file may be kept.
    fn at_hand(&self, may_be_kept: bool) -> Option<Found> {
        match self.name.is_empty() {
            true => Some(Found::Directory),
            false if may_be_kept => found::kept(self.root, &self.name).map(Found::File),
            false => None,
        }
    }

    fn look(&self) -> Result<Found, Unopened> {
        if let Some(found) = self.at_hand(true) {
            return Ok(found);
        }
        Sought { root: self.root, directory: &self.directory, name: &self.name }.look()
    }

    /// Goes on by what the name led to; an error is the status that ends the search.
    fn tell(&mut self, found: Result<Found, Errno>) -> Result<(), u16> {
        let kind = match found {
            Ok(Found::Directory) => files::Found::Directory,
            Ok(Found::File(file)) => {
                self.file = Some(file);
                files::Found::File
            }
            Ok(Found::Other) => files::Found::Absent,
            Err(error) if status(error) == 404 => files::Found::Absent,
            Err(error) => return Err(status(error)),
        };
        self.next = self.search.found(kind, &mut self.name);
        Ok(())
    }

    fn end(self) -> Step<'a> {
        match (self.next, self.file) {
            (Next::File, Some(file)) => Step::Ready(answer(&self.exchange, file)),
            (Next::Listing, _) if listing::lists(&self.root.rules) => {
                let (exchange, asked) = (self.exchange, asked(self.root, &self.directory, self.name));
                Step::Later(Later::new(async move { listing::answer(&exchange, asked, status).await }))
            }
            (Next::Slash, _) => Step::Ready(at::slash_redirect(&self.exchange)),
            (Next::File | Next::Listing | Next::LookUp | Next::Nothing, _) => (self.miss)(self.exchange),
        }
    }
}

/// The directory of that name, and how its links are followed.
fn asked(root: &'static Root, directory: &Arc<Directory>, name: Buffer) -> Asked {
    let (opening, opened) = (Arc::clone(directory), name.to_vec());
    let followed = root.rules.follows_links.then(|| {
        let (directory, name) = (Arc::clone(directory), name.to_vec());
        Box::new(move |entry: &[u8]| directory.stat(&if name.is_empty() { entry.to_vec() } else { [&name, entry].join(&b'/') })) as Followed
    });
    Asked { open: Box::new(move || opening.open_directory(&opened)), name, serves_hidden: root.rules.serves_hidden, followed }
}
