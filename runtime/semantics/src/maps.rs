//! `map`: from a rendered text to another by exact match, as constant data: a sorted slice for small maps, a blob for large ones (100,000 redirects).
//!
//! A blob is little endian, all numbers `u32`: `MAGIC`, number of slots (a power of two), then slots of hash and entry offset (0: empty), open-addressed, at most
//! half full. An entry: bytes of its key, offset and bytes of its value, the key. Equal values are stored once. There are no pointers, so it costs neither
//! rustc nor the loader anything. Damage never panics: it reads as a row that is not there.

use std::collections::{HashMap, HashSet};

use crate::hash::hash;

/// Rows up to which a map is better a sorted slice in the generated code than a blob.
pub const INLINE_ROWS_MAX: usize = 256;
/// Bytes that one map's blob may have.
pub const MAP_BYTES_MAX: usize = 1 << 30;

const MAGIC: u32 = u32::from_le_bytes(*b"kmp1");
const SEED: u64 = 2;
/// Bytes of one number.
const NUMBER: usize = 4;
/// Bytes of a slot: hash and entry offset.
const SLOT: usize = 2 * NUMBER;
/// Bytes before the slots.
const FRONT: usize = 2 * NUMBER;
/// Bytes of an entry before its key.
const ENTRY: usize = 3 * NUMBER;

/// A map of a site.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Map<'a> {
    /// Its rows (`case`, or the lines of a file).
    pub rows: Rows<'a>,
    /// What a key without a row gives; `None` where the map has no `default`, which reads as an empty text.
    pub default: Option<&'a str>,
}

/// The rows of a map, each key once.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Rows<'a> {
    /// What [`encode`] gave.
    Blob(&'a [u8]),
    /// Ascending by the bytes of their keys, as [`sort`] gives them.
    Inline(&'a [(&'a str, &'a str)]),
}

impl<'a> Map<'a> {
    /// The value of the row with exactly this key; `None`: no row, whatever the default. Guards ask this.
    pub fn find(&self, key: &[u8]) -> Option<&'a str> {
        match self.rows {
            Rows::Blob(blob) => look_up(blob, key),
            Rows::Inline(rows) => {
                let found = rows.binary_search_by(|(row, _)| row.as_bytes().cmp(key)).ok()?;
                rows.get(found).map(|(_, value)| *value)
            }
        }
    }

    /// What `{map.x}` is for this key: the row's value, else the default, else empty.
    pub fn value(&self, key: &[u8]) -> &'a str {
        self.find(key).or(self.default).unwrap_or_default()
    }
}

fn look_up<'a>(blob: &'a [u8], key: &[u8]) -> Option<&'a str> {
    if number(blob, 0)? != MAGIC {
        return None;
    }
    let mask = number(blob, NUMBER)?.checked_sub(1)?;
    let wanted = slot_hash(key);
    let mut slot = wanted & mask;
    // Bounded by the table: it is half empty, and a damaged one ends too.
    for _ in 0..=mask {
        let at = FRONT.checked_add(SLOT.checked_mul(slot as usize)?)?;
        let entry = number(blob, at.checked_add(NUMBER)?)? as usize;
        if entry == 0 {
            return None;
        }
        if number(blob, at)? == wanted && bytes(blob, entry.checked_add(ENTRY)?, number(blob, entry)?)? == key {
            let (start, length) = (number(blob, entry + NUMBER)?, number(blob, entry + 2 * NUMBER)?);
            return std::str::from_utf8(bytes(blob, start as usize, length)?).ok();
        }
        slot = slot.wrapping_add(1) & mask;
    }
    None
}

fn number(blob: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*blob.get(at..)?.first_chunk()?))
}

fn bytes(blob: &[u8], start: usize, length: u32) -> Option<&[u8]> {
    blob.get(start..start.checked_add(length as usize)?)
}

fn slot_hash(key: &[u8]) -> u32 {
    (hash(SEED, key) >> 32) as u32
}

/// Why rows make no map.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum MapFault {
    /// The row of this number (from 0) has the key of an earlier one.
    Duplicate(usize),
    /// The blob would have more than [`MAP_BYTES_MAX`] bytes.
    TooLarge,
}

/// Brings rows into the order that [`Rows::Inline`] needs.
pub fn sort(rows: &mut [(&str, &str)]) -> Result<(), MapFault> {
    find_duplicate(rows)?;
    rows.sort_unstable_by(|(one, _), (other, _)| one.as_bytes().cmp(other.as_bytes()));
    Ok(())
}

