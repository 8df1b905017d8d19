//! Bodies that are read while they are sent: whole, in order, and in the connection's framing.

#[path = "shared/settings.rs"]
mod settings;

use std::{
    fs,
    io::{Read, Write},
    net::{Shutdown, TcpStream},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    fs::{Advice, fadvise},
};

use runtime::{
    Exchange, Listener, ListenerOptions, Rules, Settings, Site, Step, Timeouts, Value,
    files::{self, Root},
    serve::Server,
};
use settings::SETTINGS;

/// Bytes of the long file: no multiple of any buffer.
const LONG_BYTES: usize = 3_000_001;
/// And of one that is more than sockets hold on both sides.
const HUGE_BYTES: u64 = 64 * 1024 * 1024;

static PLAIN: Settings = SETTINGS;

struct FromRoot(&'static Root);

impl Site for FromRoot {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        files::file(exchange, self.0, files::At::Path)
    }
}

/// A server over a directory of its own, removed at the end.
struct Place {
    directory: PathBuf,
    server: Server,
}

impl Place {
    fn new(name: &str, settings: &'static Settings) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("streamed-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).expect("a directory");
        let path = directory.to_str().expect("UTF-8").to_owned();
        let root: &'static Root = Box::leak(Box::new(Root { directory: Value::Text(path.leak()), rules: Rules::NEW }));
        let site: &'static FromRoot = Box::leak(Box::new(FromRoot(root)));
        Self { directory, server: Server::start(site, settings).expect("a server") }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.server.addresses()[0]).expect("a connection")
    }

    /// A file that no buffer of any socket holds, of bytes that nobody wrote.
    fn write_huge(&self) -> PathBuf {
        let path = self.directory.join("huge.bin");
        fs::File::create(&path).and_then(|file| file.set_len(HUGE_BYTES)).expect("a file");
        path
    }

    fn end(self) {
        self.server.drain();
        fs::remove_dir_all(&self.directory).expect("removed");
    }
}

fn ask(mut stream: impl Write, target: &str) {
    write!(stream, "GET {target} HTTP/1.1\r\nhost: a\r\n\r\n").expect("an open connection");
}

/// Reads the head of a 200, and with it some of the body.
fn begin(mut stream: impl Read) -> Vec<u8> {
    let mut bytes = vec![0; 64 * 1024];
    let mut filled = 0;
    loop {
        filled += stream.read(&mut bytes[filled..]).expect("an open connection");
        if let Some(head) = bytes[..filled].windows(4).position(|end| end == b"\r\n\r\n") {
            assert!(bytes.starts_with(b"HTTP/1.1 200 OK\r\n"));
            return bytes[head + 4..filled].to_vec();
        }
    }
}

/// Reads until the other end closes or breaks off; the bytes in all, and the last of them.
fn rest(mut stream: impl Read, mut begun: Vec<u8>) -> (u64, Vec<u8>) {
    let (mut bytes, mut piece) = (begun.len() as u64, vec![0; 64 * 1024]);
    while let Ok(more @ 1..) = stream.read(&mut piece) {
        bytes += more as u64;
        begun = piece[..more].to_vec();
    }
    (bytes, begun)
}

#[test]
fn long_file_arrives_whole_between_other_answers() {
    let place = Place::new("long", &PLAIN);
    let long: Vec<u8> = (0..LONG_BYTES).map(|index| (index % 251) as u8).collect();
    fs::write(place.directory.join("long.bin"), &long).unwrap();
    fs::write(place.directory.join("short.txt"), "short").unwrap();
    let mut stream = place.connect();
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
    place.end();
}

#[test]
fn long_file_that_is_on_the_disk_only_arrives_whole() {
    let place = Place::new("cold", &PLAIN);
    let long: Vec<u8> = (0..LONG_BYTES).map(|index| (index % 251) as u8).collect();
    fs::write(place.directory.join("long.bin"), &long).unwrap();
    let file = fs::File::open(place.directory.join("long.bin")).unwrap();
    file.sync_all().unwrap();
    let mut stream = place.connect();
    for connection in ["keep-alive", "close"] {
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
        write!(stream, "GET /long.bin HTTP/1.1\r\nhost: a\r\nconnection: {connection}\r\n\r\n").unwrap();
    }
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).unwrap();
    assert!(answers.ends_with(&long));
    assert_eq!(answers.windows(19).filter(|bytes| bytes == b"\r\naccept-ranges: by").count(), 2);
    assert!(answers.len() > 2 * LONG_BYTES);
    place.end();
}

