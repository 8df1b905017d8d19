//! Lines and columns of bytes, for machines: both counted from 1.
//!
//! Diagnostics come in the order of their places; a [`Places`] remembers where it was, so that a line of megabytes is walked once and not once for each.

use crate::source::{FileId, SourceMap, Span};

/// One place in a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Place {
    pub line: u32,
    /// In characters (Unicode scalar values).
    pub column: u32,
    /// In UTF-16 code units.
    pub column_utf16: u32,
    /// Bytes from the start of the file.
    pub byte: u32,
}

pub(super) struct Places<'a> {
    sources: &'a SourceMap,
    last: Option<(FileId, Place)>,
}

impl<'a> Places<'a> {
    pub(super) fn new(sources: &'a SourceMap) -> Self {
        Self { sources, last: None }
    }

    /// Where a span begins and ends; the end is the first place behind it.
    pub(super) fn of(&mut self, span: Span) -> (Place, Place) {
        let start = self.at(span.file, span.start, self.last);
        self.last = Some((span.file, start));
        (start, self.at(span.file, span.end, self.last))
    }

    fn at(&self, file: FileId, byte: u32, known: Option<(FileId, Place)>) -> Place {
        let source = self.sources.source(file);
        let byte = source.text.floor_char_boundary(byte as usize) as u32;
        let line = source.line_of(byte);
        let first = Place { line, column: 1, column_utf16: 1, byte: source.line_start(line) };
        let is_before = |place: &Place| place.line == line && place.byte <= byte;
        let from = known.filter(|(known, place)| *known == file && is_before(place)).map_or(first, |(_, place)| place);
        let between = &source.text[from.byte as usize..byte as usize];
        let column = from.column + between.chars().count() as u32;
        let column_utf16 = from.column_utf16 + between.chars().map(|letter| letter.len_utf16() as u32).sum::<u32>();
        Place { line, column, column_utf16, byte }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn columns_count_characters_and_utf_16_units() {
        let mut sources = SourceMap::default();
        let file = sources.add("a".to_owned(), PathBuf::from("a"), "x\r\né😀ab\n".to_owned());
        let mut places = Places::new(&sources);
        let (start, end) = places.of(Span::new(file, 9, 10));
        assert_eq!(start, Place { line: 2, column: 3, column_utf16: 4, byte: 9 });
        assert_eq!(end, Place { line: 2, column: 4, column_utf16: 5, byte: 10 });
        let (start, end) = places.of(Span::new(file, 0, 12));
        assert_eq!((start.line, start.column, end.line, end.column), (1, 1, 3, 1));
    }
}
