//! The same random requests through nginx and through kiln to the same upstream, which answers at random: both say the same.
//!
//! Where they differ on purpose: kiln sets fields of its own (`via`, `forwarded`, `x-forwarded-*`), and refuses some requests and answers that nginx lets through. It never lets
//! through what nginx refuses.

use std::collections::BTreeMap;

use kiln_tests::{
    answer::Answer,
    client::Client,
    nginx::Nginx,
    proxied::Proxied,
    random::Random,
    tools::note,
    upstream::{Heard, Peer, Upstream},
};

const REQUESTS: u64 = 4_000;

/// Names in lower case, sorted.
type Fields = Vec<(String, String)>;

/// What is compared of one exchange.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Exchange {
    /// What the upstream got; none where the proxy did not ask it.
    heard: Option<(String, Fields, String)>,
    /// Status, fields, body; none where it was cut.
    answer: Option<(u16, Fields, String)>,
}

/// Fields that a proxy sets itself on the way there, and one that is of the connection: nginx does not look whether `connection` names it.
const OF_PROXY: [&str; 10] = [
    "connection",
    "content-length",
    "forwarded",
    "transfer-encoding",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "te",
    "x-hop",
];
/// And on the way back.
const OF_SERVER: [&str; 5] = ["connection", "content-length", "date", "server", "transfer-encoding"];

#[test]
fn random_requests_are_forwarded_and_answered_as_by_nginx() {
    let upstream = Upstream::start(|peer| {
        while let Some(heard) = peer.request() {
            let number = heard.field("x-number").and_then(|text| text.parse().ok()).expect("a number");
            if !answer(peer, &heard, number) {
                break;
            }
        }
    });
    let Some(nginx) = Nginx::before(upstream.address(), "differential") else { return };
    let proxied = Proxied::with("differential", upstream.address());
    let (mut of_nginx, mut of_kiln) = (nginx.client(), proxied.client().foreign());
    let (mut faults, mut counts) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for number in 0..REQUESTS {
        let request = request(number);
        let expected = exchange(&upstream, &mut of_nginx, &request, || nginx.client());
        let got = exchange(&upstream, &mut of_kiln, &request, || proxied.client().foreign());
        let verdict = compare(&expected, &got);
        *counts.entry(verdict.unwrap_or("different")).or_default() += 1;
        if verdict.is_none() {
            faults.push(format!("{number}: {:?}\nnginx {expected:?}\nkiln {got:?}", String::from_utf8_lossy(&request)));
        }
        assert!(faults.len() < 5, "{counts:?}\n{}", faults.join("\n\n"));
    }
    note(&format!("oracle: nginx: {counts:?}"));
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    // What is on purpose is rare: about 2 in 100 here.
    assert!(counts["same"] > REQUESTS as usize * 19 / 20, "{counts:?}");
}

/// `None`: a difference that is none of those on purpose.
fn compare(nginx: &Exchange, kiln: &Exchange) -> Option<&'static str> {
    let status = |exchange: &Exchange| exchange.answer.as_ref().map(|answer| answer.0);
    if nginx == kiln {
        return Some("same");
    }
    match (&nginx.heard, &kiln.heard) {
        // Refused before an upstream was asked.
        (Some(_), None) if matches!(status(kiln), Some(400 | 413 | 417 | 501)) => Some("kiln refuses the request"),
        // It takes a kept connection that has just been closed, and is told not to ask twice.
        (None, _) if status(nginx) == Some(502) => Some("nginx does not reach the upstream"),
        (None, None) if matches!(status(kiln), Some(400..=499 | 501)) => Some("both refuse the request"),
        (Some(expected), Some(got)) if expected == got => match (status(nginx), status(kiln)) {
            // In doubt, or cut within its body before anything of it had left.
            (Some(502) | None, Some(502) | None) => Some("both fail"),
            (Some(_), Some(502)) => Some("kiln refuses the answer"),
            _ => None,
        },
        _ => None,
    }
}

/// Sends one request and takes what came of it.
fn exchange(upstream: &Upstream, client: &mut Client, request: &[u8], renew: impl Fn() -> Client) -> Exchange {
    let got = client.try_ask(request);
    let is_over = got.as_ref().map_or(true, |answer| answer.field("connection") == Some("close"));
    if is_over {
        *client = renew();
    }
    let heard = upstream.requests().into_iter().last();
    Exchange { heard: heard.map(|heard| plain_request(&heard)), answer: got.ok().map(|answer| plain_answer(&answer)) }
}

fn plain_request(heard: &Heard) -> (String, Fields, String) {
    let mut fields: Vec<_> = heard.fields.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())).collect();
    fields.retain(|(name, _)| !OF_PROXY.contains(&&**name));
    fields.sort();
    (heard.line(), fields, String::from_utf8_lossy(&heard.body).into_owned())
}

fn plain_answer(answer: &Answer) -> (u16, Fields, String) {
    // What a proxy says itself is in its own words.
    if matches!(answer.status, 400..=499 | 501..=504) && answer.field("x-from") != Some("upstream") {
        return (answer.status, Vec::new(), String::new());
    }
    let mut fields = answer.fields.clone();
    fields.retain(|(name, _)| !OF_SERVER.contains(&&**name));
    fields.sort();
    (answer.status, fields, answer.text())
}

