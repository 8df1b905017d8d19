//! `encode`: codes answers on their way (feature `encode`; without it `encode/absent.rs` stands here).
//!
//! What is coded, and what its head says, is `semantics::encode`. A body that lies in memory and is short is coded at once and keeps a length; any other is coded
//! piece by piece as the client takes it ([`stream`]), by an encoder that is charged to the memory budget. Where there is no room for one more encoder the answer goes
//! out as it is: nobody waits for one. Figures of the three coders: docs/decisions/0014-encode.md.

mod coder;
mod stream;
#[cfg(all(test, feature = "encode-brotli", feature = "encode-gzip", feature = "encode-zstd"))]
mod tests;

use semantics::{
    encode::{self, Answer, Policy},
    head::Head,
    method::Method,
    negotiate::Coding,
};

pub use self::coder::Coder;
pub(crate) use self::coder::{Encoder, Lease, Progress, Until, keep};
use self::stream::Encoded;
use crate::{
    buffer::{Buffer, CHUNK_BYTES, Chunk},
    exchange::{Exchange, Slot},
    memory::{Grant, Memory},
    response::{Rendered, Response},
    unmeasured::Unmeasured,
};

/// Bodies up to so many bytes that lie in memory are coded at once.
pub(crate) const AT_ONCE_BYTES_MAX: usize = CHUNK_BYTES;
/// Bytes beside the encoder's own that one stream holds: a piece of the source, and one that is coded.
const STREAM_BYTES: usize = 2 * CHUNK_BYTES;
/// Codings that there are.
const CODERS_MAX: usize = 3;

/// One scope's policy: a `static` of generated code.
#[derive(Debug)]
pub struct Encoding {
    coders: &'static [Coder],
    /// Of the coders, in their order; identity behind them.
    codings: [Coding; CODERS_MAX],
    min_bytes: u64,
}

impl Encoding {
    /// Codes nothing: what undoes an outer scope's.
    pub const NONE: Self = Self::new(&[], 0);

    /// In the order of preference, each once; bodies below `min_bytes` are left alone.
    pub const fn new(coders: &'static [Coder], min_bytes: u64) -> Self {
        assert!(coders.len() <= CODERS_MAX, "a coding stands twice");
        let mut codings = [Coding::Identity; CODERS_MAX];
        let mut at = 0;
        while at < coders.len() {
            codings[at] = coders[at].coding;
            at += 1;
        }
        Self { coders, codings, min_bytes }
    }

    fn policy(&self) -> Policy<'_> {
        Policy { codings: &self.codings, min_bytes: self.min_bytes }
    }

    fn coder(&self, coding: Coding) -> Option<&Coder> {
        self.coders.iter().find(|coder| coder.coding == coding)
    }
}

/// What an exchange's answer is coded by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen {
    encoding: &'static Encoding,
    /// There is memory for an encoder that lives as long as the answer.
    may_stream: bool,
    /// The answer is in the coding that it is to have.
    is_stored: bool,
}

impl Exchange<'_> {
    /// The policy of the scope that has been chosen; a later call replaces an earlier one.
    #[must_use]
    pub fn encoded(self, encoding: &'static Encoding) -> Self {
        let chosen = (!encoding.coders.is_empty()).then_some(Chosen { encoding, may_stream: false, is_stored: false });
        self.slot.encoding.set(chosen);
        self
    }
}

/// The answer is sent as it is, and says nothing of codings but what it says already.
#[cfg_attr(not(feature = "embed"), expect(dead_code, reason = "embedded files alone have a coding of their own"))]
#[inline]
pub(crate) fn leave(slot: &Slot) {
    if let Some(chosen) = slot.encoding.get() {
        // Edits must not take away what it says.
        slot.encoding.set(slot.edits.get().map(|_| Chosen { is_stored: true, ..chosen }));
    }
}

/// The answer may be coded.
#[cfg_attr(not(feature = "files"), expect(dead_code, reason = "files alone are read for HEAD where that counts"))]
#[inline]
pub(crate) fn is_chosen(slot: &Slot) -> bool {
    slot.encoding.get().is_some()
}

/// Takes memory to code the answer as a stream, where that may come to pass and there is some.
#[inline]
pub(crate) fn afford(response: &Response, head: &Head<'_>, slot: &Slot, memory: &Memory) -> Option<Grant> {
    slot.encoding.get().and_then(|chosen| afford_stream(chosen, response, head, slot, memory))
}

#[cold]
fn afford_stream(chosen: Chosen, response: &Response, head: &Head<'_>, slot: &Slot, memory: &Memory) -> Option<Grant> {
    if is_at_once(response) || head.method == Method::HEAD {
        slot.encoding.set(Some(Chosen { may_stream: true, ..chosen }));
        return None;
    }
    let coder = chosen.encoding.coder(encode::wanted(&chosen.encoding.policy(), head))?;
    if !coder::has_room() {
        return None;
    }
    let grant = memory.take_spare(coder.memory_bytes + STREAM_BYTES + response.own_bytes())?;
    slot.encoding.set(Some(Chosen { may_stream: true, ..chosen }));
    Some(grant)
}

fn is_at_once(response: &Response) -> bool {
    !response.is_streamed() && response.ready_body().len() <= AT_ONCE_BYTES_MAX
}

/// Decides on the answer whose lines are the end of `out`, from `start` on, and changes both. `true`: the whole body is coded and in memory.
#[inline]
pub(crate) fn answer(response: &mut Response, head: &Head<'_>, slot: &Slot, start: usize, out: &mut Vec<u8>) -> bool {
    match slot.encoding.get() {
        None => false,
        Some(chosen) => code(chosen, response, head, start, out),
    }
}

#[cold]
fn code(chosen: Chosen, response: &mut Response, head: &Head<'_>, start: usize, out: &mut Vec<u8>) -> bool {
    let encoding = chosen.encoding;
    let is_at_once = is_at_once(response);
    let answer = Answer {
        status: response.status(),
        body_bytes: response.body_bytes(),
        unedited: response.head_lines(),
        is_stored: chosen.is_stored,
    };
    // Without room the answer still says that others may get it coded.
    let policy = if is_at_once || chosen.may_stream { encoding.policy() } else { Policy { codings: &[], ..encoding.policy() } };
    let coding = encode::apply(&policy, head, &answer, start, out);
    let Some(coder) = encoding.coder(coding) else { return false };
    let status = response.status();
    if is_at_once && let Some(body) = at_once(coder, response.ready_body()) {
        let body_bytes = body.len();
        let mut line = Buffer::take();
        line.push_number_field("content-length", body_bytes as u64);
        out.extend_from_slice(&line);
        *response = Response::Rendered(Rendered::new(status, body, body_bytes));
        return true;
    }
    let source = std::mem::replace(response, Response::Abort);
    *response = Response::Unmeasured(Unmeasured::new(status, Box::new(Encoded::new(source, coder))));
    false
}

/// The whole body coded; `None` where the encoder fails.
fn at_once(coder: &Coder, body: &[u8]) -> Option<Buffer> {
    let mut encoder = coder.take();
    let mut coded = Buffer::take();
    let mut room = Chunk::take();
    let mut rest = body;
    loop {
        let Progress { taken, given, is_done } = encoder.encode(rest, room.memory(), Until::End).ok()?;
        rest = rest.get(taken..).unwrap_or_default();
        coded.extend_from_slice(room.memory().get(..given).unwrap_or_default());
        if is_done {
            return Some(coded);
        }
        if taken == 0 && given == 0 {
            return None;
        }
    }
}