#[test]
fn part_of_a_long_file_is_exactly_that_part() {
    let place = Place::new("part", &PLAIN);
    let long: Vec<u8> = (0..LONG_BYTES).map(|index| (index % 251) as u8).collect();
    fs::write(place.directory.join("long.bin"), &long).unwrap();
    let mut stream = place.connect();
    write!(stream, "GET /long.bin HTTP/1.1\r\nhost: a\r\nrange: bytes=1000001-2500000\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 206 Partial Content\r\n") && answer.ends_with(&long[1_000_001..=2_500_000]));
    let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
    assert_eq!(answer.len() - head, 1_500_000);
    place.end();
}

#[test]
fn long_file_arrives_whole_by_a_unix_socket() {
    let path = std::env::temp_dir().join(format!("kiln-streamed-{}.sock", std::process::id()));
    let address = format!("unix:{}", path.display()).leak();
    let listener = Listener { name: "test", address: Value::Text(address), options: ListenerOptions::DEFAULT };
    let settings = Box::leak(Box::new(Settings { listeners: Box::leak(Box::new([listener])), ..SETTINGS }));
    let place = Place::new("unix", settings);
    let long: Vec<u8> = (0..LONG_BYTES).map(|index| (index % 251) as u8).collect();
    fs::write(place.directory.join("long.bin"), &long).unwrap();
    let mut stream = UnixStream::connect(&path).unwrap();
    ask(&stream, "/long.bin");
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert!(answer.ends_with(&long));
    place.end();
}

#[test]
fn file_that_shrinks_while_it_is_sent_ends_the_connection_and_nothing_is_padded() {
    const LEFT: u64 = HUGE_BYTES / 2;
    let place = Place::new("shrinks", &PLAIN);
    let path = place.write_huge();
    let stream = place.connect();
    ask(&stream, "/huge.bin");
    let begun = begin(&stream);
    fs::File::options().write(true).open(path).unwrap().set_len(LEFT).unwrap();
    let (bytes, _) = rest(&stream, begun);
    assert_eq!(bytes, LEFT);
    place.end();
}

#[test]
fn file_that_grows_or_vanishes_while_it_is_sent_is_sent_as_promised() {
    let place = Place::new("grows", &PLAIN);
    let path = place.write_huge();
    let stream = place.connect();
    ask(&stream, "/huge.bin");
    let begun = begin(&stream);
    let mut file = fs::File::options().append(true).open(&path).unwrap();
    file.write_all(&[b'y'; 1_000_000]).unwrap();
    fs::remove_file(&path).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let (bytes, last) = rest(&stream, begun);
    assert_eq!((bytes, last.contains(&b'y')), (HUGE_BYTES, false));
    place.end();
}

#[test]
fn client_that_takes_nothing_of_a_file_is_dropped_and_others_are_answered_meanwhile() {
    static QUICK: Settings = Settings { timeouts: Timeouts { write: Duration::from_millis(500), ..SETTINGS.timeouts }, ..SETTINGS };
    let place = Place::new("slow", &QUICK);
    place.write_huge();
    fs::write(place.directory.join("short.txt"), "short").unwrap();
    let slow = place.connect();
    ask(&slow, "/huge.bin");
    let other = place.connect();
    ask(&other, "/short.txt");
    assert_eq!(begin(&other), b"short");
    let begun = begin(&slow);
    // The end is a reset, which is told whatever lies in front of it.
    let mut ends = [PollFd::new(&slow, PollFlags::empty())];
    assert_eq!(poll(&mut ends, Some(&rustix::event::Timespec { tv_sec: 30, tv_nsec: 0 })), Ok(1));
    assert!(rest(&slow, begun).0 < HUGE_BYTES);
    place.end();
}
