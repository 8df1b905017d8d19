//! Coded answers as the engine sends them.

use std::{io::Read, rc::Rc};

use super::stage::{SETTINGS, Stage, without_date};
use crate::{
    Answer, Encoding, Exchange, Limits, Settings, Site, Step, coders,
    response::Response,
    worker::{Shares, Worker},
};

static ENCODING: Encoding = Encoding::new(&[coders::GZIP], 1024);
static BODY: [u8; 200_000] = [b'x'; 200_000];

/// `/1000` has a body of so many bytes; `/plain/1000` has no policy.
struct Texts;

impl Site for Texts {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        let path = exchange.path();
        let (exchange, bytes) = match path.strip_prefix("/plain/") {
            None => (exchange.encoded(&ENCODING), path.trim_start_matches('/')),
            Some(bytes) => (exchange.encoded(&ENCODING).encoded(&Encoding::NONE), bytes),
        };
        let head: &'static [u8] = match bytes {
            "1023" => b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 1023\r\netag: \"a\"\r\n",
            "1024" => b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 1024\r\netag: \"a\"\r\n",
            "16384" => b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 16384\r\netag: \"a\"\r\n",
            "65536" => b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 65536\r\netag: \"a\"\r\n",
            _ => b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 65537\r\netag: \"a\"\r\n",
        };
        let body = &BODY[..bytes.parse().unwrap()];
        drop(exchange);
        Step::Ready(Response::Prebuilt(Answer { status: 200, head, body }))
    }
}

fn stage(settings: &'static Settings) -> Stage {
    let shares = Shares { requests: settings.limits.requests, memory_bytes: settings.limits.memory_bytes };
    Stage::of_site(&Texts, &Rc::new(Worker::alone(8).with_shares(shares)), settings)
}

fn get(method: &str, path: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nhost: a\r\naccept-encoding: gzip\r\n\r\n")
}

/// Head without its date, and body.
fn answer(stage: &mut Stage, request: &str) -> (String, Vec<u8>) {
    stage.send(request);
    for _ in 0..100 {
        stage.poll();
    }
    let raw = stage.raw();
    let end = raw.windows(4).position(|window| window == b"\r\n\r\n").expect("a head") + 4;
    (without_date(std::str::from_utf8(&raw[..end]).unwrap()), raw[end..].to_vec())
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|window| window == b"\r\n").expect("a size");
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        whole.extend_from_slice(&body[end + 2..][..size]);
        body = &body[end + 2 + size..];
        assert!(body.starts_with(b"\r\n"));
        body = &body[2..];
        if size == 0 {
            assert!(body.is_empty(), "nothing behind the last chunk");
            return whole;
        }
    }
}

fn gunzipped(body: &[u8]) -> usize {
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(body).read_to_end(&mut out).unwrap();
    assert!(out.iter().all(|byte| *byte == b'x'));
    out.len()
}

const FIELDS: &str = "content-type: text/plain\r\netag: W/\"a\"\r\nvary: accept-encoding\r\ncontent-encoding: gzip\r\n";

#[test]
fn short_body_is_coded_at_once_and_has_a_length() {
    let mut stage = stage(&SETTINGS);
    for bytes in [1024, 16_384, 65_536] {
        let (head, body) = answer(&mut stage, &get("GET", &format!("/{bytes}")));
        assert_eq!(head, format!("HTTP/1.1 200 OK\r\n{FIELDS}content-length: {}\r\n\r\n", body.len()));
        assert_eq!(gunzipped(&body), bytes);
        let (head_of_head, body) = answer(&mut stage, &get("HEAD", &format!("/{bytes}")));
        assert_eq!((head_of_head, body.len()), (head, 0));
    }
    assert!(!stage.is_closed());
}

