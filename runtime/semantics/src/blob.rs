//! Embedded trees as one blob: offsets, no pointers, read in place. The compiler encodes it, the runtime and the evaluator read it.
//!
//! Little endian, all numbers `u32`: `MAGIC`, number of trees, offset of a list with each tree's offset. A tree: number of slots (a power of two), then
//! slots of hash and entry offset (0: empty), open-addressed, at most half full. An entry: span of its path, set of codings (0: a directory), seconds since
//! 1970 of its last change (0: not said), then for each coding in the order of [`Coding::ALL`] the spans of etag, head, 304 head and body. A span: offset and
//! length. Damage never panics: it reads as absence.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    hash::hash,
    negotiate::{Coding, Codings},
};

#[cfg(test)]
mod tests;

/// Bytes that a blob may have: what a binary's code can still address (the small code model's 2 GiB, halved).
pub const BLOB_BYTES_MAX: usize = 1 << 30;

const MAGIC: u32 = u32::from_le_bytes(*b"kbl2");
const SEED: u64 = 1;
/// Bytes of one number.
const NUMBER: usize = 4;
/// Bytes of a slot: hash and entry offset.
const SLOT: usize = 2 * NUMBER;
/// Bytes of one coding's spans: etag, head, 304 head, body.
const FORM: usize = 8 * NUMBER;

/// One tree of a blob.
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    blob: &'a [u8],
    /// Hash and entry offset of each slot: a power of two of them, none for an empty tree.
    slots: &'a [[[u8; NUMBER]; 2]],
}

/// What lies at a decoded path of a tree.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> {
    /// Nothing.
    Absent,
    /// Some file lies below it; asked for without the last slash.
    Directory,
    /// A file.
    File(Asset<'a>),
}

/// One file in its codings.
#[derive(Clone, Copy, Debug)]
pub struct Asset<'a> {
    blob: &'a [u8],
    /// Where its set of codings lies.
    at: usize,
}

/// One file in one coding.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    blob: &'a [u8],
    /// Its spans.
    spans: &'a [u8; FORM],
}

impl<'a> Tree<'a> {
    /// The tree `number` of what [`encode`] gave. A number that is not there, or bytes that are no blob, are an empty tree.
    ///
    /// Done at build time where it makes a `static`.
    pub const fn new(blob: &'a [u8], number: u32) -> Self {
        match slots_of(blob, number) {
            Some(slots) => Self { blob, slots },
            None => Self { blob, slots: &[] },
        }
    }

    /// `path` is decoded, relative, without a leading slash. The root is a directory.
    pub fn find(&self, path: &[u8]) -> Entry<'a> {
        self.look_up(path).unwrap_or(Entry::Absent)
    }

    fn look_up(&self, path: &[u8]) -> Option<Entry<'a>> {
        let blob = self.blob;
        let mask = self.slots.len().checked_sub(1)?;
        let wanted = slot_hash(path);
        let mut slot = wanted as usize & mask;
        // Bounded by the table: it is half empty, and a damaged one ends too.
        for _ in 0..=mask {
            let [hash, entry] = self.slots.get(slot)?.map(u32::from_le_bytes);
            let entry = entry as usize;
            if entry == 0 {
                return None;
            }
            if hash == wanted && span(blob, entry)? == path {
                let at = entry + 2 * NUMBER;
                return Some(if number(blob, at)? == 0 { Entry::Directory } else { Entry::File(Asset { blob, at }) });
            }
            slot = (slot + 1) & mask;
        }
        None
    }
}

/// The slots of the tree with that number.
const fn slots_of(blob: &[u8], tree: u32) -> Option<&[[[u8; NUMBER]; 2]]> {
    // By hand: `?` is not for constants yet.
    match (number(blob, 0), number(blob, NUMBER), number(blob, 2 * NUMBER)) {
        (Some(MAGIC), Some(trees), Some(list)) if tree < trees => {
            let Some(tree) = number(blob, list as usize + NUMBER * tree as usize) else { return None };
            let Some(slots) = number(blob, tree as usize) else { return None };
            let Some((_, behind)) = blob.split_at_checked(tree as usize + NUMBER) else { return None };
            let Some((slots, _)) = behind.split_at_checked(slots as usize * SLOT) else { return None };
            Some(slots.as_chunks().0.as_chunks().0)
        }
        _ => None,
    }
}

