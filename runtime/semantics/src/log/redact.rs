//! Secrets that stay out of a line: values of named fields, cookies and keys of queries, and what stands before `@` in a URL.
//!
//! In doubt it is a secret. Queries are looked for more widely than servers read them: `;`, `?` and `#` end a pair as `&` does, also in a path (`/a;jsessionid=b`),
//! `user[password]`, `user.password` and ` password` are the key `password`, too, `accessToken` is `access_token`, and a value that hides a query in escapes
//! (`next=%2Fa%3Ftoken%3Db`) is left out as a whole.

use super::{Redacted, quote::Value};
use crate::{ascii, query};

/// What stands for a secret.
pub(super) const REDACTED: &[u8] = b"[redacted]";

/// Bytes of a decoded key that is looked at; a longer one is a secret.
const KEY_BYTES_MAX: usize = 128;

/// Bytes of a decoded value that is searched for a query; a longer one is a secret.
const VALUE_BYTES_MAX: usize = 512;

/// How often a key or a value is decoded in search of a secret; one that is wrapped more often is a secret.
const LAYERS_MAX: u8 = 3;

impl Redacted<'_> {
    /// Whether the values of that name are secrets, whatever has it.
    pub(super) fn has(&self, name: &[u8]) -> bool {
        let is_name = |listed: &&&str| is_same_name(listed.as_bytes(), name);
        self.keys.iter().find(is_name).or_else(|| self.fields.iter().find(is_name)).is_some()
    }

    /// Appends the value of a field that is no secret as a whole.
    pub(super) fn field(&self, name: &str, value: &[u8], out: &mut Value<'_>) {
        if name == "cookie" { self.cookies(value, out) } else { self.url(value, out) }
    }

    /// Appends the value of a cookie or of a query's key that is no secret.
    pub(super) fn inner(&self, value: &[u8], out: &mut Value<'_>) {
        if self.hides_secret(value, 0) { out.push(REDACTED) } else { self.url(value, out) }
    }

    /// Appends a URL, a target, or whatever may have one in it.
    pub(super) fn url(&self, text: &[u8], out: &mut Value<'_>) {
        let end = memchr::memchr3(b'?', b'#', b';', text).unwrap_or(text.len());
        let (front, query) = text.split_at_checked(end).unwrap_or((text, b""));
        without_userinfo(front, out);
        self.query(query, out);
    }

    /// Appends a query, its `?` before it or not.
    pub(super) fn query(&self, text: &[u8], out: &mut Value<'_>) {
        let mut start = 0;
        for (key_at, end) in pairs(text) {
            let pair = text.get(key_at..end).unwrap_or_default();
            // Without a `=` that can be seen, there may be one behind its escapes.
            let equals = memchr::memchr(b'=', pair);
            let value_at = equals.map_or(0, |equals| equals + 1);
            if value_at == pair.len() {
                continue;
            }
            let key = pair.get(..equals.unwrap_or_default()).unwrap_or_default();
            if self.is_secret_key(key, 0) || self.hides_secret(pair.get(value_at..).unwrap_or_default(), 0) {
                without_userinfo(text.get(start..key_at + value_at).unwrap_or_default(), out);
                out.push(REDACTED);
                start = end;
            }
        }
        without_userinfo(text.get(start..).unwrap_or_default(), out);
    }

    /// Appends a Cookie line.
    fn cookies(&self, line: &[u8], out: &mut Value<'_>) {
        for (number, piece) in line.split(|&byte| byte == b';').enumerate() {
            if number > 0 {
                out.push(b";");
            }
            match memchr::memchr(b'=', piece).and_then(|equals| piece.split_at_checked(equals + 1)) {
                Some((name, value)) if !value.is_empty() && self.has(ascii::trim(name.strip_suffix(b"=").unwrap_or(name))) => {
                    out.push(name);
                    out.push(REDACTED);
                }
                _ => out.push(piece),
            }
        }
    }

    fn is_secret_key(&self, key: &[u8], layer: u8) -> bool {
        if key.iter().all(is_of_name) {
            return self.has(key);
        }
        let mut decoded = [0; KEY_BYTES_MAX];
        let decoded = match decode(key, &mut decoded) {
            Some(decoded) if layer < LAYERS_MAX => decoded,
            _ => return true,
        };
        self.has(decoded)
            || decoded.split(|byte| !is_of_name(byte)).any(|segment| self.has(segment))
            || decoded != key && decoded.contains(&b'%') && self.is_secret_key(decoded, layer + 1)
    }

    /// Whether a value has a secret behind its escapes.
    fn hides_secret(&self, value: &[u8], layer: u8) -> bool {
        if !may_hide(value) {
            return false;
        }
        let mut decoded = [0; VALUE_BYTES_MAX];
        let decoded = match decode(value, &mut decoded) {
            Some(decoded) if layer < LAYERS_MAX => decoded,
            _ => return true,
        };
        let is_secret = |(start, end): (usize, usize)| {
            let pair = decoded.get(start..end).unwrap_or_default();
            memchr::memchr(b'=', pair).is_some_and(|equals| self.is_secret_key(pair.get(..equals).unwrap_or_default(), layer))
        };
        decoded != value && (pairs(decoded).any(is_secret) || userinfo(decoded, 0).is_some() || self.hides_secret(decoded, layer + 1))
    }
}

