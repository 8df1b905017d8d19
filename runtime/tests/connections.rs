//! Connections of a server in this process: how workers share them, what is refused at a limit, and that every place comes back.

#[path = "shared/settings.rs"]
mod settings;

use std::{
    fs,
    io::{Read, Write},
    net::{IpAddr, SocketAddr, TcpStream},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use runtime::{
    AccessLog, Answer, Exchange, ForwardingFields, Limits, Listener, ListenerOptions, Networks, Settings, Site, Step, Timeouts, Trust,
    Value, Workers, log,
    response::Response,
    serve::{Counters, Server},
};
use settings::SETTINGS;
use socket2::{Domain, Socket, Type};

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: a\r\n\r\n";
/// How long a test waits for what must come.
const WAIT: Duration = Duration::from_secs(30);

struct Small;

impl Site for Small {
    fn handle<'a>(&'a self, _exchange: Exchange<'a>) -> Step<'a> {
        Step::Ready(Response::Prebuilt(HELLO))
    }
}

static HELLO: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n", body: b"hello" };

/// 127.0.0.3 is a proxy that is trusted.
static TRUST: Trust<'static> =
    Trust { networks: Networks { v4: &[(0x7f00_0003, 0x7f00_0003)], v6: &[] }, fields: ForwardingFields::Either };

const fn settings(workers: u16, connections: u32) -> Settings {
    Settings {
        workers: Workers::Count(workers),
        limits: Limits { connections, ..SETTINGS.limits },
        timeouts: Timeouts { head: WAIT, body: WAIT, idle: WAIT, write: WAIT, ..SETTINGS.timeouts },
        trusted_proxies: Some(&TRUST),
        ..SETTINGS
    }
}

fn start(settings: &'static Settings) -> (Server, SocketAddr) {
    let server = Server::start(&Small, settings).expect("a server");
    let address = server.addresses()[0];
    (server, address)
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(WAIT)).expect("a socket");
    stream
}

/// A connection from an address of this machine.
fn connect_from(from: [u8; 4], address: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.bind(&SocketAddr::new(IpAddr::from(from), 0).into()).expect("an address of this machine");
    socket.connect(&address.into()).expect("a connection");
    socket.set_read_timeout(Some(WAIT)).expect("a socket");
    socket.into()
}

/// Asks, and gives the answer's status.
fn ask(stream: &mut (impl Read + Write)) -> String {
    // It may have been refused and closed already.
    drop(stream.write_all(GET));
    status(stream)
}

/// The status of the answer that comes; empty where the connection ends without one. Reads a `hello` to its end.
fn status(stream: &mut impl Read) -> String {
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(b"hello") && matches!(stream.read(&mut byte), Ok(1)) {
        seen.push(byte[0]);
    }
    String::from_utf8_lossy(&seen).split(' ').nth(1).unwrap_or_default().to_owned()
}

fn sum(server: &Server, of: impl Fn(&Counters) -> &AtomicU64) -> u64 {
    server.counters().map(|counters| of(counters).load(Ordering::Relaxed)).sum()
}

/// Waits until something is so.
#[track_caller]
fn until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < WAIT, "{what}: not within {WAIT:?}");
        thread::yield_now();
    }
}

#[test]
fn limit_of_the_process_is_one_whichever_worker_accepts() {
    static FOUR: Settings = settings(4, 64);
    let (server, address) = start(&FOUR);
    let mut held: Vec<_> = (0..64).map(|_| connect(address)).collect();
    for stream in &mut held {
        assert_eq!(ask(stream), "200");
    }
    assert_eq!(server.connections(), [16; 4]);
    assert_eq!(ask(&mut connect(address)), "503");
    assert_eq!(sum(&server, |counters| &counters.refused), 1);
    drop(held);
    until("all places are free", || server.connections() == [0; 4]);
    assert_eq!(ask(&mut connect(address)), "200");
    server.drain();
}

#[test]
fn many_connections_are_spread_within_bounds() {
    static FOUR: Settings = settings(4, 10_000);
    let (server, address) = start(&FOUR);
    let mut held: Vec<_> = (0..400).map(|_| connect(address)).collect();
    for stream in &mut held {
        assert_eq!(ask(stream), "200");
    }
    let most = server.connections().into_iter().max();
    assert!(most <= Some(100 * 5 / 4 + 8 + 1), "{:?}", server.connections());
    // Who has room is who serves: nobody kept what was meant for another.
    let served: Vec<_> = server.counters().map(|counters| counters.accepted.load(Ordering::Relaxed)).collect();
    assert_eq!(served, server.connections().iter().map(|&open| u64::from(open)).collect::<Vec<_>>());
    server.drain();
}

#[test]
fn wave_of_connections_gives_every_place_back() {
    static TWO: Settings = settings(2, 6_000);
    let (server, address) = start(&TWO);
    let mut held: Vec<_> = (0..5_000).map(|_| connect(address)).collect();
    for stream in &mut held {
        assert_eq!(ask(stream), "200");
    }
    assert_eq!(server.connections().iter().sum::<u32>(), 5_000);
    drop(held);
    until("all places are free", || server.connections() == [0; 2]);
    let counts = [sum(&server, |counters| &counters.accepted), sum(&server, |counters| &counters.refused)];
    assert_eq!(counts, [5_000, 0]);
    server.drain();
}

