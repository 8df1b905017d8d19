//! Bodies that are read while they are sent: whole, in order, and in the connection's framing.

use std::{
    fs,
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    path::Path,
    time::Duration,
};

use runtime::{
    Delivery, Exchange, Limits, Listener, ListenerOptions, Manifest, Rules, Settings, Site, Step, Timeouts, Value, Workers,
    files::{self, Root},
    serve::Server,
};

/// Bytes of the long file: no multiple of any buffer.
const LONG_BYTES: usize = 3_000_001;

static SETTINGS: Settings = Settings {
    listeners: &[Listener { name: "test", address: Value::Text("127.0.0.1:0"), options: ListenerOptions::DEFAULT }],
    workers: Workers::Count(1),
    limits: Limits {
        connections: 10,
        connections_per_client: None,
        requests: 65_536,
        memory_bytes: None,
        head_bytes: 32 * 1024,
        fields: 100,
        body_bytes: 1024,
    },
    timeouts: Timeouts {
        head: Duration::from_secs(10),
        body: Duration::from_secs(10),
        idle: Duration::from_secs(10),
        write: Duration::from_secs(10),
        drain: Duration::from_secs(10),
    },
    delivery: Delivery::Bytes(64 * 1024),
    manifest: Manifest { site: "test", lines: b"" },
    errors: None,
    trusted_proxies: None,
    late: &[],
    regexes: &[],
    access_log: None,
    error_log: None,
    places: "",
};

struct FromRoot(&'static Root);

impl Site for FromRoot {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        files::file(exchange, self.0, files::At::Path)
    }
}

#[test]
fn long_file_arrives_whole_between_other_answers() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("streamed-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let long: Vec<u8> = (0..LONG_BYTES).map(|index| (index % 251) as u8).collect();
    fs::write(directory.join("long.bin"), &long).unwrap();
    fs::write(directory.join("short.txt"), "short").unwrap();
    let path = directory.to_str().unwrap().to_owned();
    let root: &'static Root = Box::leak(Box::new(Root { directory: Value::Text(path.leak()), rules: Rules::NEW }));
    let site: &'static FromRoot = Box::leak(Box::new(FromRoot(root)));
    let server = Server::start(site, &SETTINGS).unwrap();

    let mut stream = TcpStream::connect(server.addresses()[0]).unwrap();
    for (method, target) in
        [("GET", "/short.txt"), ("GET", "/long.bin"), ("HEAD", "/long.bin"), ("GET", "/long.bin"), ("GET", "/short.txt")]
    {
        write!(stream, "{method} {target} HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    }
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).unwrap();
    let mut rest = &*answers;
    for body in [&b"short"[..], &long, b"", &long, b"short"] {
        let head = rest.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
        assert!(rest.starts_with(b"HTTP/1.1 200 OK\r\n"));
        rest = rest[head..].strip_prefix(body).unwrap();
    }
    assert!(rest.is_empty());
    server.drain();
    fs::remove_dir_all(&directory).unwrap();
}
