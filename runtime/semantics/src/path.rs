//! The one normal form of a path: what is matched is what is forwarded (`language.md`, RFC 3986 §6.2.2).
//!
//! Unreserved escapes decoded once, other escapes upper-cased and kept, dot segments resolved, repeated slashes merged. Refused: a broken escape, `%00`,
//! a raw control byte or backslash, a segment of dots any of which is encoded, `..` above the root, bytes above 0x7E.

/// A path in normal form, always beginning with `/` (or the single `*` of OPTIONS).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Path<'a> {
    pub text: &'a str,
    /// It holds `%2F`: the route refuses it with 400 unless it says `path "keep"` or `"raw"`.
    pub has_encoded_slash: bool,
    /// It holds `%5C`: the same, but `files` takes it.
    pub has_encoded_backslash: bool,
}

/// The path has no normal form: answered with 400.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BadPath;

/// Normalises `raw` (an origin-form path without its query). Borrows `raw` where it is normal already, else writes to `scratch` (cleared first).
pub fn normalize<'a>(raw: &'a [u8], scratch: &'a mut Vec<u8>) -> Result<Path<'a>, BadPath> { todo!() }

/// Decodes every escape of a normal-form path into `out` (cleared first): the name of a file. The caller has refused `%2F`.
pub fn decode(normal: &str, out: &mut Vec<u8>) { todo!() }

/// Encodes text written in KDL (a literal of a pattern, a file's name) to the normal form: bytes that may not stand in a path become upper-case escapes.
/// Existing valid escapes are kept when `keeps_escapes`. Refused as in [`normalize`].
pub fn encode(text: &str, keeps_escapes: bool) -> Result<String, BadPath> { todo!() }
