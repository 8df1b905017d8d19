//! Memory that answers are rendered to: taken from a pool of the thread, given back on drop.
//!
//! Steady state allocates nothing. Bounded: a pool keeps at most [`BUFFERS_MAX`] buffers and [`CHUNKS_MAX`] chunks, and no buffer that grew above
//! [`BUFFER_BYTES_MAX`]; what is over that is freed. Never shared between threads, so no lock.

use std::{
    cell::RefCell,
    mem,
    ops::{Deref, DerefMut},
};

use semantics::status;

/// Free buffers that a thread keeps.
pub const BUFFERS_MAX: usize = 64;
/// Bytes of capacity above which a buffer is freed instead of kept.
pub const BUFFER_BYTES_MAX: usize = 64 * 1024;
/// Bytes of capacity that a new buffer starts with: a head and a short body.
const BUFFER_BYTES: usize = 1024;
/// Free chunks that a thread keeps: 1 MiB in all.
pub const CHUNKS_MAX: usize = 16;
/// Bytes of a chunk: what is read of a streamed body at once.
pub const CHUNK_BYTES: usize = 64 * 1024;
/// Free large chunks that a thread keeps: 1 MiB in all.
pub const LARGES_MAX: usize = 8;
/// Bytes of a large chunk: what is read at once where a head and a whole body may come together.
pub const LARGE_BYTES: usize = 128 * 1024;

/// Bytes of a body that one call sends at most. Measured and not explained: 1 MiB in two pieces costs a quarter to a third less CPU than in one, pieces of 512 to 768 KiB do
/// not differ, and in three or more it costs more (docs/benchmarks.md).
pub(crate) const PIECE_BYTES: usize = 576 * 1024;

thread_local! {
    static BUFFERS: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    static CHUNKS: RefCell<Vec<Box<[u8]>>> = const { RefCell::new(Vec::new()) };
    static LARGES: RefCell<Vec<Box<[u8]>>> = const { RefCell::new(Vec::new()) };
    static PIECE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Lends the thread's one memory of [`PIECE_BYTES`]: what is read into it is sent by the next call, or not at all. A page of it is there from its first use on.
pub(crate) fn with_piece<T>(using: impl FnOnce(&mut [u8]) -> T) -> T {
    PIECE.with_borrow_mut(|piece| {
        if piece.is_empty() {
            *piece = vec![0; PIECE_BYTES];
        }
        using(piece)
    })
}

/// A growing byte buffer of the thread's pool; empty when taken.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
}

impl Buffer {
    /// One from the pool, or a new one.
    pub fn take() -> Self {
        let kept = BUFFERS.with_borrow_mut(Vec::pop);
        Self { bytes: kept.unwrap_or_else(|| Vec::with_capacity(BUFFER_BYTES)) }
    }

    /// One without memory, until something is written to it.
    #[cfg_attr(not(feature = "proxy"), expect(dead_code, reason = "only requests to upstreams give their memory back early"))]
    pub(crate) fn none() -> Self {
        Self { bytes: Vec::new() }
    }

    /// Appends `HTTP/1.1 200 OK` and CRLF.
    pub fn push_status_line(&mut self, status: u16) {
        self.bytes.extend_from_slice(b"HTTP/1.1 ");
        self.push_number(status.into());
        self.bytes.push(b' ');
        self.bytes.extend_from_slice(status::reason(status).as_bytes());
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// Appends `name: value` and CRLF; neither may hold a control byte.
    pub fn push_field(&mut self, name: &str, value: &str) {
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(b": ");
        self.bytes.extend_from_slice(value.as_bytes());
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// Appends `name: 1040` and CRLF.
    pub fn push_number_field(&mut self, name: &str, value: u64) {
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(b": ");
        self.push_number(value);
        self.bytes.extend_from_slice(b"\r\n");
    }

    /// Appends lower-case hexadecimal digits without leading zeros.
    pub fn push_hex(&mut self, number: u64) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = number.checked_ilog(16).unwrap_or_default();
        for place in (0..=digits).rev() {
            self.bytes.push(DIGITS[(number >> (4 * place)) as usize & 15]);
        }
    }

    /// Appends decimal digits.
    pub fn push_number(&mut self, mut number: u64) {
        let start = self.bytes.len();
        loop {
            self.bytes.push(b'0' + (number % 10) as u8);
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.bytes[start..].reverse();
    }
}

impl Deref for Buffer {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut bytes = mem::take(&mut self.bytes);
        if bytes.capacity() == 0 || bytes.capacity() > BUFFER_BYTES_MAX {
            return;
        }
        bytes.clear();
        // While the thread ends its pool may be gone: the buffer is freed then.
        let _ = BUFFERS.try_with(|pool| keep(pool, bytes, BUFFERS_MAX));
    }
}

/// A piece of a streamed body: mostly at most [`CHUNK_BYTES`] in memory that was initialised once. Derefs to what was filled and not consumed.
#[derive(Debug)]
pub struct Chunk {
    bytes: Box<[u8]>,
    // Half the size of an index: a connection that streams holds one.
    start: u32,
    end: u32,
}

impl Chunk {
    /// An empty one from the pool, or a new one.
    pub fn take() -> Self {
        let kept = CHUNKS.with_borrow_mut(Vec::pop);
        Self::from_memory(kept.unwrap_or_else(|| vec![0; CHUNK_BYTES].into_boxed_slice()))
    }

