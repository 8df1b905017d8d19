//! Which field lines of an answer go on to the client (RFC 9110 §7.6.1).

use crate::{
    edits,
    head::{Fields, is, members},
    reply::{Framing, Reply},
};

/// By the length of a name the first letters of those that [`classify`] must be asked about, two at most.
const FIRST: [[u8; 2]; 20] = {
    let mut table = [[0; 2]; 20];
    table[2] = *b"tt";
    table[7] = *b"tu";
    table[10] = *b"ck";
    table[14] = *b"cc";
    table[16] = *b"pp";
    table[17] = *b"tt";
    table[18] = *b"pp";
    table
};

#[inline(always)]
fn may_matter(name: &[u8]) -> bool {
    match (name.first(), FIRST.get(name.len())) {
        (Some(first), Some([one, other])) => first | 0x20 == *one || first | 0x20 == *other,
        _ => false,
    }
}

/// What a name means to this hop.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Class {
    /// Content-Length.
    Length,
    /// Of this hop, or made anew.
    Dropped,
    Plain,
    Trailer,
    Upgrade,
}

#[inline(never)]
fn classify(name: &[u8]) -> Class {
    match name.len() {
        2 if is(name, b"te") => Class::Dropped,
        7 if is(name, b"trailer") => Class::Trailer,
        7 if is(name, b"upgrade") => Class::Upgrade,
        10 if is(name, b"connection") || is(name, b"keep-alive") => Class::Dropped,
        14 if is(name, b"content-length") => Class::Length,
        16 if is(name, b"proxy-connection") => Class::Dropped,
        17 if is(name, b"transfer-encoding") => Class::Dropped,
        18 if is(name, b"proxy-authenticate") => Class::Dropped,
        _ => Class::Plain,
    }
}

/// Whether a field of that name goes on whatever the answer is.
pub(crate) fn is_plain(name: &[u8]) -> bool {
    classify(name) == Class::Plain
}

/// Appends the lines that go on.
pub(super) fn push(reply: &Reply, received: Fields<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    received.copy(out, |name, _| !may_matter(name) || goes_on(reply, classify(name)));
    if reply.names_fields {
        drop_named(received, start, out);
    }
}

fn goes_on(reply: &Reply, class: Class) -> bool {
    match class {
        Class::Dropped => false,
        Class::Length => reply.keeps_length,
        Class::Plain => true,
        Class::Trailer => reply.framing == Framing::Chunked,
        Class::Upgrade => reply.is_switch(),
    }
}

/// Drops the lines that Connection names from those that begin at `start`, but not what the engine counts on: a date that was noted, and the protocol of a switch. The
/// length is not among them, that would have been a fault.
#[cold]
fn drop_named(received: Fields<'_>, start: usize, out: &mut Vec<u8>) {
    let is_named = |name: &[u8]| received.all("connection").flat_map(members).any(|option| option.eq_ignore_ascii_case(name));
    let is_kept = |name: &[u8]| name.eq_ignore_ascii_case(b"date") || name.eq_ignore_ascii_case(b"upgrade");
    edits::drop_any_lines(out, start, |name| !is_kept(name) && is_named(name));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_hop_are_asked_about() {
        let names = [
            "connection",
            "content-length",
            "keep-alive",
            "proxy-authenticate",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
        ];
        for name in names {
            for name in [name.to_owned(), name.to_uppercase()] {
                assert!(may_matter(name.as_bytes()) && !is_plain(name.as_bytes()), "{name}");
            }
        }
        assert!(!may_matter(b"content-type") && !may_matter(b"") && !may_matter(b"date") && is_plain(b"timings"));
    }
}
