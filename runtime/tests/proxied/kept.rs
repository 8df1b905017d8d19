//! Connections that are kept: how many, how long, and that none of them brings an answer to the wrong request.

use std::{
    io::{Read, Write},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use runtime::upstream::Pool;

use crate::stage::{Stage, WAIT, Wanted, answering, ask, connect, endpoint, field, read_answer, read_head, until, upstream};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

fn pooled(pool: Pool) -> Wanted {
    Wanted { pool, ..Wanted::default() }
}

fn pool() -> Pool {
    Wanted::default().pool
}

/// An upstream that counts its open connections.
fn counting() -> (String, Arc<AtomicU64>) {
    let open = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&open);
    let address = upstream(move |stream, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        while read_head(stream).is_some() {
            stream.write_all(OK).expect("an open connection");
        }
        counted.fetch_sub(1, Ordering::Relaxed);
    });
    (address, open)
}

#[test]
fn no_connection_is_kept_where_the_site_says_so() {
    let address = upstream(|stream, _| {
        let head = read_head(stream).expect("a request");
        assert_eq!(field(&head, "connection"), Some("close"));
        stream.write_all(OK).expect("an open connection");
        assert!(read_head(stream).is_none());
    });
    let stage = Stage::new(&[address], pooled(Pool { idle_connections: 0, ..pool() }));
    for _ in 0..3 {
        assert_eq!(stage.ask(GET).text(), "ok");
    }
    assert_eq!(stage.connects(), 3);
}

#[test]
fn connection_is_closed_behind_its_last_request() {
    let stage = Stage::new(&[answering(OK)], pooled(Pool { requests_per_connection: 3, ..pool() }));
    for _ in 0..7 {
        assert_eq!(stage.ask(GET).text(), "ok");
    }
    assert_eq!(stage.connects(), 3);
}

#[test]
fn idle_and_old_connections_are_closed() {
    for pool in [Pool { idle_timeout: Duration::from_millis(250), ..pool() }, Pool { connection_age: Duration::from_millis(250), ..pool() }]
    {
        let (address, open) = counting();
        let stage = Stage::new(&[address], pooled(pool));
        assert_eq!(stage.ask(GET).text(), "ok");
        until("the connection is closed", || open.load(Ordering::Relaxed) == 0);
    }
}

#[test]
fn more_idle_connections_than_may_be_are_closed() {
    let (entered, enters) = mpsc::channel();
    let gate = Arc::new(Mutex::new(()));
    let closed = gate.lock().expect("no panic");
    let (open, waits) = (Arc::new(AtomicU64::new(0)), Arc::clone(&gate));
    let counted = Arc::clone(&open);
    let address = upstream(move |stream, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        while read_head(stream).is_some() {
            entered.send(()).expect("a test");
            drop(waits.lock());
            stream.write_all(OK).expect("an open connection");
        }
        counted.fetch_sub(1, Ordering::Relaxed);
    });
    let stage = Stage::of(vec![endpoint(&address)], pooled(Pool { idle_connections: 4, ..pool() }), 2);
    let mut clients: Vec<_> = (0..20).map(|_| stage.connect()).collect();
    for client in &mut clients {
        client.write_all(GET.as_bytes()).expect("an open connection");
        enters.recv_timeout(WAIT).expect("all are asked at once");
    }
    assert_eq!(stage.active(), 20);
    drop(closed);
    for client in &mut clients {
        assert_eq!(read_answer(client, false).text(), "ok");
    }
    until("only as many as may be stay open", || open.load(Ordering::Relaxed) <= 4);
    assert_eq!(stage.active(), 0);
}

#[test]
fn dropped_client_frees_everything_at_once() {
    let (told, tells) = mpsc::channel();
    let address = upstream(move |stream, _| {
        while read_head(stream).is_some() {
            told.send("asked").expect("a test");
        }
        told.send("ended").expect("a test");
    });
    let stage = Stage::new(&[address], Wanted::default());
    let mut client = stage.connect();
    client.write_all(GET.as_bytes()).expect("an open connection");
    assert_eq!(tells.recv_timeout(WAIT), Ok("asked"));
    assert_eq!(stage.active(), 1);
    drop(client);
    assert_eq!(tells.recv_timeout(WAIT), Ok("ended"), "it is not kept");
    until("nothing is held", || stage.active() == 0);
}

