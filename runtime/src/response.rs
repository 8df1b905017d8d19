//! What goes back: owned, borrowing nothing, so that the engine can drive both directions at once.
//!
//! Engines call the methods and never match the variants, so that a site without a feature has no trace of its variant. The head is the status line and
//! the field lines, each with CRLF, framing included; `date`, `connection`, edits and the empty line are the engine's, and so is leaving out the body for HEAD.

mod rendered;

use std::{
    io,
    os::fd::BorrowedFd,
    task::{Context, Poll},
};

pub use self::rendered::Rendered;
#[cfg(feature = "proxy")]
use crate::proxied::Proxied;
#[cfg(any(feature = "embed", feature = "files"))]
use crate::ranged::SentParts;
#[cfg(feature = "files")]
use crate::sent_file::{KeptFile, SentFile};
#[cfg(any(test, feature = "proxy-upgrade"))]
use crate::tunnel::Switched;
#[cfg(any(test, feature = "encode"))]
use crate::unmeasured::Unmeasured;
use crate::{answer::Answer, buffer::Chunk, fault::Fault, pipes::Outlet, tunnel::Opened};

/// An answer on its way to the client.
#[derive(Debug)]
pub enum Response {
    /// Close the connection without an answer.
    Abort,
    /// A file below a root, or a part of one. Large, and so are most of those files.
    #[cfg(feature = "files")]
    File(Box<SentFile>),
    /// A whole file below a root, whose body is in memory.
    #[cfg(feature = "files")]
    Kept(KeptFile),
    /// Several parts of a file. Large and rare.
    #[cfg(any(feature = "embed", feature = "files"))]
    Parts(Box<SentParts>),
    /// Head and body are constant data.
    Prebuilt(Answer),
    /// An upstream's answer.
    #[cfg(feature = "proxy")]
    Proxied(Proxied),
    /// Head and body were rendered for this request.
    Rendered(Rendered),
    /// One part of an embedded file.
    #[cfg(feature = "embed")]
    Slice(Slice),
    /// From here on bytes go both ways.
    #[cfg(any(test, feature = "proxy-upgrade"))]
    Switched(Switched),
    /// A body of which nobody knows the length before its last byte.
    #[cfg(any(test, feature = "encode"))]
    Unmeasured(Unmeasured),
}

/// A 206 whose body is constant data.
#[cfg(feature = "embed")]
#[derive(Debug)]
pub struct Slice {
    /// As [`Response::head_lines`] has it.
    pub(crate) head: crate::buffer::Buffer,
    pub(crate) body: &'static [u8],
}

/// A piece of a body that lies in a file, or goes from socket to socket by a pipe: it is to be sent from there, past memory. What is said of files holds for both.
#[derive(Clone, Copy, Debug)]
pub struct FilePiece<'a> {
    /// Where it lies.
    pub place: Place<'a>,
    /// Its bytes, at least one.
    pub bytes: usize,
    /// It is to be copied ([`Response::copy_piece`]), which costs less than to be sent from its pages.
    pub is_copied: bool,
}

