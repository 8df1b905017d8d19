//! The field lines of a head as a table of places in its bytes.

use std::ops::Range;

/// Where a piece of the head lies in its bytes: offset and length in bytes.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Span {
    /// Offset of its first byte.
    pub start: u32,
    /// Its length in bytes.
    pub length: u32,
}

impl Span {
    /// The span of `start..end`; heads are far below 4 GiB.
    #[inline]
    pub(crate) fn between(start: usize, end: usize) -> Self {
        Self { start: start as u32, length: end.wrapping_sub(start) as u32 }
    }

    /// The span of `length` bytes from `start` on.
    #[inline]
    pub(crate) fn sized(start: usize, length: usize) -> Self {
        Self { start: start as u32, length: length as u32 }
    }

    /// The bytes of the span; empty where it does not lie in `bytes`.
    #[inline]
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        let start = self.start as usize;
        bytes.get(start..start + self.length as usize).unwrap_or_default()
    }
}

/// One field line: where its name and its value (without surrounding white space) lie.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct FieldSpan {
    /// The name, as received.
    pub name: Span,
    /// The value.
    pub value: Span,
}

impl FieldSpan {
    /// The whole line with its CRLF, where nothing is between the value and that.
    #[inline(always)]
    pub(crate) fn line(&self) -> Range<usize> {
        self.name.start as usize..self.value.start as usize + self.value.length as usize + 2
    }
}

/// The field lines of one head, in the order received.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    bytes: &'a [u8],
    table: &'a [FieldSpan],
}

impl<'a> Fields<'a> {
    /// The fields that `table` finds in `bytes`.
    pub fn new(bytes: &'a [u8], table: &'a [FieldSpan]) -> Self {
        Self { bytes, table }
    }

    /// What the table's places lie in.
    pub(crate) fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The places of names and values.
    pub(crate) fn table(self) -> &'a [FieldSpan] {
        self.table
    }

    /// Names as received, values without surrounding white space.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        self.table.iter().map(move |field| (std::str::from_utf8(field.name.of(self.bytes)).unwrap_or_default(), field.value.of(self.bytes)))
    }

    /// Every value of the fields with that (lower-case) name, compared without case.
    pub fn all(self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.table.iter().filter(move |field| self.is_named(field, name)).map(move |field| field.value.of(self.bytes))
    }

    /// The value of the first field with that (lower-case) name, compared without case.
    pub fn first(self, name: &str) -> Option<&'a [u8]> {
        self.table.iter().find(|field| self.is_named(field, name)).map(|field| field.value.of(self.bytes))
    }

    /// Whether a field's name is as long as one of those wanted: a bit of `lengths` for each, all below 64.
    #[inline]
    pub(crate) fn has_length(self, lengths: u64) -> bool {
        self.table.iter().any(|field| field.name.length < u64::BITS && lengths >> field.name.length & 1 != 0)
    }

    #[inline(always)]
    fn is_named(self, field: &FieldSpan, name: &str) -> bool {
        field.name.length as usize == name.len() && is_same(field.name.of(self.bytes), name.as_bytes())
    }
}

/// Whether a name is the lower-case one of the same length, compared without case. The ends first: many names begin alike.
#[inline(never)]
fn is_same(sent: &[u8], name: &[u8]) -> bool {
    match (sent.split_last_chunk::<8>(), name.split_last_chunk::<8>()) {
        (Some((front, end)), Some((name_front, name_end))) => {
            end.iter().zip(name_end).fold(true, |is_same, (byte, wanted)| is_same & (byte.to_ascii_lowercase() == *wanted))
                && front.eq_ignore_ascii_case(name_front)
        }
        _ => sent.eq_ignore_ascii_case(name),
    }
}
