//! What takes the place of an answer: interceptions, and what follows a 101.

use std::{
    io::{Read, Write},
    net::Shutdown,
};

use runtime::{
    Answer, Exchange, Step,
    proxy::{Intercept, Policy, Then, When},
};

use crate::stage::{Stage, Wanted, answering, ask, field, nowhere, read_head, until, upstream};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

static BUSY: Answer = Answer { status: 503, head: b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 5\r\n", body: b"busy\n" };
static DOWN: Answer = Answer { status: 502, head: b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 5\r\n", body: b"down\n" };
static OTHER: Answer =
    Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 6\r\n", body: b"other\n" };

static INTERCEPTS: [Intercept; 4] = [
    Intercept { when: When::Field("x-accel-redirect"), then: Then::Accel(accel) },
    Intercept { when: When::Statuses(&[404, 410]), then: Then::Handler(other) },
    Intercept { when: When::Statuses(&[502]), then: Then::Page(&DOWN) },
    Intercept { when: When::Statuses(&[503]), then: Then::Page(&BUSY) },
];

fn other(_exchange: Exchange<'_>) -> Step<'_> {
    Step::Ready(runtime::response::Response::Prebuilt(OTHER))
}

fn accel<'a>(exchange: Exchange<'a>, path: &str) -> Step<'a> {
    assert_eq!(exchange.path(), "/");
    if path == "/files/a b" || path == "/files/a%20b" { other(exchange) } else { runtime::respond::not_found(exchange) }
}

fn intercepted() -> Wanted {
    Wanted { intercepts: &INTERCEPTS, ..Wanted::default() }
}

#[test]
fn answer_with_a_status_gives_way_and_another_does_not() {
    for (answer, expected) in [
        (&b"HTTP/1.1 404 Not Found\r\ncontent-length: 3\r\n\r\nno\n"[..], "other\n"),
        (b"HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n3\r\nno\n\r\n0\r\n\r\n", "busy\n"),
        (b"HTTP/1.1 403 Forbidden\r\ncontent-length: 3\r\n\r\nno\n", "no\n"),
    ] {
        let stage = Stage::new(&[answering(answer)], intercepted());
        let mut stream = stage.connect();
        for _ in 0..3 {
            assert_eq!(ask(&mut stream, GET).text(), expected);
        }
        assert_eq!((stage.connects(), stage.active()), (1, 0), "its connection is kept");
    }
}

#[test]
fn fault_of_the_upstream_gives_way_too() {
    let answer = Stage::new(&[nowhere()], intercepted()).ask(GET);
    assert_eq!((answer.status(), answer.text()), ("502", "down\n"));
}

#[test]
fn fault_of_the_client_is_no_answer_that_gives_way() {
    const CASES: [Intercept; 1] = [Intercept { when: When::Statuses(&[400, 413]), then: Then::Handler(other) }];
    let address = upstream(|stream, _| while read_head(stream).is_some() {});
    let stage = Stage::new(&[address], Wanted { intercepts: &CASES, body_bytes: 10, ..Wanted::default() });
    for (chunks, status) in [("x\r\n", "400"), ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "413")] {
        let answer = stage.ask(&format!("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n{chunks}"));
        assert_eq!(answer.status(), status);
    }
}

#[test]
fn long_answer_that_gives_way_closes_its_connection() {
    let address = upstream(|stream, _| {
        read_head(stream);
        stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 100000000\r\n\r\n").expect("an open connection");
        while stream.write_all(&[0; 10_000]).is_ok() {}
    });
    let stage = Stage::new(&[address], intercepted());
    assert_eq!(stage.ask(GET).text(), "other\n");
    until("nothing is held", || stage.active() == 0);
}

#[test]
fn file_that_a_field_names_takes_over_what_describes_it() {
    let stage = Stage::new(
        &[answering(
            b"HTTP/1.1 200 OK\r\nx-accel-redirect: /files/./a%20b?x\r\ncontent-type: a/b\r\nset-cookie: c=1\r\nx-more: 1\r\ncontent-length: 0\r\n\r\n",
        )],
        intercepted(),
    );
    let answer = stage.ask(GET);
    assert_eq!((answer.text(), answer.field("content-type"), answer.field("set-cookie")), ("other\n", Some("a/b"), Some("c=1")));
    assert_eq!((answer.field("x-more"), answer.field("x-accel-redirect"), answer.head.matches("content-type").count()), (None, None, 1));
    let stage = Stage::new(
        &[answering(b"HTTP/1.1 200 OK\r\nx-accel-redirect: none\r\ncontent-type: a/b\r\ncontent-length: 0\r\n\r\n")],
        intercepted(),
    );
    let answer = stage.ask(GET);
    assert_eq!((answer.status(), answer.field("content-type")), ("502", Some("text/plain; charset=utf-8")));
}

fn upgraded() -> Wanted {
    let policy = Policy { upgrades: &["websocket"], ..Wanted::default().policy };
    Wanted { policy, ..Wanted::default() }
}

const UPGRADE: &str = "GET /chat HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\n\r\n";

#[test]
fn bytes_go_both_ways_behind_a_101() {
    let address = upstream(|stream, _| {
        let head = read_head(stream).expect("a request");
        assert_eq!((field(&head, "upgrade"), field(&head, "connection")), (Some("websocket"), Some("upgrade")), "{head}");
        let answer =
            b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: y\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nearly ";
        stream.write_all(answer).expect("an open connection");
        let mut got = Vec::new();
        stream.read_to_end(&mut got).expect("an open connection");
        stream.write_all(&got).expect("an open connection");
    });
    let stage = Stage::new(&[address], upgraded());
    let mut stream = stage.connect();
    stream.write_all(UPGRADE.as_bytes()).expect("an open connection");
    let head = read_head(&mut stream).expect("an answer");
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    assert_eq!((field(&head, "upgrade"), field(&head, "sec-websocket-accept")), (Some("websocket"), Some("y")));
    assert_eq!((field(&head, "date"), head.to_lowercase().matches("date:").count()), (Some("Sun, 06 Nov 1994 08:49:37 GMT"), 1));
    assert_eq!(stage.active(), 1);
    stream.write_all(b"and late").expect("an open connection");
    stream.shutdown(Shutdown::Write).expect("an open connection");
    let mut rest = String::new();
    stream.read_to_string(&mut rest).expect("an open connection");
    assert_eq!(rest, "early and late");
    until("nothing is held", || stage.active() == 0);
}

#[test]
fn upgrade_that_the_site_does_not_name_is_not_passed_on() {
    let address = upstream(|stream, _| {
        while let Some(head) = read_head(stream) {
            assert_eq!((field(&head, "upgrade"), field(&head, "connection")), (None, None), "{head}");
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").expect("an open connection");
        }
    });
    let stage = Stage::new(&[address], Wanted::default());
    assert_eq!(stage.ask(UPGRADE).text(), "ok");
}

#[test]
fn upgrade_that_the_upstream_refuses_is_an_answer() {
    let stage = Stage::new(&[answering(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 3\r\n\r\nno\n")], upgraded());
    let mut stream = stage.connect();
    for _ in 0..2 {
        assert_eq!(ask(&mut stream, UPGRADE).text(), "no\n");
    }
    assert_eq!(stage.connects(), 1);
}
