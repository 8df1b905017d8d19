//! Order, framing and persistence of answers; what is refused, and that nothing behind it is answered.

use super::stage::{LARGE, SMALL, Stage};
use crate::{buffer::PIECE_BYTES, engine::h1::work::WORKS_MAX};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const HELLO: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

#[test]
fn request_is_answered_in_one_write() {
    let mut stage = Stage::new();
    stage.send(GET);
    assert_eq!(stage.writes(), [HELLO]);
    assert!(!stage.is_closed());
}

#[test]
fn pipelined_requests_are_answered_in_order_in_one_write() {
    let mut stage = Stage::new();
    stage.send([GET, "HEAD / HTTP/1.1\r\nhost: a\r\n\r\n", "GET /none HTTP/1.1\r\nhost: a\r\n\r\n", GET].concat());
    let writes = stage.writes();
    assert_eq!(writes.len(), 1);
    let not_found = "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 14\r\n\r\n404 Not Found\n";
    assert_eq!(writes[0], [HELLO, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", not_found, HELLO].concat());
}

#[test]
fn refused_head_request_gets_no_body() {
    for target in ["/..", "/\u{7f}"] {
        let mut stage = Stage::new();
        stage.send(format!("HEAD {target} HTTP/1.1\r\nhost: a\r\n\r\n"));
        let answer =
            "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 16\r\nconnection: close\r\n\r\n";
        assert_eq!(stage.writes(), [answer], "{target}");
    }
}

#[test]
fn hundred_requests_in_one_read_are_answered_in_one_write() {
    let mut stage = Stage::new();
    stage.send(GET.repeat(100));
    assert_eq!(stage.writes(), [HELLO.repeat(100)]);
}

#[test]
fn answer_without_body_has_none() {
    let mut stage = Stage::new();
    stage.send("GET /empty HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!(stage.answers(), "HTTP/1.1 204 No Content\r\n\r\n");
}

#[test]
fn every_head_has_a_date() {
    let mut stage = Stage::new();
    stage.send(GET);
    stage.send("nonsense\r\n\r\n");
    assert_eq!(stage.dates(), 2);
}

#[test]
fn http10_is_closed_unless_it_asks() {
    let mut stage = Stage::new();
    stage.send("GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n");
    assert_eq!(stage.answers(), "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: keep-alive\r\n\r\nhello");
    assert!(!stage.is_closed());
    stage.send("GET / HTTP/1.0\r\n\r\n");
    assert_eq!(stage.answers(), "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello");
    assert!(stage.is_over());
}

#[test]
fn request_behind_a_last_one_is_not_answered() {
    let mut stage = Stage::new();
    stage.send(["GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", GET].concat());
    assert_eq!(stage.statuses(), [200]);
    assert!(stage.is_closed() && !stage.is_over(), "what came behind must not reset the answer");
    stage.end();
    assert!(stage.is_over());
}

#[test]
fn half_closed_client_is_answered() {
    let mut stage = Stage::new();
    stage.send_all(&[GET.as_bytes(), b""]);
    assert_eq!(stage.answers(), HELLO);
    assert!(stage.is_over());
}

#[test]
fn client_that_ends_within_a_head_gets_nothing() {
    let mut stage = Stage::new();
    stage.send("GET / HT");
    stage.end();
    assert_eq!(stage.answers(), "");
    assert!(stage.is_over());
}

#[test]
fn refused_heads_have_their_status_and_nothing_behind_them_is_answered() {
    let long = format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "x".repeat(300));
    let many = format!("GET / HTTP/1.1\r\nhost: a\r\n{}\r\n", "a: b\r\n".repeat(5));
    let rows = [
        (400, "GET / HTTP/1.1\nhost: a\n\n"),
        (400, "GET / HTTP/1.1\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nhost: a\r\nhost: a\r\n\r\n"),
        (400, "GET /%zz HTTP/1.1\r\nhost: a\r\n\r\n"),
        (400, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"),
        (411, "POST / HTTP/1.0\r\n\r\n"),
        (413, "POST /length HTTP/1.1\r\nhost: a\r\ncontent-length: 101\r\n\r\n"),
        (413, "POST /limited HTTP/1.1\r\nhost: a\r\ncontent-length: 51\r\n\r\n"),
        (414, &long),
        (417, "GET / HTTP/1.1\r\nhost: a\r\nexpect: 200-ok\r\n\r\n"),
        (431, &many),
        (501, "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip\r\n\r\n"),
        (505, "GET / HTTP/2.0\r\nhost: a\r\n\r\n"),
    ];
    for (status, request) in rows {
        let mut stage = Stage::with(&SMALL);
        stage.send([GET, request, GET].concat());
        assert_eq!(stage.statuses(), [200, status], "{request}");
        assert!(stage.is_closed(), "{request}");
        stage.send(GET);
        assert_eq!(stage.statuses(), [0; 0], "{request}");
    }
}

#[test]
fn refusal_says_close() {
    let mut stage = Stage::new();
    stage.send("nonsense\r\n\r\n");
    let text = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 16\r\nconnection: close\r\n\r\n400 Bad Request\n";
    assert_eq!(stage.writes(), [text]);
}

#[test]
fn splits_at_every_byte_give_the_same_answers() {
    let whole = [
        [GET, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc", GET].concat(),
        ["POST /length HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc\r\n0\r\nt: v\r\n\r\n", GET].concat(),
        ["POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "GET /x HTTP/1.0\r\n\r\n", GET].concat(),
        ["POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", GET].concat(),
        ["GET / HTTP/1.1\r\nhost : a\r\n\r\n", GET].concat(),
        ["GET /later HTTP/1.1\r\nhost: a\r\n\r\n", GET, "HEAD /large HTTP/1.1\r\nhost: a\r\n\r\n", "GET /\u{7f} HTTP/1.1\r\n\r\n"].concat(),
    ];
    for text in &whole {
        let mut stage = Stage::new();
        stage.send(text);
        stage.poll();
        let expected = stage.answers();
        assert!(!expected.is_empty());
        for at in 1..text.len() {
            let mut stage = Stage::new();
            let (front, back) = text.as_bytes().split_at(at);
            stage.send(front);
            stage.poll();
            stage.send(back);
            stage.poll();
            assert_eq!(stage.answers(), expected, "split at {at} of {text:?}");
        }
        let mut stage = Stage::new();
        for byte in text.bytes() {
            stage.send([byte]);
            stage.poll();
        }
        assert_eq!(stage.answers(), expected, "byte by byte {text:?}");
    }
}

#[test]
fn long_body_follows_its_head_in_one_write() {
    let mut stage = Stage::new();
    stage.send([GET, "GET /large HTTP/1.1\r\nhost: a\r\n\r\n", GET].concat());
    let writes = stage.writes();
    assert_eq!(writes.len(), 2, "head and body by one call, the rest by another");
    assert!(writes[0].starts_with(HELLO) && writes[0].ends_with('x') && writes[0].len() > LARGE.body.len());
    assert_eq!(writes[1], HELLO);
}

#[test]
fn huge_body_goes_out_by_pieces() {
    let mut stage = Stage::new();
    stage.send("GET /huge HTTP/1.1\r\nhost: a\r\n\r\n");
    let writes = stage.writes();
    let (head, body) = writes[0].split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\ncontent-length: 589825") && body.len() == PIECE_BYTES);
    assert_eq!(writes[1..], ["x"], "the byte that is too many");
}

#[test]
fn answer_goes_on_where_the_socket_was_full() {
    let mut expected = Stage::new();
    expected.send("GET /large HTTP/1.1\r\nhost: a\r\n\r\n");
    let expected = expected.answers();
    let mut stage = Stage::new();
    stage.set_room(10);
    stage.send("GET /large HTTP/1.1\r\nhost: a\r\n\r\n");
    let mut answer = stage.raw();
    assert_eq!(answer.len(), 10);
    for _ in 0..3 {
        stage.set_room(40_000);
        stage.poll();
        answer.extend(stage.raw());
    }
    let text = String::from_utf8(answer).unwrap();
    assert_eq!(super::stage::without_date(&text), expected);
}

#[test]
fn abort_sends_what_came_before_and_nothing_else() {
    let mut stage = Stage::new();
    stage.send([GET, "GET /abort HTTP/1.1\r\nhost: a\r\n\r\n", GET].concat());
    assert_eq!(stage.answers(), HELLO);
    assert!(stage.is_over());
}

#[test]
fn panic_is_answered_contained_and_counted() {
    for path in ["/panic", "/later-panic"] {
        let mut stage = Stage::new();
        stage.send([GET, &format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n"), GET].concat());
        stage.poll();
        assert_eq!(stage.statuses(), [200, 500]);
        assert!(stage.is_closed());
        assert_eq!(stage.count(|counters| &counters.panics), 1);
        let mut other = Stage::beside(&stage.worker, &super::stage::SETTINGS);
        other.send(GET);
        assert_eq!(other.statuses(), [200]);
    }
}

#[test]
fn answer_that_comes_later_keeps_the_order() {
    let mut stage = Stage::new();
    stage.send([GET, "GET /later HTTP/1.1\r\nhost: a\r\n\r\n", GET].concat());
    assert_eq!(stage.writes(), [HELLO], "nothing waits for the later one but what is behind it");
    stage.poll();
    assert_eq!(stage.writes(), [[HELLO, HELLO].concat()]);
}

#[test]
fn hints_go_ahead_of_their_answer() {
    let mut stage = Stage::new();
    stage.send("GET /hints HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!(stage.writes(), ["HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n"]);
    stage.poll();
    assert_eq!(stage.writes(), [HELLO]);
}

#[test]
fn http10_gets_no_hints() {
    let mut stage = Stage::new();
    stage.send("GET /hints HTTP/1.0\r\n\r\n");
    assert_eq!(stage.answers(), "");
    stage.poll();
    assert_eq!(stage.statuses(), [200]);
}

#[test]
fn head_longer_than_the_first_buffer_is_read() {
    let mut stage = Stage::new();
    stage.send(format!("GET / HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n{GET}", "y".repeat(30_000)));
    assert_eq!(stage.statuses(), [200, 200]);
}

#[test]
fn idle_connections_hold_no_buffer() {
    let first = Stage::new();
    let mut stages: Vec<_> = (0..7).map(|_| Stage::beside(&first.worker, &super::stage::SETTINGS)).collect();
    for stage in &mut stages {
        stage.send(GET);
    }
    assert_eq!(crate::engine::h1::work::kept(), 1);
    stages[0].send("GET /");
    stages[1].send("GET /");
    stages[2].send(GET);
    assert_eq!(crate::engine::h1::work::kept(), 1, "two are held by connections with half a head, one was made");
    const { assert!(WORKS_MAX >= 8) };
}

#[test]
fn idle_connection_is_small() {
    let stage = Stage::new();
    let bytes = stage.future_bytes();
    assert!(bytes <= 576, "{bytes} bytes");
}
