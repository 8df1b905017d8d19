//! The chunked transfer coding (RFC 9112 §7.1), decoded strictly: CRLF only, bounded extensions and trailers.
//!
//! Extensions are read by their grammar and dropped, trailers are validated like fields and kept for whoever asks ([`crate::trailers`] says which go on). White space between a size and its CRLF, an
//! extension without a name, a quoted string that is not closed, and a trailer that would change framing or routing are refused.

use crate::ascii::{self, TOKEN};

/// More bytes in one size line or in the extension behind it are refused.
const LINE_BYTES_MAX: u32 = 4 << 10;
/// More bytes in the trailer section are refused.
const TRAILER_BYTES_MAX: u32 = 8 << 10;
/// More digits in a size are refused: they would not fit into 64 bits.
const SIZE_DIGITS_MAX: u32 = 16;
/// A chunk may have so many bytes of framing for nothing; what is above is counted against [`EXCESS_BYTES_MAX`].
const FREE_BYTES: u64 = 16;
/// So many bytes of framing beyond twice the data are borne in one body: tiny chunks with long extensions are an attack (CVE-2023-39326).
const EXCESS_BYTES_MAX: u32 = 16 << 10;

/// Where a decoder stands; starts with `Decoder::default()`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Decoder {
    state: State,
    /// Bytes of data that the chunk still has; the hash of the name while a trailer's name is read.
    remaining: u64,
    /// Bytes of the size line or of the trailer section so far.
    line_bytes: u32,
    /// Framing in excess of data.
    excess: u32,
    /// Trailers of any name are let through.
    takes_any_trailer: bool,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum State {
    /// Nothing of the size was read.
    #[default]
    Start,
    Size,
    /// White space behind the size: an extension must follow.
    Space,
    /// Behind a semicolon, or a semicolon and white space: a name must follow.
    ExtensionStart,
    Extension,
    Quoted,
    QuotedPair,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    TrailerStart,
    TrailerName,
    TrailerValue,
    TrailerLf,
    EndLf,
    End,
}

/// One step of decoding.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Progress {
    /// `skip` bytes of framing, then `data` bytes of body at the front of the input are consumed by the caller.
    Data {
        /// Bytes of framing.
        skip: usize,
        /// Bytes of body behind them, at least one.
        data: usize,
    },
    /// The body and its trailer section are over; `skip` bytes end it.
    End {
        /// Bytes of framing; what is behind them belongs to the next request.
        skip: usize,
    },
    /// Only framing (`skip` bytes) was there; more input is needed.
    More {
        /// Bytes of framing: the whole input.
        skip: usize,
    },
}

/// The framing is broken or over its bounds: 400 and close.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BadChunk;

impl Decoder {
    /// For an answer, whose client has no part in what its trailers are: those of no use are left to [`crate::trailers`] to drop, and do not break the answer off.
    pub const fn of_answer() -> Self {
        Self { state: State::Start, remaining: 0, line_bytes: 0, excess: 0, takes_any_trailer: true }
    }

    /// Looks at `input` (what has arrived and was not consumed) and advances. After `End` it gives `End` with nothing to skip.
    pub fn advance(&mut self, input: &[u8]) -> Result<Progress, BadChunk> {
        self.step(input, |_| {})
    }

    /// The same, and appends the bytes of trailers to `trailers` as they come: when it has given `End`, whole lines with CRLF, as received, at most 8 KiB of them.
    pub fn advance_keeping(&mut self, input: &[u8], trailers: &mut Vec<u8>) -> Result<Progress, BadChunk> {
        self.step(input, |byte| trailers.push(byte))
    }

    #[inline(always)]
    fn step(&mut self, input: &[u8], mut keep: impl FnMut(u8)) -> Result<Progress, BadChunk> {
        for (skip, &byte) in input.iter().enumerate() {
            match self.state {
                State::Data => {
                    let left = (input.len() - skip) as u64;
                    let data = left.min(self.remaining);
                    self.remaining -= data;
                    if self.remaining == 0 {
                        self.state = State::DataCr;
                    }
                    return Ok(Progress::Data { skip, data: data as usize });
                }
                State::End => return Ok(Progress::End { skip }),
                before => {
                    self.state = self.framing(byte)?;
                    let is_line = matches!(self.state, State::TrailerName | State::TrailerValue | State::TrailerLf);
                    if is_line || before == State::TrailerLf {
                        keep(byte);
                    }
                }
            }
        }
        match self.state {
            State::End => Ok(Progress::End { skip: input.len() }),
            _ => Ok(Progress::More { skip: input.len() }),
        }
    }