/// Encodes rows as a blob. Deterministic: the order of `rows` does not matter to a look-up, and the same rows give the same bytes.
pub fn encode(rows: &[(&str, &str)]) -> Result<Vec<u8>, MapFault> {
    find_duplicate(rows)?;
    let slots = (2 * rows.len()).next_power_of_two().max(2);
    let texts: usize = rows.iter().map(|(key, value)| ENTRY + key.len() + value.len()).sum();
    if FRONT + SLOT * slots + texts > MAP_BYTES_MAX {
        return Err(MapFault::TooLarge);
    }
    let mut values = HashMap::new();
    let mut tail = Vec::with_capacity(texts);
    let base = FRONT + SLOT * slots;
    let mut table = vec![[0_u32, 0]; slots];
    for &(key, value) in rows {
        let value_start = *values.entry(value).or_insert_with(|| {
            let start = base + tail.len();
            tail.extend_from_slice(value.as_bytes());
            start
        });
        let hash = slot_hash(key.as_bytes());
        let mut slot = hash as usize & (slots - 1);
        while table[slot][1] != 0 {
            slot = (slot + 1) & (slots - 1);
        }
        table[slot] = [hash, address(base + tail.len())];
        for number in [key.len(), value_start, value.len()] {
            tail.extend_from_slice(&address(number).to_le_bytes());
        }
        tail.extend_from_slice(key.as_bytes());
    }
    let mut blob = Vec::with_capacity(base + tail.len());
    for number in [MAGIC, address(slots)].into_iter().chain(table.into_iter().flatten()) {
        blob.extend_from_slice(&number.to_le_bytes());
    }
    blob.append(&mut tail);
    Ok(blob)
}

fn find_duplicate(rows: &[(&str, &str)]) -> Result<(), MapFault> {
    let mut keys = HashSet::with_capacity(rows.len());
    match rows.iter().position(|(key, _)| !keys.insert(*key)) {
        Some(row) => Err(MapFault::Duplicate(row)),
        None => Ok(()),
    }
}

fn address(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("all addresses are below MAP_BYTES_MAX")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(rows: &[(&str, &str)], key: &str, expected: Option<&str>) {
        let blob = encode(rows).unwrap();
        let mut sorted = rows.to_vec();
        sort(&mut sorted).unwrap();
        for rows in [Rows::Blob(&blob), Rows::Inline(&sorted)] {
            let map = Map { rows, default: Some("else") };
            assert_eq!(map.find(key.as_bytes()), expected, "{key}");
            assert_eq!(map.value(key.as_bytes()), expected.unwrap_or("else"), "{key}");
            assert_eq!(Map { rows, default: None }.value(key.as_bytes()), expected.unwrap_or_default(), "{key}");
        }
    }

    #[test]
    fn exact_key_is_found_in_both_forms() {
        let rows = [("", ""), ("/b", "2"), ("/a", "1"), ("/B", "3"), ("/a/", "1"), ("ä", "ö")];
        for (key, value) in rows {
            check(&rows, key, Some(value));
        }
        for key in ["/", "/A", "/a/b", "a", "/b\0"] {
            check(&rows, key, None);
        }
        check(&[], "", None);
        check(&[("", ", immutable")], "", Some(", immutable"));
    }

    #[test]
    fn key_that_is_not_utf8_has_no_row() {
        let blob = encode(&[("a", "1")]).unwrap();
        assert_eq!(Map { rows: Rows::Blob(&blob), default: None }.find(b"\xFF"), None);
        assert_eq!(Map { rows: Rows::Inline(&[("a", "1")]), default: None }.find(b"\xFF"), None);
    }

    #[test]
    fn duplicate_row_is_told() {
        let rows = [("a", "1"), ("b", "1"), ("a", "2")];
        assert_eq!(encode(&rows), Err(MapFault::Duplicate(2)));
        assert_eq!(sort(&mut rows.to_vec()), Err(MapFault::Duplicate(2)));
    }

    #[test]
    fn hundred_thousand_rows_are_found_in_few_probes() {
        let texts: Vec<(String, String)> =
            (0..100_000).map(|row| (format!("/old/{}/page-{row}", row % 97), format!("/new/{}", row % 1000))).collect();
        let rows: Vec<(&str, &str)> = texts.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let blob = encode(&rows).unwrap();
        assert!(blob.len() < 8 << 20, "{} bytes", blob.len());
        let map = Map { rows: Rows::Blob(&blob), default: None };
        for (key, value) in &rows {
            assert_eq!(map.find(key.as_bytes()), Some(*value));
            assert_eq!(map.find(key.get(1..).unwrap().as_bytes()), None);
        }
        let slots = number(&blob, NUMBER).unwrap() as usize;
        let table: Vec<u32> = (0..slots).map(|slot| number(&blob, FRONT + SLOT * slot + NUMBER).unwrap()).collect();
        let longest = table.split(|entry| *entry == 0).map(<[_]>::len).max();
        assert!(longest < Some(64), "{longest:?}");
    }

    #[test]
    fn damaged_blob_never_panics() {
        let blob = encode(&[("a/b", "x"), ("", "y"), ("c", "x")]).unwrap();
        let use_it = |blob: &[u8]| {
            for key in ["a/b", "", "c", "zz"] {
                let _ = Map { rows: Rows::Blob(blob), default: None }.find(key.as_bytes());
            }
        };
        for end in 0..blob.len() {
            use_it(&blob[..end]);
            for value in [0, 1, 0x7F, 0xFF] {
                let mut damaged = blob.clone();
                damaged[end] = value;
                use_it(&damaged);
            }
        }
    }

    proptest! {
        #[test]
        fn both_forms_find_the_same(
            rows in proptest::collection::hash_map("[ab/]{0,4}", "[xy]{0,2}", 0..20), key in "[ab/]{0,4}",
        ) {
            let pairs: Vec<(&str, &str)> = rows.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
            check(&pairs, &key, rows.get(&key).map(String::as_str));
        }
    }
}
