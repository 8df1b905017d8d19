//! Trailers that go on (RFC 9110 §6.5): fields behind a chunked body, which some recipients merge into the head's.
//!
//! Those of a request that frame, route or authenticate were refused by [`crate::chunked`]. Here stay: what a head would not be sent on with, what routes, authenticates or
//! modifies a request, controls an answer or describes its body (§6.5.1), and every name that the site has a rule for.

use crate::{
    ascii::trim,
    edits::{self, Edits},
    forward,
    head::push_line,
    reply,
};

/// Names that mean something before the body only.
const OF_HEADS: [&str; 17] = [
    "age",
    "authorization",
    "cache-control",
    "cookie",
    "date",
    "expect",
    "expires",
    "host",
    "location",
    "max-forwards",
    "pragma",
    "range",
    "retry-after",
    "set-cookie",
    "vary",
    "warning",
    "www-authenticate",
];

/// The same for any end.
const PREFIXES: [&str; 4] = ["access-control-", "content-", "if-", "proxy-"];

/// Appends those of `lines` (as [`crate::chunked::Decoder::advance_keeping`] gives them) that a request goes on with; `edits` are its `request-headers`.
pub fn push_to_upstream(lines: &[u8], edits: &Edits<'_>, out: &mut Vec<u8>) {
    push(lines, out, |name| forward::fields::is_plain(name) && !edits::names(edits, name));
}

/// Appends those of `lines` that an answer goes on with; `edits` are its `upstream-headers` and its `headers`.
pub fn push_to_client(lines: &[u8], edits: [&Edits<'_>; 2], out: &mut Vec<u8>) {
    push(lines, out, |name| reply::copied::is_plain(name) && !edits.iter().any(|edits| edits::names(edits, name)));
}

fn push(lines: &[u8], out: &mut Vec<u8>, goes_on: impl Fn(&[u8]) -> bool) {
    let mut at = 0;
    while let Some((name, end)) = edits::line(lines, at) {
        if is_allowed(name) && goes_on(name) {
            let value = lines.get(at + name.len() + 1..end).and_then(|value| value.strip_suffix(b"\r\n")).unwrap_or_default();
            push_line(name, trim(value), out);
        }
        at = end;
    }
}

fn is_allowed(name: &[u8]) -> bool {
    let begins = |prefix: &&str| name.get(..prefix.len()).is_some_and(|front| front.eq_ignore_ascii_case(prefix.as_bytes()));
    !PREFIXES.iter().any(begins) && !OF_HEADS.iter().any(|other| name.eq_ignore_ascii_case(other.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        chunked::{Decoder, Progress},
        edits::{Action, Edit},
    };

    const RULES: [Edit<'static>; 2] = [
        Edit { action: Action::Set, name: "x-user", value: &[], only: &[], except: &[] },
        Edit { action: Action::Remove, name: "x-in-*", value: &[], only: &[404], except: &[] },
    ];
    const EDITS: Edits<'static> = Edits { appended: b"x-on: 1\r\nx-off: 1\r\n", rules: &RULES };

    fn of_the_upstream(lines: &[u8], edits: &Edits<'_>, out: &mut Vec<u8>) {
        push_to_client(lines, [edits, &Edits::NONE], out);
    }

    fn of_the_answer(lines: &[u8], edits: &Edits<'_>, out: &mut Vec<u8>) {
        push_to_client(lines, [&Edits::NONE, edits], out);
    }

    fn kept(trailers: &str, push: impl Fn(&[u8], &Edits<'_>, &mut Vec<u8>)) -> String {
        let body = format!("5\r\nhello\r\n0\r\n{}\r\n", trailers.replace('\n', "\r\n"));
        let (mut decoder, mut lines) = (Decoder::default(), Vec::new());
        for byte in body.as_bytes() {
            decoder.advance_keeping(&[*byte], &mut lines).unwrap();
        }
        assert_eq!(decoder.advance(b""), Ok(Progress::End { skip: 0 }));
        let mut out = Vec::new();
        push(&lines, &EDITS, &mut out);
        String::from_utf8(out).unwrap().replace("\r\n", "\n")
    }

    #[test]
    fn trailers_go_on_in_their_plain_form() {
        for push in [push_to_upstream, of_the_upstream, of_the_answer] {
            assert_eq!(kept("", push), "");
            assert_eq!(kept("X-Sum:\t 5 \ngrpc-status: 0\nx-a:\n", push), "X-Sum: 5\ngrpc-status: 0\nx-a: \n");
            assert_eq!(kept("Set-Cookie: a\nAge: 1\nIf-Match: a\nContent-MD5: b\nProxy-X: b\nDate: a\nx-a: 1\n", push), "x-a: 1\n");
        }
    }

    #[test]
    fn trailers_that_only_look_like_names_of_this_hop_go_on() {
        let trailers = "timings: 1\ntracing: 2\nchecksum-x: 3\ncontent_length: 4\nkeep-going: 5\nproxied-by-some1: 6\n";
        assert_eq!(kept(trailers, of_the_upstream), trailers);
        assert_eq!(kept(trailers, push_to_upstream), trailers.replace("content_length: 4\n", ""));
    }

    #[test]
    fn names_that_the_site_rules_stay_here() {
        for push in [push_to_upstream, of_the_upstream, of_the_answer] {
            assert_eq!(kept("X-User: admin\nx-in-a: 1\nX-ON: 1\nx-off: 1\nx-i: 1\nx-users: 1\n", push), "x-i: 1\nx-users: 1\n");
        }
    }

    #[test]
    fn what_a_head_is_not_sent_on_with_is_no_trailer() {
        assert_eq!(kept("X-Forwarded-For: 1.2.3.4\nx-real-ip: 1\nx_sum: 1\nVia: a\nForwarded: a\nProxy: a\n", push_to_upstream), "");
        assert_eq!(kept("Proxy-Authenticate: a\nx_sum: 1\n", of_the_upstream), "x_sum: 1\n");
    }

    #[test]
    fn trailers_of_an_answer_that_would_frame_are_dropped() {
        let body = b"0\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\nConnection: a\r\nHost: a\r\nCookie: a\r\nTE: a\r\nKeep-Alive: a\r\nx-a: 1\r\n\r\n";
        let (mut lines, mut out) = (Vec::new(), Vec::new());
        assert_eq!(Decoder::of_answer().advance_keeping(body, &mut lines), Ok(Progress::End { skip: body.len() }));
        assert!(Decoder::default().advance(body).is_err());
        push_to_client(&lines, [&Edits::NONE; 2], &mut out);
        assert_eq!(out, b"x-a: 1\r\n");
    }
}
