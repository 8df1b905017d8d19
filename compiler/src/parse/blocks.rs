//! One pass over a file's bytes: which statements it has, and which stand in the block of which.
//!
//! `kdl` descends recursively without a limit, keeps the whole text of what it reads and lets one error spoil all that follows. So it is never given
//! more than the head of one node (its word, arguments and properties); blocks are told apart here, without recursion and at most [`LEVELS_MAX`]
//! deep. Braces that do not pair up and files written in KDL 1 are found here too.

use std::{borrow::Cow, ops::Range};

use super::token::{self, Unclosed, newline};

/// Levels of blocks, and of comments in comments.
pub(super) const LEVELS_MAX: usize = 64;

/// Why a file has no statements; positions are bytes.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Fault {
    /// A `}` that closes nothing.
    ClosesNothing {
        at: usize,
    },
    /// A `/-` with nothing behind it.
    CommentsNothing {
        at: usize,
    },
    /// A `\` with something else than a line's end or a comment behind it.
    ContinuesNothing {
        at: usize,
    },
    /// Something behind a block, on the same line.
    FollowsBlock {
        at: usize,
    },
    /// A `{` without a node before it.
    Nameless {
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

/// The statements of a file.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Blocks<'a> {
    /// The text with comments, and what `/-` takes out, turned into spaces of the same length.
    pub text: Cow<'a, str>,
    pub statements: Vec<Statement>,
}

/// One node: where its word, arguments and properties stand, and its block.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Statement {
    pub head: Range<usize>,
    pub block: Option<Vec<Self>>,
    /// Behind the block, or behind the head.
    pub end: usize,
}

pub(super) fn scan(text: &str) -> Result<Blocks<'_>, Fault> {
    const OLD_VERSION: &str = "/- kdl-version 1";
    if let Some(at) = text.find(OLD_VERSION).filter(|at| text[..*at].trim().is_empty()) {
        return Err(Fault::OldKdl { at, length: OLD_VERSION.len(), now: "/- kdl-version 2" });
    }
    let mut scanner = Scanner { bytes: text.as_bytes(), ..Scanner::default() };
    scanner.at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while scanner.at < scanner.bytes.len() {
        scanner.piece()?;
    }
    scanner.end_statement()?;
    if let Some(open) = scanner.opened.pop() {
        return Err(Fault::UnclosedBlock { at: open.at });
    }
    Ok(Blocks { text: without(text, &scanner.blanks), statements: scanner.siblings })
}

fn without<'a>(text: &'a str, blanks: &[Range<usize>]) -> Cow<'a, str> {
    if blanks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for blank in blanks {
        bytes[blank.clone()].fill(b' ');
    }
    Cow::Owned(String::from_utf8(bytes).expect("blanks begin and end with whole characters"))
}

#[derive(Default)]
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    current: Current,
    /// Statements of the block that is being read.
    siblings: Vec<Statement>,
    /// The blocks around it, outermost first.
    opened: Vec<Open>,
    blanks: Vec<Range<usize>>,
    /// The statement goes on behind a line feed: a `\` or `/-` stands before it.
    joins: bool,
    /// A `/-` inside the statement whose element has not begun.
    taken_out: Option<usize>,
}

/// The statement that is being read.
#[derive(Default)]
struct Current {
    head: Option<Range<usize>>,
    block: Option<Vec<Statement>>,
    /// Behind the block, once there is one.
    end: usize,
    /// Where the `/-` stands that takes all of it out.
    taken_out: Option<usize>,
}

struct Open {
    /// The `{`.
    at: usize,
    /// Where the `/-` stands that takes this block out.
    taken_out: Option<usize>,
    statement: Current,
    siblings: Vec<Statement>,
}

