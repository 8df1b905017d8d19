//! How a 206 is written (RFC 9110 §15.3.7): from the head of the 200 that it is a part of.
//!
//! One part has a `content-range`; several are `multipart/byteranges` (§14.6), each with the representation's content type. The boundary is a hash of head
//! and parts: the same request gets the same bytes, and no content holds its 128 bits by accident. Heads are kiln's own: names in lower case.

use crate::{
    hash::hash,
    ranges::{PARTS_MAX, Part, Parts},
};

/// Hexadecimal digits of a boundary.
const BOUNDARY_BYTES: usize = 32;
/// Seeds of its halves.
const SEEDS: [u64; 2] = [2, 3];

/// The body of several parts: for each a delimiter and its bytes, then the last delimiter.
#[derive(Clone, Debug)]
pub struct Multipart {
    parts: Parts,
    /// All delimiters, one behind the other,
    text: Vec<u8>,
    /// and where each ends.
    text_ends: [usize; PARTS_MAX + 1],
    boundary: [u8; BOUNDARY_BYTES],
}

/// Appends the head of a 206 of one part; `full` is that of the 200, of `length` bytes.
pub fn head(full: &[u8], part: Part, length: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"HTTP/1.1 206 Partial Content\r\n");
    for line in lines(full) {
        if line.starts_with(b"content-length: ") {
            push_length(part.bytes(), out);
            push_content_range(part, length, out);
        } else {
            out.extend_from_slice(line);
        }
    }
}

/// Appends the field of a 416.
pub fn push_unsatisfied(length: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"content-range: bytes */");
    push_number(length, out);
    out.extend_from_slice(b"\r\n");
}

/// Whether the 200 of that head has a content coding. Several parts of one would be a coding that nobody can undo before the parts are put together, and
/// clients undo it first: they get the whole.
pub fn is_coded(full: &[u8]) -> bool {
    lines(full).any(|line| line.starts_with(b"content-encoding: "))
}

impl Multipart {
    /// The parts of a representation of `length` bytes whose 200 has the head `full`.
    pub fn new(full: &[u8], parts: Parts, length: u64) -> Self {
        let mut text = full.to_vec();
        parts.as_slice().iter().for_each(|part| push_content_range(*part, length, &mut text));
        let mut boundary = [0; BOUNDARY_BYTES];
        let digits = boundary.as_chunks_mut::<{ BOUNDARY_BYTES / 2 }>().0;
        digits.iter_mut().zip(SEEDS).for_each(|(half, seed)| *half = hexadecimal(hash(seed, &text)));
        text.clear();
        let content_type = lines(full).find(|line| line.starts_with(b"content-type: ")).unwrap_or_default();
        let mut text_ends = [0; PARTS_MAX + 1];
        let parts_then_end = parts.as_slice().iter().map(Some).chain([None]);
        for (part, text_end) in parts_then_end.zip(&mut text_ends) {
            let start: &[u8] = if text.is_empty() { b"--" } else { b"\r\n--" };
            text.extend_from_slice(start);
            text.extend_from_slice(&boundary);
            match part {
                None => text.extend_from_slice(b"--\r\n"),
                Some(part) => {
                    text.extend_from_slice(b"\r\n");
                    text.extend_from_slice(content_type);
                    push_content_range(*part, length, &mut text);
                    text.extend_from_slice(b"\r\n");
                }
            }
            *text_end = text.len();
        }
        Self { parts, text, text_ends, boundary }
    }

    /// Appends the head; `full` is that of the 200.
    pub fn head(&self, full: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(b"HTTP/1.1 206 Partial Content\r\n");
        for line in lines(full).filter(|line| !line.starts_with(b"content-type: ")) {
            if line.starts_with(b"content-length: ") {
                out.extend_from_slice(b"content-type: multipart/byteranges; boundary=");
                out.extend_from_slice(&self.boundary);
                out.extend_from_slice(b"\r\n");
                push_length(self.body_bytes(), out);
            } else {
                out.extend_from_slice(line);
            }
        }
    }

    /// Bytes of the body.
    pub fn body_bytes(&self) -> u64 {
        self.parts.as_slice().iter().fold(self.text.len() as u64, |bytes, part| bytes.saturating_add(part.bytes()))
    }

    /// The text of that number and the part that follows it: the last text has none. `None`: behind the end.
    pub fn piece(&self, number: usize) -> Option<(&[u8], Option<Part>)> {
        let parts = self.parts.as_slice();
        let start = number.checked_sub(1).map_or(Some(0), |before| self.text_ends.get(before).copied())?;
        let text = (number <= parts.len()).then(|| self.text.get(start..*self.text_ends.get(number)?)).flatten()?;
        Some((text, parts.get(number).copied()))
    }
}