#[test]
fn long_body_is_coded_while_it_is_sent() {
    let mut stage = stage(&SETTINGS);
    let (head, body) = answer(&mut stage, &get("GET", "/65537"));
    assert_eq!(head, format!("HTTP/1.1 200 OK\r\n{FIELDS}transfer-encoding: chunked\r\n\r\n"));
    assert_eq!(gunzipped(&unchunked(&body)), 65_537);
    let (head_of_head, body) = answer(&mut stage, &get("HEAD", "/65537"));
    assert_eq!((head_of_head, body.len()), (head, 0));
    assert!(!stage.is_closed());
    let (head, body) = answer(&mut stage, "GET /65537 HTTP/1.0\r\nhost: a\r\nconnection: keep-alive\r\naccept-encoding: gzip\r\n\r\n");
    assert_eq!(head, format!("HTTP/1.1 200 OK\r\n{FIELDS}connection: close\r\n\r\n"));
    assert_eq!(gunzipped(&body), 65_537);
    assert!(stage.is_closed());
}

#[test]
fn body_below_the_limit_or_without_a_policy_is_sent_as_it_is() {
    let mut stage = stage(&SETTINGS);
    for path in ["/1023", "/plain/1023", "/plain/1024", "/plain/65537"] {
        let bytes = path.rsplit('/').next().unwrap();
        let (head, body) = answer(&mut stage, &get("GET", path));
        let expected = format!("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {bytes}\r\netag: \"a\"\r\n\r\n");
        assert_eq!((head, body.len()), (expected, bytes.parse().unwrap()));
    }
}

#[test]
fn requests_in_one_piece_are_answered_in_order() {
    let mut stage = stage(&SETTINGS);
    stage.send([get("GET", "/1024"), get("GET", "/65537"), get("HEAD", "/65537"), get("GET", "/plain/1023")].concat());
    for _ in 0..100 {
        stage.poll();
    }
    assert_eq!(stage.statuses(), [200; 4]);
    assert!(!stage.is_closed());
}

#[test]
fn encoder_that_there_is_no_memory_for_is_done_without() {
    // Enough for a request and its answer, and not for an encoder.
    static SHORT: Settings = super::stage::settings(Limits { memory_bytes: Some(300 * 1024), ..SETTINGS.limits });
    let mut stage = stage(&SHORT);
    let (head, body) = answer(&mut stage, &get("GET", "/65537"));
    assert!(head.contains("content-length: 65537\r\netag: \"a\"\r\nvary: accept-encoding\r\n"), "{head}");
    assert_eq!(body.len(), 65_537);
    let (head, _) = answer(&mut stage, &get("GET", "/65536"));
    assert!(head.contains("content-encoding: gzip\r\n"), "{head}");
}

#[test]
fn encoders_of_slow_clients_leave_memory_for_others() {
    // Two connections and their encoders would take all but 30 KiB.
    static SCARCE: Settings = super::stage::settings(Limits { memory_bytes: Some(1150 * 1024), ..SETTINGS.limits });
    let shares = Shares { requests: 8, memory_bytes: SCARCE.limits.memory_bytes };
    let worker = Rc::new(Worker::alone(8).with_shares(shares));
    let slow = [(); 2].map(|()| {
        let mut slow = Stage::of_site(&Texts, &worker, &SCARCE);
        slow.set_room(10);
        slow.send(get("GET", "/65537"));
        slow
    });
    let mut other = Stage::of_site(&Texts, &worker, &SCARCE);
    other.send(get("GET", "/1024"));
    assert_eq!(other.statuses(), [200]);
    drop(slow);
}

#[test]
fn encoder_of_a_client_that_has_gone_is_given_back() {
    static ENOUGH: Settings = super::stage::settings(Limits { memory_bytes: Some(1024 * 1024), ..SETTINGS.limits });
    let shares = Shares { requests: 8, memory_bytes: ENOUGH.limits.memory_bytes };
    let worker = Rc::new(Worker::alone(8).with_shares(shares));
    for _ in 0..5 {
        let mut gone = Stage::of_site(&Texts, &worker, &ENOUGH);
        gone.set_room(10);
        gone.send(get("GET", "/65537"));
        let mut other = Stage::of_site(&Texts, &worker, &ENOUGH);
        let (head, _) = answer(&mut other, &get("GET", "/65537"));
        assert!(!head.contains("content-encoding"), "the encoder of the other is charged: {head}");
        drop((gone, other));
        let (head, _) = answer(&mut Stage::of_site(&Texts, &worker, &ENOUGH), &get("GET", "/65537"));
        assert!(head.contains("content-encoding: gzip\r\n"), "{head}");
    }
}
