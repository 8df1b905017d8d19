//! One pass over a file's bytes before `kdl` sees it: strings, raw strings and comments are told from blocks, blocks are counted.
//!
//! `kdl` descends recursively and has no limit of its own, so what it may not see (more than [`LEVELS_MAX`] levels, braces that do not pair up, a KDL 1 file) is
//! found here. The pass also cuts the file into its top-level nodes: they are read on all cores, and a syntax error in one hides none of the others.

use std::{borrow::Cow, ops::Range};

/// Levels of blocks, and of comments in comments.
pub(super) const LEVELS_MAX: usize = 64;

/// Levels of braces when those in strings are counted too: after an error `kdl` may take a string's text for blocks.
const RAW_LEVELS_MAX: i64 = 256;

/// Why a file is not given to `kdl`; positions are bytes.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Fault {
    /// A `}` that closes nothing.
    ClosesNothing {
        at: usize,
    },
    /// KDL 1: where, how long, and what KDL 2 says in its place.
    OldKdl {
        at: usize,
        length: usize,
        now: &'static str,
    },
    TooDeep {
        at: usize,
    },
    UnclosedBlock {
        at: usize,
    },
    UnclosedComment {
        at: usize,
    },
    /// From the opening quote to the end of its line.
    UnclosedString {
        at: usize,
        end: usize,
    },
}

/// A file that `kdl` may see.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Scan<'a> {
    /// The text with its comments turned into spaces of the same length: `kdl` recurses over the stars and slashes of a comment.
    pub text: Cow<'a, str>,
    /// The ranges of the top-level nodes, with what stands between them.
    pub chunks: Vec<Range<usize>>,
}

pub(super) fn scan(text: &str) -> Result<Scan<'_>, Fault> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    if let Some(at) = text.find("/- kdl-version 1").filter(|at| text[..*at].trim().is_empty()) {
        return Err(Fault::OldKdl { at, length: "/- kdl-version 1".len(), now: "/- kdl-version 2" });
    }
    let bytes = text.as_bytes();
    let mut scanner =
        Scanner { bytes, at: start, opened: Vec::new(), chunks: Vec::new(), chunk_start: start, joins: false, comments: Vec::new() };
    while scanner.at < scanner.bytes.len() {
        scanner.token()?;
    }
    if let Some(at) = scanner.opened.pop() {
        return Err(Fault::UnclosedBlock { at });
    }
    scanner.cut();
    let text = without(text, &scanner.comments);
    for chunk in &scanner.chunks {
        check_raw_levels(text.as_bytes(), chunk)?;
    }
    Ok(Scan { text, chunks: scanner.chunks })
}

fn without<'a>(text: &'a str, comments: &[Range<usize>]) -> Cow<'a, str> {
    if comments.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for comment in comments {
        bytes[comment.clone()].fill(b' ');
    }
    Cow::Owned(String::from_utf8(bytes).expect("comments begin and end with whole characters"))
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the open blocks begin.
    opened: Vec<usize>,
    chunks: Vec<Range<usize>>,
    chunk_start: usize,
    comments: Vec<Range<usize>>,
    /// The node goes on behind a line feed: a `\` or `/-` stands before it.
    joins: bool,
}

