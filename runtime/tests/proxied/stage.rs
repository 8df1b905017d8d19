//! A server that proxies everything, upstreams that do what a test says, and clients that read answers.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use runtime::{
    Edits, Exchange, Limits, Settings, Site, Step, Timeouts, Value, Workers,
    proxy::{self, HostPolicy, Intercept, Policy, Proxy, Target},
    serve::Server,
    upstream::{self, Budget, Eject, Endpoint, Pool, Retry, Upstream},
};

use crate::settings::SETTINGS;

/// How long a test waits for what must come.
pub(crate) const WAIT: Duration = Duration::from_secs(20);

/// What a test changes of a proxy.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) pool: Pool,
    pub(crate) timeouts: upstream::Timeouts,
    pub(crate) eject: Option<Eject>,
    pub(crate) retry: Option<Retry>,
    pub(crate) policy: Policy<'static>,
    pub(crate) body_bytes: u64,
    pub(crate) intercepts: &'static [Intercept],
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            pool: Pool { idle_connections: 8, idle_timeout: WAIT, requests_per_connection: 1000, connection_age: 10 * WAIT },
            timeouts: upstream::Timeouts { connect: WAIT, first_byte: WAIT, between_bytes: WAIT, total: None, tunnel_idle: WAIT },
            eject: None,
            retry: None,
            policy: Policy { target: Target::Same, host: HostPolicy::Preserve, edits: &Edits::NONE, is_raw: false, upgrades: &[] },
            body_bytes: 1 << 30,
            intercepts: &[],
        }
    }
}

struct Everything(&'static Proxy, &'static [Intercept]);

impl Site for Everything {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        proxy::intercepted(exchange, self.0, self.1)
    }
}

/// A server before endpoints. Its end is that of all connections to them, and fails where one of the upstreams has.
pub(crate) struct Stage {
    /// There until the drop.
    server: Option<Server>,
    pub(crate) endpoints: &'static [Endpoint],
}

/// The connections of one upstream.
#[derive(Debug, Default)]
struct Play {
    open: AtomicU64,
    panics: AtomicU64,
}

/// By address.
static PLAYS: Mutex<BTreeMap<String, Arc<Play>>> = Mutex::new(BTreeMap::new());

impl Play {
    fn of(address: &str) -> Arc<Self> {
        Arc::clone(PLAYS.lock().expect("no panic").entry(address.to_owned()).or_default())
    }
}

impl Stage {
    /// Before these endpoints; `backup` in front of one says that it is one.
    pub(crate) fn new(addresses: &[String], wanted: Wanted) -> Self {
        let endpoints: Vec<Endpoint> = addresses.iter().map(|address| endpoint(address)).collect();
        Self::of(endpoints, wanted, 1)
    }

    pub(crate) fn of(endpoints: Vec<Endpoint>, wanted: Wanted, workers: u16) -> Self {
        let Wanted { pool, timeouts, eject, retry, policy, body_bytes, intercepts } = wanted;
        let endpoints: &'static [Endpoint] = endpoints.leak();
        let upstream: &'static Upstream = leak(Upstream { name: "app", number: 0, endpoints, pool, eject, retry, budget: Budget::new() });
        let proxy = leak(Proxy { upstream, policy, upstream_edits: &Edits::NONE, timeouts });
        let upstreams: &'static [&'static Upstream] = vec![upstream].leak();
        let limits = Limits { connections: 1000, body_bytes, ..SETTINGS.limits };
        let timeouts = Timeouts { head: WAIT, body: WAIT, idle: WAIT, write: WAIT, drain: WAIT };
        let settings = leak(Settings { upstreams, workers: Workers::Count(workers), limits, timeouts, ..SETTINGS });
        let server = Server::start(leak(Everything(proxy, intercepts)), settings).expect("a server");
        Self { server: Some(server), endpoints }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.as_ref().expect("a server").addresses()[0]
    }

    pub(crate) fn connect(&self) -> TcpStream {
        connect(self.address())
    }

    /// The answer to a request on a connection of its own.
    pub(crate) fn ask(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        ask(&mut stream, request)
    }

    /// Exchanges that hold an endpoint.
    pub(crate) fn active(&self) -> u32 {
        self.endpoints.iter().map(|endpoint| endpoint.counts().active.load(Ordering::Relaxed)).sum()
    }

    pub(crate) fn connects(&self) -> u64 {
        self.endpoints.iter().map(|endpoint| endpoint.counts().connects.load(Ordering::Relaxed)).sum()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        // An upstream that asserts behind its answer does so when its connection ends.
        self.server.take().expect("a server").drain();
        for endpoint in self.endpoints {
            let play = Play::of(endpoint.address());
            until("the upstream's connections have ended", || play.open.load(Ordering::Acquire) == 0);
            assert_eq!(play.panics.load(Ordering::Acquire), 0, "an upstream has seen something else than it should");
        }
    }
}

/// A connection that waits no longer than a test does.
pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(WAIT)).expect("a socket");
    stream
}

