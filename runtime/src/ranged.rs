//! Answers to a Range: what the features that serve files share. One part is an answer like others; several are sent from here, piece by piece.
//!
//! The text between parts and what can be had of them at once are gathered in chunks of a streamed body, so that a client who takes nothing holds one chunk,
//! however large the parts are.

use std::{
    fmt::Debug,
    io,
    task::{Context, Poll, ready},
};

use semantics::{
    partial::{self, Multipart},
    ranges::Parts,
};

use crate::{
    buffer::{Buffer, CHUNK_BYTES, Chunk},
    errors,
    exchange::Exchange,
    response::{Rendered, Response},
};

/// 416 with the length of what there is (RFC 9110 §15.5.17).
pub(crate) fn unsatisfiable(exchange: &Exchange<'_>, length: u64) -> Response {
    let answer = errors::answer(exchange.slot, 416);
    let mut buffer = Buffer::take();
    buffer.extend_from_slice(answer.body);
    buffer.extend_from_slice(answer.head);
    partial::push_unsatisfied(length, &mut buffer);
    Response::Rendered(Rendered::new(answer.status, buffer, answer.body.len()))
}

/// Where the bytes of parts come from.
pub(crate) trait Origin: Debug {
    /// Fills `room` from its front with what lies at `at`, as far as that needs no waiting; `None`: it does. 0: nothing lies there any more.
    fn read_now(&mut self, at: u64, room: &mut [u8]) -> Option<usize>;

    /// Reads at least one byte and at most `bytes` from `at` on. One that waits is asked again with the same arguments.
    fn poll_read(&mut self, at: u64, bytes: usize, context: &mut Context<'_>) -> Poll<io::Result<Chunk>>;
}

/// Constant data never waits.
impl Origin for &'static [u8] {
    fn read_now(&mut self, at: u64, room: &mut [u8]) -> Option<usize> {
        let here = usize::try_from(at).ok().and_then(|at| self.get(at..)).unwrap_or_default();
        let bytes = here.len().min(room.len());
        room.iter_mut().zip(here).for_each(|(to, from)| *to = *from);
        Some(bytes)
    }

    fn poll_read(&mut self, _at: u64, _bytes: usize, _context: &mut Context<'_>) -> Poll<io::Result<Chunk>> {
        Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()))
    }
}

/// A 206 of several parts.
#[derive(Debug)]
pub struct SentParts {
    head: Buffer,
    multipart: Multipart,
    /// The piece that is sent now: a text and the part behind it,
    piece: usize,
    /// and how much of both has been given out.
    given: u64,
    /// The origin was asked for bytes that it has to wait for.
    is_waiting: bool,
    origin: Box<dyn Origin>,
}

impl SentParts {
    /// `parts` of the `length` bytes of the origin, whose 200 would have the head `full`.
    pub(crate) fn new(full: &[u8], parts: Parts, length: u64, origin: Box<dyn Origin>) -> Self {
        let multipart = Multipart::new(full, parts, length);
        let mut head = Buffer::take();
        multipart.head(full, &mut head);
        Self { head, multipart, piece: 0, given: 0, is_waiting: false, origin }
    }

    pub(crate) fn head_lines(&self) -> &[u8] {
        &self.head
    }

    pub(crate) fn body_bytes(&self) -> u64 {
        self.multipart.body_bytes()
    }

