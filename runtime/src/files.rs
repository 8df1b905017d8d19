//! `files` from a root: a directory of the host, read at run time. GET and HEAD with conditions and ranges; listings and a cache of open
//! files come later.
//!
//! Only regular files that lie below the root are served: never through a symlink, never a dotfile or a backup, never a device or a FIFO. What the kernel
//! has in its caches is answered at once; any wait for a disk is made by the blocking pool. A small file costs four system calls beside the engine's:
//! openat2, fstat, preadv2, close.

mod head;
mod open;
mod pinned;

use std::{os::fd::OwnedFd, sync::Arc};

use rustix::{
    fs::{FileType, fstat},
    io::Errno,
};
use semantics::{
    conditional::{self, Verdict},
    files::Rules,
    late::Value,
    method::{Method, Methods},
    partial,
    ranges::{Parts, Ranged},
};

use self::{head::Validators, open::Unopened, pinned::Directory};
pub use crate::at::At;
use crate::{
    at::{self, Name, Wanted},
    buffer::Buffer,
    builtin::refusal,
    exchange::Exchange,
    file_reader::FileReader,
    later::Later,
    ranged::{self, SentParts},
    response::{Rendered, Response},
    sent_file::SentFile,
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

/// Answers with the file that the path names. The route takes GET and HEAD only and has refused `%2F`.
pub fn file<'a>(exchange: Exchange<'a>, root: &'static Root, at: At) -> Step<'a> {
    let name = match at::wanted(&exchange, at, &root.rules) {
        Wanted::Absent => return Step::Ready(refusal(&exchange, 404)),
        Wanted::Name(name) => name,
        Wanted::Prefix => return Step::Ready(at::slash_redirect(&exchange)),
    };
    let directory = match pinned::directory(root) {
        Ok(directory) => directory,
        Err(error) => return Step::Ready(refusal(&exchange, status(error))),
    };
    match directory.open_cached(&name) {
        Ok(file) => Step::Ready(answer(&exchange, &name, file)),
        Err(Unopened::Errno(error)) => Step::Ready(refusal(&exchange, status(error))),
        Err(Unopened::NotCached) => Step::Later(Later::new(open_then_answer(exchange, directory, owned(name)))),
    }
}

/// The same, and `miss` where there is no file, or for another method than GET and HEAD.
pub fn file_or<'a>(exchange: Exchange<'a>, root: &'static Root, at: At, miss: for<'x> fn(Exchange<'x>) -> Step<'x>) -> Step<'a> {
    if exchange.is(Methods::GET_HEAD) { file(exchange, root, at) } else { miss(exchange) }
}

/// The name without the request.
fn owned(name: Name<'_>) -> Buffer {
    match name {
        Name::Sent(name) => {
            let mut buffer = Buffer::take();
            buffer.extend_from_slice(name);
            buffer
        }
        Name::Written(buffer) => buffer,
    }
}

/// Opens in the blocking pool, for names that are in no cache of the kernel.
async fn open_then_answer(exchange: Exchange<'_>, directory: Arc<Directory>, name: Buffer) -> Response {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return refusal(&exchange, 500) };
    let opening = runtime.spawn_blocking(move || {
        let result = directory.open(&name);
        (name, result)
    });
    match opening.await {
        Ok((name, Ok(file))) => answer(&exchange, &name, file),
        Ok((_, Err(error))) => refusal(&exchange, status(error)),
        Err(_) => refusal(&exchange, 500),
    }
}

/// Answers with what was opened, by its kind and the request's conditions.
fn answer(exchange: &Exchange<'_>, name: &[u8], file: OwnedFd) -> Response {
    let stat = match fstat(&file) {
        Ok(stat) => stat,
        Err(error) => return refusal(exchange, status(error)),
    };
    match FileType::from_raw_mode(stat.st_mode) {
        // A directory that is called like the index is no index.
        FileType::Directory if !exchange.path().ends_with('/') => return at::slash_redirect(exchange),
        FileType::RegularFile => {}
        _ => return refusal(exchange, 404),
    }
    let validators = Validators::of(&stat);
    let bytes = u64::try_from(stat.st_size).unwrap_or_default();
    let ranged = match conditional::may_be_conditional(exchange.head) {
        false => Ranged::Whole,
        true => match validators.evaluate(exchange.head) {
            Verdict::NotModified => return Response::Rendered(Rendered::new(304, head::not_modified(&validators), 0)),
            Verdict::PreconditionFailed => return refusal(exchange, 412),
            Verdict::Proceed => validators.ranged(exchange.head, bytes),
        },
    };
    let head = head::full(name, bytes, &validators);
    match ranged {
        Ranged::Parts(parts) => partly(&head, file, parts, bytes),
        Ranged::Unsatisfiable => ranged::unsatisfiable(exchange, bytes),
        Ranged::Whole if bytes == 0 => Response::Rendered(Rendered::new(200, head, 0)),
        Ranged::Whole => {
            let file = SentFile::new(head, file, bytes);
            Response::File(if exchange.method() == Method::HEAD { file } else { file.read_at_once() })
        }
    }
}

/// Answers with parts of a file of `bytes`, whose 200 has the head `full`.
fn partly(full: &[u8], file: OwnedFd, parts: Parts, bytes: u64) -> Response {
    let Some(part) = parts.single() else {
        return Response::Parts(Box::new(SentParts::new(full, parts, bytes, Box::new(FileReader::Idle(file)))));
    };
    let mut head = Buffer::take();
    partial::head(full, part, bytes, &mut head);
    Response::File(SentFile::part(head, file, part).read_at_once())
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
