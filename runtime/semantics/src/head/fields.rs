//! The field lines of a head as a table of places in its bytes.

use std::ops::Range;

use crate::ascii::trim;

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

    /// Appends the lines that `goes_on` says yes to, given name and value, each in its plain form: one blank behind the colon, none behind the value.
    ///
    /// Lines that have that form already are copied in runs, without a look at more than their ends.
    #[inline(always)]
    pub(crate) fn copy(self, out: &mut Vec<u8>, mut goes_on: impl FnMut(&'a [u8], &'a [u8]) -> bool) {
        let bytes = self.bytes;
        let mut run = 0..0;
        for field in self.table {
            let (name, value) = (field.name.of(bytes), field.value.of(bytes));
            if !goes_on(name, value) {
                continue;
            }
            let line = field.line();
            if !is_plain(bytes, field) {
                out.extend_from_slice(bytes.get(run).unwrap_or_default());
                run = 0..0;
                push_line(name, value, out);
            } else if run.end == line.start {
                run.end = line.end;
            } else {
                out.extend_from_slice(bytes.get(run).unwrap_or_default());
                run = line;
            }
        }
        out.extend_from_slice(bytes.get(run).unwrap_or_default());
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

/// The line has its plain form.
#[inline(always)]
fn is_plain(bytes: &[u8], field: &FieldSpan) -> bool {
    let line = field.line();
    let name_end = line.start + field.name.length as usize;
    field.value.start as usize == name_end + 2
        && matches!(bytes.get(name_end..name_end + 2), Some(b": "))
        && matches!(bytes.get(line.end.wrapping_sub(2)..line.end), Some(b"\r\n"))
}

pub(crate) fn push_line(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// The members of a list of tokens, empty ones left out (RFC 9110 §5.6.1).
pub(crate) fn members(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(trim).filter(|member| !member.is_empty())
}

/// Whether a connection option stands for a field that not every hop keeps for itself.
pub(crate) fn is_name(option: &[u8]) -> bool {
    match option.len() {
        2 => !option.eq_ignore_ascii_case(b"te"),
        5 => !option.eq_ignore_ascii_case(b"close"),
        7 => !option.eq_ignore_ascii_case(b"upgrade"),
        10 => !option.eq_ignore_ascii_case(b"keep-alive"),
        _ => true,
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