const NAMES: [&str; 14] = [
    "accept",
    "X-Custom",
    "cookie",
    "authorization",
    "range",
    "if-none-match",
    "user-agent",
    "referer",
    "origin",
    "x-y-z",
    "Cache-Control",
    "content-type",
    "keep-alive",
    "x-hop",
];
const VALUES: [&str; 10] =
    ["1", "a, b;q=0.1", "\"quoted, \\\" text\"", "x=y; z", "  spaces within  ", "", "*", "bytes=0-5", "t\tab", "\u{e4}"];
const METHODS: [&str; 8] = ["GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];
const TARGETS: [&str; 8] = ["/", "/a", "/a/b?x=1&y", "/?", "/a%20b", "/x;y=1,2", "/~user/@x:y!$&'()*+=", "/q?a=%2F/../b"];

/// In kiln's normal form, so that its target is the same in both; most of it sound.
fn request(number: u64) -> Vec<u8> {
    let mut random = Random::new(number);
    let (method, target) = (*random.pick_of(&METHODS), *random.pick_of(&TARGETS));
    let mut text = format!("{method} {target} HTTP/1.1\r\nhost: one.test\r\nx-number: {number}\r\n");
    // Each at most once: nginx takes some of them for a fault where they come twice.
    for name in NAMES {
        if random.percent(20) {
            text.push_str(&format!("{name}: {}\r\n", random.pick_of(&VALUES)));
        }
    }
    if random.percent(10) {
        text.push_str("connection: x-hop\r\n");
    }
    if random.percent(3) {
        let odd =
            ["bad name: 1", "novalue", ": 1", "x:1", "x :1", " folded", "content-length: x", "transfer-encoding: gzip", "host: two.test"];
        text.push_str(&format!("{}\r\n", random.pick_of(&odd)));
    }
    let mut bytes = text.into_bytes();
    let body: Vec<u8> = (0..random.below(3_000)).map(|at| b'a' + (at % 26) as u8).collect();
    match random.below(4) {
        0 if matches!(method, "POST" | "PUT") => {
            bytes.extend(b"transfer-encoding: chunked\r\n\r\n");
            let size = 1 + random.below(999);
            for piece in body.chunks(size) {
                bytes.extend(format!("{:x}\r\n", piece.len()).as_bytes());
                bytes.extend(piece);
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"0\r\n\r\n");
        }
        1 | 2 if matches!(method, "POST" | "PUT" | "DELETE") => {
            bytes.extend(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
            bytes.extend(body);
        }
        _ => bytes.extend(b"\r\n"),
    }
    bytes
}

const STATUSES: [&str; 12] = [
    "200 OK",
    "200 OK",
    "200 OK",
    "201 Created",
    "204 No Content",
    "206 Partial Content",
    "301 Moved",
    "304 Not Modified",
    "404 Not Found",
    "418 Teapot",
    "500 Oops",
    "503 Busy",
];
const ANSWER_NAMES: [&str; 10] =
    ["set-cookie", "etag", "vary", "cache-control", "x-own", "content-encoding", "link", "x-hop", "keep-alive", "allow"];

/// `false`: the connection ends behind it.
fn answer(peer: &mut Peer, heard: &Heard, number: u64) -> bool {
    let mut random = Random::new(!number);
    let status = *random.pick_of(&STATUSES);
    let mut text = format!("HTTP/1.1 {status}\r\nx-from: upstream\r\ncontent-type: text/plain\r\n");
    for _ in 0..random.below(5) {
        let (name, value) = (*random.pick_of(&ANSWER_NAMES), *random.pick_of(&VALUES));
        text.push_str(&format!("{name}: {}\r\n", value.trim()));
    }
    let is_odd = random.percent(3);
    if is_odd {
        let odd =
            ["bad name: 1", "novalue", "content-length: x", "transfer-encoding: gzip", "x: a\0b", "content-length: 1\r\ncontent-length: 2"];
        text.push_str(&format!("{}\r\n", random.pick_of(&odd)));
    }
    let has_body = heard.method != "HEAD" && !status.starts_with("204") && !status.starts_with("304");
    let body: Vec<u8> = (0..random.below(30_000)).map(|at| b'a' + (at % 26) as u8).collect();
    let framing = random.below(10);
    let is_cut = has_body && random.percent(3);
    let mut bytes = text.into_bytes();
    match framing {
        _ if !has_body => bytes.extend(b"\r\n"),
        0 => {
            bytes.extend(b"connection: close\r\n\r\n");
            bytes.extend(&body);
        }
        1..=4 => {
            bytes.extend(b"transfer-encoding: chunked\r\n\r\n");
            for piece in body.chunks(1 + random.below(9_999)) {
                bytes.extend(format!("{:x}\r\n", piece.len()).as_bytes());
                bytes.extend(piece);
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"0\r\n\r\n");
        }
        _ => {
            bytes.extend(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
            bytes.extend(&body);
        }
    }
    // An end that is no end where the connection's is the body's.
    if is_cut && framing != 0 {
        bytes.truncate(bytes.len() - 3);
    }
    let ends = has_body && framing == 0;
    peer.try_send(bytes) && !(is_odd || is_cut || ends)
}
