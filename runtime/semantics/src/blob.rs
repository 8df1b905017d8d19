//! Embedded trees as one blob: offsets, no pointers, read in place. The compiler encodes it, the runtime and the evaluator read it.
//!
//! Little endian, all numbers `u32`: `MAGIC`, number of trees, offset of a list with each tree's offset. A tree: number of slots (a power of two), then
//! slots of hash and entry offset (0: empty), open-addressed, at most half full. An entry: span of its path, set of codings (0: a directory), then for
//! each coding in the order of [`Coding::ALL`] the spans of etag, head, 304 head and body. A span: offset and length. Damage never panics: it reads as absence.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    hash::hash,
    negotiate::{Coding, Codings},
};

/// Bytes that a blob may have: what a binary's code can still address (the small code model's 2 GiB, halved).
pub const BLOB_BYTES_MAX: usize = 1 << 30;

const MAGIC: u32 = u32::from_le_bytes(*b"kbl1");
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
    number: u32,
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

/// One file in its encodings.
#[derive(Clone, Copy, Debug)]
pub struct Asset<'a> {
    blob: &'a [u8],
    /// Where its set of codings lies.
    at: usize,
}

impl<'a> Tree<'a> {
    /// The tree `number` of what [`encode`] gave. A number that is not there, or bytes that are no blob, are an empty tree.
    pub const fn new(blob: &'a [u8], number: u32) -> Self {
        Self { blob, number }
    }

    /// `path` is decoded, relative, without a leading slash. The root is a directory.
    pub fn find(&self, path: &[u8]) -> Entry<'a> {
        self.look_up(path).unwrap_or(Entry::Absent)
    }

    fn look_up(&self, path: &[u8]) -> Option<Entry<'a>> {
        let blob = self.blob;
        if number(blob, 0)? != MAGIC || self.number >= number(blob, NUMBER)? {
            return None;
        }
        let list = offset(blob, 2 * NUMBER)?;
        let tree = offset(blob, list.checked_add(NUMBER.checked_mul(self.number as usize)?)?)?;
        let mask = number(blob, tree)?.checked_sub(1)?;
        let wanted = slot_hash(path);
        let mut slot = wanted & mask;
        // Bounded by the table: it is half empty, and a damaged one ends too.
        for _ in 0..=mask {
            let at = tree.checked_add(NUMBER)?.checked_add(SLOT.checked_mul(slot as usize)?)?;
            let entry = offset(blob, at.checked_add(NUMBER)?)?;
            if entry == 0 {
                return None;
            }
            if number(blob, at)? == wanted && span(blob, entry)? == path {
                let at = entry + 2 * NUMBER;
                return Some(if number(blob, at)? == 0 { Entry::Directory } else { Entry::File(Asset { blob, at }) });
            }
            slot = slot.wrapping_add(1) & mask;
        }
        None
    }
}

impl<'a> Asset<'a> {
    /// The codings it is there in; identity always is.
    pub fn codings(&self) -> Codings {
        Codings(number(self.blob, self.at).unwrap_or_default() as u8).with(Coding::Identity)
    }

    /// Status line and fields of the 200, as in the runtime's `Answer::head`. Here and below: those of identity for a coding that is not there.
    pub fn head(&self, coding: Coding) -> &'a [u8] {
        self.part(coding, 1)
    }

    /// The same for the 304.
    pub fn not_modified(&self, coding: Coding) -> &'a [u8] {
        self.part(coding, 2)
    }

    /// The entity tag with its quotes.
    pub fn etag(&self, coding: Coding) -> &'a str {
        str::from_utf8(self.part(coding, 0)).unwrap_or_default()
    }

    /// The body in that coding.
    pub fn body(&self, coding: Coding) -> &'a [u8] {
        self.part(coding, 3)
    }

    fn part(&self, coding: Coding, part: usize) -> &'a [u8] {
        let codings = self.codings();
        let coding = if codings.contains(coding) { coding } else { Coding::Identity };
        // Forms stand in the order of their bits.
        let before = (codings.0 & ((1 << coding as u8) - 1)).count_ones() as usize;
        let at = self.at + NUMBER + before * FORM + part * 2 * NUMBER;
        span(self.blob, at).unwrap_or_default()
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
        push(blob, 0);
    }
    for (path, file) in files {
        let mut codings = Codings(0);
        let mut record = store(path, known, blob).to_vec();
        record.push(0);
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

fn number(blob: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*blob.get(at..)?.first_chunk()?))
}

fn offset(blob: &[u8], at: usize) -> Option<usize> {
    Some(number(blob, at)? as usize)
}