impl Scanner<'_> {
    fn piece(&mut self) -> Result<(), Fault> {
        let rest = &self.bytes[self.at..];
        let (space, newline) = (token::space(rest), newline(rest));
        match rest {
            _ if space > 0 => self.at += space,
            _ if newline > 0 => return self.line_feed(newline),
            [b'/', b'/', ..] => self.blank(token::line(rest)),
            [b'/', b'*', ..] => {
                let length = token::block_comment(rest, LEVELS_MAX).map_err(|unclosed| self.unclosed(&unclosed))?;
                self.blank(length);
            }
            [b'/', b'-', ..] => self.slashdash(),
            [b'{', ..] => return self.open(),
            [b'}', ..] => return self.close(),
            [b';', ..] => {
                self.at += 1;
                return self.end_statement();
            }
            [b'\\', ..] if token::continuation(rest) > 0 => {
                self.joins = true;
                self.at += token::continuation(rest);
            }
            // Whatever reads on would take the `\` for part of something, also where the text is taken out by `/-`.
            [b'\\', ..] => return Err(Fault::ContinuesNothing { at: self.at }),
            _ => {
                let length = self.element_length()?;
                return self.element(length);
            }
        }
        Ok(())
    }

    fn element_length(&self) -> Result<usize, Fault> {
        let rest = &self.bytes[self.at..];
        let length = match rest {
            [b'"', ..] => token::quoted(rest),
            [b'#', ..] => token::hash(rest),
            _ => return self.word(),
        };
        length.map_err(|unclosed| self.unclosed(&unclosed))
    }

    /// A name, a value or a sign: it belongs to the statement's head.
    fn element(&mut self, length: usize) -> Result<(), Fault> {
        if self.current.block.is_some() {
            return Err(Fault::FollowsBlock { at: self.at });
        }
        let end = self.at + length;
        let start = self.current.head.as_ref().map_or(self.at, |head| head.start);
        self.current.head = Some(start..end);
        self.taken_out = None;
        self.joins = false;
        self.at = end;
        Ok(())
    }

    fn word(&self) -> Result<usize, Fault> {
        let rest = &self.bytes[self.at..];
        // A byte that ends a word and begins nothing (a single `/`, a bracket) is one by itself.
        let length = token::word(rest).max(1);
        let behind = &rest[length..];
        let now = match &rest[..length] {
            b"true" => "#true",
            b"false" => "#false",
            b"null" => "#null",
            b"r" if behind.starts_with(b"\"") => "#\"..\"#",
            b"r" if behind.starts_with(b"#") && behind.iter().find(|byte| **byte != b'#') == Some(&b'"') => "#\"..\"#",
            _ => return Ok(length),
        };
        Err(Fault::OldKdl { at: self.at, length, now })
    }

    fn blank(&mut self, length: usize) {
        self.blanks.push(self.at..self.at + length);
        self.at += length;
    }

    fn slashdash(&mut self) {
        if self.current.head.is_none() && self.current.block.is_none() {
            self.current.taken_out = Some(self.at);
            self.blanks.push(self.at..self.at + 2);
        } else {
            self.taken_out = Some(self.at);
        }
        self.joins = true;
        self.at += 2;
    }

    fn line_feed(&mut self, length: usize) -> Result<(), Fault> {
        self.at += length;
        // Behind `/-` any number of lines may be empty; behind `\` the statement goes on with the next one.
        let is_taking_out = self.taken_out.is_some() || (self.current.taken_out.is_some() && self.current.head.is_none());
        if is_taking_out || std::mem::take(&mut self.joins) {
            return Ok(());
        }
        self.end_statement()
    }

    fn open(&mut self) -> Result<(), Fault> {
        let taken_out = self.taken_out.take();
        if self.current.head.is_none() {
            return Err(Fault::Nameless { at: self.at });
        }
        if self.current.block.is_some() && taken_out.is_none() {
            return Err(Fault::FollowsBlock { at: self.at });
        }
        if self.opened.len() == LEVELS_MAX {
            return Err(Fault::TooDeep { at: self.at });
        }
        let statement = std::mem::take(&mut self.current);
        self.opened.push(Open { at: self.at, taken_out, statement, siblings: std::mem::take(&mut self.siblings) });
        self.joins = false;
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.end_statement()?;
        let Some(open) = self.opened.pop() else { return Err(Fault::ClosesNothing { at: self.at }) };
        self.at += 1;
        self.current = open.statement;
        let block = std::mem::replace(&mut self.siblings, open.siblings);
        match open.taken_out {
            Some(start) => self.blanks.push(start..self.at),
            None => {
                self.current.block = Some(block);
                self.current.end = self.at;
            }
        }
        Ok(())
    }

    fn end_statement(&mut self) -> Result<(), Fault> {
        let current = std::mem::take(&mut self.current);
        self.joins = false;
        if let Some(at) = self.taken_out.take().or_else(|| current.taken_out.filter(|_| current.head.is_none())) {
            return Err(Fault::CommentsNothing { at });
        }
        if let Some(head) = current.head.filter(|_| current.taken_out.is_none()) {
            let end = current.end.max(head.end);
            self.siblings.push(Statement { head, block: current.block, end });
        }
        Ok(())
    }

    fn unclosed(&self, unclosed: &Unclosed) -> Fault {
        match unclosed {
            Unclosed::Comment => Fault::UnclosedComment { at: self.at },
            Unclosed::String => Fault::UnclosedString { at: self.at, end: self.at + token::line(&self.bytes[self.at..]) },
            Unclosed::TooDeep(at) => Fault::TooDeep { at: self.at + at },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, LEVELS_MAX, Statement, scan};

    /// `a 1{b{}c}`: heads, blocks in braces, statements separated by a bar.
    fn shown(text: &str) -> String {
        fn list(text: &str, statements: &[Statement]) -> String {
            let one = |statement: &Statement| {
                let block = statement.block.as_ref().map_or_else(String::new, |block| format!("{{{}}}", list(text, block)));
                format!("{}{block}", &text[statement.head.clone()])
            };
            statements.iter().map(one).collect::<Vec<_>>().join("|")
        }
        let blocks = scan(text).unwrap();
        list(&blocks.text, &blocks.statements)
    }

    #[test]
    fn statements_are_told_apart() {
        assert_eq!(shown("a 1; b {\n c; d\n}\n// e\nf"), "a 1|b{c|d}|f");
        assert_eq!(shown("a { b \"}\" { }; c } ; d"), "a{b \"}\"{}|c}|d");
    }

    #[test]
    fn continued_lines_stay_together() {
        assert_eq!(shown("a \\\n 1\nb \\ // c\n 2 \\\n\nd"), "a \\\n 1|b \\     \n 2|d");
    }

    #[test]
    fn slashdash_takes_out_what_follows() {
        assert_eq!(shown("/- a { b }\nc /- 1 2\nd 1 /- { e } { f }\ng { h } /- { i }\n/-\n\nj\nk"), "c /- 1 2|d 1{f}|g{h}|k");
        assert_eq!(scan("a { /- }"), Err(Fault::CommentsNothing { at: 4 }));
        assert_eq!(scan("a 1 /-"), Err(Fault::CommentsNothing { at: 4 }));
    }

    #[test]
    fn braces_in_strings_and_comments_do_not_count() {
        assert_eq!(shown("a \"{\" #\"{\"# /* { /* { */ */ // {"), "a \"{\" #\"{\"#");
        assert_eq!(shown("\"\"\"\n{\n\"\"\" #\"\"\"\n\"{\n\"\"\"#\nb"), "\"\"\"\n{\n\"\"\" #\"\"\"\n\"{\n\"\"\"#|b");
    }

    #[test]
    fn faults_say_where() {
        assert_eq!(scan("a {\n b {"), Err(Fault::UnclosedBlock { at: 7 }));
        assert_eq!(scan("a }"), Err(Fault::ClosesNothing { at: 2 }));
        assert_eq!(scan("a { } b"), Err(Fault::FollowsBlock { at: 6 }));
        assert_eq!(scan("a { } { }"), Err(Fault::FollowsBlock { at: 6 }));
        assert_eq!(scan("a; { }"), Err(Fault::Nameless { at: 3 }));
        assert_eq!(scan("/- a { \\{ b }; }"), Err(Fault::ContinuesNothing { at: 7 }));
        assert_eq!(scan("a \\ b"), Err(Fault::ContinuesNothing { at: 2 }));
        assert_eq!(scan("a \"b\nc"), Err(Fault::UnclosedString { at: 2, end: 4 }));
        assert_eq!(scan("/* /* */"), Err(Fault::UnclosedComment { at: 0 }));
        assert_eq!(scan("a true"), Err(Fault::OldKdl { at: 2, length: 4, now: "#true" }));
        assert_eq!(scan("a r#\"x\"#"), Err(Fault::OldKdl { at: 2, length: 1, now: "#\"..\"#" }));
        assert!(scan("a #true b=#false").is_ok());
    }

    #[test]
    fn levels_are_bounded() {
        let nested = |levels: usize| "a {".repeat(levels) + &"}".repeat(levels);
        assert!(scan(&nested(LEVELS_MAX)).is_ok());
        assert_eq!(scan(&nested(LEVELS_MAX + 1)), Err(Fault::TooDeep { at: LEVELS_MAX * 3 + 2 }));
        assert!(matches!(scan(&nested(10_000)), Err(Fault::TooDeep { .. })));
        assert!(matches!(scan(&"/*".repeat(100)), Err(Fault::TooDeep { .. })));
    }
}