/// Where a piece of a body lies.
#[derive(Clone, Copy, Debug)]
pub enum Place<'a> {
    /// In an open file, from that byte on.
    File(BorrowedFd<'a>, u64),
    /// In a pipe, in front.
    Pipe(Outlet<'a>),
}

impl Response {
    /// The status, three digits; 0 for an abort, which sends none.
    pub fn status(&self) -> u16 {
        match self {
            Self::Abort => 0,
            #[cfg(feature = "files")]
            Self::File(file) => file.status(),
            #[cfg(feature = "files")]
            Self::Kept(_) => 200,
            #[cfg(any(feature = "embed", feature = "files"))]
            Self::Parts(_) => 206,
            Self::Prebuilt(answer) => answer.status,
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.status(),
            Self::Rendered(rendered) => rendered.status,
            #[cfg(feature = "embed")]
            Self::Slice(_) => 206,
            #[cfg(any(test, feature = "proxy-upgrade"))]
            Self::Switched(_) => 101,
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(unmeasured) => unmeasured.status(),
        }
    }

    /// Nothing is to be sent; the connection is closed (h1), the stream reset (h2, h3).
    pub fn is_abort(&self) -> bool {
        matches!(self, Self::Abort)
    }

    /// Status line and field lines, each with CRLF, framing included where the length is known; without `date`, `connection` and the empty line. Empty for an abort.
    pub fn head_lines(&self) -> &[u8] {
        match self {
            Self::Abort => b"",
            #[cfg(feature = "files")]
            Self::File(file) => file.head_lines(),
            #[cfg(feature = "files")]
            Self::Kept(file) => file.head_lines(),
            #[cfg(any(feature = "embed", feature = "files"))]
            Self::Parts(parts) => parts.head_lines(),
            Self::Prebuilt(answer) => answer.head,
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.head_lines(),
            Self::Rendered(rendered) => rendered.buffer.get(rendered.body_bytes..).unwrap_or_default(),
            #[cfg(feature = "embed")]
            Self::Slice(slice) => &slice.head,
            #[cfg(any(test, feature = "proxy-upgrade"))]
            Self::Switched(switched) => switched.head_lines(),
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(unmeasured) => unmeasured.head_lines(),
        }
    }

    /// The head lines have a `date` (RFC 9110 §6.6.1): the engine adds none.
    #[inline(always)]
    pub fn has_date(&self) -> bool {
        match self {
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.has_date(),
            #[cfg(any(test, feature = "proxy-upgrade"))]
            Self::Switched(switched) => switched.has_date(),
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(unmeasured) => unmeasured.has_date(),
            _ => false,
        }
    }

    /// It is a 101: [`Self::tunnel`] has what follows.
    #[inline(always)]
    pub fn is_tunnel(&self) -> bool {
        match self {
            #[cfg(any(test, feature = "proxy-upgrade"))]
            Self::Switched(_) => true,
            _ => false,
        }
    }

    /// The other end of a 101; the first call gets it.
    pub(crate) fn tunnel(&mut self) -> Option<Opened> {
        match self {
            #[cfg(any(test, feature = "proxy-upgrade"))]
            Self::Switched(switched) => switched.open(),
            _ => None,
        }
    }

    /// Bytes of body that will be sent in all (for HEAD and 304 none of them): what `content-length` says. Of a file, those that are not given out yet.
    /// `None`: only its last byte will tell, and the engine frames it by what the version has.
    pub fn body_bytes(&self) -> Option<u64> {
        match self {
            #[cfg(feature = "files")]
            Self::File(file) => Some(file.body_bytes()),
            #[cfg(any(feature = "embed", feature = "files"))]
            Self::Parts(parts) => Some(parts.body_bytes()),
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.body_bytes(),
            #[cfg(any(test, feature = "proxy-upgrade"))]
            Self::Switched(_) => None,
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(_) => None,
            _ => Some(self.ready_body().len() as u64),
        }
    }

    /// The whole body where it lies in memory; empty where there is none or it is streamed ([`Self::is_streamed`]).
    pub fn ready_body(&self) -> &[u8] {
        match self {
            Self::Abort => b"",
            #[cfg(feature = "files")]
            Self::File(file) => file.ready_body(),
            #[cfg(feature = "files")]
            Self::Kept(file) => file.body(),
            #[cfg(any(feature = "embed", feature = "files"))]
            Self::Parts(_) => b"",
            Self::Prebuilt(answer) => answer.body,
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.ready_body(),
            Self::Rendered(rendered) => rendered.buffer.get(..rendered.body_bytes).unwrap_or_default(),
            #[cfg(feature = "embed")]
            Self::Slice(slice) => slice.body,
            #[cfg(any(test, feature = "proxy-upgrade"))]
            Self::Switched(_) => b"",
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(_) => b"",
        }
    }

    /// Bytes of memory that the answer has for itself, other than what is pooled or belongs to a file: one that was rendered to a large body holds it as long as the client takes.
    pub(crate) fn own_bytes(&self) -> usize {
        match self {
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.own_bytes(),
            Self::Rendered(rendered) => rendered.buffer.capacity(),
            _ => 0,
        }
    }

    /// The body comes from [`Self::poll_chunk`]; [`Self::ready_body`] is empty.
    pub fn is_streamed(&self) -> bool {
        match self {
            #[cfg(feature = "files")]
            Self::File(file) => file.is_streamed(),
            #[cfg(any(feature = "embed", feature = "files"))]
            Self::Parts(_) => true,
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.is_streamed(),
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(_) => true,
            _ => false,
        }
    }

    /// Nobody knows how long the body will be: [`Self::body_bytes`] is `None`.
    #[inline(always)]
    pub fn is_unmeasured(&self) -> bool {
        match self {
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.is_unmeasured(),
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(_) => true,
            _ => false,
        }
    }

    /// What was given of a body without a length is known to have been its end: [`Self::poll_chunk`] would say so.
    pub fn has_ended(&self) -> bool {
        match self {
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.has_ended(),
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(unmeasured) => unmeasured.has_ended(),
            _ => false,
        }
    }

    /// The body is streamed from a file or by a pipe, and can be sent from there without a copy: [`Self::poll_piece`]. Of an upstream's, what comes next.
    #[inline(always)]
    pub fn is_in_file(&self) -> bool {
        match self {
            #[cfg(feature = "files")]
            Self::File(file) => file.is_in_file(),
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.may_splice(),
            _ => false,
        }
    }

    /// How many of the next bytes of a body that lies in a file can be sent now, never 0: [`Self::piece`] has them. `None`: all is sent. What has been
    /// sent is told to [`Self::advance`]. Unsupported: it can't be sent that way ([`Self::read_instead`]).
    #[cfg_attr(not(any(feature = "files", feature = "proxy")), expect(unused_variables, reason = "only files and upstreams wait"))]
    pub fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<usize>>> {
        match self {
            #[cfg(feature = "files")]
            Self::File(file) => file.poll_piece(context),
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.poll_piece(context),
            _ => Poll::Ready(None),
        }
    }

    /// So many of the next bytes of a body that lies in a file.
    #[cfg_attr(not(any(feature = "files", feature = "proxy")), expect(unused_variables, reason = "only files and upstreams have pieces"))]
    pub fn piece(&self, bytes: usize) -> Option<FilePiece<'_>> {
        match self {
            #[cfg(feature = "files")]
            Self::File(file) => Some(file.piece(bytes)),
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.piece(bytes),
            _ => None,
        }
    }

    /// Copies so many of the next bytes of a body that lies in a file to `room`, or fewer. `None`: they are not in the page cache, and the next [`Self::poll_piece`] waits for them.
    #[cfg_attr(not(feature = "files"), expect(unused_variables, reason = "only files have pieces"))]
    pub fn copy_piece(&mut self, bytes: usize, room: &mut [u8]) -> Option<usize> {
        match self {
            #[cfg(feature = "files")]
            Self::File(file) => file.copy_piece(bytes, room),
            _ => None,
        }
    }

    /// So many bytes have been sent.
    #[cfg_attr(not(any(feature = "files", feature = "proxy")), expect(unused_variables, reason = "only files and upstreams have pieces"))]
    pub fn advance(&mut self, bytes: usize) {
        match self {
            #[cfg(feature = "files")]
            Self::File(file) => file.advance(bytes),
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.advance(bytes),
            _ => {}
        }
    }

    /// What is left can't be sent from its file: it is read piece by piece, and so is whatever is sent of the same open file from now on.
    pub fn read_instead(&mut self) {
        match self {
            #[cfg(feature = "files")]
            Self::File(file) => file.read_instead(),
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.read_instead(),
            _ => {}
        }
    }

    /// The next piece of a streamed body, never empty, at most `room` bytes (and [`crate::buffer::LARGE_BYTES`]); `None` after the last. In all they are
    /// exactly [`Self::body_bytes`], where that is known. An error (a file that shrank) cannot be told to the client any more: the connection is closed.
    #[cfg_attr(
        not(any(test, feature = "embed", feature = "encode", feature = "files", feature = "proxy")),
        expect(unused_variables, reason = "only streamed bodies read them")
    )]
    pub fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        match self {
            #[cfg(feature = "files")]
            Self::File(file) => file.poll_chunk(context, room),
            #[cfg(any(feature = "embed", feature = "files"))]
            Self::Parts(parts) => parts.poll_chunk(context, room),
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.poll_chunk(context, room),
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(unmeasured) => unmeasured.poll_chunk(context, room),
            _ => Poll::Ready(None),
        }
    }

    /// Field lines behind a body without a length, each with CRLF: known when its last piece has been given. Engines send them where the version can.
    pub fn trailer_lines(&self) -> &[u8] {
        match self {
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.trailer_lines(),
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(unmeasured) => unmeasured.trailer_lines(),
            _ => b"",
        }
    }

    /// The client is slow to take the answer: what goes on beside it (an upload that is not over) can go on without [`Self::poll_chunk`]. It wakes the task as that does.
    #[cfg_attr(not(any(test, feature = "encode", feature = "proxy")), expect(unused_variables, reason = "nothing goes on beside"))]
    pub fn go_on(&mut self, context: &mut Context<'_>) {
        match self {
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.go_on(context),
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(unmeasured) => unmeasured.go_on(context),
            _ => {}
        }
    }

    /// What went wrong behind the head of an upstream's answer.
    #[inline(always)]
    pub fn fault(&self) -> Option<Fault> {
        match self {
            #[cfg(feature = "proxy")]
            Self::Proxied(proxied) => proxied.fault(),
            #[cfg(any(test, feature = "encode"))]
            Self::Unmeasured(unmeasured) => unmeasured.fault(),
            _ => None,
        }
    }
}
