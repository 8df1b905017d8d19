//! A server in this process over real sockets: start, workers, limits, timeouts, drain.

#[path = "shared/settings.rs"]
mod settings;

use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use runtime::{
    Answer, Exchange, Limits, Listener, ListenerOptions, Settings, Site, Step, Timeouts, Value, Workers,
    response::Response,
    serve::{BindFault, Server, StartFault},
};
use settings::SETTINGS;

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";

struct Small;

impl Site for Small {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        match exchange.path() {
            "/large" => Step::Ready(Response::Prebuilt(LARGE)),
            "/panic" => panic!("a handler panics"),
            _ => Step::Ready(Response::Prebuilt(HELLO)),
        }
    }
}

static HELLO: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n", body: b"hello" };
static LARGE: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 8388608\r\n", body: &[b'x'; 8 << 20] };

const fn settings(workers: u16, connections: u32) -> Settings {
    Settings {
        workers: Workers::Count(workers),
        limits: Limits { connections, ..SETTINGS.limits },
        timeouts: Timeouts {
            head: Duration::from_millis(500),
            body: Duration::from_millis(500),
            idle: Duration::from_millis(500),
            write: Duration::from_secs(20),
            ..SETTINGS.timeouts
        },
        ..SETTINGS
    }
}

static ONE: Settings = settings(1, 100);
static TWO: Settings = settings(2, 100);
static TIGHT: Settings = settings(1, 2);

fn start(settings: &'static Settings) -> (Server, SocketAddr) {
    let server = Server::start(&Small, settings).expect("a server");
    let address = server.addresses()[0];
    (server, address)
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
    stream
}

/// Sends and reads until the server closes.
fn talk(stream: &mut TcpStream, request: &[u8]) -> String {
    stream.write_all(request).expect("an open connection");
    rest(stream)
}

fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an end");
    String::from_utf8(bytes).expect("text")
}

/// Reads one `hello`.
fn hello(stream: &mut TcpStream) {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(b"hello") {
        assert_eq!(stream.read(&mut byte).expect("an open connection"), 1, "{}", String::from_utf8_lossy(&seen));
        seen.push(byte[0]);
    }
}

fn sum(server: &Server, of: impl Fn(&runtime::serve::Counters) -> &AtomicU64) -> u64 {
    server.counters().map(|counters| of(counters).load(Ordering::Relaxed)).sum()
}

#[test]
fn half_closed_client_gets_all_its_answers() {
    let (server, address) = start(&ONE);
    let mut stream = connect(address);
    stream.write_all(&GET.repeat(3)).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(rest(&mut stream).matches("hello").count(), 3);
    server.drain();
}

#[test]
fn all_workers_answer() {
    let (server, address) = start(&TWO);
    for _ in 0..64 {
        let mut stream = connect(address);
        assert!(talk(&mut stream, b"GET / HTTP/1.0\r\n\r\n").ends_with("hello"));
    }
    assert!(server.counters().all(|counters| counters.accepted.load(Ordering::Relaxed) > 0));
    server.drain();
}

#[test]
fn long_answer_arrives_whole() {
    let (server, address) = start(&ONE);
    let mut stream = connect(address);
    stream.write_all(b"GET /large HTTP/1.0\r\n\r\n").unwrap();
    assert_eq!(rest(&mut stream).split_once("\r\n\r\n").unwrap().1.len(), 8 << 20);
    server.drain();
}

#[test]
fn refusal_arrives_although_the_client_still_sends() {
    let (server, address) = start(&ONE);
    let mut stream = connect(address);
    stream.write_all(b"nonsense\r\n\r\n").unwrap();
    for _ in 0..20 {
        stream.write_all(&[b'x'; 8192]).unwrap();
        thread::yield_now();
    }
    assert!(rest(&mut stream).starts_with("HTTP/1.1 400 "));
    server.drain();
}