impl Scanner<'_> {
    fn token(&mut self) -> Result<(), Fault> {
        let rest = &self.bytes[self.at..];
        match rest {
            [b' ' | b'\t', ..] => self.at += 1,
            [b'/', b'/', ..] => self.line_comment(),
            [b'/', b'*', ..] => self.block_comment()?,
            [b'/', b'-', ..] => {
                self.joins = true;
                self.at += 2;
            }
            [b'"', ..] => self.quoted()?,
            [b'#', ..] => self.hash()?,
            [b'{', ..] => self.open()?,
            [b'}', ..] => self.close()?,
            [b';', ..] => {
                self.at += 1;
                self.joins = false;
                self.cut_at_top();
            }
            [b'\\', ..] => {
                self.joins = true;
                self.at += 1;
            }
            _ if newline(rest) > 0 => {
                self.at += newline(rest);
                if !std::mem::take(&mut self.joins) {
                    self.cut_at_top();
                }
            }
            _ => self.word()?,
        }
        Ok(())
    }

    fn line_comment(&mut self) {
        let start = self.at;
        while self.at < self.bytes.len() && newline(&self.bytes[self.at..]) == 0 {
            self.at += 1;
        }
        self.comments.push(start..self.at);
    }

    fn block_comment(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let mut levels = 0;
        while self.at < self.bytes.len() {
            match &self.bytes[self.at..] {
                [b'/', b'*', ..] => {
                    levels += 1;
                    self.at += 2;
                }
                [b'*', b'/', ..] => {
                    levels -= 1;
                    self.at += 2;
                }
                _ => self.at += 1,
            }
            if levels == 0 {
                self.comments.push(start..self.at);
                return Ok(());
            }
            if levels > LEVELS_MAX {
                return Err(Fault::TooDeep { at: self.at - 2 });
            }
        }
        Err(Fault::UnclosedComment { at: start })
    }

    fn quoted(&mut self) -> Result<(), Fault> {
        self.joins = false;
        let start = self.at;
        let is_multiline = self.bytes[start..].starts_with(b"\"\"\"");
        let closing: &[u8] = if is_multiline { b"\"\"\"" } else { b"\"" };
        self.at += closing.len();
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(closing) {
                self.at += closing.len();
                return Ok(());
            }
            if rest[0] == b'\\' {
                self.escape();
            } else if !is_multiline && newline(rest) > 0 {
                break;
            } else {
                self.at += 1;
            }
        }
        Err(Fault::UnclosedString { at: start, end: self.end_of_line(start) })
    }

    /// A `\` in a string: one byte behind it, or all the white space there.
    fn escape(&mut self) {
        self.at += 1;
        let escaped = self.at;
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            let length = if matches!(rest[0], b' ' | b'\t') { 1 } else { newline(rest) };
            if length == 0 {
                break;
            }
            self.at += length;
        }
        if self.at == escaped {
            self.at += 1;
        }
    }

    /// A raw string `#".."#`, or a keyword such as `#true`.
    fn hash(&mut self) -> Result<(), Fault> {
        self.joins = false;
        let start = self.at;
        let hashes = self.bytes[start..].iter().take_while(|byte| **byte == b'#').count();
        self.at += hashes;
        let rest = &self.bytes[self.at..];
        if !rest.starts_with(b"\"") {
            // The keyword's letters belong to it: `true` alone would be KDL 1.
            self.skip_word();
            return Ok(());
        }
        let is_multiline = rest.starts_with(b"\"\"\"") && newline(&rest[3..]) > 0;
        let mut closing = if is_multiline { b"\"\"\"".to_vec() } else { b"\"".to_vec() };
        self.at += closing.len();
        closing.extend(std::iter::repeat_n(b'#', hashes));
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(&closing) {
                self.at += closing.len();
                return Ok(());
            }
            if !is_multiline && newline(rest) > 0 {
                break;
            }
            self.at += 1;
        }
        Err(Fault::UnclosedString { at: start, end: self.end_of_line(start) })
    }

    fn open(&mut self) -> Result<(), Fault> {
        self.joins = false;
        if self.opened.len() == LEVELS_MAX {
            return Err(Fault::TooDeep { at: self.at });
        }
        self.opened.push(self.at);
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.joins = false;
        if self.opened.pop().is_none() {
            return Err(Fault::ClosesNothing { at: self.at });
        }
        self.at += 1;
        Ok(())
    }

    /// A run of bytes that are none of the above: names, numbers, `=`, annotations.
    fn word(&mut self) -> Result<(), Fault> {
        self.joins = false;
        let start = self.at;
        self.skip_word();
        // A byte that ends a word and begins nothing (a single `/`, a bracket) must not stop the pass.
        self.at = self.at.max(start + 1);
        let rest = &self.bytes[self.at..];
        let now = match &self.bytes[start..self.at] {
            b"true" => Some("#true"),
            b"false" => Some("#false"),
            b"null" => Some("#null"),
            b"r" if rest.starts_with(b"\"") => Some("#\"..\"#"),
            b"r" if rest.starts_with(b"#") && rest.iter().find(|byte| **byte != b'#') == Some(&b'"') => Some("#\"..\"#"),
            _ => None,
        };
        now.map_or(Ok(()), |now| Err(Fault::OldKdl { at: start, length: self.at - start, now }))
    }

    fn skip_word(&mut self) {
        while self.at < self.bytes.len() && !ends_word(&self.bytes[self.at..]) {
            self.at += 1;
        }
    }

    fn cut_at_top(&mut self) {
        if self.opened.is_empty() {
            self.cut();
        }
    }

    /// Ends the chunk here; a chunk of white space stays part of the next.
    fn cut(&mut self) {
        let chunk = self.chunk_start..self.at;
        if self.bytes[chunk.clone()].iter().any(|byte| !byte.is_ascii_whitespace()) {
            self.chunks.push(chunk);
            self.chunk_start = self.at;
        }
    }

    fn end_of_line(&self, from: usize) -> usize {
        (from..self.bytes.len()).find(|at| newline(&self.bytes[*at..]) > 0).unwrap_or(self.bytes.len())
    }
}