fn span(blob: &[u8], at: usize) -> Option<&[u8]> {
    let start = offset(blob, at)?;
    blob.get(start..start.checked_add(offset(blob, at + NUMBER)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, codings: &[Coding]) -> FileInput {
        let forms = codings.iter().map(|coding| {
            let name = coding.name();
            let text = |what: &str| format!("{what} {path} {name}");
            let (head, not_modified, body) = (text("head").into(), text("304").into(), text("body").into());
            FormInput { coding: *coding, etag: format!("\"{path} {name}\""), head, not_modified, body }
        });
        FileInput { path: path.to_owned(), forms: forms.collect() }
    }

    fn body(entry: Entry<'_>) -> String {
        match entry {
            Entry::Absent => "absent".to_owned(),
            Entry::Directory => "directory".to_owned(),
            Entry::File(asset) => String::from_utf8_lossy(asset.body(Coding::Identity)).into_owned(),
        }
    }

    #[test]
    fn find_gives_files_directories_and_absence() {
        let files = vec![file("index.html", &[Coding::Identity]), file("a/b/c.txt", &[Coding::Identity])];
        let blob = encode(&[vec![], files]);
        let tree = Tree::new(&blob, 1);
        for (path, expected) in [
            ("index.html", "body index.html identity"),
            ("a/b/c.txt", "body a/b/c.txt identity"),
            ("a", "directory"),
            ("a/b", "directory"),
            ("", "directory"),
            ("a/", "absent"),
            ("a/b/c", "absent"),
            ("a/b/c.txt/", "absent"),
            ("INDEX.html", "absent"),
        ] {
            assert_eq!(body(tree.find(path.as_bytes())), expected, "{path}");
        }
    }

    #[test]
    fn find_in_empty_or_missing_tree_is_absent() {
        let blob = encode(&[vec![]]);
        for number in [0, 1, u32::MAX] {
            assert_eq!(body(Tree::new(&blob, number).find(b"")), "absent");
        }
        assert_eq!(body(Tree::new(b"", 0).find(b"")), "absent");
    }

    #[test]
    fn asset_gives_each_coding_its_parts() {
        let blob = encode(&[vec![file("x", &[Coding::Identity, Coding::Gzip, Coding::Zstd])]]);
        let Entry::File(asset) = Tree::new(&blob, 0).find(b"x") else { panic!("x is a file") };
        assert_eq!(asset.codings(), Codings::IDENTITY.with(Coding::Gzip).with(Coding::Zstd));
        assert_eq!(asset.head(Coding::Zstd), b"head x zstd");
        assert_eq!(asset.not_modified(Coding::Gzip), b"304 x gzip");
        assert_eq!(asset.etag(Coding::Identity), "\"x identity\"");
        assert_eq!(asset.body(Coding::Gzip), b"body x gzip");
        assert_eq!(asset.body(Coding::Brotli), b"body x identity");
    }

    #[test]
    fn encode_stores_equal_bodies_once() {
        let mut files = vec![file("a", &[Coding::Identity]), file("b", &[Coding::Identity])];
        for file in &mut files {
            file.forms[0].body = vec![7; 10_000];
        }
        let blob = encode(&[files]);
        assert!(blob.len() < 11_000, "{}", blob.len());
    }

    #[test]
    fn encode_does_not_depend_on_the_order_of_files() {
        let (a, b) = (file("a", &[Coding::Identity]), file("b/c", &[Coding::Identity]));
        assert_eq!(encode(&[vec![a.clone(), b.clone()]]), encode(&[vec![b, a]]));
    }

    #[test]
    fn find_takes_few_probes_in_a_large_tree() {
        let files: Vec<FileInput> =
            (0..20_000).map(|number| file(&format!("docs/{}/page-{number}.html", number % 97), &[Coding::Identity])).collect();
        let blob = encode(std::slice::from_ref(&files));
        let tree = Tree::new(&blob, 0);
        for file in &files {
            assert!(matches!(tree.find(file.path.as_bytes()), Entry::File(_)));
        }
        let entries: Vec<(&[u8], u32)> = files.iter().map(|file| (file.path.as_bytes(), 1)).collect();
        let table = slots(&entries);
        let longest = table.split(|slot| slot[1] == 0).map(<[_]>::len).max();
        assert!(longest < Some(64), "{longest:?}");
    }

    #[test]
    fn damaged_blob_never_panics() {
        let blob = encode(&[vec![file("a/b", &[Coding::Identity, Coding::Brotli])]]);
        let use_it = |blob: &[u8]| {
            for path in ["a/b", "a", "", "zz"] {
                if let Entry::File(asset) = Tree::new(blob, 0).find(path.as_bytes()) {
                    for coding in Coding::ALL {
                        let _ = (asset.head(coding), asset.not_modified(coding), asset.etag(coding), asset.body(coding));
                    }
                }
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
}