#[test]
fn timeouts_end_slow_and_idle_connections() {
    let (server, address) = start(&ONE);
    let (mut slow, mut idle, mut silent) = (connect(address), connect(address), connect(address));
    let begin = Instant::now();
    slow.write_all(b"GET / HT").unwrap();
    idle.write_all(GET).unwrap();
    hello(&mut idle);
    assert!(rest(&mut slow).starts_with("HTTP/1.1 408 "));
    assert_eq!(rest(&mut idle), "");
    assert_eq!(rest(&mut silent), "");
    let taken = begin.elapsed();
    assert!(taken >= Duration::from_millis(500) && taken < Duration::from_secs(3), "{taken:?}");
    server.drain();
}

#[test]
fn connections_over_the_limit_are_told_so() {
    let (server, address) = start(&TIGHT);
    let mut held = [connect(address), connect(address)];
    for stream in &mut held {
        stream.write_all(GET).unwrap();
        hello(stream);
    }
    let mut third = connect(address);
    assert!(talk(&mut third, GET).starts_with("HTTP/1.1 503 "));
    assert_eq!(sum(&server, |counters| &counters.refused), 1);
    drop(held);
    // The place is free once the worker has seen the close.
    let begin = Instant::now();
    while !talk(&mut connect(address), b"GET / HTTP/1.0\r\n\r\n").ends_with("hello") {
        assert!(begin.elapsed() < Duration::from_secs(5));
    }
    server.drain();
}

#[test]
fn panic_leaves_the_worker_alive() {
    let (server, address) = start(&ONE);
    assert!(talk(&mut connect(address), b"GET /panic HTTP/1.1\r\nhost: a\r\n\r\n").starts_with("HTTP/1.1 500 "));
    assert!(talk(&mut connect(address), b"GET / HTTP/1.0\r\n\r\n").ends_with("hello"));
    assert_eq!(sum(&server, |counters| &counters.panics), 1);
    server.drain();
}

#[test]
fn drain_answers_what_is_queued_and_in_flight() {
    let (server, address) = start(&TWO);
    let mut idle = connect(address);
    idle.write_all(GET).unwrap();
    hello(&mut idle);
    let mut half = connect(address);
    half.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    let mut queued: Vec<_> = (0..50).map(|_| connect(address)).collect();
    for stream in &mut queued {
        stream.write_all(GET).unwrap();
    }
    let draining = thread::spawn(move || server.drain());
    for stream in &mut queued {
        let answer = rest(stream);
        assert!(answer.ends_with("hello"), "{answer}");
    }
    assert_eq!(rest(&mut idle), "");
    half.write_all(b"host: a\r\n\r\n").unwrap();
    assert!(rest(&mut half).contains("\r\nconnection: close\r\n"));
    draining.join().unwrap();
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn drain_with_nothing_to_do_is_over_at_once() {
    let (server, _) = start(&TWO);
    let begin = Instant::now();
    server.drain();
    assert!(begin.elapsed() < Duration::from_secs(1));
}

#[test]
fn address_in_use_is_a_fault() {
    let (server, address) = start(&ONE);
    let listener: &'static Listener = Box::leak(Box::new(Listener {
        name: "public",
        address: Value::Text(address.to_string().leak()),
        options: ListenerOptions::DEFAULT,
    }));
    let second: &'static Settings = Box::leak(Box::new(Settings { listeners: std::slice::from_ref(listener), ..ONE }));
    let fault = Server::start(&Small, second).unwrap_err();
    assert!(matches!(&fault, StartFault::Bind(..)));
    assert!(fault.to_string().contains("address in use"), "{fault}");
    server.drain();
}

#[test]
fn address_must_be_numeric() {
    static NAMED: Settings = Settings {
        listeners: &[Listener { name: "public", address: Value::Text("localhost:80"), options: ListenerOptions::DEFAULT }],
        ..settings(1, 1)
    };
    assert!(matches!(Server::start(&Small, &NAMED), Err(StartFault::Bind(_, BindFault::Address))));
}
