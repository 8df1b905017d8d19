//! Values of a line, written so that they can't mean anything else.

use super::Quoting;
use crate::lanes;

/// Bytes of one value before quoting; what is longer is cut. With a bounded number of parts it bounds a line.
pub const VALUE_BYTES_MAX: usize = 4096;

/// Says that a value was cut.
const CUT: &[u8] = b"[cut]";

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// One value on its way into a line.
pub(super) struct Value<'o> {
    out: &'o mut Vec<u8>,
    quoting: Quoting,
    /// Bytes that it may still have.
    left: usize,
    is_cut: bool,
}

impl<'o> Value<'o> {
    pub(super) fn new(quoting: Quoting, out: &'o mut Vec<u8>) -> Self {
        Self { out, quoting, left: VALUE_BYTES_MAX, is_cut: false }
    }

    /// Appends a whole value that is mostly plain.
    #[inline]
    pub(super) fn whole(quoting: Quoting, bytes: &[u8], out: &mut Vec<u8>) {
        match bytes.len() <= VALUE_BYTES_MAX && is_plain(bytes) {
            true => out.extend_from_slice(bytes),
            false => Value::new(quoting, out).push(bytes),
        }
    }

    /// Appends a piece. Pieces are quoted each for itself: they are cut where bytes are ASCII.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if bytes.len() <= self.left {
            self.left -= bytes.len();
            return quote(bytes, self.quoting, self.out);
        }
        if !self.is_cut {
            quote(bytes.get(..boundary(bytes, self.left)).unwrap_or_default(), self.quoting, self.out);
            self.out.extend_from_slice(CUT);
        }
        (self.left, self.is_cut) = (0, true);
    }
}

/// At most `at`, and not inside of a character.
fn boundary(bytes: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (at.saturating_sub(3)..=at).rev().find(|&at| !is_inside(at)).unwrap_or(at)
}

/// Whether the bytes mean the same in every quoting.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    let (blocks, rest) = bytes.as_chunks::<{ lanes::WIDTH }>();
    !blocks.iter().any(|block| lanes::any(block, is_special)) && !rest.iter().any(|&byte| is_special(byte))
}

/// Whether they do, and no query, pair, fragment or userinfo stands in them.
pub(super) fn is_plain_url(bytes: &[u8]) -> bool {
    let is_of = |byte| is_special(byte) | matches!(byte, b'?' | b'#' | b'@' | b'=');
    let (blocks, rest) = bytes.as_chunks::<{ lanes::WIDTH }>();
    !blocks.iter().any(|block| lanes::any(block, is_of)) && !rest.iter().any(|&byte| is_of(byte))
}

/// Neither visible ASCII nor a space, or a quote, or a backslash.
#[inline(always)]
fn is_special(byte: u8) -> bool {
    (byte.wrapping_sub(0x20) >= 95) | (byte == b'"') | (byte == b'\\')
}

/// Appends the bytes quoted.
pub(super) fn quote(bytes: &[u8], quoting: Quoting, out: &mut Vec<u8>) {
    if is_plain(bytes) {
        return out.extend_from_slice(bytes);
    }
    match quoting {
        Quoting::Json => {
            for chunk in bytes.utf8_chunks() {
                json(chunk.valid(), out);
                if !chunk.invalid().is_empty() {
                    out.extend_from_slice(b"\\ufffd");
                }
            }
        }
        Quoting::Text => {
            for &byte in bytes {
                if is_special(byte) {
                    out.extend_from_slice(&[b'\\', b'x', hex(byte >> 4).to_ascii_uppercase(), hex(byte).to_ascii_uppercase()]);
                } else {
                    out.push(byte);
                }
            }
        }
    }
}

fn json(text: &str, out: &mut Vec<u8>) {
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend_from_slice(&[b'\\', letter as u8]),
            // C0, DEL, C1; line separators and marks that turn the direction of writing, so that a line looks like what it says.
            '\0'..='\x1F' | '\x7F'..='\u{9F}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
                let number = letter as u32;
                out.extend_from_slice(b"\\u");
                out.extend([12, 8, 4, 0].map(|shift| hex((number >> shift) as u8)));
            }
            _ => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// The last digit.
fn hex(number: u8) -> u8 {
    DIGITS[usize::from(number & 15)]
}