impl<'a> Asset<'a> {
    /// The codings it is there in; identity always is.
    #[inline]
    pub fn codings(&self) -> Codings {
        Codings(number(self.blob, self.at).unwrap_or_default() as u8).with(Coding::Identity)
    }

    /// Seconds since 1970 of its last change; `None` where its tree does not say.
    pub fn modified(&self) -> Option<u64> {
        number(self.blob, self.at + NUMBER).filter(|seconds| *seconds != 0).map(u64::from)
    }

    /// What there is of it in that coding, or in identity where it is not there in that one.
    #[inline]
    pub fn form(&self, coding: Coding) -> Form<'a> {
        let codings = self.codings();
        let coding = if codings.contains(coding) { coding } else { Coding::Identity };
        // Forms stand in the order of their bits.
        let before = (codings.0 & ((1 << coding as u8) - 1)).count_ones() as usize;
        let spans = self.blob.get(self.at + 2 * NUMBER + before * FORM..).and_then(<[u8]>::first_chunk);
        Form { blob: self.blob, spans: spans.unwrap_or(&[0; FORM]) }
    }
}

impl<'a> Form<'a> {
    /// The entity tag with its quotes.
    pub fn etag(&self) -> &'a str {
        str::from_utf8(self.part(0)).unwrap_or_default()
    }

    /// Status line and fields of the 200, as in the runtime's `Answer::head`.
    #[inline]
    pub fn head(&self) -> &'a [u8] {
        self.part(1)
    }

    /// The same for the 304.
    #[inline]
    pub fn not_modified(&self) -> &'a [u8] {
        self.part(2)
    }

    /// The body.
    #[inline]
    pub fn body(&self) -> &'a [u8] {
        self.part(3)
    }

    #[inline]
    fn part(&self, part: usize) -> &'a [u8] {
        let [start, length] = match self.spans.as_chunks::<NUMBER>().0.as_chunks::<2>().0.get(part) {
            Some(span) => span.map(|number| u32::from_le_bytes(number) as usize),
            None => [0, 0],
        };
        self.blob.get(start..start + length).unwrap_or_default()
    }
}

/// What [`encode`] needs of one file in one coding.
#[derive(Clone, Debug)]
pub struct FormInput {
    /// The coding of the body.
    pub coding: Coding,
    /// With quotes; its own for each coding.
    pub etag: String,
    /// Status line and fields of the 200.
    pub head: Vec<u8>,
    /// Status line and fields of the 304.
    pub not_modified: Vec<u8>,
    /// The body in that coding.
    pub body: Vec<u8>,
}

/// What [`encode`] needs of one file: its decoded path relative to the tree; identity must be among the forms.
#[derive(Clone, Debug)]
pub struct FileInput {
    /// Decoded, relative, without a leading slash.
    pub path: String,
    /// Seconds since 1970 of its last change, 2106 at most; 0: not said.
    pub modified: u64,
    /// At most one of each coding.
    pub forms: Vec<FormInput>,
}

/// Encodes trees in their order; equal bodies are stored once. Deterministic. The caller keeps the sum of all parts below [`BLOB_BYTES_MAX`].
pub fn encode(trees: &[Vec<FileInput>]) -> Vec<u8> {
    let mut blob = Vec::new();
    push(&mut blob, MAGIC);
    push(&mut blob, address(trees.len()));
    push(&mut blob, 0);
    let mut known = HashMap::new();
    let offsets: Vec<u32> = trees.iter().map(|files| encode_tree(files, &mut known, &mut blob)).collect();
    let list = address(blob.len());
    blob[2 * NUMBER..3 * NUMBER].copy_from_slice(&list.to_le_bytes());
    for offset in offsets {
        push(&mut blob, offset);
    }
    blob
}

