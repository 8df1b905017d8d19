//! The routes of a large site as data: what each of them says, beside the few functions that say it.
//!
//! Above a thousand routes a function for each would cost rustc a millisecond each. So what tells two handlers of one shape apart stands in a blob: texts,
//! statuses, numbers of policies. A blob is little endian, all numbers `u32`, all offsets bytes from its beginning: `MAGIC`, number of vhosts, then a row for
//! each vhost; each vhost has a tree of [`crate::routes`] and, for each pattern of it, rows of routes. There are no pointers, so it costs neither rustc nor the
//! loader anything. Damage never panics: what can't be read is 0 or empty, and an empty tree takes no path.

use std::ops::Deref;

use crate::{method::Methods, routes::Routes, template::Part};

mod encode;

pub use self::encode::{RecordInput, VhostInput, encode};

/// Parts that the template of a record may have.
pub const PARTS_MAX: usize = 16;
/// Bytes that one blob may have.
pub const RECORDS_BYTES_MAX: usize = 1 << 30;

const MAGIC: u32 = u32::from_le_bytes(*b"krc3");
/// Bytes of one number.
const NUMBER: usize = 4;
/// Numbers before the rows of vhosts.
const FRONT: usize = 2;
/// Numbers of a vhost's row, of a pattern's, of a route's, of a part.
const VHOST: usize = 10;
const PATTERN: usize = 2;
const RECORD: usize = 23;
const PART: usize = 3;
/// Bits behind a status: the query is dropped, the access log does not have it.
const DROPS_QUERY: u32 = 1 << 16;
const IS_UNLOGGED: u32 = 1 << 17;

/// All vhosts and routes.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    blob: &'a [u8],
}

/// One vhost.
#[derive(Clone, Copy, Debug)]
pub struct Vhost<'a> {
    blob: &'a [u8],
    at: usize,
}

/// One route at one pattern.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    blob: &'a [u8],
    at: usize,
}

/// The parts of a record's template.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    parts: [Part<'a>; PARTS_MAX],
    count: usize,
}

impl<'a> Records<'a> {
    /// The records in `blob`, which [`encode`] has made.
    pub const fn new(blob: &'a [u8]) -> Self {
        Self { blob }
    }

    /// The vhost of that number; one that is not there has no route.
    pub fn vhost(&self, number: u16) -> Vhost<'a> {
        let is_there = word(self.blob, 0) == MAGIC && u32::from(number) < word(self.blob, NUMBER);
        let at = NUMBER * (FRONT + VHOST * usize::from(number));
        Vhost { blob: if is_there { self.blob } else { &[] }, at }
    }
}

impl<'a> Vhost<'a> {
    /// The number of its header edits.
    pub fn edits(&self) -> usize {
        self.number(0)
    }

    /// The number of its error pages.
    pub fn errors(&self) -> usize {
        self.number(1)
    }

    /// The host that all others are sent to, and by which status.
    pub fn canonical(&self) -> Option<(&'a str, u16)> {
        let status = self.number(4) as u16;
        (status != 0).then(|| (text(self.blob, self.number(2), self.number(3)), status))
    }

    /// Its exchanges are kept from the access log.
    pub fn is_unlogged(&self) -> bool {
        self.number(4) as u32 & IS_UNLOGGED != 0
    }

    /// What its exchanges are counted by where no route is chosen.
    pub fn place(&self) -> u32 {
        self.number(8) as u32
    }

    /// The number of what encodes its answers.
    pub fn encoding(&self) -> usize {
        self.number(9)
    }

    /// The tree of its patterns.
    pub fn routes(&self) -> Routes<'a> {
        Routes::new(bytes(self.blob, self.number(5), self.number(6)))
    }

    /// The routes at a pattern, in their order.
    pub fn at_pattern(&self, pattern: u32) -> impl Iterator<Item = Record<'a>> + use<'a> {
        let at = self.number(7).saturating_add(NUMBER * PATTERN * pattern as usize);
        let (first, count) = (word(self.blob, at) as usize, word(self.blob, at.saturating_add(NUMBER)) as usize);
        let blob = self.blob;
        // Bounded by the blob, also a damaged one.
        let count = count.min(blob.len() / (NUMBER * RECORD));
        (0..count).map(move |index| Record { blob, at: first.saturating_add(NUMBER * RECORD * index) })
    }

    fn number(&self, index: usize) -> usize {
        word(self.blob, self.at + NUMBER * index) as usize
    }
}

impl<'a> Record<'a> {
    /// The number of its handler.
    pub fn handler(&self) -> usize {
        self.number(0)
    }

