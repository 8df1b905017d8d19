//! The pieces of a body: how they are told apart, and how its end is told.

use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    task::{Context, Poll, ready},
};

use super::super::{Transport, answer::panicked, link::Link, write::Body};
use crate::{
    buffer::{Chunk, LARGE_BYTES},
    fault::Fault,
    response::Response,
};

/// A piece of at most so many bytes is copied behind the size of its chunk.
const COPIED_BYTES_MAX: usize = 1024;

/// The body is not what its head says, and can't be told to be so any more.
pub(super) struct Broken;

/// How the pieces of a body are told apart, and when they end.
pub(super) enum Pieces {
    /// So many bytes are to come.
    Left(u64),
    /// The end is written as a piece of size 0. `false`: no piece has been.
    Chunked(bool),
    /// They are sent from their file or pipe.
    InFile,
    /// The end is that of the connection.
    ToTheEnd,
    /// All is in the output, or behind it.
    Ended,
}

impl Pieces {
    pub(super) fn new<S: Transport>(body: Body, response: &Response) -> Self {
        match (body, response.body_bytes()) {
            (Body::Streamed, _) if S::SENDS_FILES && response.is_in_file() => Self::InFile,
            (Body::Chunked, _) => Self::Chunked(false),
            (Body::ToTheEnd, _) => Self::ToTheEnd,
            (_, Some(0) | None) => Self::Ended,
            (_, Some(left)) => Self::Left(left),
        }
    }

    pub(super) fn have_ended(&self) -> bool {
        matches!(self, Self::Ended)
    }

    /// The next piece; `None`: the body has ended where it may.
    pub(super) fn next<S: Transport>(
        &self,
        link: &Link<S>,
        response: &mut Response,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Chunk>, Broken>> {
        let left = match self {
            Self::Left(left) => *left,
            Self::Chunked(_) | Self::Ended | Self::InFile | Self::ToTheEnd => u64::MAX,
        };
        let room = usize::try_from(left).map_or(LARGE_BYTES, |left| left.min(LARGE_BYTES));
        // After a panic the response is dropped and never polled again.
        let polled = catch_unwind(AssertUnwindSafe(|| response.poll_chunk(context, room)));
        let Ok(polled) = polled else {
            link.records.fail(panicked(link).name());
            return Poll::Ready(Err(Broken));
        };
        Poll::Ready(match ready!(polled) {
            Some(Ok(piece)) if !piece.is_empty() && piece.len() as u64 <= left => Ok(Some(piece)),
            None if !matches!(self, Self::Left(_)) => Ok(None),
            Some(_) | None => {
                link.records.fail(cause(response));
                Err(Broken)
            }
        })
    }

    /// Appends to `out` what frames the piece. Gives the piece, which goes behind it, unless it is there already.
    pub(super) fn frame<S: Transport>(
        &mut self,
        link: &Link<S>,
        response: &Response,
        out: &mut Vec<u8>,
        piece: Option<Chunk>,
    ) -> Option<Chunk> {
        let bytes = piece.as_ref().map_or(0, |piece| piece.len());
        let is_last = piece.is_none() || response.has_ended();
        let mut apart = piece;
        match self {
            Self::Ended | Self::InFile => return None,
            Self::Left(left) => {
                *left -= bytes as u64;
                if *left == 0 {
                    *self = Self::Ended;
                }
                return apart;
            }
            Self::ToTheEnd => link.records.add(0, bytes, 0),
            Self::Chunked(is_behind) => {
                let before = out.len();
                push_size(out, mem::replace(is_behind, true), bytes);
                let before_bytes = out.len() - before;
                if let Some(piece) = apart.as_mut().filter(|_| !is_last && bytes <= COPIED_BYTES_MAX) {
                    // So that its end needs no call of its own: an event may be all that comes for a long time.
                    out.extend(piece.iter().chain(b"\r\n"));
                    piece.consume(bytes);
                    *is_behind = false;
                }
                if is_last {
                    if let Some(piece) = apart.take() {
                        // It is copied so that the end needs no call of its own.
                        out.extend_from_slice(&piece);
                        push_size(out, true, 0);
                    }
                    out.extend_from_slice(response.trailer_lines());
                    out.extend_from_slice(b"\r\n");
                }
                link.records.add(before_bytes, bytes, (out.len() - before - before_bytes).saturating_sub(bytes));
            }
        }
        if is_last {
            *self = Self::Ended;
            link.records.complete();
        }
        apart
    }

    /// Nothing more is there for now: whoever reads whole chunks must not wait for the end of the last one.
    pub(super) fn end_chunk<S: Transport>(&mut self, link: &Link<S>, out: &mut Vec<u8>) {
        if let Self::Chunked(is_behind) = self
            && mem::take(is_behind)
        {
            out.extend_from_slice(b"\r\n");
            link.records.add(2, 0, 0);
        }
    }
}

/// Appends the size of a chunk, behind the end of the one before it (RFC 9112 §7.1).
fn push_size(out: &mut Vec<u8>, is_behind: bool, bytes: usize) {
    if is_behind {
        out.extend_from_slice(b"\r\n");
    }
    let digits = bytes.checked_ilog(16).unwrap_or_default();
    out.extend((0..=digits).rev().map(|place| b"0123456789abcdef"[bytes >> (4 * place) & 15]));
    out.extend_from_slice(b"\r\n");
}

/// Why a body ended before its last byte.
pub(super) fn cause(response: &Response) -> &'static str {
    response.fault().map_or("body-broken-off", Fault::name)
}
