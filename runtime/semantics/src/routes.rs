//! The table form of a vhost's patterns: above a measured size a tree in one blob is walked instead of comparing pattern after pattern.
//!
//! It gives the same candidates in the same order as [`crate::pattern::matches`] over the sorted list; a property test holds them together.
//! A walk visits each node at most once, since a node fixes how many segments are taken.
//!
//! A node is a run of little-endian 32-bit words, and offsets are words: index plus one of the pattern that ends here, index plus one of the pattern
//! that goes on with a rest, the parameter's node, the bytes of the literal that leads here, the slots of the literal children (zero or a power of two);
//! then a pair of words for each slot (low half of the literal's hash, the child's node; zero: empty), then the literal's text, padded. The root is at 0.

use std::collections::BTreeMap;

use crate::{
    hash::hash,
    pattern::{self, Captures, Segment},
};

/// Words before a node's slots.
const NODE_WORDS: usize = 5;

/// A tree of patterns in its encoded form (offsets, no pointers); made by [`encode`], read without copying.
#[derive(Clone, Copy, Debug)]
pub struct Routes<'a> {
    blob: &'a [u8],
}

/// The fixed words of one node.
struct Node {
    end: u32,
    rest: u32,
    parameter: u32,
    slots: usize,
    /// Where the slots begin, words.
    at: usize,
}

/// The path that is walked and who decides.
struct Walk<'w, D> {
    path: &'w str,
    captures: &'w mut Captures,
    decide: D,
}

impl<'a> Routes<'a> {
    /// The table in `blob`, which [`encode`] has made.
    pub const fn new(blob: &'a [u8]) -> Self {
        Self { blob }
    }

    /// Calls `decide` with the index of each pattern that takes `path`, best first, until it returns `Some`.
    pub fn find<T>(&self, path: &str, captures: &mut Captures, decide: impl FnMut(u32, &Captures) -> Option<T>) -> Option<T> {
        captures.clear();
        if !path.starts_with('/') {
            return None;
        }
        self.step(&mut Walk { path, captures, decide }, 0, 1)
    }

    /// Goes on at `node` with the segment that begins at `at`; beyond the path's end: all segments are taken.
    fn step<T, D: FnMut(u32, &Captures) -> Option<T>>(&self, walk: &mut Walk<'_, D>, node: usize, at: usize) -> Option<T> {
        let node = self.node(node)?;
        let path = walk.path;
        let count = walk.captures.count() as u8;
        let Some(left) = path.as_bytes().get(at..) else {
            if let Some(index) = node.end.checked_sub(1)
                && let Some(found) = (walk.decide)(index, walk.captures)
            {
                return Some(found);
            }
            let index = node.rest.checked_sub(1)?;
            walk.captures.push_bare_prefix(path.len());
            let found = (walk.decide)(index, walk.captures);
            walk.captures.truncate(count);
            return found;
        };
        // Segments are short: a call would cost more than the loop.
        let segment = left.split(|&byte| byte == b'/').next()?;
        let end = at + segment.len();
        if let Some(child) = self.literal(&node, segment)
            && let Some(found) = self.step(walk, child, end + 1)
        {
            return Some(found);
        }
        if node.parameter != 0 && !segment.is_empty() {
            walk.captures.push(at, end);
            if let Some(found) = self.step(walk, node.parameter as usize, end + 1) {
                return Some(found);
            }
            walk.captures.truncate(count);
        }
        let index = node.rest.checked_sub(1)?;
        walk.captures.push(at, path.len());
        let found = (walk.decide)(index, walk.captures);
        walk.captures.truncate(count);
        found
    }

    #[inline]
    fn node(&self, at: usize) -> Option<Node> {
        let words = self.blob.get(at * 4..)?.first_chunk::<{ NODE_WORDS * 4 }>()?;
        let [end, rest, parameter, _, slots] =
            std::array::from_fn(|word| u32::from_le_bytes(std::array::from_fn(|byte| words[word * 4 + byte])));
        Some(Node { end, rest, parameter, slots: slots as usize, at: at + NODE_WORDS })
    }

    #[inline]
    fn word(&self, at: usize) -> Option<u32> {
        self.blob.get(at * 4..)?.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// The child that the literal `segment` leads to.
    #[inline]
    fn literal(&self, node: &Node, segment: &[u8]) -> Option<usize> {
        if node.slots == 0 {
            return None;
        }
        let hash = hash(0, segment) as u32;
        let mut slot = hash as usize;
        // Bounded, so that a damaged table without an empty slot ends the walk too.
        for _ in 0..node.slots {
            slot &= node.slots - 1;
            let child = self.word(node.at + slot * 2 + 1)? as usize;
            if child == 0 {
                return None;
            }
            if self.word(node.at + slot * 2)? == hash && self.text(child)? == segment {
                return Some(child);
            }
            slot += 1;
        }
        None
    }

    /// The literal that leads to the node at `at`.
    fn text(&self, at: usize) -> Option<&'a [u8]> {
        let length = self.word(at + 3)? as usize;
        let slots = self.word(at + 4)? as usize;
        let start = (at + NODE_WORDS + slots * 2) * 4;
        self.blob.get(start..start + length)
    }
}

