//! What an exchange is called: 64 hexadecimal digits, the SHA-256 of 32 bytes that the system's generator gave for it alone (feature `request-id`; without it
//! `request_id/absent.rs` stands here).
//!
//! Made when something asks for it the first time, the same from then on, wherever it stands: in headers, bodies and the log. Randomness is fetched in blocks,
//! a system call for 32 exchanges, and no byte of it is used twice.

use std::{
    cell::{OnceCell, RefCell},
    fmt,
};

use rustix::{
    io::Errno,
    rand::{GetRandomFlags, getrandom},
};
use sha2::{Digest as _, Sha256};

use crate::exchange::Slot;

/// Bytes of randomness for one exchange.
const SEED_BYTES: usize = 32;
/// Bytes that are fetched at once.
const BLOCK_BYTES: usize = 32 * SEED_BYTES;

/// One exchange's name, once it has been asked for.
#[derive(Default)]
pub(crate) struct Id {
    digits: OnceCell<[u8; 64]>,
}

impl Id {
    /// Forgets it: the next exchange has another.
    pub(crate) fn clear(&mut self) {
        self.digits = OnceCell::new();
    }

    fn text(&self) -> &str {
        str::from_utf8(self.digits.get_or_init(fresh)).unwrap_or_default()
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.digits.get().map_or("no request id", |digits| str::from_utf8(digits).unwrap_or_default()))
    }
}

/// The name of the slot's exchange.
pub(crate) fn of(slot: &Slot) -> &str {
    slot.request_id.text()
}

/// Randomness that was fetched and not used.
struct Block {
    bytes: [u8; BLOCK_BYTES],
    used: usize,
}

thread_local! {
    static BLOCK: RefCell<Block> = const { RefCell::new(Block { bytes: [0; BLOCK_BYTES], used: BLOCK_BYTES }) };
}

fn fresh() -> [u8; 64] {
    hexadecimal(&Sha256::digest(BLOCK.with_borrow_mut(Block::seed)).into())
}

impl Block {
    fn seed(&mut self) -> [u8; SEED_BYTES] {
        if self.used >= BLOCK_BYTES {
            fill(&mut self.bytes);
            self.used = 0;
        }
        let mut seed = [0; SEED_BYTES];
        for (to, from) in seed.iter_mut().zip(self.bytes.iter_mut().skip(self.used)) {
            *to = std::mem::take(from);
        }
        self.used += SEED_BYTES;
        seed
    }
}

/// Fresh randomness. A system that has none to give has no names for exchanges either: the panic is that exchange's alone.
fn fill(mut bytes: &mut [u8]) {
    while !bytes.is_empty() {
        match getrandom(&mut *bytes, GetRandomFlags::empty()) {
            Ok(filled) => bytes = bytes.get_mut(filled..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(error) => panic!("the system gives no randomness: {error}"),
        }
    }
}

/// Lower-case digits.
fn hexadecimal(bytes: &[u8; 32]) -> [u8; 64] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut digits = [0; 64];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    digits
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn id_is_64_lower_case_digits_and_stays() {
        let slot = Slot::default();
        let text = of(&slot).to_owned();
        assert_eq!(text.len(), 64);
        assert!(text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{text}");
        assert_eq!(of(&slot), text);
    }

    #[test]
    fn slot_that_is_reset_has_another_id() {
        let mut slot = Slot::default();
        let ids: BTreeSet<String> = (0..10_000)
            .map(|_| {
                slot.reset();
                of(&slot).to_owned()
            })
            .collect();
        assert_eq!(ids.len(), 10_000);
    }

    #[test]
    fn digits_are_those_of_the_bytes() {
        assert_eq!(&hexadecimal(&std::array::from_fn(|at| at as u8))[..8], b"00010203");
        assert_eq!(hexadecimal(&[0xAF; 32])[..4], *b"afaf");
    }

    #[test]
    fn randomness_is_used_once() {
        let mut block = Block { bytes: [0; BLOCK_BYTES], used: BLOCK_BYTES };
        let seeds: BTreeSet<_> = (0..3 * BLOCK_BYTES / SEED_BYTES).map(|_| block.seed()).collect();
        assert_eq!(seeds.len(), 3 * BLOCK_BYTES / SEED_BYTES);
    }
}
