//! `files` from a root: a directory of the host, read at run time. GET and HEAD with conditions and ranges.
//!
//! Only regular files that lie below the root are served, never a device or a FIFO; dotfiles, backups, and what links that stay below lead to only where the site says so.
//! Open files are kept for a while ([`crate::open_files`]) and looked at again once a second: between, a small file costs no system call beside the engine's. What the
//! kernel has in its caches is answered at once; any wait for a disk is made by the blocking pool.

mod found;
mod named;
mod open;
mod pinned;
mod searched;
mod walk;

use std::rc::Rc;

use rustix::io::Errno;
use semantics::{
    conditional::{self, Verdict},
    files::Rules,
    late::Value,
    method::{Method, Methods},
    partial,
    ranges::{Parts, Ranged},
};

pub use self::named::named;
use self::{
    found::{Found, Sought},
    searched::Searched,
};
pub use crate::at::At;
use crate::{
    at::{self, Wanted},
    buffer::Buffer,
    builtin::{self, refusal},
    encode,
    exchange::Exchange,
    file_reader::FileReader,
    open_file::OpenFile,
    ranged::{self, SentParts},
    response::{Rendered, Response},
    sent_file::{KeptFile, SentFile},
    step::Step,
};

/// A directory of the host: a `static` of generated code.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// Its path; opened once by each worker, when first asked for.
    pub directory: Value<'static>,
    /// What the site says of it.
    pub rules: Rules<'static>,
}

/// The action that answers where there is no file.
type Miss = for<'x> fn(Exchange<'x>) -> Step<'x>;

/// Answers with the file that the path names. The route takes GET and HEAD only and has refused `%2F`.
pub fn file<'a>(exchange: Exchange<'a>, root: &'static Root, at: At) -> Step<'a> {
    served(exchange, root, at, builtin::not_found)
}

/// The same, and `miss` where there is no file, or for another method than GET and HEAD.
pub fn file_or<'a>(exchange: Exchange<'a>, root: &'static Root, at: At, miss: for<'x> fn(Exchange<'x>) -> Step<'x>) -> Step<'a> {
    if exchange.is(Methods::GET_HEAD) { served(exchange, root, at, miss) } else { miss(exchange) }
}

#[inline]
fn served<'a>(exchange: Exchange<'a>, root: &'static Root, at: At, miss: Miss) -> Step<'a> {
    let name = match at::wanted(&exchange, at, &root.rules) {
        Wanted::Absent => return miss(exchange),
        Wanted::Name(name) => Some(name),
        Wanted::Prefix => None,
    };
    if let Some(file) = name.as_ref().and_then(|name| found::kept(root, name)) {
        return Step::Ready(answer(&exchange, file));
    }
    let directory = match pinned::directory(root) {
        Ok(directory) => directory,
        Err(error) => return Step::Ready(refusal(&exchange, status(error))),
    };
    let looked = name.map(|name| Sought { root, directory: &directory, name: &name }.look());
    match looked {
        Some(Ok(Found::File(file))) => Step::Ready(answer(&exchange, file)),
        looked => Searched::new(exchange, root, directory, (at, miss)).step(looked),
    }
}

/// Answers with a file by the request's conditions.
fn answer(exchange: &Exchange<'_>, file: Rc<OpenFile>) -> Response {
    let file = file.form(exchange.head);
    let ranged = match conditional::may_be_conditional(exchange.head) {
        false => Ranged::Whole,
        true => match file.evaluate(exchange.head) {
            Verdict::NotModified => return not_modified(&file),
            Verdict::PreconditionFailed => return refusal(exchange, 412),
            Verdict::Proceed => file.ranged(exchange.head),
        },
    };
    match ranged {
        // Several parts of a coding are one that nobody can undo before they are put together.
        Ranged::Parts(parts) if !file.is_coded() || parts.single().is_some() => partly(file, parts),
        Ranged::Unsatisfiable => ranged::unsatisfiable(exchange, file.bytes()),
        Ranged::Parts(_) | Ranged::Whole => {
            let file = match KeptFile::new(file) {
                Ok(file) => return Response::Kept(file),
                Err(file) => SentFile::new(file),
            };
            // HEAD needs no body, unless its length is that of what is made of it.
            let is_unread = exchange.method() == Method::HEAD && !encode::is_chosen(exchange.slot);
            Response::File(Box::new(if is_unread { file } else { file.read_at_once() }))
        }
    }
}

fn not_modified(file: &OpenFile) -> Response {
    let mut head = Buffer::take();
    head.extend_from_slice(file.not_modified());
    Response::Rendered(Rendered::new(304, head, 0))
}

/// Answers with parts of a file.
fn partly(file: Rc<OpenFile>, parts: Parts) -> Response {
    let Some(part) = parts.single() else {
        let reader = Box::new(FileReader::Idle(file.file()));
        return Response::Parts(Box::new(SentParts::new(file.head(), parts, file.bytes(), reader)));
    };
    let mut head = Buffer::take();
    partial::head(file.head(), part, file.bytes(), &mut head);
    Response::File(Box::new(SentFile::part(file, head, part).read_at_once()))
}

/// The status for a file that can't be opened. Whatever is not below the root, for whatever reason, is not there.
fn status(error: Errno) -> u16 {
    match error {
        Errno::ACCESS | Errno::PERM => 403,
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG | Errno::LOOP | Errno::XDEV => 404,
        // Names that the file system can't have; sockets and devices without a driver.
        Errno::INVAL | Errno::ILSEQ | Errno::NXIO | Errno::NODEV => 404,
        Errno::AGAIN | Errno::MFILE | Errno::NFILE | Errno::NOMEM => 503,
        _ => 500,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_tells_absence_refusal_and_want_apart() {
        for (error, expected) in [
            (Errno::NOENT, 404),
            (Errno::LOOP, 404),
            (Errno::XDEV, 404),
            (Errno::NAMETOOLONG, 404),
            (Errno::ACCESS, 403),
            (Errno::MFILE, 503),
            (Errno::NFILE, 503),
            (Errno::IO, 500),
        ] {
            assert_eq!(status(error), expected, "{error}");
        }
    }
}
