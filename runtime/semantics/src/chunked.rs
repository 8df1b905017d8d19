//! The chunked transfer coding (RFC 9112 §7.1), decoded strictly: CRLF only, bounded extensions and trailers.

/// Where a decoder stands; starts with `Decoder::default()`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decoder { state: u8, remaining: u64, line_bytes: u32 }

/// One step of decoding.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Progress {
    /// `skip` bytes of framing, then `data` bytes of body at the front of the input are consumed by the caller.
    Data { skip: usize, data: usize },
    /// The body and its trailer section are over; `skip` bytes end it.
    End { skip: usize },
    /// Only framing (`skip` bytes) was there; more input is needed.
    More { skip: usize },
}

/// The framing is broken or over its bounds: 400 and close.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BadChunk;

impl Decoder {
    /// Looks at `input` (what has arrived and was not consumed) and advances.
    pub fn advance(&mut self, input: &[u8]) -> Result<Progress, BadChunk> { todo!() }
}
