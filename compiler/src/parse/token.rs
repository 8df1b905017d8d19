//! The lengths of what stands in a KDL text: spaces, line breaks, comments, strings, words. Nothing here decides what a string says: that is `kdl`'s.

/// Why a piece has no end; positions are bytes of the text.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Unclosed {
    /// A comment, or comments in comments.
    Comment,
    /// The string's opening quote has no partner.
    String,
    /// More comments in comments than allowed; where the last opens.
    TooDeep(usize),
}

/// Bytes of the line break that `rest` begins with, 0 for none (KDL 2, "Newline").
pub(crate) fn newline(rest: &[u8]) -> usize {
    match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n' | 0x0b | 0x0c, ..] => 1,
        [0xc2, 0x85, ..] => 2,
        [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
        _ => 0,
    }
}

/// Bytes of the space that `rest` begins with, 0 for none (KDL 2, "Whitespace").
pub(crate) fn space(rest: &[u8]) -> usize {
    match rest {
        [b' ' | b'\t', ..] => 1,
        [0xc2, 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..] | [0xe2, 0x80, 0x80..=0x8a | 0xaf, ..] | [0xe2, 0x81, 0x9f, ..] | [0xe3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

/// Bytes up to the line break.
pub(crate) fn line(rest: &[u8]) -> usize {
    (0..rest.len()).find(|at| newline(&rest[*at..]) > 0).unwrap_or(rest.len())
}

/// Bytes of a `/* .. */`, those inside it included.
pub(crate) fn block_comment(rest: &[u8], levels_max: usize) -> Result<usize, Unclosed> {
    let mut at = 0;
    let mut levels = 0;
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => {
                levels += 1;
                at += 2;
            }
            [b'*', b'/', ..] => {
                levels -= 1;
                at += 2;
            }
            _ => at += 1,
        }
        if levels == 0 {
            return Ok(at);
        }
        if levels > levels_max {
            return Err(Unclosed::TooDeep(at - 2));
        }
    }
    Err(Unclosed::Comment)
}

/// Bytes of a quoted string.
pub(crate) fn quoted(rest: &[u8]) -> Result<usize, Unclosed> {
    let is_multiline = rest.starts_with(b"\"\"\"");
    let closing: &[u8] = if is_multiline { b"\"\"\"" } else { b"\"" };
    let mut at = closing.len();
    while at < rest.len() {
        let left = &rest[at..];
        if left.starts_with(closing) {
            return Ok(at + closing.len());
        }
        at += match left[0] {
            b'\\' => escape(left),
            _ if !is_multiline && newline(left) > 0 => return Err(Unclosed::String),
            _ => 1,
        };
    }
    Err(Unclosed::String)
}

/// Bytes of a `\` in a string: with one byte behind it, or with all the white space there.
fn escape(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        let length = space(&rest[at..]).max(newline(&rest[at..]));
        if length == 0 {
            break;
        }
        at += length;
    }
    at.max(2)
}

/// Bytes of a raw string `#".."#`, or of a keyword such as `#true`.
pub(crate) fn hash(rest: &[u8]) -> Result<usize, Unclosed> {
    let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
    let body = &rest[hashes..];
    if !body.starts_with(b"\"") {
        return Ok(hashes + word(body));
    }
    let is_multiline = body.starts_with(b"\"\"\"") && newline(&body[3..]) > 0;
    let quotes = if is_multiline { 3 } else { 1 };
    let is_closed = |left: &[u8]| {
        left.len() >= quotes + hashes
            && left[..quotes].iter().all(|byte| *byte == b'"')
            && left[quotes..quotes + hashes].iter().all(|byte| *byte == b'#')
    };
    let mut at = quotes;
    while at < body.len() {
        if is_closed(&body[at..]) {
            return Ok(hashes + at + quotes + hashes);
        }
        if !is_multiline && newline(&body[at..]) > 0 {
            break;
        }
        at += 1;
    }
    Err(Unclosed::String)
}

/// Bytes of a run that is neither space nor string nor block: names, numbers.
pub(crate) fn word(rest: &[u8]) -> usize {
    let ends = |rest: &[u8]| {
        matches!(rest[0], b'"' | b'#' | b'{' | b'}' | b';' | b'\\' | b'/' | b'=' | b'(' | b')') || space(rest) > 0 || newline(rest) > 0
    };
    (0..rest.len()).find(|at| ends(&rest[*at..])).unwrap_or(rest.len())
}

/// Bytes of a `\` that continues the line, with the spaces behind it but without the line break; 0 where something else follows.
pub(crate) fn continuation(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && space(&rest[at..]) > 0 {
        at += space(&rest[at..]);
    }
    let left = &rest[at..];
    if left.is_empty() || newline(left) > 0 || left.starts_with(b"//") || left.starts_with(b"/*") { at } else { 0 }
}