#[test]
fn client_at_its_limit_is_told_so_and_others_are_not() {
    static LIMITED: Settings =
        Settings { limits: Limits { connections_per_client: Some(2), ..settings(2, 100).limits }, ..settings(2, 100) };
    let (server, address) = start(&LIMITED);
    let mut held = [connect(address), connect(address)];
    for stream in &mut held {
        assert_eq!(ask(stream), "200");
    }
    let mut third = connect(address);
    assert_eq!(ask(&mut third), "429");
    assert_eq!(ask(&mut connect_from([127, 0, 0, 2], address)), "200");
    let mut proxied: Vec<_> = (0..10).map(|_| connect_from([127, 0, 0, 3], address)).collect();
    assert!(proxied.iter_mut().all(|stream| ask(stream) == "200"));
    assert_eq!([sum(&server, |counters| &counters.refused_clients), sum(&server, |counters| &counters.refused)], [1, 0]);
    drop((held, third, proxied));
    until("all places are free", || server.connections() == [0; 2]);
    assert_eq!(ask(&mut connect(address)), "200");
    server.drain();
}

#[test]
fn connection_turned_away_is_logged_also_where_no_other_is_open() {
    let path = std::env::temp_dir().join(format!("kiln-turned-away-{}", std::process::id()));
    let file = Value::Text(path.display().to_string().leak());
    let format = log::Format { parts: log::COMMON, quoting: log::Quoting::Text, redacted: log::REDACTED };
    let access_log: &AccessLog = Box::leak(Box::new(AccessLog { file, format }));
    let nobody = Limits { connections_per_client: Some(0), ..settings(1, 10).limits };
    let settings = Box::leak(Box::new(Settings { limits: nobody, access_log: Some(access_log), ..settings(1, 10) }));
    let (server, address) = start(settings);
    assert_eq!(ask(&mut connect(address)), "429");
    until("its line is written", || fs::read_to_string(&path).is_ok_and(|lines| lines.contains("429")));
    server.drain();
    fs::remove_file(path).unwrap();
}

#[test]
fn connections_turned_away_are_bounded_in_number_and_time() {
    static ONE: Settings = settings(1, 1);
    let (server, address) = start(&ONE);
    let mut held = connect(address);
    assert_eq!(ask(&mut held), "200");
    let begin = Instant::now();
    // None of them closes: each is held for as long as it may be.
    let mut over: Vec<_> = (0..80).map(|_| connect(address)).collect();
    let statuses: Vec<_> = over.iter_mut().map(status).collect();
    assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
    let told = statuses.iter().filter(|&status| status == "503").count() as u64;
    let silent = statuses.iter().filter(|status| status.is_empty()).count() as u64;
    assert_eq!(told + silent, 80);
    assert!(told >= 64, "{told}");
    assert_eq!([sum(&server, |counters| &counters.refused), sum(&server, |counters| &counters.closed_without_a_word)], [80, silent]);
    assert_eq!(ask(&mut held), "200");
    server.drain();
}

fn socket_path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("kiln-connections-{name}-{}", std::process::id()))
}

/// A server on a Unix socket, with a second listener for TCP.
fn start_unix(name: &str, workers: u16) -> (Server, PathBuf) {
    let path = socket_path(name);
    let address = format!("unix:{}", path.display()).leak();
    let options = ListenerOptions { mode: 0o600, ..ListenerOptions::DEFAULT };
    let listeners =
        [("local", &*address), ("public", "127.0.0.1:0")].map(|(name, address)| Listener { name, address: Value::Text(address), options });
    let settings = Box::leak(Box::new(Settings { listeners: Box::leak(Box::new(listeners)), ..settings(workers, 1_000) }));
    (Server::start(&Small, settings).expect("a server"), path)
}

fn connect_unix(path: &PathBuf) -> UnixStream {
    let stream = UnixStream::connect(path).expect("a connection");
    stream.set_read_timeout(Some(WAIT)).expect("a socket");
    stream
}

#[test]
fn unix_socket_is_served_by_all_workers_and_gone_after_the_drain() {
    let (server, path) = start_unix("all", 4);
    assert_eq!(fs::metadata(&path).expect("a socket").permissions().mode() & 0o777, 0o600);
    let mut held: Vec<_> = (0..40).map(|_| connect_unix(&path)).collect();
    for stream in &mut held {
        // The second finds the connection where the first has left it: also the way that reads at once.
        assert_eq!([ask(stream), ask(stream)], ["200", "200"]);
    }
    assert_eq!(server.connections(), [10; 4]);
    assert_eq!(ask(&mut connect(server.addresses()[0])), "200");
    server.drain();
    assert!(!path.exists());
}

#[test]
fn drain_answers_what_is_queued_on_a_unix_socket() {
    let (server, path) = start_unix("drain", 2);
    let mut queued: Vec<_> = (0..50).map(|_| connect_unix(&path)).collect();
    for stream in &mut queued {
        stream.write_all(GET).unwrap();
    }
    let draining = thread::spawn(move || server.drain());
    for stream in &mut queued {
        assert_eq!(status(stream), "200");
    }
    draining.join().unwrap();
    assert!(!path.exists());
}

#[test]
fn one_worker_serves_a_unix_socket_alone() {
    let (server, path) = start_unix("one", 1);
    assert_eq!(ask(&mut connect_unix(&path)), "200");
    server.drain();
}

#[test]
fn start_that_fails_leaves_no_socket_file() {
    let (server, path) = start_unix("taken", 1);
    let taken = server.addresses()[0].to_string().leak();
    let other = socket_path("failed");
    let address = format!("unix:{}", other.display()).leak();
    let listeners =
        [&*address, &*taken].map(|address| Listener { name: "public", address: Value::Text(address), options: ListenerOptions::DEFAULT });
    let settings = Box::leak(Box::new(Settings { listeners: Box::leak(Box::new(listeners)), ..settings(1, 10) }));
    assert!(Server::start(&Small, settings).is_err());
    assert!(path.exists() && !other.exists());
    server.drain();
}