    /// As [`Response::poll_chunk`] says.
    pub(crate) fn poll_chunk(&mut self, context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        let room = room.clamp(1, CHUNK_BYTES);
        if !self.is_waiting {
            let mut chunk = Chunk::take();
            match self.fill(chunk.memory().get_mut(..room).unwrap_or_default()) {
                Ok(0) => {}
                Ok(bytes) => {
                    chunk.set_filled(bytes);
                    return Poll::Ready(Some(Ok(chunk)));
                }
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
        let Some((at, left)) = self.next_bytes() else { return Poll::Ready(None) };
        self.is_waiting = true;
        let result = ready!(self.origin.poll_read(at, usize::try_from(left).map_or(room, |left| left.min(room)), context));
        self.is_waiting = false;
        if let Ok(chunk) = &result {
            self.given += chunk.len() as u64;
        }
        Poll::Ready(Some(result))
    }

    /// Fills the memory with what needs no waiting. 0: all is given, or the next bytes have to be waited for.
    fn fill(&mut self, memory: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(room) = memory.get_mut(filled..).filter(|room| !room.is_empty())
            && let Some((text, _)) = self.multipart.piece(self.piece)
        {
            let text = usize::try_from(self.given).ok().and_then(|given| text.get(given..)).unwrap_or_default();
            let bytes = text.len().min(room.len());
            room.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
            if bytes > 0 {
                (filled, self.given) = (filled + bytes, self.given + bytes as u64);
                continue;
            }
            let Some((at, left)) = self.next_bytes() else {
                (self.piece, self.given) = (self.piece + 1, 0);
                continue;
            };
            let wanted = usize::try_from(left).map_or(room.len(), |left| left.min(room.len()));
            match self.origin.read_now(at, room.get_mut(..wanted).unwrap_or_default()) {
                Some(0) if filled == 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(0) | None => break,
                Some(bytes) => (filled, self.given) = (filled + bytes, self.given + bytes as u64),
            }
        }
        Ok(filled)
    }

    /// Where the bytes of the piece's part go on, and how many are left; `None`: it has none left.
    fn next_bytes(&self) -> Option<(u64, u64)> {
        let (text, part) = self.multipart.piece(self.piece)?;
        let (part, given) = (part?, self.given.saturating_sub(text.len() as u64));
        let left = part.bytes().checked_sub(given).filter(|left| *left > 0)?;
        Some((part.first.saturating_add(given), left))
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use semantics::ranges::{self, Ranged};

    use super::*;

    const FULL: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n";

    /// Has every second byte at once, and the others after one waiting.
    #[derive(Debug, Default)]
    struct Slow {
        has_waited: bool,
    }

    impl Origin for Slow {
        fn read_now(&mut self, at: u64, room: &mut [u8]) -> Option<usize> {
            room[0] = at as u8;
            at.is_multiple_of(2).then_some(1)
        }

        fn poll_read(&mut self, at: u64, _bytes: usize, context: &mut Context<'_>) -> Poll<io::Result<Chunk>> {
            self.has_waited = !self.has_waited;
            if self.has_waited {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            let mut chunk = Chunk::take();
            chunk.memory()[0] = at as u8;
            chunk.set_filled(1);
            Poll::Ready(Ok(chunk))
        }
    }

    fn sent(value: &str, length: u64, origin: Box<dyn Origin>, room: usize) -> (Vec<u8>, u64) {
        let Ranged::Parts(parts) = ranges::of(value.as_bytes(), length) else { panic!("{value}") };
        let mut sent = SentParts::new(FULL, parts, length, origin);
        let mut body = Vec::new();
        loop {
            match sent.poll_chunk(&mut Context::from_waker(Waker::noop()), room) {
                Poll::Pending => {}
                Poll::Ready(None) => return (body, sent.body_bytes()),
                Poll::Ready(Some(chunk)) => {
                    let chunk = chunk.expect("nothing is missing");
                    assert!(!chunk.is_empty() && chunk.len() <= room);
                    body.extend_from_slice(&chunk);
                }
            }
        }
    }

    #[test]
    fn parts_are_the_same_however_they_come() {
        static BYTES: [u8; 256] = {
            let mut bytes = [0; 256];
            let mut at = 0;
            while at < 256 {
                bytes[at] = at as u8;
                at += 1;
            }
            bytes
        };
        let value = "bytes=100-109,0-0,-3";
        let (expected, length) = sent(value, 256, Box::new(&BYTES[..]), usize::MAX);
        assert_eq!(length, expected.len() as u64);
        for needle in [&BYTES[100..110], &BYTES[0..1], &BYTES[253..]] {
            let framed = [b"\r\n\r\n", needle, b"\r\n--"].concat();
            assert!(expected.windows(framed.len()).any(|window| window == framed), "{needle:?}");
        }
        for room in [1, 7, 4096] {
            assert_eq!(sent(value, 256, Box::new(&BYTES[..]), room), (expected.clone(), length), "{room}");
            assert_eq!(sent(value, 256, Box::new(Slow::default()), room), (expected.clone(), length), "slow, {room}");
        }
    }

    #[test]
    fn parts_of_what_has_shrunk_end_in_an_error() {
        let Ranged::Parts(parts) = ranges::of(b"bytes=0-0,10-19", 100) else { panic!() };
        let mut sent = SentParts::new(FULL, parts, 100, Box::new(&b"0123456789abc"[..]));
        let mut next = || sent.poll_chunk(&mut Context::from_waker(Waker::noop()), usize::MAX);
        let Poll::Ready(Some(Ok(chunk))) = next() else { panic!("what there is") };
        assert!(chunk.ends_with(b"\r\n\r\nabc"));
        assert!(matches!(next(), Poll::Ready(Some(Err(error))) if error.kind() == io::ErrorKind::UnexpectedEof));
    }
}
