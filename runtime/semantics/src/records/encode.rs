//! Writes the blob of records. Texts that occur again stand once; the same input gives the same bytes.

use std::collections::HashMap;

use super::{DROPS_QUERY, FRONT, IS_UNLOGGED, MAGIC, NUMBER, PARTS_MAX, RECORDS_BYTES_MAX};
use crate::{method::Methods, template::Part};

/// What a vhost has beside its routes.
#[derive(Clone, Debug)]
pub struct VhostInput<'v> {
    /// The number of its header edits.
    pub edits: u32,
    /// The number of what encodes its answers.
    pub encoding: u32,
    /// The number of its error pages.
    pub errors: u32,
    /// What its exchanges are counted by where no route is chosen.
    pub place: u32,
    /// Its exchanges are kept from the access log.
    pub is_unlogged: bool,
    /// The host that all others are sent to, and by which status.
    pub canonical: Option<(&'v str, u16)>,
    /// What [`crate::routes::encode`] made of its patterns.
    pub tree: &'v [u8],
    /// The routes at each pattern, in the order of decision.
    pub patterns: Vec<Vec<RecordInput<'v>>>,
}

/// One route; what its handler does not ask for stays as it is by default.
#[derive(Clone, Copy, Debug)]
pub struct RecordInput<'v> {
    /// The number of its handler.
    pub handler: u32,
    /// The number of its guard.
    pub guard: Option<u32>,
    /// The methods that it takes.
    pub methods: Methods,
    /// The number of its header edits.
    pub edits: u32,
    /// The number of what encodes its answers.
    pub encoding: u32,
    /// The number of its error pages.
    pub errors: u32,
    /// The number of its CORS policy.
    pub cors: u32,
    /// The number of its chain of access lists.
    pub access: u32,
    /// Bytes that a request's body may have.
    pub body_limit: u64,
    /// The status of its answer.
    pub status: u16,
    /// A redirect that leaves the request's query out.
    pub drops_query: bool,
    /// Its exchanges are kept from the access log.
    pub is_unlogged: bool,
    /// What its exchanges are counted by.
    pub place: u32,
    /// The number of its tree or root.
    pub tree: u32,
    /// The parameter that is its pattern's rest.
    pub rest: u32,
    /// The head of a constant answer.
    pub head: &'v [u8],
    /// The body of a constant answer.
    pub body: &'v [u8],
    /// The content type of a rendered answer, which has no head.
    pub content_type: &'v str,
    /// The template of a rendered answer, which has no body; neither maps nor late values, at most [`PARTS_MAX`].
    pub parts: &'v [Part<'v>],
    /// The field, cookie or query key that its guard asks for.
    pub guard_name: &'v str,
    /// The value that it must have.
    pub guard_value: &'v str,
}

impl Default for RecordInput<'_> {
    fn default() -> Self {
        Self {
            handler: 0,
            guard: None,
            methods: Methods::NONE,
            edits: 0,
            encoding: 0,
            errors: 0,
            cors: 0,
            access: 0,
            body_limit: 0,
            status: 0,
            drops_query: false,
            is_unlogged: false,
            place: 0,
            tree: 0,
            rest: 0,
            head: b"",
            body: b"",
            content_type: "",
            parts: &[],
            guard_name: "",
            guard_value: "",
        }
    }
}

