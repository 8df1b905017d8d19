//! Names as links and as text: bytes that mean something elsewhere mean nothing here.
//!
//! What cannot be seen, or changes how the text round it is seen (controls, overrides of direction, bytes that are no UTF-8), is shown as an escape.

use crate::ascii::{self, UNRESERVED};

/// Appends the relative reference of a name: it begins with `./`, so that a colon in it makes no scheme, and every byte that is not unreserved is an escape.
pub(super) fn push_href(name: &[u8], is_directory: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(b"./");
    for &byte in name {
        if ascii::is(byte, UNRESERVED) {
            out.push(byte);
        } else {
            ascii::push_escape(byte, out);
        }
    }
    if is_directory {
        out.push(b'/');
    }
}

/// Appends `name` as HTML text; escapes of what can't be seen stand between `open` and `close`.
pub(super) fn push_html(name: &[u8], (open, close): (&str, &str), out: &mut Vec<u8>) {
    let mut is_open = false;
    let mut set_open = |wanted: bool, out: &mut Vec<u8>| {
        if wanted != is_open {
            out.extend_from_slice(if wanted { open.as_bytes() } else { close.as_bytes() });
            is_open = wanted;
        }
    };
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            set_open(!is_plain(character), out);
            match character {
                '&' => out.extend_from_slice(b"&amp;"),
                '<' => out.extend_from_slice(b"&lt;"),
                '>' => out.extend_from_slice(b"&gt;"),
                '"' => out.extend_from_slice(b"&#34;"),
                '\'' => out.extend_from_slice(b"&#39;"),
                plain if is_plain(plain) => push_char(plain, out),
                odd => out.extend(odd.escape_default().map(|character| character as u8)),
            }
        }
        for byte in chunk.invalid() {
            set_open(true, out);
            out.extend_from_slice(format!("\\x{byte:02X}").as_bytes());
        }
    }
    set_open(false, out);
}

/// Appends `name` as a JSON string with its quotes; what is no UTF-8 becomes U+FFFD.
pub(super) fn push_json(name: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '"' | '\\' => out.extend_from_slice(&[b'\\', character as u8]),
                plain if is_plain(plain) => push_char(plain, out),
                odd => {
                    for unit in odd.encode_utf16(&mut [0; 2]) {
                        out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                    }
                }
            }
        }
        if !chunk.invalid().is_empty() {
            push_char(char::REPLACEMENT_CHARACTER, out);
        }
    }
    out.push(b'"');
}

fn push_char(character: char, out: &mut Vec<u8>) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

/// Whether a character is seen as itself: no control, no separator of lines, nothing without width but what joins letters, nothing that sets a direction.
fn is_plain(character: char) -> bool {
    !matches!(
        character,
        '\0'..='\x1F'
            | '\x7F'..='\u{9F}'
            | '\u{AD}'
            | '\u{61C}'
            | '\u{180E}'
            | '\u{200B}'
            | '\u{200E}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}
