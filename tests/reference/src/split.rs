//! `split`: which share a key has. The hash is part of the language: FNV-1a of 64 bits over salt, zero byte and key, then MurmurHash3's 64-bit finish.

use kiln::model::Share;

/// The share that a key falls to, in the order they are written.
pub fn pick<'s>(salt: &str, key: &[u8], shares: &'s [Share]) -> &'s Share {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in salt.bytes().chain([0]).chain(key.iter().copied()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    for factor in [0xFF51_AFD7_ED55_8CCD_u64, 0xC4CE_B9FE_1A85_EC53] {
        hash = (hash ^ (hash >> 33)).wrapping_mul(factor);
    }
    hash ^= hash >> 33;
    let total: u128 = shares.iter().map(|share| u128::from(share.weight)).sum();
    // The range of the hash is cut in proportion to the weights.
    let point = (u128::from(hash) * total) >> 64;
    let mut end = 0;
    let reaches = |share: &&Share| {
        end += u128::from(share.weight);
        point < end
    };
    shares.iter().find(reaches).expect("the weights are not all zero")
}