/// Spans of the byte strings that are stored already.
type Known<'t> = HashMap<&'t [u8], [u32; 2]>;

/// Appends one tree and gives its offset.
fn encode_tree<'t>(files: &'t [FileInput], known: &mut Known<'t>, blob: &mut Vec<u8>) -> u32 {
    let files: BTreeMap<&[u8], &FileInput> = files.iter().map(|file| (file.path.as_bytes(), file)).collect();
    let mut entries = Vec::new();
    for path in directories(&files) {
        let span = store(path, known, blob);
        entries.push((path, address(blob.len())));
        push_all(blob, span);
        push_all(blob, [0, 0]);
    }
    for (path, file) in files {
        let mut codings = Codings(0);
        let mut record = store(path, known, blob).to_vec();
        record.extend([0, u32::try_from(file.modified).unwrap_or(u32::MAX)]);
        for coding in Coding::ALL {
            let Some(form) = file.forms.iter().find(|form| form.coding == coding) else { continue };
            codings = codings.with(coding);
            for part in [form.etag.as_bytes(), &form.head, &form.not_modified, &form.body] {
                record.extend(store(part, known, blob));
            }
        }
        assert!(codings.contains(Coding::Identity), "{}: identity is missing", file.path);
        record[2] = codings.0.into();
        entries.push((path, address(blob.len())));
        push_all(blob, record);
    }
    let offset = address(blob.len());
    let slots = slots(&entries);
    push(blob, address(slots.len()));
    push_all(blob, slots.into_iter().flatten());
    offset
}

/// Every directory above a file, the root (an empty path) among them, without those that are a file's path as well.
fn directories<'t>(files: &BTreeMap<&'t [u8], &FileInput>) -> BTreeSet<&'t [u8]> {
    let mut found = BTreeSet::new();
    for path in files.keys() {
        found.insert(&path[..0]);
        found.extend(path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| &path[..at]));
    }
    found.retain(|path| !files.contains_key(path));
    found
}

/// The open-addressed table of a tree.
fn slots(entries: &[(&[u8], u32)]) -> Vec<[u32; 2]> {
    let mut slots = vec![[0, 0]; (2 * entries.len()).next_power_of_two()];
    let mask = slots.len() - 1;
    for (path, offset) in entries {
        let hash = slot_hash(path);
        let mut slot = hash as usize & mask;
        while slots[slot][1] != 0 {
            slot = (slot + 1) & mask;
        }
        slots[slot] = [hash, *offset];
    }
    slots
}

fn store<'t>(bytes: &'t [u8], known: &mut Known<'t>, blob: &mut Vec<u8>) -> [u32; 2] {
    *known.entry(bytes).or_insert_with(|| {
        let span = [address(blob.len()), address(bytes.len())];
        blob.extend_from_slice(bytes);
        span
    })
}

fn push(blob: &mut Vec<u8>, number: u32) {
    blob.extend_from_slice(&number.to_le_bytes());
}

fn push_all(blob: &mut Vec<u8>, numbers: impl IntoIterator<Item = u32>) {
    for number in numbers {
        push(blob, number);
    }
}

fn address(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("the caller keeps blobs below BLOB_BYTES_MAX")
}

fn slot_hash(path: &[u8]) -> u32 {
    (hash(SEED, path) >> 32) as u32
}

#[inline]
const fn number(blob: &[u8], at: usize) -> Option<u32> {
    let Some((_, behind)) = blob.split_at_checked(at) else { return None };
    match behind.first_chunk() {
        Some(bytes) => Some(u32::from_le_bytes(*bytes)),
        None => None,
    }
}

fn span(blob: &[u8], at: usize) -> Option<&[u8]> {
    let start = number(blob, at)? as usize;
    blob.get(start..start.checked_add(number(blob, at + NUMBER)? as usize)?)
}
