//! Sixteen bytes at once: whether any of them is out of a class.
//!
//! Written as loops over arrays that the compiler turns into vector instructions (the intrinsics would need unsafe code). The classes are those that
//! almost all bytes of a head belong to; what is outside of them goes on by the tables of [`crate::ascii`], so that a class here may be smaller than
//! the grammar's but never greater.

/// Bytes per mask.
pub(crate) const WIDTH: usize = 16;

/// A one in each of eight bytes.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each of eight bytes.
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Whether any of `bytes` is of a class.
#[inline(always)]
pub(crate) fn any(bytes: &[u8; WIDTH], is_of: impl Fn(u8) -> bool) -> bool {
    bytes.iter().fold(false, |found, &byte| found | is_of(byte))
}

/// A control byte, HTAB among them.
#[inline(always)]
pub(crate) fn stops_value(byte: u8) -> bool {
    (byte < 0x20) | (byte == 0x7F)
}

/// Not visible ASCII, or `#`.
#[inline(always)]
pub(crate) fn stops_target(byte: u8) -> bool {
    (byte.wrapping_sub(0x21) >= 94) | (byte == b'#')
}

/// Whether `byte` is among `bytes`, which are few: a call of the vector search of longer texts would cost more.
#[inline]
pub(crate) fn contains(bytes: &[u8], byte: u8) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().any(|word| has_zero(u64::from_le_bytes(*word) ^ (ONES * u64::from(byte)))) || rest.contains(&byte)
}

/// The same for what is mostly shorter than 17 bytes: no loop then.
#[inline(always)]
pub(crate) fn is_in_name(name: &[u8], byte: u8) -> bool {
    let is_in = |word: &[u8; 8]| has_zero(u64::from_le_bytes(*word) ^ (ONES * u64::from(byte)));
    match (name.first_chunk(), name.last_chunk()) {
        (Some(front), Some(end)) if name.len() <= 16 => is_in(front) | is_in(end),
        (None, None) => match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
            (Some(front), Some(end)) => {
                let (front, end) = (u32::from_le_bytes(*front), u32::from_le_bytes(*end));
                is_in(&(u64::from(front) | u64::from(end) << 32).to_le_bytes())
            }
            _ => name.contains(&byte),
        },
        _ => contains(name, byte),
    }
}

/// Whether one of the eight bytes is zero.
#[inline(always)]
fn has_zero(word: u64) -> bool {
    word.wrapping_sub(ONES) & !word & HIGHS != 0
}

/// Where in eight bytes, the first one lowest, the first control byte lies; HTAB is one.
#[inline(always)]
pub(crate) fn first_control(word: u64) -> Option<usize> {
    // A borrow can mark a byte above a control byte as well, never one below, and the lowest is what counts.
    let below_space = word.wrapping_sub(ONES * 0x20) & !word;
    let delete = word ^ (ONES * 0x7F);
    let is_delete = delete.wrapping_sub(ONES) & !delete;
    let found = (below_space | is_delete) & HIGHS;
    if found == 0 { None } else { Some((found.trailing_zeros() / 8) as usize) }
}

/// The last `length` bytes of `bytes`, fewer than eight, and zeros behind them. Nothing but zeros where `bytes` itself is shorter than eight.
#[inline(always)]
pub(crate) fn last_word(bytes: &[u8], length: usize) -> u64 {
    let word = bytes.last_chunk::<8>().map_or(0, |chunk| u64::from_le_bytes(*chunk));
    u32::try_from(8 * 8_usize.saturating_sub(length)).ok().and_then(|bits| word.checked_shr(bits)).unwrap_or(0)
}

/// How many of eight bytes, from the lowest on, are letters or hyphens: of what almost all field names consist.
#[inline(always)]
pub(crate) fn name_bytes(word: u64) -> usize {
    // Seven bits of each byte, so that no sum carries into the next one. The bit of case makes letters lower case and nothing else a letter.
    let lower = (word | (ONES * 0x20)) & !HIGHS;
    let is_letter = (lower + ONES * (0x80 - 0x61)) & !(lower + ONES * (0x80 - 0x7B));
    let hyphen = (word ^ (ONES * 0x2D)) & !HIGHS;
    let is_other = ((!is_letter & (hyphen + ONES * 0x7F)) | word) & HIGHS;
    (is_other.trailing_zeros() / 8) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_what_they_say() {
        for byte in 0..=u8::MAX {
            assert_eq!(stops_value(byte), byte.is_ascii_control());
            assert_eq!(stops_target(byte), !byte.is_ascii_graphic() || byte == b'#');
        }
    }

    #[test]
    fn a_byte_is_found_wherever_it_is() {
        for length in 0..20 {
            let mut bytes = vec![b'.'; length];
            assert!(!contains(&bytes, b'/') && !contains(&bytes, b'%') && !is_in_name(&bytes, b'/'));
            for at in 0..length {
                bytes[at] = b'/';
                assert!(contains(&bytes, b'/') && is_in_name(&bytes, b'/'), "{at} of {length}");
                bytes[at] = 0x80;
                assert!(!contains(&bytes, b'/') && !contains(&bytes, 0), "{at} of {length}");
                bytes[at] = b'.';
            }
        }
    }

    #[test]
    fn last_bytes_are_a_word_with_zeros_behind() {
        for length in 0..8 {
            let wanted: [u8; 8] = std::array::from_fn(|lane| if lane < length { b"12345678"[8 - length + lane] } else { 0 });
            assert_eq!(last_word(b"..12345678", length), u64::from_le_bytes(wanted), "{length}");
        }
        assert_eq!(last_word(b"1234567", 7), 0);
    }

    #[test]
    fn bytes_of_a_name_are_counted() {
        for byte in 0..=u8::MAX {
            for at in 0..8 {
                for (before, behind) in [(b'a', b':'), (b'Z', 0), (b'-', 0xFF), (b'z', b'A')] {
                    let bytes: [u8; 8] = std::array::from_fn(|lane| match lane {
                        lane if lane < at => before,
                        lane if lane == at => byte,
                        _ => behind,
                    });
                    let others = bytes.iter().position(|byte| !byte.is_ascii_alphabetic() && *byte != b'-');
                    assert_eq!(name_bytes(u64::from_le_bytes(bytes)), others.unwrap_or(8), "{bytes:?}");
                }
            }
        }
    }

    #[test]
    fn the_first_control_byte_is_found() {
        for byte in 0..=u8::MAX {
            for at in 0..8 {
                let word = |behind: u8| {
                    u64::from_le_bytes(std::array::from_fn(|lane| {
                        if lane < at {
                            b' '
                        } else if lane == at {
                            byte
                        } else {
                            behind
                        }
                    }))
                };
                assert_eq!(first_control(word(b'a')), byte.is_ascii_control().then_some(at));
                assert_eq!(first_control(word(0)), if byte.is_ascii_control() { Some(at) } else { Some(at + 1).filter(|at| *at < 8) });
            }
        }
    }
}