/// Answers with the request's token, and then misbehaves as its number says.
fn misbehaving() -> String {
    upstream(|stream, _| {
        let mut turn = 0_u32;
        while let Some(head) = read_head(stream) {
            let token = field(&head, "x-token").unwrap_or_default().to_owned();
            let whole = format!("HTTP/1.1 200 OK\r\nx-token: {token}\r\ncontent-length: {}\r\n\r\n{token}", token.len());
            let stray = "HTTP/1.1 200 OK\r\nx-token: stray\r\ncontent-length: 5\r\n\r\nstray";
            turn += 1;
            let number: u32 = token.parse().unwrap_or_default();
            let sent = match number % 7 {
                0 => stream.write_all(format!("{whole}{stray}").as_bytes()),
                2 => stream.write_all(format!("{whole}x").as_bytes()),
                3 => stream.write_all(whole.replace("\r\n\r\n", "\r\ncontent-length: 3\r\n\r\n").as_bytes()),
                4 => stream.write_all(&whole.as_bytes()[..whole.len() - 1]).and_then(|()| stream.flush()),
                _ => stream.write_all(whole.as_bytes()),
            };
            if sent.is_err() || number % 7 == 4 || turn > 50 {
                return;
            }
        }
    })
}

#[test]
fn answers_never_cross() {
    const CLIENTS: u32 = 8;
    const REQUESTS: u32 = 500;
    let stage = Stage::of(vec![endpoint(&misbehaving()), endpoint(&misbehaving())], Wanted::default(), 2);
    let address = stage.address();
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            scope.spawn(move || {
                let mut stream = connect(address);
                for request in 0..REQUESTS {
                    let token = format!("{:06}", client * REQUESTS + request);
                    let answer = ask(&mut stream, &format!("GET / HTTP/1.1\r\nhost: a\r\nx-token: {token}\r\n\r\n"));
                    if answer.status() == "200" {
                        assert_eq!(answer.field("x-token"), Some(&*token));
                        assert!(token.as_bytes().starts_with(&answer.body), "{answer:?}");
                    }
                    if !answer.is_complete || answer.field("connection") == Some("close") {
                        stream = connect(address);
                    }
                }
            });
        }
    });
    until("nothing is held", || stage.active() == 0);
}

#[test]
fn bytes_that_come_while_a_connection_is_idle_close_it() {
    let (told, tells) = mpsc::channel();
    let address = upstream(move |stream, _| {
        while read_head(stream).is_some() {
            stream.write_all(OK).expect("an open connection");
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nstray").expect("an open connection");
            told.send(()).expect("a test");
        }
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let stage = Stage::new(&[address], Wanted::default());
    for _ in 0..20 {
        assert_eq!(stage.ask(GET).text(), "ok");
        tells.recv_timeout(WAIT).expect("sent");
    }
    assert_eq!(stage.connects(), 20);
}

#[test]
fn endpoint_behind_a_unix_socket_answers() {
    let path = std::env::temp_dir().join(format!("kiln-proxied-{}.sock", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let listener = std::os::unix::net::UnixListener::bind(&path).expect("a listener");
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        for _ in 0..2 {
            assert_eq!(field(&read_head(&mut stream).expect("a request"), "host"), Some("a"));
            stream.write_all(OK).expect("an open connection");
        }
    });
    let stage = Stage::new(&[format!("unix:{}", path.display())], Wanted::default());
    for _ in 0..2 {
        assert_eq!(stage.ask(GET).text(), "ok");
    }
    server.join().expect("no panic");
    std::fs::remove_file(path).expect("removed");
    assert_eq!(stage.connects(), 1);
}