    /// The number of its guard.
    pub fn guard(&self) -> Option<usize> {
        self.number(1).checked_sub(1)
    }

    /// The methods that it takes.
    pub fn methods(&self) -> Methods {
        Methods::from_bits(self.long(2))
    }

    /// The number of its header edits.
    pub fn edits(&self) -> usize {
        self.number(4)
    }

    /// The number of its error pages.
    pub fn errors(&self) -> usize {
        self.number(5)
    }

    /// The number of its CORS policy.
    pub fn cors(&self) -> usize {
        self.number(6)
    }

    /// The number of its chain of access lists.
    pub fn access(&self) -> usize {
        self.number(7)
    }

    /// Bytes that a request's body may have.
    pub fn body_limit(&self) -> u64 {
        self.long(8)
    }

    /// The status of its answer.
    pub fn status(&self) -> u16 {
        self.number(10) as u16
    }

    /// A redirect that leaves the request's query out.
    pub fn drops_query(&self) -> bool {
        self.number(10) as u32 & DROPS_QUERY != 0
    }

    /// Its exchanges are kept from the access log.
    pub fn is_unlogged(&self) -> bool {
        self.number(10) as u32 & IS_UNLOGGED != 0
    }

    /// The number of its tree or root.
    pub fn tree(&self) -> usize {
        self.number(11)
    }

    /// The parameter that is its pattern's rest.
    pub fn rest(&self) -> usize {
        self.number(12)
    }

    /// The head of a constant answer.
    pub fn head(&self) -> &'a [u8] {
        bytes(self.blob, self.number(13), self.number(14))
    }

    /// The content type of a rendered answer.
    pub fn content_type(&self) -> &'a str {
        text(self.blob, self.number(13), self.number(14))
    }

    /// The body of a constant answer.
    pub fn body(&self) -> &'a [u8] {
        bytes(self.blob, self.number(15), self.number(16))
    }

    /// The template of a rendered answer.
    pub fn parts(&self) -> Parts<'a> {
        let (at, count) = (self.number(15), self.number(16).min(PARTS_MAX));
        let mut parts = Parts { parts: [Part::Text(""); PARTS_MAX], count };
        for (index, part) in parts.parts.iter_mut().take(count).enumerate() {
            *part = self.part(at.saturating_add(NUMBER * PART * index));
        }
        parts
    }

    /// What its exchanges are counted by.
    pub fn place(&self) -> u32 {
        self.number(21) as u32
    }

    /// The number of what encodes its answers.
    pub fn encoding(&self) -> usize {
        self.number(22)
    }

    /// The field, cookie or query key that its guard asks for.
    pub fn guard_name(&self) -> &'a str {
        text(self.blob, self.number(17), self.number(18))
    }

    /// The value that it must have.
    pub fn guard_value(&self) -> &'a str {
        text(self.blob, self.number(19), self.number(20))
    }

    fn part(&self, at: usize) -> Part<'a> {
        let [kind, first, second] = [0, 1, 2].map(|index| word(self.blob, at.saturating_add(NUMBER * index)));
        let text = text(self.blob, first as usize, second as usize);
        match kind {
            0 => Part::ClientIp,
            1 => Part::Cookie(text),
            2 => Part::Header(text),
            3 => Part::Host,
            4 => Part::Method,
            5 => Part::Parameter(first as u8),
            6 => Part::Path,
            7 => Part::Query,
            8 => Part::QueryValue(text),
            9 => Part::RequestId,
            10 => Part::Scheme,
            11 => Part::Status,
            12 => Part::Target,
            _ => Part::Text(text),
        }
    }

    fn number(&self, index: usize) -> usize {
        word(self.blob, self.at.saturating_add(NUMBER * index)) as usize
    }

    fn long(&self, index: usize) -> u64 {
        self.number(index) as u64 | (self.number(index + 1) as u64) << 32
    }
}

