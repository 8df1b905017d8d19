//! The heads that nearly all nodes have, read without `kdl`: a word, then texts, numbers, `#true`, `#false` and properties with such values.
//!
//! `kdl` takes microseconds for each, which is a second for a large site. What is not plain (raw strings, bare words, annotations, unusual escapes, errors)
//! is left to it; a test holds the two readings together.

use super::raw::{Head, Name, RawEntry, RawNode, RawValue};

/// Reads a plain head; `None` is not an error, but a case for `kdl`.
pub(super) fn read(head: Head<'_>) -> Option<RawNode> {
    let mut reader = Reader { head, bytes: head.text.as_bytes(), at: 0 };
    let name = reader.name()?;
    let mut entries = Vec::new();
    while reader.at < reader.bytes.len() {
        if reader.skip(|byte| byte == b' ') == 0 {
            return None;
        }
        if reader.at < reader.bytes.len() {
            entries.push(reader.entry()?);
        }
    }
    let span = entries.last().map_or(name.span, |last: &RawEntry| name.span.to(last.span));
    Some(RawNode { annotation: None, name, entries, span })
}

struct Reader<'a> {
    head: Head<'a>,
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn entry(&mut self) -> Option<RawEntry> {
        let start = self.at;
        let name = if self.bytes[start].is_ascii_lowercase() {
            let name = self.name()?;
            if self.bytes.get(self.at) != Some(&b'=') {
                return None;
            }
            self.at += 1;
            Some(name)
        } else {
            None
        };
        let value_start = self.at;
        let value = self.value()?;
        if !matches!(self.bytes.get(self.at), None | Some(b' ')) {
            return None;
        }
        let value_span = self.head.part(value_start, self.at - value_start);
        Some(RawEntry { name, annotation: None, value, value_span, span: self.head.part(start, self.at - start) })
    }

    fn name(&mut self) -> Option<Name> {
        let start = self.at;
        if !self.bytes.first()?.is_ascii_lowercase() {
            return None;
        }
        self.skip(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        let text = self.head.text.get(start..self.at)?;
        // Words that KDL keeps for itself.
        let is_kept = matches!(text, "" | "true" | "false" | "null" | "inf" | "nan");
        (!is_kept).then(|| Name { text: text.to_owned(), span: self.head.part(start, text.len()) })
    }

    fn value(&mut self) -> Option<RawValue> {
        let rest = &self.bytes[self.at..];
        if rest.first() == Some(&b'"') {
            return self.text().map(RawValue::Text);
        }
        for (keyword, value) in [("#true", true), ("#false", false)] {
            if rest.starts_with(keyword.as_bytes()) {
                self.at += keyword.len();
                return Some(RawValue::Bool(value));
            }
        }
        let start = self.at;
        self.skip(|byte| byte.is_ascii_digit());
        let digits = self.head.text.get(start..self.at)?;
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        digits.parse().ok().map(RawValue::Integer)
    }

    fn text(&mut self) -> Option<String> {
        let mut text = String::new();
        self.at += 1;
        loop {
            let start = self.at;
            self.skip(|byte| byte >= b' ' && !matches!(byte, b'"' | b'\\' | 0x7f));
            let run = self.head.text.get(start..self.at)?;
            if !run.is_ascii() && !run.chars().all(is_plain) {
                return None;
            }
            text.push_str(run);
            match self.bytes.get(self.at..)? {
                [b'"', b'"', ..] => return None,
                [b'"', ..] => {
                    self.at += 1;
                    return Some(text);
                }
                [b'\\', escaped, ..] => {
                    text.push(match escaped {
                        b'n' => '\n',
                        b't' => '\t',
                        b'"' => '"',
                        b'\\' => '\\',
                        _ => return None,
                    });
                    self.at += 2;
                }
                _ => return None,
            }
        }
    }

    /// Goes over bytes; gives how many.
    fn skip(&mut self, takes: impl Fn(u8) -> bool) -> usize {
        let length = self.bytes[self.at..].iter().take_while(|byte| takes(**byte)).count();
        self.at += length;
        length
    }
}

/// No line break, no control and no sign that turns the direction of writing (KDL 2, "Disallowed Literal Code Points").
fn is_plain(letter: char) -> bool {
    letter.is_ascii()
        || (letter >= '\u{a0}'
            && !matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        parse::node,
        source::{FileId, Span},
    };

    fn head(text: &str) -> Head<'_> {
        Head { text, span: Span::new(FileId(3), 100, 100 + text.len() as u32) }
    }

    #[test]
    fn plain_heads_are_read_as_kdl_reads_them() {
        for text in [
            "a",
            "vhost \"a.example\" \"*.b\" default=#true",
            "respond 200 \"ok\\n\\\"\\\\\\t\" content-type=\"text/plain\"",
            "a  1   b=2 #false",
            "x \"\" y=\"\"",
            "a 0 9999999999999999999 \"{{\"",
            "a \"é 日本 🎉\" b=\"ü\"",
        ] {
            let plain = read(head(text)).unwrap_or_else(|| panic!("`{text}` is plain"));
            let full = node::read(head(text)).unwrap();
            assert_eq!(plain, full, "{text}");
        }
    }

    #[test]
    fn heads_that_are_not_plain_are_left_to_kdl() {
        for text in [
            "",
            "A",
            "a b",
            "a #null",
            "a 1.5",
            "a 0x1",
            "a 007",
            "a -1",
            "a \"\\u{41}\"",
            "a \"x\"y",
            "a=1",
            "a b= 1",
            "a (env)\"X\"",
            "a \"\"\"\nx\n\"\"\"",
            "a #\"x\"#",
            "nan 1",
            "a nan=1 inf",
        ] {
            assert_eq!(read(head(text)), None, "{text}");
        }
    }

    /// Every text of a few pieces that is plain reads the same by `kdl`.
    #[test]
    fn texts_of_pieces_are_read_as_kdl_reads_them() {
        const PIECES: [&str; 15] = ["a", "b-1", " ", "  ", "=", "\"", "\\", "n", "#true", "#false", "12", "0", "\"x\"", "{", ";"];
        let mut plain_count = 0;
        for number in 0..PIECES.len().pow(4) {
            let pick = |place: u32| PIECES[number / PIECES.len().pow(place) % PIECES.len()];
            let text = format!("a {}{}{}{}", pick(0), pick(1), pick(2), pick(3));
            if let Some(plain) = read(head(&text)) {
                plain_count += 1;
                assert_eq!(Ok(plain), node::read(head(&text)), "{text}");
            }
        }
        assert!(plain_count > 100);
    }
}