    /// The state behind one byte of framing.
    fn framing(&mut self, byte: u8) -> Result<State, BadChunk> {
        use State::*;
        self.line_bytes += 1;
        match self.state {
            TrailerStart | TrailerName | TrailerValue | TrailerLf => return self.trailer(byte),
            DataCr | DataLf | EndLf | Data | End => {}
            _ if self.line_bytes > LINE_BYTES_MAX => return Err(BadChunk),
            _ => {}
        }
        match (self.state, byte) {
            (Start | Size, _) if ascii::hex(byte).is_some() => self.digit(byte),
            (Size, b'\r') | (Extension, b'\r') => Ok(SizeLf),
            (Size | Space | Extension, b';') => Ok(ExtensionStart),
            (Size | Space, b' ' | b'\t') => Ok(Space),
            (ExtensionStart, b' ' | b'\t') => Ok(ExtensionStart),
            (ExtensionStart, _) if ascii::is(byte, TOKEN) => Ok(Extension),
            (Extension, b'"') => Ok(Quoted),
            (Extension, b' ' | b'\t' | b'=') => Ok(Extension),
            (Extension, _) if ascii::is(byte, TOKEN) => Ok(Extension),
            (Quoted, b'"') => Ok(Extension),
            (Quoted, b'\\') => Ok(QuotedPair),
            (Quoted | QuotedPair, b'\t' | b' '..=b'~' | 0x80..) => Ok(Quoted),
            (SizeLf, b'\n') => self.size_line_end(),
            (DataCr, b'\r') => Ok(DataLf),
            (DataLf, b'\n') => {
                self.line_bytes = 0;
                Ok(Start)
            }
            (EndLf, b'\n') => Ok(End),
            _ => Err(BadChunk),
        }
    }

    fn digit(&mut self, byte: u8) -> Result<State, BadChunk> {
        if self.line_bytes > SIZE_DIGITS_MAX {
            return Err(BadChunk);
        }
        self.remaining = self.remaining << 4 | u64::from(ascii::hex(byte).ok_or(BadChunk)?);
        Ok(State::Size)
    }

    fn size_line_end(&mut self) -> Result<State, BadChunk> {
        // Above that a signed length or the sum with what was read would wrap.
        if self.remaining > i64::MAX as u64 {
            return Err(BadChunk);
        }
        let framing = u64::from(self.excess) + u64::from(self.line_bytes);
        self.excess = framing.saturating_sub(FREE_BYTES + 2 * self.remaining) as u32;
        self.line_bytes = 0;
        if self.excess > EXCESS_BYTES_MAX {
            return Err(BadChunk);
        }
        Ok(if self.remaining == 0 { State::TrailerStart } else { State::Data })
    }

    fn trailer(&mut self, byte: u8) -> Result<State, BadChunk> {
        use State::*;
        if self.line_bytes > TRAILER_BYTES_MAX {
            return Err(BadChunk);
        }
        match (self.state, byte) {
            (TrailerStart, b'\r') => Ok(EndLf),
            (TrailerStart, _) if ascii::is(byte, TOKEN) => {
                self.remaining = name_hash(NAME_HASH_START, byte);
                Ok(TrailerName)
            }
            (TrailerName, b':') if !self.takes_any_trailer && FORBIDDEN_TRAILERS.contains(&self.remaining) => Err(BadChunk),
            (TrailerName, b':') => Ok(TrailerValue),
            (TrailerName, _) if ascii::is(byte, TOKEN) => {
                self.remaining = name_hash(self.remaining, byte);
                Ok(TrailerName)
            }
            (TrailerValue, b'\r') => Ok(TrailerLf),
            (TrailerValue, b'\t' | b' '..=b'~' | 0x80..) => Ok(TrailerValue),
            (TrailerLf, b'\n') => Ok(TrailerStart),
            _ => Err(BadChunk),
        }
    }
}

/// FNV-1a: names are compared by 64 bits, since a name may come in pieces and there is no room to keep it.
const NAME_HASH_START: u64 = 0xCBF2_9CE4_8422_2325;

const fn name_hash(hash: u64, byte: u8) -> u64 {
    (hash ^ byte.to_ascii_lowercase() as u64).wrapping_mul(0x0000_0100_0000_01B3)
}

const fn hash_of(name: &str) -> u64 {
    let mut hash = NAME_HASH_START;
    let mut rest = name.as_bytes();
    while let [byte, behind @ ..] = rest {
        hash = name_hash(hash, *byte);
        rest = behind;
    }
    hash
}

/// Fields that must not be trailers because they frame, route or authenticate (RFC 9110 §6.5.1).
const FORBIDDEN_TRAILERS: [u64; 15] = [
    hash_of("authorization"),
    hash_of("connection"),
    hash_of("content-encoding"),
    hash_of("content-length"),
    hash_of("content-range"),
    hash_of("content-type"),
    hash_of("cookie"),
    hash_of("expect"),
    hash_of("host"),
    hash_of("keep-alive"),
    hash_of("proxy-connection"),
    hash_of("te"),
    hash_of("trailer"),
    hash_of("transfer-encoding"),
    hash_of("upgrade"),
];