fn ends_word(rest: &[u8]) -> bool {
    matches!(rest[0], b' ' | b'\t' | b'"' | b'#' | b'{' | b'}' | b';' | b'\\' | b'/' | b'=' | b'(' | b')') || newline(rest) > 0
}

/// Bytes of the line break that `rest` begins with, 0 for none (KDL 2, "Newline").
fn newline(rest: &[u8]) -> usize {
    match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n' | 0x0b | 0x0c, ..] => 1,
        [0xc2, 0x85, ..] => 2,
        [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
        _ => 0,
    }
}

/// Refuses a chunk whose braces, those in strings included, go deeper up or down than `kdl` may recurse.
fn check_raw_levels(bytes: &[u8], chunk: &Range<usize>) -> Result<(), Fault> {
    let mut level = 0_i64;
    let mut closed_most = 0_i64;
    for at in chunk.clone() {
        match bytes[at] {
            b'{' => level += 1,
            b'}' => level -= 1,
            _ => continue,
        }
        closed_most = closed_most.min(level);
        if level - closed_most > RAW_LEVELS_MAX || closed_most < -RAW_LEVELS_MAX {
            return Err(Fault::TooDeep { at });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Fault, LEVELS_MAX, scan};

    fn pieces(text: &str) -> Vec<&str> {
        scan(text).unwrap().chunks.into_iter().map(|range| text[range].trim()).collect()
    }

    #[test]
    fn top_level_nodes_are_cut_apart() {
        assert_eq!(pieces("a 1; b {\n c; d\n}\n// e\nf"), ["a 1;", "b {\n c; d\n}", "// e", "f"]);
    }

    #[test]
    fn continued_lines_stay_together() {
        assert_eq!(pieces("a \\\n 1\n/-\nb\nc"), ["a \\\n 1", "/-\nb", "c"]);
    }

    #[test]
    fn braces_in_strings_and_comments_do_not_count() {
        assert!(scan("a \"{\" #\"{\"# /* { /* { */ */ // {\n\"\"\"\n{\n\"\"\"\nb #\"\"\"\n\"{\n\"\"\"#").is_ok());
    }

    #[test]
    fn keywords_of_kdl_2_are_not_taken_for_those_of_kdl_1() {
        assert_eq!(pieces("a b=#true; c #null #-inf"), ["a b=#true;", "c #null #-inf"]);
    }

    #[test]
    fn faults_say_where() {
        assert_eq!(scan("a {\n b {"), Err(Fault::UnclosedBlock { at: 6 }));
        assert_eq!(scan("a }"), Err(Fault::ClosesNothing { at: 2 }));
        assert_eq!(scan("a \"b\nc"), Err(Fault::UnclosedString { at: 2, end: 4 }));
        assert_eq!(scan("/* /* */"), Err(Fault::UnclosedComment { at: 0 }));
        assert!(scan("a #true b=#false").is_ok());
        assert_eq!(scan("a true"), Err(Fault::OldKdl { at: 2, length: 4, now: "#true" }));
        assert_eq!(scan("a r#\"x\"#"), Err(Fault::OldKdl { at: 2, length: 1, now: "#\"..\"#" }));
    }

    #[test]
    fn levels_are_bounded() {
        let nested = |levels: usize| "a {".repeat(levels) + &"}".repeat(levels);
        assert!(scan(&nested(LEVELS_MAX)).is_ok());
        assert_eq!(scan(&nested(LEVELS_MAX + 1)), Err(Fault::TooDeep { at: LEVELS_MAX * 3 + 2 }));
        assert!(matches!(scan(&nested(10_000)), Err(Fault::TooDeep { .. })));
        assert!(matches!(scan(&format!("a \"{}\"", "{".repeat(1000))), Err(Fault::TooDeep { .. })));
    }
}
