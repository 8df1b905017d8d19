//! Which of a client's field lines go on, and in which form: `name: value`, CRLF.

use crate::{
    edits,
    forward::arrival::Word,
    head::{Fields, is, is_name, members},
    lanes,
};

/// What the lines have said to this hop.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Noticed {
    /// Connection names fields.
    pub(super) names_fields: bool,
    /// Connection has the option `upgrade`.
    pub(super) names_upgrade: bool,
    /// The client takes trailers (RFC 9110 §10.1.4).
    pub(super) takes_trailers: bool,
}

/// What a name means to this hop.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Class {
    /// Tells how a request came, as proxies say: goes on where they are believed.
    Arrival,
    Connection,
    /// Of this hop, or made anew.
    Dropped,
    Plain,
    Te,
    Trailer,
}

/// By the length of a name the first letters of those that are not plain, a bit for each. Longer ones begin with `x`.
static FIRST_LETTERS: [u32; 20] = {
    let mut table = [0; 20];
    // What `x-forwarded-` or `x-original-` are the front of.
    let mut length = 11;
    while length < table.len() {
        table[length] = letters(b"x");
        length += 1;
    }
    table[2] = letters(b"t");
    table[3] = letters(b"v");
    table[4] = letters(b"h");
    table[5] = letters(b"p");
    table[6] = letters(b"e");
    table[7] = letters(b"tu");
    table[8] = letters(b"x");
    table[9] = letters(b"cfx");
    table[10] = letters(b"ck");
    table[14] = letters(b"chtx");
    table[15] = letters(b"fx");
    table[16] = letters(b"cfpx");
    table[17] = letters(b"tx");
    table[18] = letters(b"px");
    table[19] = letters(b"px");
    table
};

const fn letters(mut letters: &[u8]) -> u32 {
    let mut bits = 0;
    while let [letter, others @ ..] = letters {
        bits |= 1 << (*letter - b'a');
        letters = others;
    }
    bits
}

/// Whether [`classify`] must be asked of a name. Any other is plain.
#[inline(always)]
fn may_matter(name: &[u8]) -> bool {
    let letters = FIRST_LETTERS.get(name.len()).copied().unwrap_or(letters(b"x"));
    let first = name.first().map_or(0, |first| (first | 0x20).wrapping_sub(b'a'));
    letters.checked_shr(first.into()).unwrap_or(0) & 1 != 0 || lanes::is_in_name(name, b'_')
}

/// `proxy` would be `HTTP_PROXY` to CGI.
#[inline(never)]
fn classify(name: &[u8]) -> Class {
    match name.len() {
        2 if is(name, b"te") => Class::Te,
        3 if is(name, b"via") => Class::Dropped,
        4 if is(name, b"host") => Class::Dropped,
        5 if is(name, b"proxy") => Class::Dropped,
        6 if is(name, b"expect") => Class::Dropped,
        7 if is(name, b"upgrade") => Class::Dropped,
        7 if is(name, b"trailer") => Class::Trailer,
        8 if is(name, b"x-scheme") => Class::Arrival,
        9 if is(name, b"forwarded") => Class::Dropped,
        9 if is(name, b"client-ip") || is(name, b"x-real-ip") => Class::Arrival,
        10 if is(name, b"connection") => Class::Connection,
        10 if is(name, b"keep-alive") => Class::Dropped,
        11 if is(name, b"x-forwarded") => Class::Dropped,
        11 if is(name, b"x-client-ip") || is(name, b"x-remote-ip") => Class::Arrival,
        12 if is(name, b"x-url-scheme") => Class::Arrival,
        13 if is(name, b"x-remote-addr") || is(name, b"x-rewrite-url") => Class::Arrival,
        14 if is(name, b"content-length") || is(name, b"http2-settings") => Class::Dropped,
        14 if is(name, b"true-client-ip") => Class::Arrival,
        15 if is(name, b"x-forwarded-for") => Class::Dropped,
        15 if is(name, b"front-end-https") => Class::Arrival,
        16 if is(name, b"cf-connecting-ip") || is(name, b"fastly-client-ip") || is(name, b"x-originating-ip") => Class::Arrival,
        16 if is(name, b"proxy-connection") || is(name, b"x-forwarded-host") => Class::Dropped,
        17 if is(name, b"transfer-encoding") || is(name, b"x-forwarded-proto") => Class::Dropped,
        18 if is(name, b"proxy-authenticate") => Class::Dropped,
        19 if is(name, b"proxy-authorization") => Class::Dropped,
        19 if is(name, b"x-cluster-client-ip") => Class::Arrival,
        _ if name.contains(&b'_') => Class::Dropped,
        12.. if is(name, b"x-forwarded-") => Class::Arrival,
        11.. if is(name, b"x-original-") => Class::Arrival,
        _ => Class::Plain,
    }
}

