//! Requests with bodies: framed anew, as fast as the endpoint takes, beside an answer that came early.

use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::mpsc,
    thread,
    time::Duration,
};

use runtime::upstream::Timeouts;

use crate::stage::{Answer, Stage, WAIT, Wanted, ask, field, read_answer, read_body, read_head, read_line, until, upstream};

/// Answers with how the body was framed, and the body.
fn echo() -> String {
    upstream(|stream, _| {
        while let Some(head) = read_head(stream) {
            let (body, is_complete) = read_body(stream, &head);
            assert!(is_complete, "{head}");
            let framing = field(&head, "transfer-encoding").or_else(|| field(&head, "content-length")).unwrap_or("none");
            write!(stream, "HTTP/1.1 200 OK\r\nx-framing: {framing}\r\ncontent-length: {}\r\n\r\n", body.len())
                .expect("an open connection");
            stream.write_all(&body).expect("an open connection");
        }
    })
}

fn post(stream: &mut TcpStream, framing: &str, body: &[u8]) -> Answer {
    write!(stream, "POST / HTTP/1.1\r\nhost: a\r\n{framing}\r\n").expect("an open connection");
    stream.write_all(body).expect("an open connection");
    read_answer(stream, false)
}

#[test]
fn body_goes_on_as_it_is_framed() {
    let stage = Stage::new(&[echo()], Wanted::default());
    let mut stream = stage.connect();
    for (framing, body, expected) in [
        ("content-length: 5\r\n", &b"hello"[..], ("5", "hello")),
        ("transfer-encoding: chunked\r\n", b"5\r\nhello\r\n6;x=1\r\n world\r\n0\r\n\r\n", ("chunked", "hello world")),
        ("transfer-encoding: chunked\r\n", b"0\r\n\r\n", ("chunked", "")),
        ("content-length: 0\r\n", b"", ("0", "")),
    ] {
        let answer = post(&mut stream, framing, body);
        assert_eq!((answer.field("x-framing").unwrap(), answer.text()), expected);
    }
    assert_eq!((stage.connects(), stage.active()), (1, 0));
}