/// Whether both are the same to who names things: `accessToken`, `access-token` and `access_token` are.
fn is_same_name(one: &[u8], other: &[u8]) -> bool {
    letters(one).eq(letters(other))
}

fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter().filter(|byte| !matches!(byte, b'-' | b'_')).map(u8::to_ascii_lowercase)
}

/// May stand in a name; what may not stands between names.
fn is_of_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Has an escape, and what a pair or a URL with userinfo needs, escaped or not; or escaped escapes.
fn may_hide(value: &[u8]) -> bool {
    let is_mark = |byte: u8| matches!(byte, b'=' | b'@' | b'%');
    let mut escapes = memchr::memchr_iter(b'%', value).peekable();
    escapes.peek().is_some()
        && (value.iter().any(|&byte| matches!(byte, b'=' | b'@'))
            || escapes.any(|at| value.get(at + 1..).and_then(ascii::hex_pair).is_some_and(is_mark)))
}

/// Decodes into `place`; `None` where it has no room.
fn decode<'p>(text: &[u8], place: &'p mut [u8]) -> Option<&'p [u8]> {
    let mut length = 0;
    for byte in query::decoded_bytes(text) {
        *place.get_mut(length)? = byte;
        length += 1;
    }
    place.get(..length)
}

/// Where pairs lie in a query.
fn pairs(text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let end = at + rest.iter().position(|byte| matches!(byte, b'&' | b';' | b'?' | b'#')).unwrap_or(rest.len());
        let pair = (at, end);
        at = end + 1;
        Some(pair)
    })
}

/// Appends the text; of URLs in it what stands before their `@` is left out.
fn without_userinfo(text: &[u8], out: &mut Value<'_>) {
    let mut start = 0;
    while let Some((from, to)) = userinfo(text, start) {
        out.push(text.get(start..from).unwrap_or_default());
        out.push(REDACTED);
        start = to;
    }
    out.push(text.get(start..).unwrap_or_default());
}

/// Where the first userinfo behind `start` lies: between `//` and the last `@` of an authority (RFC 3986 §3.2.1).
fn userinfo(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let last = start + memchr::memrchr(b'@', text.get(start..)?)?;
    let mut at = start;
    while at < last {
        let slashes = text.get(at..last)?.windows(2).position(|pair| matches!(pair, [b'/' | b'\\', b'/' | b'\\']))?;
        let from = at + slashes + 2;
        let behind = text.get(from..)?;
        let end = behind.iter().position(|byte| matches!(byte, b'/' | b'\\' | b'?' | b'#')).unwrap_or(behind.len());
        match behind.get(..end)?.iter().rposition(|&byte| byte == b'@') {
            Some(to) if to > 0 => return Some((from, from + to)),
            // In `///` the next two are looked at as well.
            _ => at = from - 1,
        }
    }
    None
}
