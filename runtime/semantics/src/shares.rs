//! `split`: which share of the traffic a key belongs to. The same key always gives the same share, on every machine and in every version of kiln.
//!
//! The hash is FNV-1a of 64 bits over the salt, a zero byte and the key, finished with the 64-bit mixer of MurmurHash3; it is part of the language and never
//! changes. The range of the hash is cut in proportion to the weights, in their order, so that changing 95/5 to 90/10 moves 5 % of the keys and no others. It is
//! no secret: a client that can choose its key can choose its share.

/// The shares of one split.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Shares<'a> {
    /// Keeps splits by the same key independent of each other; splits with the same salt and weights pick the same.
    pub salt: &'a str,
    /// Weights in written order; a share's part is its weight of their sum.
    pub weights: &'a [u32],
}

impl Shares<'_> {
    /// The index of the share that a rendered key belongs to. 0 where there are no weights or all are zero, which the compiler refuses.
    pub fn pick(&self, key: &[u8]) -> usize {
        let total: u128 = self.weights.iter().map(|&weight| u128::from(weight)).sum();
        // Below the total, and as often as the hash: 2^64 values are mapped onto it in proportion.
        let mut point = (u128::from(hash(self.salt, key)) * total) >> 64;
        for (index, &weight) in self.weights.iter().enumerate() {
            match point.checked_sub(u128::from(weight)) {
                Some(behind) => point = behind,
                None => return index,
            }
        }
        0
    }
}

/// Where in the range a key lies.
pub fn hash(salt: &str, key: &[u8]) -> u64 {
    let bytes = salt.bytes().chain(std::iter::once(0)).chain(key.iter().copied());
    mix(fnv(bytes))
}

/// FNV-1a of 64 bits (draft-eastlake-fnv §2 and §5).
fn fnv(bytes: impl Iterator<Item = u8>) -> u64 {
    const BASIS: u64 = 0xCBF2_9CE4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01B3;
    bytes.fold(BASIS, |state, byte| (state ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// `fmix64` of MurmurHash3: FNV's upper bits alone depend too little on a key's last bytes.
fn mix(mut state: u64) -> u64 {
    state ^= state >> 33;
    state = state.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    state ^= state >> 33;
    state = state.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    state ^ state >> 33
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fnv_has_the_published_values() {
        // draft-eastlake-fnv, appendix C.
        for (text, value) in [("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8)] {
            assert_eq!(fnv(text.bytes()), value, "{text}");
        }
    }

    #[test]
    fn mix_is_that_of_the_reference_code() {
        // Zero is a fixed point of it; the other is what the reference code gives.
        assert_eq!(mix(0), 0);
        assert_eq!(mix(1), 0xB456_BCFC_34C2_CB2C);
    }

    #[test]
    fn hash_never_changes() {
        for (salt, key, value) in HASHES {
            assert_eq!(hash(salt, key.as_bytes()), value, "{salt} {key}: 0x{:016X}", hash(salt, key.as_bytes()));
        }
    }

    /// Computed with a second implementation, in another language.
    const HASHES: [(&str, &str, u64); 4] = [
        ("", "", 0xB903_4AD3_7056_F5FB),
        ("", "192.0.2.1", 0xF0B9_C09F_688A_5F7F),
        ("checkout", "192.0.2.1", 0x6327_0443_7CDE_0CCC),
        ("checkout", "2001:db8::1", 0xC127_50F9_C4A0_DE2B),
    ];

    /// Picks of 100,000 client addresses.
    fn picks(shares: &Shares<'_>) -> Vec<usize> {
        (0..100_000_u32).map(|client| shares.pick(std::net::Ipv4Addr::from(0x0A00_0000 + client).to_string().as_bytes())).collect()
    }

    #[test]
    fn keys_are_shared_out_by_weight() {
        for weights in [&[95, 5][..], &[1, 1], &[1, 2, 3, 4], &[u32::MAX, u32::MAX], &[999, 1], &[0, 3, 0, 1]] {
            let shares = Shares { salt: "", weights };
            let picks = picks(&shares);
            let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
            for (index, &weight) in weights.iter().enumerate() {
                let part = f64::from(weight) / total;
                let count = picks.iter().filter(|pick| **pick == index).count();
                // Five standard deviations of a binomial distribution.
                let bound = 5.0 * (100_000.0 * part * (1.0 - part)).sqrt();
                assert!((count as f64 - 100_000.0 * part).abs() <= bound, "{weights:?}: {index} has {count}");
            }
        }
    }

    #[test]
    fn change_of_weights_moves_only_the_difference() {
        let before = picks(&Shares { salt: "", weights: &[95, 5] });
        let after = picks(&Shares { salt: "", weights: &[90, 10] });
        assert!(before.iter().zip(&after).all(|(before, after)| before == after || (*before, *after) == (0, 1)));
        let moved = before.iter().zip(&after).filter(|(before, after)| before != after).count();
        assert!((4_600..5_400).contains(&moved), "{moved}");
    }

    #[test]
    fn splits_with_different_salts_are_independent() {
        let one = picks(&Shares { salt: "one", weights: &[1, 1] });
        let other = picks(&Shares { salt: "other", weights: &[1, 1] });
        let both = one.iter().zip(&other).filter(|(one, other)| **one == 1 && **other == 1).count();
        assert!((24_300..25_700).contains(&both), "{both}");
    }

    #[test]
    fn shares_without_weight_pick_the_first() {
        assert_eq!(Shares { salt: "", weights: &[] }.pick(b"x"), 0);
        assert_eq!(Shares { salt: "", weights: &[0, 0] }.pick(b"x"), 0);
    }

    proptest! {
        #[test]
        fn pick_is_sticky_and_has_weight(weights in proptest::collection::vec(any::<u32>(), 1..6), key in proptest::collection::vec(any::<u8>(), 0..20)) {
            let shares = Shares { salt: "s", weights: &weights };
            let pick = shares.pick(&key);
            prop_assert_eq!(pick, shares.pick(&key));
            prop_assert!(weights[pick] > 0 || weights.iter().all(|weight| *weight == 0));
        }
    }
}