/// The field lines of a head, each with its CRLF.
fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split_inclusive(|&byte| byte == b'\n').skip(1)
}

fn push_length(bytes: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"content-length: ");
    push_number(bytes, out);
    out.extend_from_slice(b"\r\n");
}

fn push_content_range(part: Part, length: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"content-range: bytes ");
    push_number(part.first, out);
    out.push(b'-');
    push_number(part.last, out);
    out.push(b'/');
    push_number(length, out);
    out.extend_from_slice(b"\r\n");
}

fn push_number(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut start = digits.len();
    for digit in digits.iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
        start -= 1;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}

fn hexadecimal(number: u64) -> [u8; BOUNDARY_BYTES / 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    std::array::from_fn(|place| DIGITS[(number >> (60 - 4 * place)) as usize & 15])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranges::{self, Ranged};

    const FULL: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\naccept-ranges: bytes\r\netag: \"a\"\r\n";

    fn parts(value: &str) -> Parts {
        match ranges::of(value.as_bytes(), 100) {
            Ranged::Parts(parts) => parts,
            other => panic!("{other:?}"),
        }
    }

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn head_of_one_part_is_that_of_the_whole_but_for_its_length() {
        let part = parts("bytes=90-").single().unwrap();
        assert_eq!(
            text(|out| head(FULL, part, 100, out)),
            "HTTP/1.1 206 Partial Content\r\ncontent-type: text/plain\r\ncontent-length: 10\r\ncontent-range: bytes 90-99/100\r\n\
             accept-ranges: bytes\r\netag: \"a\"\r\n"
        );
        assert_eq!(text(|out| push_unsatisfied(0, out)), "content-range: bytes */0\r\n");
        assert_eq!(text(|out| push_number(u64::MAX, out)), u64::MAX.to_string());
    }

    #[test]
    fn multipart_has_a_part_for_each_and_its_exact_length() {
        let multipart = Multipart::new(FULL, parts("bytes=50-51,0-1"), 100);
        let mut body = String::new();
        let mut number = 0;
        while let Some((text, part)) = multipart.piece(number) {
            body.push_str(std::str::from_utf8(text).unwrap());
            body.push_str(&"x".repeat(part.map_or(0, Part::bytes) as usize));
            number += 1;
        }
        let boundary = String::from_utf8(multipart.boundary.to_vec()).unwrap();
        let expected = format!(
            "--{boundary}\r\ncontent-type: text/plain\r\ncontent-range: bytes 50-51/100\r\n\r\nxx\r\n--{boundary}\r\n\
             content-type: text/plain\r\ncontent-range: bytes 0-1/100\r\n\r\nxx\r\n--{boundary}--\r\n"
        );
        assert_eq!(body, expected);
        assert_eq!(multipart.body_bytes(), body.len() as u64);
        let head = format!(
            "HTTP/1.1 206 Partial Content\r\ncontent-type: multipart/byteranges; boundary={boundary}\r\ncontent-length: {}\r\n\
             accept-ranges: bytes\r\netag: \"a\"\r\n",
            body.len()
        );
        assert_eq!(text(|out| multipart.head(FULL, out)), head);
    }

    #[test]
    fn multipart_boundary_depends_on_content_and_parts() {
        let other = String::from_utf8(FULL.to_vec()).unwrap().replace("\"a\"", "\"b\"");
        let boundary = |full: &[u8], value: &str| Multipart::new(full, parts(value), 100).boundary;
        let first = boundary(FULL, "bytes=0-0,2-2");
        assert_eq!(first, boundary(FULL, "bytes=0-0, 2-2"));
        assert!(first != boundary(FULL, "bytes=0-0,3-3") && first != boundary(other.as_bytes(), "bytes=0-0,2-2"));
        assert_ne!(first[..16], first[16..]);
    }

    #[test]
    fn multipart_of_as_many_parts_as_there_may_be_ends() {
        let value = format!("bytes={}", (0..PARTS_MAX).map(|at| format!("{0}-{0}", at * 2)).collect::<Vec<_>>().join(","));
        let multipart = Multipart::new(FULL, parts(&value), 100);
        assert!(multipart.piece(PARTS_MAX).unwrap().0.ends_with(b"--\r\n") && multipart.piece(PARTS_MAX + 1).is_none());
    }

    #[test]
    fn coding_is_seen_in_the_head() {
        assert!(!is_coded(FULL) && is_coded(b"HTTP/1.1 200 OK\r\ncontent-encoding: br\r\n"));
    }
}
