//! A body that is coded while it is sent.
//!
//! A turn takes at most one piece of the source, and gives what has come of it; the next turn is another task's first. Whenever the source has nothing more just now,
//! what it gave is flushed, so that a stream of events is not held back.

use std::{
    io, mem,
    task::{Context, Poll},
};

use super::{Coder, Lease, Progress, Until};
use crate::{
    buffer::{CHUNK_BYTES, Chunk},
    fault::Fault,
    response::Response,
    turn,
    unmeasured::Source,
};

/// An answer's body on its way through an encoder.
#[derive(Debug)]
pub(super) struct Encoded {
    /// Whose body it is.
    source: Response,
    /// Bytes that were given of a body that lies in memory.
    given: usize,
    /// What was given and is not taken.
    input: Option<Chunk>,
    encoder: Lease,
    is_flushed_often: bool,
    /// What the encoder is asked for, until it is done.
    asked: Until,
    /// Something was put in that no flush has followed.
    holds_back: bool,
    has_ended: bool,
    /// Bytes of the source that were taken in this turn.
    taken: usize,
}

impl Encoded {
    pub(super) fn new(source: Response, coder: &Coder) -> Self {
        Self {
            source,
            given: 0,
            input: None,
            encoder: coder.take(),
            is_flushed_often: coder.is_flushed_often,
            asked: Until::More,
            holds_back: false,
            has_ended: false,
            taken: 0,
        }
    }

    /// The next piece of the source; `None` behind the last.
    fn poll_source(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Chunk>>> {
        if self.source.is_streamed() {
            return self.source.poll_chunk(context, CHUNK_BYTES);
        }
        let rest = self.source.ready_body().get(self.given..).unwrap_or_default();
        let piece = rest.get(..CHUNK_BYTES).unwrap_or(rest);
        if piece.is_empty() {
            return Poll::Ready(None);
        }
        let mut chunk = Chunk::take();
        chunk.memory().iter_mut().zip(piece).for_each(|(to, from)| *to = *from);
        chunk.set_filled(piece.len());
        self.given += piece.len();
        Poll::Ready(Some(Ok(chunk)))
    }

    /// Sees to it that the encoder has something to do. `false`: it has not, for now.
    fn poll_work(&mut self, context: &mut Context<'_>) -> io::Result<bool> {
        if self.input.is_some() || self.asked != Until::More {
            return Ok(true);
        }
        match self.poll_source(context) {
            Poll::Ready(Some(piece)) => self.input = Some(piece?),
            Poll::Ready(None) => self.asked = Until::End,
            Poll::Pending if self.holds_back => self.asked = Until::Flush,
            Poll::Pending => return Ok(false),
        }
        Ok(true)
    }

    /// Lets the encoder work once; gives how much it gave.
    fn work(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let input = self.input.as_deref().unwrap_or_default();
        let Progress { taken, given, is_done } = self.encoder.encode(input, room, self.asked)?;
        if taken == 0 && given == 0 && !is_done {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.taken += taken;
        self.holds_back |= taken > 0;
        if let Some(input) = &mut self.input {
            input.consume(taken);
            if input.is_empty() {
                self.input = None;
                if self.is_flushed_often {
                    self.asked = Until::Flush;
                    return Ok(given);
                }
            }
        }
        match self.asked {
            Until::End => self.has_ended = is_done,
            Until::Flush if is_done => (self.asked, self.holds_back) = (Until::More, false),
            Until::Flush | Until::More => {}
        }
        Ok(given)
    }

    /// Works until the room is full, the turn is over, or there is nothing to do. Gives how much is in the room, and whether the source is waited for.
    fn fill(&mut self, context: &mut Context<'_>, room: &mut [u8]) -> io::Result<(usize, bool)> {
        let mut filled = 0;
        while let Some(rest) = room.get_mut(filled..).filter(|rest| !rest.is_empty())
            && !self.has_ended
            && (self.taken < CHUNK_BYTES || self.input.is_some() || self.asked != Until::More)
        {
            if !self.poll_work(context)? {
                return Ok((filled, true));
            }
            filled += self.work(rest)?;
        }
        Ok((filled, false))
    }
}

impl Source for Encoded {
    fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        if mem::take(&mut self.taken) >= CHUNK_BYTES {
            return turn::end(context);
        }
        let mut coded = Chunk::take();
        let filled = self.fill(context, coded.memory().get_mut(..room.clamp(1, CHUNK_BYTES)).unwrap_or_default());
        Poll::Ready(match filled {
            Err(error) => Some(Err(error)),
            Ok((0, _)) if self.has_ended => None,
            Ok((0, true)) => return Poll::Pending,
            Ok((0, false)) => {
                // Nothing has come of it yet.
                self.taken = 0;
                return turn::end(context);
            }
            Ok((bytes, _)) => {
                coded.set_filled(bytes);
                Some(Ok(coded))
            }
        })
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }

    fn fault(&self) -> Option<Fault> {
        self.source.fault()
    }

    fn go_on(&mut self, context: &mut Context<'_>) {
        self.source.go_on(context);
    }
}