    /// An empty chunk over memory that [`Self::into_memory`] gave.
    pub fn from_memory(bytes: Box<[u8]>) -> Self {
        Self { bytes, start: 0, end: 0 }
    }

    /// Leaves the pool's care, so that the memory can be filled on another thread.
    pub fn into_memory(mut self) -> Box<[u8]> {
        mem::take(&mut self.bytes)
    }

    /// The whole memory, for a reader to fill from its front.
    pub fn memory(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Says that the first `bytes` of the memory hold data (clamped to what there is).
    pub fn set_filled(&mut self, bytes: usize) {
        self.start = 0;
        self.end = u32::try_from(bytes.min(self.bytes.len())).unwrap_or(u32::MAX);
    }

    /// Drops the first `bytes` of the data (clamped): they have been written.
    pub fn consume(&mut self, bytes: usize) {
        self.start = self.start.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX)).min(self.end);
    }
}

/// For answers that are taken apart where they have come.
#[cfg_attr(not(feature = "proxy"), expect(dead_code, reason = "only those of upstreams are"))]
impl Chunk {
    /// An empty large one from the pool, or a new one.
    pub(crate) fn take_large() -> Self {
        let kept = LARGES.with_borrow_mut(Vec::pop);
        Self::from_memory(kept.unwrap_or_else(|| vec![0; LARGE_BYTES].into_boxed_slice()))
    }

    /// The memory behind the data, for a reader to fill from its front.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        self.bytes.get_mut(self.end as usize..).unwrap_or_default()
    }

    /// Says that the first `bytes` of the room hold data (clamped to what there is).
    pub(crate) fn add_filled(&mut self, bytes: usize) {
        self.end = u32::try_from((self.end as usize + bytes).min(self.bytes.len())).unwrap_or(u32::MAX);
    }

    /// The data, to be changed in place.
    pub(crate) fn data(&mut self) -> &mut [u8] {
        self.bytes.get_mut(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Drops what is behind the first `bytes` of the data.
    pub(crate) fn truncate(&mut self, bytes: usize) {
        self.end = self.end.min(self.start.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX)));
    }

    /// Moves the data to the front of the memory, so that there is room behind it.
    pub(crate) fn compact(&mut self) {
        self.bytes.copy_within(self.start as usize..self.end as usize, 0);
        (self.start, self.end) = (0, self.end - self.start);
    }
}

impl Deref for Chunk {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        let bytes = mem::take(&mut self.bytes);
        let _ = match bytes.len() {
            CHUNK_BYTES => CHUNKS.try_with(|pool| keep(pool, bytes, CHUNKS_MAX)),
            LARGE_BYTES => LARGES.try_with(|pool| keep(pool, bytes, LARGES_MAX)),
            _ => Ok(()),
        };
    }
}

/// Adds `item` to a pool that has room; frees it else.
fn keep<T>(pool: &RefCell<Vec<T>>, item: T, items_max: usize) {
    let mut pool = pool.borrow_mut();
    if pool.len() < items_max {
        pool.push(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffer_dropped_is_taken_again_empty() {
        let mut first = Buffer::take();
        first.extend_from_slice(b"text");
        let address = first.as_ptr();
        drop(first);
        let second = Buffer::take();
        assert_eq!((second.as_ptr(), second.len()), (address, 0));
    }

    #[test]
    fn buffer_above_its_bound_is_not_kept() {
        let mut large = Buffer::take();
        large.reserve(2 * BUFFER_BYTES_MAX);
        drop(large);
        assert!(Buffer::take().capacity() <= BUFFER_BYTES_MAX);
    }

    #[test]
    fn pool_keeps_no_more_than_its_bound() {
        let all: Vec<Buffer> = (0..BUFFERS_MAX + 5).map(|_| Buffer::take()).collect();
        drop(all);
        assert_eq!(BUFFERS.with_borrow(Vec::len), BUFFERS_MAX);
        let all: Vec<Chunk> = (0..CHUNKS_MAX + 5).map(|_| Chunk::take()).collect();
        drop(all);
        assert_eq!(CHUNKS.with_borrow(Vec::len), CHUNKS_MAX);
    }

    #[test]
    fn numbers_are_decimal_or_hexadecimal() {
        let mut buffer = Buffer::take();
        buffer.push_number(0);
        buffer.push_number(u64::MAX);
        assert_eq!(&**buffer, b"018446744073709551615");
        buffer.clear();
        buffer.push_hex(0);
        buffer.push_hex(u64::MAX);
        buffer.push_hex(0x10);
        assert_eq!(&**buffer, b"0ffffffffffffffff10");
    }

    #[test]
    fn chunk_consumed_gives_the_rest() {
        let mut chunk = Chunk::take();
        chunk.memory()[..4].copy_from_slice(b"abcd");
        chunk.set_filled(4);
        chunk.consume(1);
        assert_eq!(&*chunk, b"bcd");
        chunk.consume(usize::MAX);
        assert!(chunk.is_empty());
    }
}