pub(crate) fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// One endpoint.
pub(crate) fn endpoint(address: &str) -> Endpoint {
    let (address, is_backup) = match address.strip_prefix("backup ") {
        Some(address) => (address, true),
        None => (address, false),
    };
    Endpoint::new(Value::Text(address.to_owned().leak()), 1, is_backup)
}

/// An upstream whose connections are served each by a thread of its own, as `serve` says, which gets the connection's number.
pub(crate) fn upstream(serve: impl Fn(&mut TcpStream, u64) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let address = listener.local_addr().expect("an address").to_string();
    let (serve, number, play) = (Arc::new(serve), AtomicU64::new(0), Play::of(&address));
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (serve, number, play) = (Arc::clone(&serve), number.fetch_add(1, Ordering::Relaxed), Arc::clone(&play));
            play.open.fetch_add(1, Ordering::Release);
            thread::spawn(move || {
                let mut stream = stream;
                stream.set_read_timeout(Some(WAIT)).expect("a socket");
                let served = catch_unwind(AssertUnwindSafe(|| serve(&mut stream, number)));
                play.panics.fetch_add(served.is_err().into(), Ordering::Release);
                drop(stream);
                play.open.fetch_sub(1, Ordering::Release);
            });
        }
    });
    address
}

/// An upstream that answers each request, which it reads as a head without a body, with these bytes.
pub(crate) fn answering(answer: &'static [u8]) -> String {
    upstream(move |stream, _| {
        while read_head(stream).is_some() {
            if stream.write_all(answer).is_err() {
                return;
            }
        }
    })
}

/// A head, byte by byte, so that nothing behind it is taken; `None`: the end came first.
pub(crate) fn read_head(stream: &mut impl Read) -> Option<String> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return None,
        }
    }
    Some(String::from_utf8(head).expect("ASCII"))
}

/// What a client has got.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// The body came to the end that its framing says.
    pub(crate) is_complete: bool,
}

impl Answer {
    pub(crate) fn status(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("UTF-8")
    }

    /// The value of a field, by its lower-case name.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        field(&self.head, name)
    }
}

pub(crate) fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().skip(1).find_map(|line| {
        let (found, value) = line.split_once(": ")?;
        found.eq_ignore_ascii_case(name).then_some(value)
    })
}

/// Asks, and reads the answer.
#[track_caller]
pub(crate) fn ask(stream: &mut TcpStream, request: &str) -> Answer {
    stream.write_all(request.as_bytes()).expect("an open connection");
    read_answer(stream, request.starts_with("HEAD "))
}

/// Reads an answer as its framing says.
#[track_caller]
pub(crate) fn read_answer(stream: &mut impl Read, is_head: bool) -> Answer {
    let head = read_head(stream).expect("an answer");
    let status: u16 = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let (body, is_complete) = if is_head || status == 204 || status == 304 || status < 200 {
        (Vec::new(), true)
    } else if field(&head, "content-length").is_some() || field(&head, "transfer-encoding").is_some() {
        read_body(stream, &head)
    } else {
        let mut body = Vec::new();
        let is_complete = stream.read_to_end(&mut body).is_ok();
        (body, is_complete)
    };
    Answer { head, body, is_complete }
}

/// A body that is framed by length, chunked, or there is none.
pub(crate) fn read_body(stream: &mut impl Read, head: &str) -> (Vec<u8>, bool) {
    if field(head, "transfer-encoding") == Some("chunked") {
        return read_chunked(stream);
    }
    let length = field(head, "content-length").map_or(0, |length| length.parse::<usize>().expect("a length"));
    let mut body = Vec::new();
    let read = stream.take(length as u64).read_to_end(&mut body);
    let is_complete = read.is_ok() && body.len() == length;
    (body, is_complete)
}

/// A chunked body, trailers dropped.
fn read_chunked(stream: &mut impl Read) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(line) = read_line(stream) else { return (body, false) };
        let size = usize::from_str_radix(line.trim_end(), 16).expect("a size");
        if size == 0 {
            while let Some(line) = read_line(stream) {
                if line == "\r\n" {
                    return (body, true);
                }
            }
            return (body, false);
        }
        let before = body.len();
        if stream.take(size as u64).read_to_end(&mut body).is_err() || body.len() != before + size {
            return (body, false);
        }
        if read_line(stream).as_deref() != Some("\r\n") {
            return (body, false);
        }
    }
}

pub(crate) fn read_line(stream: &mut impl Read) -> Option<String> {
    let (mut line, mut byte) = (Vec::new(), [0]);
    while !line.ends_with(b"\n") {
        match stream.read(&mut byte) {
            Ok(1) => line.push(byte[0]),
            _ => return None,
        }
    }
    String::from_utf8(line).ok()
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < WAIT, "{what}: not within {WAIT:?}");
        thread::yield_now();
    }
}

/// An address where nobody listens.
pub(crate) fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    let address: SocketAddr = listener.local_addr().expect("an address");
    drop(listener);
    address.to_string()
}
