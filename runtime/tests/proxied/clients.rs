//! What clients do while their answer is waited for.

use std::{
    io::{Read, Write},
    net::Shutdown,
    sync::{Mutex, mpsc},
    time::{Duration, Instant},
};

use crate::stage::{Stage, Wanted, read_head, until, upstream};

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// An upstream that answers whenever `go` lets it, and says what it was asked.
fn hesitant() -> (String, mpsc::Sender<()>, mpsc::Receiver<String>) {
    let (go, may_go) = mpsc::channel();
    let (asked, was_asked) = mpsc::channel();
    let (may_go, asked) = (Mutex::new(may_go), Mutex::new(asked));
    let address = upstream(move |stream, _| {
        while let Some(head) = read_head(stream) {
            let line = head.lines().next().unwrap_or_default().to_owned();
            if asked.lock().expect("a turn").send(line).is_err() || may_go.lock().expect("a turn").recv().is_err() {
                return;
            }
            stream.write_all(OK).expect("an open connection");
        }
    });
    (address, go, was_asked)
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n")
}

#[test]
fn request_that_comes_while_another_waits_has_its_turn() {
    let (address, go, was_asked) = hesitant();
    let stage = Stage::new(&[address], Wanted::default());
    let mut client = stage.connect();
    for round in 0..3 {
        client.write_all(get("/first").as_bytes()).expect("sent");
        assert_eq!(was_asked.recv().expect("asked"), "GET /first HTTP/1.1");
        client.write_all(get("/second").as_bytes()).expect("sent");
        client.write_all(get("/third").as_bytes()).expect("sent");
        // It is seen before the answer comes, mostly.
        assert!(was_asked.recv_timeout(Duration::from_millis(50)).is_err(), "one at a time");
        for _ in 0..3 {
            go.send(()).expect("an upstream");
            assert!(read_head(&mut client).expect("an answer").starts_with("HTTP/1.1 200"), "{round}");
            client.read_exact(&mut [0; 2]).expect("a body");
        }
        assert_eq!(was_asked.recv().expect("asked"), "GET /second HTTP/1.1");
        assert_eq!(was_asked.recv().expect("asked"), "GET /third HTTP/1.1");
    }
}

#[test]
fn client_that_closes_ends_its_exchange_soon() {
    let (address, go, was_asked) = hesitant();
    let stage = Stage::new(&[address], Wanted::default());
    let mut client = stage.connect();
    client.write_all(get("/").as_bytes()).expect("sent");
    was_asked.recv().expect("asked");
    let begin = Instant::now();
    drop(client);
    until("no exchange", || stage.active() == 0);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    // The upstream's thread ends.
    drop(go);
}

#[test]
fn client_that_shuts_its_sending_side_gets_the_answer_that_comes_at_once() {
    let (address, go, _was_asked) = hesitant();
    let stage = Stage::new(&[address], Wanted::default());
    for _ in 0..3 {
        go.send(()).expect("an upstream");
        go.send(()).expect("an upstream");
        let mut client = stage.connect();
        client.write_all(get("/first").repeat(2).as_bytes()).expect("sent");
        client.shutdown(Shutdown::Write).expect("shut");
        let mut answers = String::new();
        client.read_to_string(&mut answers).expect("answers");
        assert_eq!(answers.matches("HTTP/1.1 200 OK\r\n").count(), 2, "{answers}");
    }
}
