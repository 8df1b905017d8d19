//! The hash of kiln's tables, those that are laid out at build time among them: short texts, no secrets, the same on every machine.

const FIRST: u64 = 0x9E37_79B9_7F4A_7C15;
const SECOND: u64 = 0xD6E8_FEB8_6659_FD93;

/// A hash of `bytes`; other seeds give other hashes. Both halves of the result are usable.
#[inline]
pub fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mut state = seed ^ (bytes.len() as u64).wrapping_mul(FIRST);
    if let (Some(low), Some(high)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        for chunk in bytes.as_chunks::<8>().0.iter().skip(1) {
            state = mix(state ^ u64::from_le_bytes(*chunk));
        }
        state = mix(state ^ u64::from_le_bytes(*low)) ^ u64::from_le_bytes(*high);
    } else if let (Some(low), Some(high)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        state ^= u64::from(u32::from_le_bytes(*low)) | u64::from(u32::from_le_bytes(*high)) << 32;
    } else if let (Some(&first), Some(&middle), Some(&last)) = (bytes.first(), bytes.get(bytes.len() / 2), bytes.last()) {
        state ^= u64::from(first) | u64::from(middle) << 8 | u64::from(last) << 16;
    }
    mix(mix(state))
}

#[inline(always)]
fn mix(state: u64) -> u64 {
    let product = state.wrapping_mul(SECOND);
    product ^ product >> 32
}
