//! Answers of every framing, on connections that are kept and used again.

use std::{
    io::Write,
    sync::{Mutex, mpsc},
};

use crate::stage::{Stage, WAIT, Wanted, answering, ask, field, read_body, read_head, read_line, until, upstream};

const GET: &str = "GET /a?b=c HTTP/1.1\r\nhost: a\r\n\r\n";

#[test]
fn answer_with_a_length_goes_through_and_its_connection_is_kept() {
    let address = upstream(|stream, number| {
        while let Some(head) = read_head(stream) {
            assert!(head.starts_with("GET /a?b=c HTTP/1.1\r\nhost: a\r\n"), "{head}");
            write!(stream, "HTTP/1.1 200 OK\r\nx-number: {number}\r\ncontent-length: 5\r\n\r\nhello").expect("an open connection");
        }
    });
    let stage = Stage::new(&[address], Wanted::default());
    let mut stream = stage.connect();
    for _ in 0..3 {
        let answer = ask(&mut stream, GET);
        assert_eq!((answer.status(), answer.text(), answer.field("x-number")), ("200", "hello", Some("0")));
    }
    assert_eq!(stage.ask(GET).field("x-number"), Some("0"));
    assert_eq!(stage.active(), 0);
}

#[test]
fn date_of_the_upstream_stays_and_a_missing_one_is_added() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    let stage =
        Stage::new(&[answering(b"HTTP/1.1 200 OK\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\ncontent-length: 0\r\n\r\n")], Wanted::default());
    let answer = stage.ask(GET);
    assert_eq!((answer.field("date"), answer.head.matches("date:").count()), (Some(date), 1));
    let stage = Stage::new(&[answering(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")], Wanted::default());
    assert_eq!(stage.ask(GET).head.matches("date:").count(), 1);
}

#[test]
fn answer_larger_than_any_buffer_streams() {
    const BYTES: usize = 5_000_003;
    let address = upstream(|stream, _| {
        while read_head(stream).is_some() {
            let body: Vec<u8> = (0..BYTES).map(|at| (at % 251) as u8).collect();
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {BYTES}\r\n\r\n").expect("an open connection");
            stream.write_all(&body).expect("an open connection");
        }
    });
    let stage = Stage::new(&[address], Wanted::default());
    let mut stream = stage.connect();
    for _ in 0..2 {
        let answer = ask(&mut stream, GET);
        assert!(answer.is_complete && answer.body.iter().enumerate().all(|(at, &byte)| byte == (at % 251) as u8));
    }
    assert_eq!((stage.active(), stage.connects()), (0, 1));
}

#[test]
fn chunked_answer_that_is_whole_has_a_length_and_one_that_is_not_has_chunks() {
    let (go, goes) = mpsc::channel();
    let goes = Mutex::new(goes);
    let address = upstream(move |stream, _| {
        while let Some(head) = read_head(stream) {
            let begin: &[u8] = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n";
            let end: &[u8] = b"1;x=y\r\n \r\n5\r\nworld\r\n0\r\n\r\n";
            if head.starts_with("GET /whole") {
                stream.write_all(&[begin, end].concat()).expect("an open connection");
            } else {
                stream.write_all(begin).expect("an open connection");
                goes.lock().expect("a turn").recv_timeout(WAIT).expect("the client has the first piece");
                stream.write_all(end).expect("an open connection");
            }
        }
    });
    let stage = Stage::new(&[address], Wanted::default());
    let whole = stage.ask("GET /whole HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!((whole.text(), whole.field("content-length"), whole.field("transfer-encoding")), ("hello world", Some("11"), None));
    let mut stream = stage.connect();
    stream.write_all(b"GET /pieces HTTP/1.1\r\nhost: a\r\n\r\n").expect("an open connection");
    let head = read_head(&mut stream).expect("an answer");
    assert_eq!((field(&head, "content-length"), field(&head, "transfer-encoding")), (None, Some("chunked")));
    assert_eq!([read_line(&mut stream), read_line(&mut stream)], ["5\r\n", "hello\r\n"].map(|line| Some(line.to_owned())));
    go.send(()).expect("an upstream");
    assert_eq!(read_body(&mut stream, &head), (b" world".to_vec(), true));
    until("nothing is held", || stage.active() == 0);
    assert_eq!(stage.connects(), 1);
}

#[test]
fn close_delimited_answer_goes_to_its_end() {
    let address = upstream(|stream, _| {
        read_head(stream).expect("a request");
        stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nto the end").expect("an open connection");
    });
    let stage = Stage::new(&[address], Wanted::default());
    for _ in 0..2 {
        let answer = stage.ask(GET);
        assert_eq!((answer.text(), answer.is_complete), ("to the end", true));
    }
    assert_eq!(stage.connects(), 2);
    until("nothing is held", || stage.active() == 0);
}

#[test]
fn answers_without_a_body_have_none() {
    for (request, answer, length) in [
        ("HEAD / HTTP/1.1\r\nhost: a\r\n\r\n", &b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"[..], Some("5")),
        (GET, b"HTTP/1.1 204 No Content\r\n\r\n", None),
        (GET, b"HTTP/1.1 304 Not Modified\r\ncontent-length: 7\r\n\r\n", Some("7")),
        ("HEAD / HTTP/1.1\r\nhost: a\r\n\r\n", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", None),
    ] {
        let stage = Stage::new(&[answering(answer)], Wanted::default());
        let mut stream = stage.connect();
        for _ in 0..2 {
            let got = ask(&mut stream, request);
            assert_eq!((got.field("content-length"), got.field("transfer-encoding")), (length, None), "{}", got.head);
        }
        assert_eq!(stage.connects(), 1);
    }
}