/// Encodes vhosts and their routes. Panics above [`RECORDS_BYTES_MAX`], and for parts that no record can hold: the compiler gives such routes a handler.
pub fn encode(vhosts: &[VhostInput<'_>]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.push(&[MAGIC, address(vhosts.len())]);
    debug_assert_eq!(writer.blob.len(), NUMBER * FRONT);
    let rows: Vec<_> = vhosts.iter().map(|_| writer.reserve(super::VHOST)).collect();
    for (vhost, row) in vhosts.iter().zip(rows) {
        let [host_start, host_bytes] = writer.text(vhost.canonical.map_or(b"", |(host, _)| host.as_bytes()));
        let [tree_start, tree_bytes] = writer.text(vhost.tree);
        let patterns = writer.patterns(&vhost.patterns);
        let status = vhost.canonical.map_or(0, |(_, status)| status.into()) | if vhost.is_unlogged { IS_UNLOGGED } else { 0 };
        writer.fill(
            row,
            &[vhost.edits, vhost.errors, host_start, host_bytes, status, tree_start, tree_bytes, patterns, vhost.place, vhost.encoding],
        );
    }
    assert!(writer.blob.len() <= RECORDS_BYTES_MAX, "records have more than {RECORDS_BYTES_MAX} bytes");
    writer.blob
}

#[derive(Default)]
struct Writer {
    blob: Vec<u8>,
    /// Where texts begin that stand in the blob.
    texts: HashMap<Vec<u8>, u32>,
}

impl Writer {
    /// The rows of a vhost's patterns and routes; gives where they begin.
    fn patterns(&mut self, patterns: &[Vec<RecordInput<'_>>]) -> u32 {
        let start = self.reserve(super::PATTERN * patterns.len());
        for (index, routes) in patterns.iter().enumerate() {
            let rows: Vec<_> = routes.iter().map(|route| self.record(route)).collect();
            let first = address(self.blob.len());
            rows.iter().for_each(|row| self.push(row));
            self.fill(start + NUMBER * super::PATTERN * index, &[first, address(routes.len())]);
        }
        address(start)
    }

    fn record(&mut self, route: &RecordInput<'_>) -> [u32; super::RECORD] {
        let front = if route.head.is_empty() { route.content_type.as_bytes() } else { route.head };
        let [front_start, front_bytes] = self.text(front);
        let [back_start, back_bytes] = if route.parts.is_empty() { self.text(route.body) } else { self.parts(route.parts) };
        let [name_start, name_bytes] = self.text(route.guard_name.as_bytes());
        let [value_start, value_bytes] = self.text(route.guard_value.as_bytes());
        let ([methods_low, methods_high], [body_low, body_high]) = (halves(route.methods.bits()), halves(route.body_limit));
        let status =
            u32::from(route.status) | if route.drops_query { DROPS_QUERY } else { 0 } | if route.is_unlogged { IS_UNLOGGED } else { 0 };
        let guard = route.guard.map_or(0, |guard| guard + 1);
        [
            route.handler,
            guard,
            methods_low,
            methods_high,
            route.edits,
            route.errors,
            route.cors,
            route.access,
            body_low,
            body_high,
            status,
            route.tree,
            route.rest,
            front_start,
            front_bytes,
            back_start,
            back_bytes,
            name_start,
            name_bytes,
            value_start,
            value_bytes,
            route.place,
            route.encoding,
        ]
    }

    /// Where the rows of a template begin, and how many they are.
    fn parts(&mut self, parts: &[Part<'_>]) -> [u32; 2] {
        assert!(parts.len() <= PARTS_MAX, "a record has at most {PARTS_MAX} parts");
        let rows: Vec<_> = parts.iter().map(|part| self.part(part)).collect();
        let start = address(self.blob.len());
        rows.iter().for_each(|row| self.push(row));
        [start, address(parts.len())]
    }

    fn part(&mut self, part: &Part<'_>) -> [u32; super::PART] {
        let (kind, [first, second]) = match part {
            Part::ClientIp => (0, [0, 0]),
            Part::Cookie(name) => (1, self.text(name.as_bytes())),
            Part::Header(name) => (2, self.text(name.as_bytes())),
            Part::Host => (3, [0, 0]),
            Part::Late(_) | Part::Map(_) => panic!("no record holds {part:?}"),
            Part::Method => (4, [0, 0]),
            Part::Parameter(index) => (5, [(*index).into(), 0]),
            Part::Path => (6, [0, 0]),
            Part::Query => (7, [0, 0]),
            Part::QueryValue(name) => (8, self.text(name.as_bytes())),
            Part::RequestId => (9, [0, 0]),
            Part::Scheme => (10, [0, 0]),
            Part::Status => (11, [0, 0]),
            Part::Target => (12, [0, 0]),
            Part::Text(text) => (13, self.text(text.as_bytes())),
        };
        [kind, first, second]
    }

    /// Where a text begins and its bytes; once for all that are equal.
    fn text(&mut self, text: &[u8]) -> [u32; 2] {
        if text.is_empty() {
            return [0, 0];
        }
        let length = address(text.len());
        if let Some(start) = self.texts.get(text) {
            return [*start, length];
        }
        let start = address(self.blob.len());
        self.blob.extend_from_slice(text);
        self.texts.insert(text.to_vec(), start);
        [start, length]
    }

    fn push(&mut self, numbers: &[u32]) {
        numbers.iter().for_each(|number| self.blob.extend_from_slice(&number.to_le_bytes()));
    }

    /// Room for numbers that are known later; gives where it is.
    fn reserve(&mut self, numbers: usize) -> usize {
        let at = self.blob.len();
        self.blob.resize(at + NUMBER * numbers, 0);
        at
    }

    fn fill(&mut self, at: usize, numbers: &[u32]) {
        for (index, number) in numbers.iter().enumerate() {
            self.blob[at + NUMBER * index..][..NUMBER].copy_from_slice(&number.to_le_bytes());
        }
    }
}

fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

fn address(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("all offsets are below RECORDS_BYTES_MAX")
}