/// A node while the tree is built.
#[derive(Default)]
struct Growing<'p> {
    end: Option<usize>,
    rest: Option<usize>,
    parameter: Option<Box<Self>>,
    literals: BTreeMap<&'p str, Self>,
}

/// Encodes patterns (sorted best first, canonical, no two equal); the index given to `decide` is the position in `patterns`.
pub fn encode(patterns: &[&str]) -> Vec<u8> {
    let mut root = Growing::default();
    for (index, pattern) in patterns.iter().enumerate() {
        let mut node = &mut root;
        let mut has_rest = false;
        for segment in pattern::segments(pattern) {
            match segment {
                Segment::Literal(text) => node = node.literals.entry(text).or_default(),
                Segment::Parameter => node = node.parameter.get_or_insert_default(),
                Segment::Rest => has_rest = true,
            }
        }
        let place = if has_rest { &mut node.rest } else { &mut node.end };
        *place = Some(index);
    }
    let mut words = Vec::new();
    write(&root, "", &mut words);
    words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect()
}

/// Appends a node and all below it; gives its offset.
fn write(node: &Growing<'_>, text: &str, words: &mut Vec<u32>) -> u32 {
    let start = words.len();
    let slots = if node.literals.is_empty() { 0 } else { (node.literals.len() * 2).next_power_of_two() };
    let plus_one = |index: Option<usize>| index.map_or(0, |index| narrow(index + 1));
    words.extend([plus_one(node.end), plus_one(node.rest), 0, narrow(text.len()), narrow(slots)]);
    words.resize(words.len() + slots * 2, 0);
    words.extend(text.as_bytes().chunks(4).map(|bytes| u32::from_le_bytes(std::array::from_fn(|at| bytes.get(at).copied().unwrap_or(0)))));
    for (literal, child) in &node.literals {
        let offset = write(child, literal, words);
        let hash = hash(0, literal.as_bytes()) as u32;
        let mut slot = hash as usize & (slots - 1);
        while words[start + NODE_WORDS + slot * 2 + 1] != 0 {
            slot = (slot + 1) & (slots - 1);
        }
        words[start + NODE_WORDS + slot * 2] = hash;
        words[start + NODE_WORDS + slot * 2 + 1] = offset;
    }
    if let Some(child) = &node.parameter {
        words[start + 2] = write(child, "", words);
    }
    narrow(start)
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("a table of routes is below 16 GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(patterns: &[&str], path: &str) -> Vec<u32> {
        let blob = encode(patterns);
        let mut found = Vec::new();
        let nothing: Option<()> = Routes::new(&blob).find(path, &mut Captures::default(), |index, _| {
            found.push(index);
            None
        });
        assert_eq!(nothing, None);
        found
    }

    #[test]
    fn candidates_come_best_first() {
        let patterns = ["/", "/docs", "/docs/*", "/en/*", "/{lang}", "/{lang}/about", "/{lang}/*", "/*"];
        assert_eq!(candidates(&patterns, "/"), [0, 7]);
        assert_eq!(candidates(&patterns, "/docs"), [1, 2, 4, 6, 7]);
        assert_eq!(candidates(&patterns, "/en/about"), [3, 5, 6, 7]);
        assert_eq!(candidates(&patterns, "/fr/about"), [5, 6, 7]);
        assert_eq!(candidates(&patterns, "*"), Vec::<u32>::new());
    }

    #[test]
    fn an_empty_or_foreign_blob_takes_nothing() {
        assert_eq!(candidates(&[], "/a"), Vec::<u32>::new());
        assert_eq!(Routes::new(&[]).find("/", &mut Captures::default(), |_, _| Some(())), None);
        assert_eq!(Routes::new(&[0xFF; 24]).find("/", &mut Captures::default(), |_, _| None::<()>), None);
    }

    #[test]
    fn damaged_tree_ends_every_walk() {
        let whole = encode(&["/a", "/b/c", "/{x}/*"]);
        for at in 0..whole.len() {
            for value in [0, 1, 0xFF] {
                let mut blob = whole.clone();
                blob[at] = value;
                for path in ["/a", "/b/c", "/x/y/z"] {
                    Routes::new(&blob).find(path, &mut Captures::default(), |_, _| None::<()>);
                }
            }
        }
    }

    #[test]
    fn find_stops_at_the_first_decision() {
        let blob = encode(&["/a/{x}/b", "/a/{y}/*"]);
        let mut captures = Captures::default();
        let found = Routes::new(&blob).find("/a/1/b", &mut captures, |index, captures| (index == 1).then(|| captures.count()));
        assert_eq!(found, Some(2));
    }
}
