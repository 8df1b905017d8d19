//! A KDL 2 text cut into tokens; together they are the whole text.

use std::borrow::Cow;

use crate::parse::token;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    BlockComment,
    Close,
    /// A `\`: the node goes on behind the line break that follows.
    Continuation,
    Equals,
    LineComment,
    Newline,
    Open,
    ParenClose,
    ParenOpen,
    Semicolon,
    Slashdash,
    Space,
    /// A word, number, keyword or string, as written.
    Text,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
}

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut tokens = Vec::new();
    while !rest.is_empty() {
        let (kind, length) = first(rest);
        // A string that is not closed may end within a character.
        let (text, behind) = rest.split_at(rest.ceil_char_boundary(length));
        tokens.push(Token { kind, text });
        rest = behind;
    }
    tokens
}

/// The text of a token as it is printed: with plain line breaks, a line comment without the white space at its end.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    let text = if text.starts_with("//") { text.trim_end() } else { text };
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

pub(super) fn is_newline(letter: char) -> bool {
    matches!(letter, '\r' | '\n' | '\u{0b}' | '\u{0c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What a text that is not empty begins with, and its bytes; what is not closed goes to the end.
fn first(text: &str) -> (Kind, usize) {
    let bytes = text.as_bytes();
    let (space, newline) = (token::space(bytes), token::newline(bytes));
    match bytes {
        _ if newline > 0 => (Kind::Newline, newline),
        _ if space > 0 => (Kind::Space, space),
        [b'/', b'/', ..] => (Kind::LineComment, token::line(bytes)),
        [b'/', b'*', ..] => (Kind::BlockComment, token::block_comment(bytes, usize::MAX).unwrap_or(bytes.len())),
        [b'/', b'-', ..] => (Kind::Slashdash, 2),
        [b'{', ..] => (Kind::Open, 1),
        [b'}', ..] => (Kind::Close, 1),
        [b'(', ..] => (Kind::ParenOpen, 1),
        [b')', ..] => (Kind::ParenClose, 1),
        [b';', ..] => (Kind::Semicolon, 1),
        [b'=', ..] => (Kind::Equals, 1),
        [b'\\', ..] => (Kind::Continuation, 1),
        [b'"', ..] => (Kind::Text, token::quoted(bytes).unwrap_or(bytes.len())),
        [b'#', ..] => (Kind::Text, token::hash(bytes).unwrap_or(bytes.len())),
        _ => (Kind::Text, token::word(bytes).max(1)),
    }
}
