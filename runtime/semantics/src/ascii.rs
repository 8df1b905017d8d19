//! What each byte may be, as one table of 256 bit sets: a load and a test per byte wherever bytes from a client are walked.
//!
//! Sources: RFC 9110 §5.6.2 (token), RFC 3986 §2.2, §2.3 and §3.3 (unreserved, sub-delims, pchar).

/// May stand in a method or a field name: `tchar`.
pub(crate) const TOKEN: u8 = 1;
/// May stand in a path as it is: `pchar` without `%` and without `/`.
pub(crate) const PLAIN: u8 = 2;
/// May stand in a request-target: visible ASCII but `#`.
pub(crate) const TARGET: u8 = 4;
/// Unreserved: letters, digits, `-._~`.
pub(crate) const UNRESERVED: u8 = 8;
/// May stand in a label of a host that is lower case: unreserved without `.` and capitals.
pub(crate) const LABEL: u8 = 16;
/// A control byte, HTAB and DEL included.
pub(crate) const CONTROL: u8 = 32;

static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    loop {
        let is_unreserved = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        let is_sub_delimiter = matches!(byte, b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=');
        let is_token = byte.is_ascii_alphanumeric()
            || matches!(byte, b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~');
        let mut class = 0;
        if is_token {
            class |= TOKEN;
        }
        if is_unreserved || is_sub_delimiter || byte == b':' || byte == b'@' {
            class |= PLAIN;
        }
        if byte.is_ascii_graphic() && byte != b'#' {
            class |= TARGET;
        }
        if is_unreserved {
            class |= UNRESERVED;
        }
        if is_unreserved && byte != b'.' && !byte.is_ascii_uppercase() {
            class |= LABEL;
        }
        if byte.is_ascii_control() {
            class |= CONTROL;
        }
        table[byte as usize] = class;
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

/// Whether `byte` is of one of the classes.
#[inline(always)]
pub(crate) fn is(byte: u8, classes: u8) -> bool {
    CLASSES[usize::from(byte)] & classes != 0
}

/// Whether all four bytes are of the class.
#[inline(always)]
pub(crate) fn are(bytes: &[u8; 4], class: u8) -> bool {
    let [a, b, c, d] = bytes.map(|byte| CLASSES[usize::from(byte)]);
    a & b & c & d & class != 0
}

/// Whether `text` is a token.
pub(crate) fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|&byte| is(byte, TOKEN))
}

/// The number that one hexadecimal digit stands for.
#[inline]
pub(crate) fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// The byte that two hexadecimal digits at the front of `text` stand for.
#[inline]
pub(crate) fn hex_pair(text: &[u8]) -> Option<u8> {
    match text {
        [high, low, ..] => Some(hex(*high)? << 4 | hex(*low)?),
        _ => None,
    }
}

/// Appends `%` and two upper-case digits.
pub(crate) fn push_escape(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

/// `text` without SP and HTAB at both ends (`OWS`, RFC 9110 §5.6.3).
#[inline]
pub(crate) fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    trim_end(text)
}

/// `text` without SP and HTAB at its end.
#[inline(always)]
pub(crate) fn trim_end(mut text: &[u8]) -> &[u8] {
    while let [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}