/// Whether a field of that name goes on from any client.
pub(crate) fn is_plain(name: &[u8]) -> bool {
    classify(name) == Class::Plain
}

/// Appends the lines that go on.
pub(super) fn copy(fields: Fields<'_>, word: Word, is_chunked: bool, out: &mut Vec<u8>) -> Noticed {
    let mut noticed = Noticed::default();
    fields.copy(out, |name, value| !may_matter(name) || noticed.takes(classify(name), value, word, is_chunked));
    noticed
}

impl Noticed {
    /// Takes note of a line; whether it goes on.
    fn takes(&mut self, class: Class, value: &[u8], word: Word, is_chunked: bool) -> bool {
        match class {
            Class::Arrival => return word.has_x_forwarded,
            Class::Connection if value == b"keep-alive" => {}
            Class::Connection => {
                self.names_fields |= members(value).any(is_name);
                self.names_upgrade |= members(value).any(|option| option.eq_ignore_ascii_case(b"upgrade"));
            }
            Class::Dropped => {}
            Class::Plain => return true,
            Class::Te => self.takes_trailers |= members(value).any(|coding| coding.eq_ignore_ascii_case(b"trailers")),
            Class::Trailer => return is_chunked,
        }
        false
    }
}

/// Drops the plain lines that Connection names from those that begin at `start`.
#[cold]
pub(super) fn drop_named(fields: Fields<'_>, start: usize, out: &mut Vec<u8>) {
    let is_named = |name: &[u8]| fields.all("connection").flat_map(members).any(|option| option.eq_ignore_ascii_case(name));
    edits::drop_any_lines(out, start, |name| classify(name) == Class::Plain && is_named(name));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of this hop, and those that are made anew from what is known here.
    const DROPPED: [&str; 16] = [
        "content-length",
        "expect",
        "forwarded",
        "host",
        "http2-settings",
        "keep-alive",
        "proxy",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "transfer-encoding",
        "upgrade",
        "via",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
    ];

    /// Fields by which proxies, and frameworks behind them, tell where a request came from or what was asked for: from others a way round what the site checks.
    const ARRIVAL: [&str; 17] = [
        "cf-connecting-ip",
        "client-ip",
        "fastly-client-ip",
        "front-end-https",
        "true-client-ip",
        "x-client-ip",
        "x-cluster-client-ip",
        "x-forwarded-a-rather-long-name",
        "x-forwarded-port",
        "x-original-url",
        "x-originating-ip",
        "x-real-ip",
        "x-remote-addr",
        "x-remote-ip",
        "x-rewrite-url",
        "x-scheme",
        "x-url-scheme",
    ];

    #[test]
    fn names_that_matter_are_asked_for() {
        for (names, class) in [(&DROPPED[..], Class::Dropped), (&ARRIVAL, Class::Arrival), (&["connection"], Class::Connection)] {
            for name in names {
                for name in [name.to_string(), name.to_uppercase()] {
                    assert!(may_matter(name.as_bytes()), "{name}");
                    assert_eq!(classify(name.as_bytes()), class, "{name}");
                }
            }
        }
        for name in ["te", "trailer"] {
            assert!(may_matter(name.as_bytes()) && classify(name.as_bytes()) != Class::Plain, "{name}");
        }
        for name in ["a_b", "content_length", "x_forwarded_for", "x-forwarded_for", "_"] {
            assert_eq!(classify(name.as_bytes()), Class::Dropped, "{name}");
        }
    }

    #[test]
    fn other_names_are_plain() {
        for name in
            ["accept", "accept-encoding", "accept-language", "cookie", "user-agent", "sec-fetch-mode", "referer", "authorization", "1"]
        {
            assert!(!may_matter(name.as_bytes()) && is_plain(name.as_bytes()), "{name}");
        }
        for name in ["x-request-id", "x-forwarder-for", "x-origina", "x-original", "vib", "a-name-that-is-longer-than-any"] {
            assert!(is_plain(name.as_bytes()), "{name}");
        }
    }
}
