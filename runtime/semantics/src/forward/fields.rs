//! Which of a client's field lines go on, and in which form: `name: value`, CRLF.

use crate::{
    edits,
    forward::arrival::Word,
    head::{Fields, is_name, members},
    lanes,
};

/// What the lines have said to this hop.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Noticed {
    /// Connection names fields.
    pub(super) names_fields: bool,
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

/// Names of this hop, and those that are made anew from what is known here. `proxy` would be `HTTP_PROXY` to CGI.
const DROPPED: [&str; 17] = [
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
    "x-forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
];

/// Fields by which proxies, and frameworks behind them, tell where a request came from or what was asked for: from others a way round what the site checks.
const ARRIVAL: [&str; 8] =
    ["front-end-https", "true-client-ip", "x-client-ip", "x-cluster-client-ip", "x-real-ip", "x-rewrite-url", "x-scheme", "x-url-scheme"];

/// The same for any end.
const ARRIVAL_PREFIXES: [&str; 2] = ["x-forwarded-", "x-original-"];

/// By the length of a name the first letters of those that are not plain, a bit for each.
static FIRST_LETTERS: [u32; 20] = first_letters();

const fn first_letters() -> [u32; 20] {
    let mut table = [0; 20];
    let mut length = 0;
    while length < table.len() {
        // What has a prefix.
        table[length] = if length > 10 { letter(b'x') } else { 0 };
        length += 1;
    }
    let mut lists: &[&[&str]] = &[&DROPPED, &ARRIVAL, &["connection", "te", "trailer"]];
    while let [list, behind @ ..] = lists {
        lists = behind;
        let mut names = *list;
        while let [name, others @ ..] = names {
            names = others;
            table[name.len()] |= letter(name.as_bytes()[0]);
        }
    }
    table
}

const fn letter(byte: u8) -> u32 {
    1 << (byte - b'a')
}

/// Whether [`classify`] must be asked. Any other name is plain.
#[inline(always)]
fn may_matter(name: &[u8]) -> bool {
    let letters = FIRST_LETTERS.get(name.len()).copied().unwrap_or(letter(b'x'));
    let first = name.first().map_or(0, |first| (first | 0x20).wrapping_sub(b'a'));
    letters.checked_shr(first.into()).unwrap_or(0) & 1 != 0 || lanes::contains(name, b'_')
}

#[inline(never)]
fn classify(name: &[u8]) -> Class {
    let is = |other: &&str| name.eq_ignore_ascii_case(other.as_bytes());
    let begins = |prefix: &&str| name.get(..prefix.len()).is_some_and(|front| front.eq_ignore_ascii_case(prefix.as_bytes()));
    if is(&"connection") {
        Class::Connection
    } else if is(&"te") {
        Class::Te
    } else if is(&"trailer") {
        Class::Trailer
    } else if name.contains(&b'_') || DROPPED.iter().any(is) {
        Class::Dropped
    } else if ARRIVAL.iter().any(is) || ARRIVAL_PREFIXES.iter().any(begins) {
        Class::Arrival
    } else {
        Class::Plain
    }
}

/// Whether a field of that name goes on from any client.
pub(crate) fn is_plain(name: &[u8]) -> bool {
    !may_matter(name) || classify(name) == Class::Plain
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
            Class::Connection => self.names_fields |= members(value).any(is_name),
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

    #[test]
    fn names_that_matter_are_asked_for() {
        for name in DROPPED.iter().chain(&ARRIVAL).chain(&[
            "connection",
            "te",
            "trailer",
            "x-forwarded-for-a-very-long-name",
            "x-original-x",
            "a_b",
        ]) {
            assert!(may_matter(name.as_bytes()) && may_matter(name.to_ascii_uppercase().as_bytes()), "{name}");
            assert_ne!(classify(name.as_bytes()), Class::Plain, "{name}");
        }
        for name in
            ["accept", "accept-encoding", "accept-language", "cookie", "user-agent", "sec-fetch-mode", "referer", "authorization", "1"]
        {
            assert!(!may_matter(name.as_bytes()), "{name}");
        }
        for name in ["x-request-id", "x-forwarder-for", "x-origina"] {
            assert_eq!(classify(name.as_bytes()), Class::Plain, "{name}");
        }
    }
}
