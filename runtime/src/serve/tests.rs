//! A worker that dies: what becomes of its connections, and of those that are queued. And what `--check` finds.

use std::{
    future::poll_fn,
    io::{Read, Write},
    net::TcpStream,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use tokio::runtime::Builder;

use super::server::{self, GivenUp, Server};
use crate::{
    Exchange, Limits, Listener, ListenerOptions, Settings, Site, Step, Value, Workers, builtin,
    response::Response,
    settings::{self, Embedded},
    worker::Counters,
};

/// Everything is 404.
struct Empty;

impl Site for Empty {
    fn handle<'a>(&'a self, _exchange: Exchange<'a>) -> Step<'a> {
        Step::Ready(Response::Prebuilt(*builtin::builtin(404)))
    }
}

static TWO: Settings = Settings { workers: Workers::Count(2), ..SETTINGS };

/// Lets a worker die and waits for its end.
fn kill(server: &mut Server, worker: usize) {
    let control = Builder::new_current_thread().build().unwrap();
    server.kill(worker);
    assert_eq!(control.block_on(poll_fn(|context| server.poll_ended(context))), worker);
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.addresses()[0]).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

fn ask(stream: &mut TcpStream) {
    stream.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
}

fn is_answered(stream: &mut TcpStream) -> bool {
    let mut start = [0; 12];
    stream.read_exact(&mut start).is_ok() && &start == b"HTTP/1.1 404"
}

fn sum(server: &Server, of: fn(&Counters) -> &AtomicU64) -> u64 {
    server.counters().map(|counters| of(counters).load(Ordering::Relaxed)).sum()
}

#[test]
fn connections_that_are_queued_while_a_worker_is_dead_are_answered() {
    let mut server = Server::start(&Empty, &TWO).unwrap();
    kill(&mut server, 0);
    let before: Vec<_> = server.counters().map(|counters| counters.accepted.load(Ordering::Relaxed)).collect();
    let mut queued: Vec<_> = (0..64).map(|_| connect(&server)).collect();
    queued.iter_mut().for_each(ask);
    server.replace(0).unwrap();
    assert!(queued.iter_mut().all(is_answered));
    let replaced = server.counters().next().unwrap();
    assert!(replaced.accepted.load(Ordering::Relaxed) > before[0], "none of them was in the dead worker's queue");
    assert_eq!(sum(&server, |counters| &counters.workers_replaced), 1);
    server.drain();
}

#[test]
fn connections_of_a_dead_worker_are_closed_and_give_their_places_back() {
    let mut server = Server::start(&Empty, &TWO).unwrap();
    let mut held: Vec<_> = (0..64).map(|_| connect(&server)).collect();
    for stream in &mut held {
        ask(stream);
        assert!(is_answered(stream));
    }
    let open = server.connections();
    kill(&mut server, 1);
    assert_eq!(server.connections(), [open[0], 0]);
    // It was no connection that has panicked.
    assert_eq!(sum(&server, |counters| &counters.panics), 0);
    server.replace(1).unwrap();
    drop(held);
    let begin = Instant::now();
    while server.connections() != [0, 0] {
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", server.connections());
        std::thread::yield_now();
    }
    server.drain();
}

#[test]
fn sixth_death_within_a_minute_is_given_up() {
    let mut server = Server::start(&Empty, &TWO).unwrap();
    for _ in 0..5 {
        kill(&mut server, 0);
        server.replace(0).unwrap();
    }
    kill(&mut server, 0);
    assert!(matches!(server.replace(0), Err(GivenUp::TooManyDeaths)));
    server.drain();
}

/// What `--check` says of settings; empty where it could serve.
fn checked(settings: Settings) -> String {
    let settings: &'static Settings = Box::leak(Box::new(settings));
    server::check(settings).err().map(|fault| fault.to_string()).unwrap_or_default()
}

fn listening_on(address: &'static str, options: ListenerOptions) -> Settings {
    let listener = Box::leak(Box::new(Listener { name: "public", address: Value::Text(address), options }));
    Settings { listeners: std::slice::from_ref(listener), ..SETTINGS }
}

#[test]
fn check_of_what_could_be_served_finds_nothing() {
    let server = Server::start(&Empty, &TWO).unwrap();
    assert_eq!(checked(SETTINGS), "");
    // Also while it is running: that is when one asks whether the next could.
    assert_eq!(checked(listening_on(server.addresses()[0].to_string().leak(), ListenerOptions::DEFAULT)), "");
    server.drain();
}

#[test]
fn check_finds_an_address_that_cannot_be_had() {
    for (address, word) in [("192.0.2.1:80", "no such address on this machine"), ("localhost:80", "numeric"), ("127.0.0.1", "numeric")] {
        let said = checked(listening_on(address, ListenerOptions::DEFAULT));
        assert!(said.contains(word) && said.contains(address) && said.contains("`public`"), "{said}");
    }
    let said = checked(listening_on("127.0.0.1:0", ListenerOptions { congestion: Some("kiln"), ..ListenerOptions::DEFAULT }));
    assert!(said.contains("congestion control; it has: "), "{said}");
}

#[test]
fn check_finds_a_log_that_cannot_be_written() {
    let said = checked(Settings { error_log: Some(Value::Text("/nonexistent/error.log")), ..SETTINGS });
    assert!(said.contains("/nonexistent/error.log: its directory is not there; make it first"), "{said}");
}

#[test]
fn check_finds_damaged_regexes() {
    #[derive(Debug)]
    struct Damaged;
    impl Embedded for Damaged {
        fn is_whole(&self) -> bool {
            false
        }
    }
    assert!(checked(Settings { regexes: &[&Damaged], ..SETTINGS }).contains("1 embedded regexes are damaged"));
}

pub(super) const SETTINGS: Settings = Settings {
    listeners: &[Listener { name: "public", address: Value::Text("127.0.0.1:0"), options: ListenerOptions::DEFAULT }],
    limits: Limits { connections: 1024, ..settings::tests::SETTINGS.limits },
    ..settings::tests::SETTINGS
};
