//! Long bodies, which go from socket to socket.

use std::{
    io::{Read, Write},
    net::Shutdown,
    sync::{Mutex, mpsc},
    time::Duration,
};

use crate::stage::{Stage, Wanted, ask, read_head, until, upstream};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const BYTES: usize = 3_000_017;

fn body() -> Vec<u8> {
    (0..BYTES).map(|at| (at % 251) as u8).collect()
}

/// An upstream that sends the body piece by piece, as often as `go` lets it, and what comes behind.
fn slow(pieces: Vec<Vec<u8>>) -> (String, mpsc::Sender<()>) {
    let (go, may_go) = mpsc::channel();
    let may_go = Mutex::new(may_go);
    let address = upstream(move |stream, _| {
        while read_head(stream).is_some() {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {BYTES}\r\n\r\n").expect("an open connection");
            for piece in &pieces {
                if may_go.lock().expect("a turn").recv().is_err() || stream.write_all(piece).is_err() {
                    return;
                }
            }
        }
    });
    (address, go)
}

#[test]
fn pieces_of_any_size_arrive_as_they_come() {
    let body = body();
    let ends = [0, 1, 70_000, 70_001, 1_500_000, 2_990_000, 2_999_999, BYTES];
    let pieces: Vec<Vec<u8>> = ends.windows(2).map(|ends| body[ends[0]..ends[1]].to_vec()).collect();
    let (address, go) = slow(pieces);
    let stage = Stage::new(&[address], Wanted::default());
    for _ in 0..2 {
        let mut client = stage.connect();
        client.write_all(GET.as_bytes()).expect("sent");
        let head = read_head(&mut client).expect("a head");
        assert!(head.contains(&format!("content-length: {BYTES}")));
        for ends in ends.windows(2) {
            go.send(()).expect("an upstream");
            let mut piece = vec![0; ends[1] - ends[0]];
            client.read_exact(&mut piece).expect("the piece, before the next one is sent");
            assert!(piece == body[ends[0]..ends[1]], "{ends:?}");
        }
    }
    until("no exchange", || stage.active() == 0);
    assert_eq!(stage.connects(), 1, "the connection is used again");
}

#[test]
fn client_that_takes_nothing_holds_the_upstream_up() {
    const ALL: usize = 64 << 20;
    let (count, counted) = mpsc::channel();
    let count = Mutex::new(count);
    let address = upstream(move |stream, _| {
        if read_head(stream).is_none() {
            return;
        }
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {ALL}\r\n\r\n").expect("an open connection");
        for _ in 0..ALL >> 16 {
            if stream.write_all(&[b'x'; 1 << 16]).is_err() {
                return;
            }
            count.lock().expect("a turn").send(1 << 16).expect("a test");
        }
    });
    let stage = Stage::new(&[address], Wanted::default());
    let mut client = stage.connect();
    client.write_all(GET.as_bytes()).expect("sent");
    let before: usize = std::iter::from_fn(|| counted.recv_timeout(Duration::from_millis(300)).ok()).sum();
    assert!(before > 0 && before < ALL / 2, "{before} bytes were taken off the upstream");
    read_head(&mut client).expect("a head");
    let mut rest = Vec::new();
    client.take(ALL as u64).read_to_end(&mut rest).expect("the body");
    assert_eq!(rest.len(), ALL);
    until("no exchange", || stage.active() == 0);
}

#[test]
fn body_that_breaks_off_is_not_made_whole_and_its_pipe_not_used_again() {
    let body = body();
    let (address, go) = slow(vec![body[..1_000_000].to_vec(), body[1_000_000..].to_vec()]);
    let stage = Stage::new(&[address], Wanted::default());
    let mut client = stage.connect();
    client.write_all(GET.as_bytes()).expect("sent");
    go.send(()).expect("an upstream");
    // Some of it is in the pipe while the client goes.
    read_head(&mut client).expect("a head");
    client.shutdown(Shutdown::Both).expect("gone");
    drop(client);
    until("no exchange", || stage.active() == 0);
    drop(go);
    let address = upstream(move |stream, number| {
        let all = self::body();
        while read_head(stream).is_some() {
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {BYTES}\r\n\r\n").expect("an open connection");
            let bytes = if number == 0 { 2_000_000 } else { BYTES };
            stream.write_all(&all[..bytes]).expect("an open connection");
            if number == 0 {
                return;
            }
        }
    });
    let stage = Stage::new(&[address], Wanted::default());
    let answer = stage.ask(GET);
    assert!(!answer.is_complete && answer.body == body[..answer.body.len()]);
    let answer = stage.ask(GET);
    assert!(answer.is_complete && answer.body == body);
    let mut client = stage.connect();
    for _ in 0..3 {
        assert!(ask(&mut client, GET).body == body);
    }
}

#[test]
fn body_that_pauses_too_long_ends_its_exchange() {
    let (address, go) = slow(vec![body()[..1_000_000].to_vec(), Vec::new()]);
    let mut wanted = Wanted::default();
    wanted.timeouts.between_bytes = Duration::from_millis(300);
    let stage = Stage::new(&[address], wanted);
    go.send(()).expect("an upstream");
    let answer = stage.ask(GET);
    assert!(!answer.is_complete && answer.body == body()[..1_000_000]);
    assert_eq!(stage.active(), 0);
    // It still waits for that.
    drop(go);
}