impl<'a> Deref for Parts<'a> {
    type Target = [Part<'a>];

    fn deref(&self) -> &[Part<'a>] {
        self.parts.get(..self.count).unwrap_or_default()
    }
}

fn word(blob: &[u8], at: usize) -> u32 {
    blob.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn bytes(blob: &[u8], start: usize, length: usize) -> &[u8] {
    blob.get(start..).and_then(|rest| rest.get(..length)).unwrap_or_default()
}

fn text(blob: &[u8], start: usize, length: usize) -> &str {
    str::from_utf8(bytes(blob, start, length)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{method::Method, pattern::Captures, routes};

    fn record(head: &'static [u8]) -> RecordInput<'static> {
        RecordInput { methods: Methods::ANY, head, ..RecordInput::default() }
    }

    fn blob() -> Vec<u8> {
        let tree = routes::encode(&["/a", "/{x}/*"]);
        let parts = [Part::Text("id "), Part::Parameter(1), Part::Header("x-a"), Part::Status];
        let rendered = RecordInput {
            handler: 3,
            guard: Some(0),
            methods: Methods::of(&[Method::GET, Method::PATCH]),
            edits: 5,
            errors: 6,
            cors: 7,
            access: 8,
            body_limit: 1 << 40,
            status: 308,
            drops_query: true,
            tree: 9,
            rest: 1,
            content_type: "text/css",
            parts: &parts,
            guard_name: "x-beta",
            guard_value: "1",
            is_unlogged: true,
            place: 4,
            encoding: 6,
            ..RecordInput::default()
        };
        let at = vec![vec![rendered, RecordInput { body: b"ok", ..record(b"head") }], vec![record(b"head")]];
        let canonical = Some(("shop.example", 301));
        encode(&[
            VhostInput { edits: 1, encoding: 5, errors: 2, place: 3, is_unlogged: true, canonical, tree: &tree, patterns: at },
            VhostInput {
                edits: 0,
                encoding: 0,
                errors: 0,
                place: 0,
                is_unlogged: false,
                canonical: None,
                tree: &tree,
                patterns: vec![vec![record(b"")], Vec::new()],
            },
        ])
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        let blob = blob();
        let vhost = Records::new(&blob).vhost(0);
        assert_eq!((vhost.edits(), vhost.errors(), vhost.canonical()), (1, 2, Some(("shop.example", 301))));
        assert_eq!((vhost.place(), vhost.is_unlogged(), vhost.encoding()), (3, true, 5));
        assert_eq!(vhost.routes().find("/a", &mut Captures::default(), |pattern, _| Some(pattern)), Some(0));
        let records: Vec<_> = vhost.at_pattern(0).collect();
        let [rendered, constant] = records.as_slice() else { panic!("{records:?}") };
        assert_eq!((rendered.handler(), rendered.guard(), rendered.methods()), (3, Some(0), Methods::of(&[Method::GET, Method::PATCH])));
        assert_eq!((rendered.edits(), rendered.errors(), rendered.cors(), rendered.access()), (5, 6, 7, 8));
        assert_eq!((rendered.body_limit(), rendered.status(), rendered.drops_query()), (1 << 40, 308, true));
        assert_eq!((rendered.tree(), rendered.rest(), rendered.content_type()), (9, 1, "text/css"));
        assert_eq!((rendered.place(), rendered.is_unlogged()), (4, true));
        assert_eq!((constant.place(), constant.is_unlogged()), (0, false));
        assert_eq!((rendered.guard_name(), rendered.guard_value()), ("x-beta", "1"));
        assert_eq!(*rendered.parts(), [Part::Text("id "), Part::Parameter(1), Part::Header("x-a"), Part::Status]);
        assert_eq!(
            (constant.guard(), constant.methods(), constant.head(), constant.body()),
            (None, Methods::ANY, &b"head"[..], &b"ok"[..])
        );
        assert_eq!(vhost.at_pattern(1).map(|record| record.head()).collect::<Vec<_>>(), [b"head"]);
    }

    #[test]
    fn vhost_without_routes_at_a_pattern_has_none() {
        let blob = blob();
        let vhost = Records::new(&blob).vhost(1);
        assert_eq!((vhost.canonical(), vhost.at_pattern(0).count(), vhost.at_pattern(1).count()), (None, 1, 0));
        assert_eq!((vhost.place(), vhost.is_unlogged()), (0, false));
    }

    #[test]
    fn vhost_that_is_not_there_takes_no_path() {
        let blob = blob();
        let vhost = Records::new(&blob).vhost(2);
        assert_eq!(vhost.routes().find("/a", &mut Captures::default(), |pattern, _| Some(pattern)), None);
    }

    #[test]
    fn damaged_blob_never_panics() {
        let whole = blob();
        for end in 0..whole.len() {
            for value in [0, 1, 0xFF] {
                let mut blob = whole.clone();
                blob[end] = value;
                for blob in [&blob[..], &whole[..end]] {
                    let vhost = Records::new(blob).vhost(0);
                    let _ = (vhost.canonical(), vhost.routes());
                    for record in vhost.at_pattern(0).chain(vhost.at_pattern(u32::MAX)).take(8) {
                        let _ = (record.parts().len(), record.body(), record.content_type(), record.guard(), record.methods());
                    }
                }
            }
        }
    }
}