#[test]
fn long_bodies_go_both_ways_at_once() {
    const BYTES: usize = 3_000_001;
    let address = upstream(|stream, _| {
        let head = read_head(stream).expect("a request");
        assert_eq!(field(&head, "content-length"), Some("3000001"));
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {BYTES}\r\n\r\n").expect("an open connection");
        let mut piece = vec![0; 10_000];
        let mut left = BYTES;
        while left > 0 {
            let bytes = stream.read(&mut piece).expect("an open connection");
            assert!(bytes > 0, "{left} bytes of the upload are missing");
            stream.write_all(&piece[..bytes]).expect("an open connection");
            left -= bytes;
        }
        assert!(read_head(stream).is_none());
    });
    let stage = Stage::new(&[address], Wanted::default());
    let mut stream = stage.connect();
    let body: Vec<u8> = (0..BYTES).map(|at| (at % 253) as u8).collect();
    let (mut sending, sent) = (stream.try_clone().expect("a socket"), body.clone());
    let sender = thread::spawn(move || {
        write!(sending, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {BYTES}\r\n\r\n").expect("an open connection");
        sending.write_all(&sent).expect("an open connection");
    });
    let answer = read_answer(&mut stream, false);
    sender.join().expect("no panic");
    assert!(answer.is_complete && answer.body == body);
    until("nothing is held", || stage.active() == 0);
}

#[test]
fn early_answer_ends_the_upload_and_its_connection() {
    let address = upstream(|stream, _| {
        read_head(stream).expect("a request");
        stream.write_all(b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 3\r\n\r\nno\n").expect("an open connection");
        // It reads no more, and sees the end.
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.len() < 1_000_000);
    });
    let stage = Stage::new(&[address], Wanted::default());
    for _ in 0..2 {
        let mut stream = stage.connect();
        write!(stream, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000\r\n\r\nbegin").expect("an open connection");
        let answer = read_answer(&mut stream, false);
        assert_eq!((answer.status(), answer.text()), ("413", "no\n"));
    }
    assert_eq!(stage.connects(), 2);
    until("nothing is held", || stage.active() == 0);
}

#[test]
fn expectation_is_passed_on_and_the_body_waits_for_it() {
    let (told, tells) = mpsc::channel();
    let address = upstream(move |stream, _| {
        let head = read_head(stream).expect("a request");
        assert_eq!(field(&head, "expect"), Some("100-continue"));
        told.send(()).expect("a test");
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").expect("an open connection");
        let (body, _) = read_body(stream, &head);
        assert_eq!(body, b"hello");
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").expect("an open connection");
    });
    let stage = Stage::new(&[address], Wanted::default());
    let mut stream = stage.connect();
    write!(stream, "POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n").expect("an open connection");
    assert!(read_head(&mut stream).expect("100").starts_with("HTTP/1.1 100 "));
    tells.recv_timeout(WAIT).expect("the upstream was asked first");
    stream.write_all(b"hello").expect("an open connection");
    assert_eq!(read_answer(&mut stream, false).text(), "ok");
}

#[test]
fn expectation_that_is_not_met_is_answered_without_the_body() {
    let address = upstream(|stream, _| {
        read_head(stream).expect("a request");
        stream.write_all(b"HTTP/1.1 417 Expectation Failed\r\ncontent-length: 0\r\n\r\n").expect("an open connection");
        assert!(read_head(stream).is_none(), "nothing of the body, and no other request");
    });
    let stage = Stage::new(&[address], Wanted::default());
    let request = "POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n";
    let answer = ask(&mut stage.connect(), request);
    assert_eq!((answer.status(), answer.field("connection")), ("417", Some("close")));
}

#[test]
fn endpoint_that_says_100_to_nothing_gets_the_body_after_a_second() {
    let stage = Stage::new(&[echo()], Wanted::default());
    let mut stream = stage.connect();
    write!(stream, "POST / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n").expect("an open connection");
    assert!(read_head(&mut stream).expect("100").starts_with("HTTP/1.1 100 "));
    stream.write_all(b"hello").expect("an open connection");
    assert_eq!(read_answer(&mut stream, false).text(), "hello");
}

#[test]
fn trailers_go_both_ways() {
    let address = upstream(|stream, _| {
        let head = read_head(stream).expect("a request");
        assert_eq!(field(&head, "trailer"), Some("x-sum"));
        let lines: Vec<String> = std::iter::from_fn(|| read_line(stream).filter(|line| line != "\r\n")).collect();
        assert_eq!(lines, ["5\r\n", "hello\r\n", "0\r\n", "x-sum: 7\r\n"]);
        let answer = b"HTTP/1.1 200 OK\r\ntrailer: x-end\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-end: 8\r\n\r\n";
        stream.write_all(answer).expect("an open connection");
    });
    let stage = Stage::new(&[address], Wanted::default());
    let mut stream = stage.connect();
    stream
        .write_all(b"POST / HTTP/1.1\r\nhost: a\r\ntrailer: x-sum\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nx-sum: 7\r\n\r\n")
        .expect("an open connection");
    let head = read_head(&mut stream).expect("an answer");
    assert_eq!((field(&head, "trailer"), field(&head, "transfer-encoding")), (Some("x-end"), Some("chunked")));
    let lines: Vec<String> = std::iter::from_fn(|| read_line(&mut stream).filter(|line| line != "\r\n")).collect();
    assert_eq!(lines, ["2\r\n", "ok\r\n", "0\r\n", "x-end: 8\r\n"]);
}

#[test]
fn body_over_its_limit_is_413_and_the_upstream_sees_it_cut() {
    let (told, tells) = mpsc::channel();
    let address = upstream(move |stream, _| {
        let head = read_head(stream).expect("a request");
        told.send(()).expect("a test");
        let (body, is_complete) = read_body(stream, &head);
        assert!(body == b"hello" && !is_complete, "{body:?}");
    });
    let stage = Stage::new(&[address], Wanted { body_bytes: 10, ..Wanted::default() });
    let mut stream = stage.connect();
    stream.write_all(b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n").expect("an open connection");
    tells.recv_timeout(WAIT).expect("the upstream is asked");
    stream.write_all(b"6\r\n world\r\n0\r\n\r\n").expect("an open connection");
    assert_eq!(read_answer(&mut stream, false).status(), "413");
    until("nothing is held", || stage.active() == 0);
}

#[test]
fn informational_answers_go_ahead() {
    let address = upstream(|stream, _| {
        read_head(stream).expect("a request");
        stream
            .write_all(b"HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\nconnection: x-hop\r\nx-hop: 1\r\n\r\n")
            .expect("an open connection");
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").expect("an open connection");
    });
    let stage = Stage::new(&[address], Wanted::default());
    let mut stream = stage.connect();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").expect("an open connection");
    assert_eq!(read_head(&mut stream).expect("103"), "HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n");
    assert_eq!(read_answer(&mut stream, false).text(), "ok");
}

#[test]
fn endpoint_that_takes_a_body_slowly_is_waited_for_while_it_takes_some() {
    const PIECE: usize = 512 * 1024;
    const PIECES: usize = 12;
    let address = upstream(|stream, _| {
        read_head(stream).expect("a request");
        let (_never, pause) = mpsc::channel::<()>();
        let mut piece = vec![0; PIECE];
        for _ in 0..PIECES {
            let _ = pause.recv_timeout(Duration::from_millis(150));
            stream.read_exact(&mut piece).expect("the whole body");
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").expect("an open connection");
    });
    let timeouts = Timeouts { between_bytes: Duration::from_millis(500), ..Wanted::default().timeouts };
    let stage = Stage::new(&[address], Wanted { timeouts, ..Wanted::default() });
    let mut stream = stage.connect();
    write!(stream, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n", PIECE * PIECES).expect("an open connection");
    stream.write_all(&vec![b'x'; PIECE * PIECES]).expect("it is taken");
    assert_eq!(read_answer(&mut stream, false).text(), "ok");
}

#[test]
fn endpoint_that_takes_nothing_more_is_504() {
    let address = upstream(|stream, _| {
        read_head(stream).expect("a request");
        let (_never, pause) = mpsc::channel::<()>();
        let _ = pause.recv_timeout(WAIT / 4);
    });
    let timeouts = Timeouts { between_bytes: Duration::from_millis(250), ..Wanted::default().timeouts };
    let stage = Stage::new(&[address], Wanted { timeouts, ..Wanted::default() });
    let mut stream = stage.connect();
    let mut sending = stream.try_clone().expect("a socket");
    write!(stream, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100000000\r\n\r\n").expect("an open connection");
    let sender = thread::spawn(move || while sending.write_all(&[0; 100_000]).is_ok() {});
    assert_eq!(read_answer(&mut stream, false).status(), "504");
    drop(stream);
    sender.join().expect("no panic");
    until("nothing is held", || stage.active() == 0);
}

#[test]
fn answer_that_announces_trailers_and_has_none_stays_chunked() {
    let answer = b"HTTP/1.1 200 OK\r\ntrailer: x-end\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    let stage = Stage::new(&[crate::stage::answering(answer)], Wanted::default());
    let mut stream = stage.connect();
    for _ in 0..2 {
        let answer = ask(&mut stream, "GET / HTTP/1.1\r\nhost: a\r\n\r\n");
        assert_eq!((answer.text(), answer.field("transfer-encoding"), answer.field("content-length")), ("ok", Some("chunked"), None));
    }
    assert_eq!(stage.connects(), 1);
}
