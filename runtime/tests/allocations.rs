//! No feature that answers from memory allocates once its thread's pools are warm. The only file with unsafe code: a counting allocator.

#[path = "shared/settings.rs"]
mod settings;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fs,
    io::{Read, Write},
    net::{IpAddr, Ipv4Addr, TcpListener, TcpStream},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use runtime::{
    Answer, Capturing, Edit, EditAction, Edits, Encoding, Errors, Exchange, ForwardingFields, Late, Map, MapLookup, Methods, Networks,
    Part, Regex, Rows, Rules, Settings, Site, Step, Trust, Value, access, coders,
    cors::{self, Allowed, Origins, Policy},
    embed::{self, Tree},
    exchange::{Interim, Slot},
    files::{self, Root},
    proxy::{self, Proxy},
    redirect,
    request_body::RequestBody,
    respond, rewrite,
    serve::Server,
    split::{self, Split},
    upstream::{self, Budget, Endpoint, Pool, Upstream},
};
use semantics::{
    blob::{self, FileInput, FormInput},
    head::{Arrival, ScanLimits, Scheme, Scratch, scan, view},
    maps,
    negotiate::Coding,
    regexes,
};
use settings::SETTINGS;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promised.
        unsafe { System.realloc(pointer, layout, bytes) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Quiet;

impl Interim for Quiet {
    fn send(&self, _status: u16, _fields: &[u8]) {}
}

/// Allocations of 100 answers after ten that warm the pools. All are ready at once.
fn allocations(request: &str, handler: impl for<'a> Fn(Exchange<'a>) -> Step<'a>) -> u64 {
    let (mut table, mut scratch) = (Vec::new(), Scratch::default());
    let limits = ScanLimits { head_bytes: 32 * 1024, fields: 100 };
    let scanned = scan(request.as_bytes(), limits, &mut table).expect("a valid head").expect("a complete head");
    let arrival = Arrival::direct(IpAddr::V4(Ipv4Addr::LOCALHOST), Scheme::Http);
    let head = view(request.as_bytes(), &scanned, &table, &mut scratch, arrival).expect("a head with a normal form");
    let slot = Slot::default();
    let mut before = 0;
    for turn in 0..110 {
        if turn == 10 {
            before = ALLOCATIONS.get();
        }
        let Step::Ready(response) = handler(Exchange::new(&head, &slot, RequestBody::Empty, &Quiet)) else { panic!("not ready at once") };
        assert!(!response.head_lines().is_empty() && !response.is_streamed());
    }
    ALLOCATIONS.get() - before
}

#[test]
fn counter_counts() {
    let counted = allocations("GET / HTTP/1.1\r\nhost: a.example\r\n\r\n", |exchange| {
        drop(Box::new(std::hint::black_box(1)));
        respond::not_found(exchange)
    });
    assert_eq!(counted, 100);
}

#[test]
fn respond_allocates_nothing() {
    static ANSWER: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n", body: b"ok\n" };
    static TEMPLATE: respond::Template =
        respond::Template { status: 200, content_type: "text/plain", body: &[Part::Path, Part::QueryValue("q")] };
    let request = "GET /p/7?q=a%20b HTTP/1.1\r\nhost: a.example\r\n\r\n";
    assert_eq!(allocations(request, |exchange| respond::prebuilt(exchange, &ANSWER)), 0);
    assert_eq!(allocations(request, |exchange| respond::template(exchange, &TEMPLATE)), 0);
    assert_eq!(allocations(request, |exchange| respond::refused(exchange, 403)), 0);
    assert_eq!(allocations(request, |exchange| respond::method_not_allowed(exchange, Methods::GET_HEAD)), 0);
}

#[test]
fn redirect_allocates_nothing() {
    static TARGET: redirect::Target =
        redirect::Target { status: 308, parts: &[Part::Text("/new/"), Part::Parameter(0), Part::Text("#x")], drops_query: false };
    let request = "GET /old/a/b?q=1 HTTP/1.1\r\nhost: a.example\r\n\r\n";
    assert_eq!(allocations(request, |exchange| redirect::to(exchange, &TARGET)), 0);
}

#[test]
fn canonical_redirect_and_error_page_allocate_nothing() {
    static CANONICAL: redirect::Canonical = redirect::Canonical { host: "b.example", status: 308 };
    let request = "GET /old/a/b?q=1 HTTP/1.1\r\nhost: a.example:8080\r\n\r\n";
    assert_eq!(allocations(request, |exchange| redirect::canonical(exchange, &CANONICAL)), 0);
    assert_eq!(allocations(request, |exchange| respond::not_found(exchange.with_errors(&PAGES))), 0);
}

#[test]
fn checks_and_guards_allocate_nothing() {
    static LIST: access::List<'static> = access::List {
        rules: &[access::Rule { verdict: access::Verdict::Allow, networks: Networks { v4: &[(0x7F00_0001, 0x7F00_0001)], v6: &[(0, 7)] } }],
    };
    static SPLIT: Split = Split { by: &[Part::ClientIp, Part::Parameter(0)], salt: "s", weights: &[1, 2] };
    let rows: Vec<(String, String)> = (0..1_000).map(|row| (format!("/p/{row}"), format!("/q/{row}"))).collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let blob = maps::encode(&rows).expect("a map").leak();
    let lookup = MapLookup { from: &[Part::Path], map: Map { rows: Rows::Blob(blob), default: None } };
    let regex = Regex::new(regexes::build("/[0-9]+$").expect("a regex").leak());
    let built = regexes::build_capturing("/(?P<id>[0-9]+)$").expect("a regex");
    let capturing = Capturing::new(&built.forward, &built.reverse, "/(?P<id>[0-9]+)$");
    let counted = allocations("PUT /p/7 HTTP/1.1\r\nhost: a.example\r\norigin: https://b.example\r\n\r\n", |exchange| {
        assert!(access::allows(&exchange, &[LIST, LIST]) && !exchange.exceeds_body(1) && !cors::is_preflight(&exchange));
        assert!(exchange.matches("/{a}/*") && exchange.has_row(&lookup) && split::pick(&exchange, &SPLIT) < 2);
        assert!(exchange.matches_regex(&regex) && exchange.captures_regex(&capturing, 2));
        respond::refused(exchange, 403)
    });
    assert_eq!(counted, 0);
}

#[test]
fn embed_allocates_nothing() {
    let form = |coding| FormInput {
        coding,
        etag: "\"e\"".to_owned(),
        head: b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n".into(),
        not_modified: b"HTTP/1.1 304 \r\n".into(),
        body: vec![1],
    };
    let file = |path: &str| FileInput { path: path.to_owned(), modified: 0, forms: Coding::ALL.map(form).into() };
    let blob = blob::encode(&[vec![file("index.html"), file("docs/a b.txt")]]).leak();
    let tree: &'static Tree = Box::leak(Box::new(Tree::new(blob, 0, Rules::NEW)));
    for (target, fields) in [
        ("/", ""),
        ("/docs/a%20b.txt", "accept-encoding: gzip, br;q=0.5\r\n"),
        ("/", "if-none-match: \"e\"\r\n"),
        ("/", "range: bytes=0-0\r\nif-range: \"e\"\r\n"),
        ("/", "range: bytes=1-\r\n"),
        ("/docs?x", ""),
        ("/nope", ""),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\nhost: a.example\r\n{fields}\r\n");
        let counted = allocations(&request, |exchange| embed::file(exchange, tree, embed::At::Path));
        assert_eq!(counted, 0, "{target} {fields}");
    }
}

#[test]
fn file_of_a_root_that_is_not_kept_allocates_what_holds_it_open() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("allocations-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("a.txt"), [b'x'; 1_040]).expect("written");
    let path = directory.to_str().expect("UTF-8").to_owned();
    let root: &'static Root = Box::leak(Box::new(Root { directory: Value::Text(path.leak()), rules: Rules::NEW }));
    let counted = ["", "range: bytes=40-99\r\n"].map(|fields| {
        let request = format!("GET /a.txt HTTP/1.1\r\nhost: a.example\r\n{fields}\r\n");
        allocations(&request, |exchange| files::file(exchange, root, files::At::Path))
    });
    fs::remove_dir_all(&directory).expect("removed");
    // A thread without a clock keeps no file: text, two counts and the answer, each time. What a worker keeps costs nothing (tests/tests/gates.rs).
    assert_eq!(counted, [400, 400]);
}

/// What the worker's thread has allocated when the last request reached its handler.
static OF_WORKER: AtomicU64 = AtomicU64::new(0);

struct Counted;

impl Site for Counted {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        static SMALL: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n", body: b"ok\n" };
        static LARGE: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 32768\r\n", body: &[b'x'; 32_768] };
        OF_WORKER.store(ALLOCATIONS.get(), Ordering::Relaxed);
        let answer = if exchange.path() == "/large" { &LARGE } else { &SMALL };
        match exchange.path() {
            "/gzip" => respond::prebuilt(exchange.encoded(&GZIP), &TEXT),
            "/zstd" => respond::prebuilt(exchange.encoded(&ZSTD), &TEXT),
            "/br" => respond::prebuilt(exchange.encoded(&BROTLI), &TEXT),
            "/shared" => respond::not_found(exchange.with_errors(&PAGES).shared(&POLICY).edited(&EDITS)),
            "/rewritten" => rewrite::restart(exchange, &[Part::Text("/x")], |exchange| respond::not_found(exchange.with_errors(&PAGES))),
            path if path.starts_with("/proxied/") => proxy::forward(exchange, &PROXY),
            _ => respond::prebuilt(exchange, answer),
        }
    }
}

static TEXT: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/css\r\ncontent-length: 8192\r\netag: \"a\"\r\nvary: origin\r\n",
    body: &[b'x'; 8192],
};
static GZIP: Encoding = Encoding::new(&[coders::GZIP], 512);
static ZSTD: Encoding = Encoding::new(&[coders::ZSTD], 512);
static BROTLI: Encoding = Encoding::new(&[coders::BROTLI], 512);

static PAGES: Errors = Errors { pages: &[Answer { status: 404, head: b"HTTP/1.1 404 Not Found\r\ncontent-length: 3\r\n", body: b"no\n" }] };
static POLICY: Policy<'static> = Policy {
    origins: Origins::Listed { origins: &["https://b.example"], has_credentials: true },
    methods: Allowed::Any,
    headers: Allowed::Any,
    exposed: Allowed::Listed(&["etag", "link"]),
    max_age_s: None,
};
static EDITS: Edits<'static> =
    Edits { appended: b"x: 1\r\n", rules: &[Edit { action: EditAction::Set, name: "y", value: &[Part::Target], only: &[], except: &[] }] };

static TRUSTING: Settings = Settings {
    upstreams: &[&UPSTREAM],
    trusted_proxies: Some(&Trust { networks: Networks { v4: &[(0x7F00_0000, 0x7FFF_FFFF)], v6: &[] }, fields: ForwardingFields::Either }),
    ..SETTINGS
};

#[test]
fn connection_answers_without_allocating() {
    start_upstream();
    let server = Server::start(&Counted, &TRUSTING).expect("a server");
    // A rewrite costs the head that is matched afterwards.
    for (target, body_bytes, expected) in
        [("/", 3, 0), ("/%61//b", 3, 0), ("/large", 32_768, 0), ("/shared", 3, 0), ("/rewritten", 3, 1_000)]
    {
        let mut stream = TcpStream::connect(server.addresses()[0]).expect("a connection");
        let request =
            format!("GET {target} HTTP/1.1\r\nhost: A.Example\r\norigin: https://b.example\r\nx-forwarded-for: 192.0.2.1\r\n\r\n");
        let mut answer = vec![0; 64 * 1024];
        let mut before = 0;
        for turn in 0..1_010 {
            stream.write_all(request.as_bytes()).expect("an open connection");
            let mut bytes = 0;
            while bytes < body_bytes || !answer[..bytes - body_bytes].ends_with(b"\r\n\r\n") {
                let more = stream.read(&mut answer[bytes..]).expect("an open connection");
                assert_ne!(more, 0, "closed");
                bytes += more;
            }
            if turn == 9 {
                before = OF_WORKER.load(Ordering::Relaxed);
            }
        }
        assert_eq!(OF_WORKER.load(Ordering::Relaxed) - before, expected, "{target}");
    }
    coded_answers_allocate_what_their_coders_must(&server);
    proxied_answers_allocate_nothing(&server);
    server.drain();
}

/// Encoders that can be used again allocate nothing; that of Brotli can't be.
fn coded_answers_allocate_what_their_coders_must(server: &Server) {
    for (coding, bounds) in [("gzip", 0..=0), ("zstd", 0..=0), ("br", 100..=4_000)] {
        let mut stream = TcpStream::connect(server.addresses()[0]).expect("a connection");
        let request = format!("GET /{coding} HTTP/1.1\r\nhost: a.example\r\naccept-encoding: {coding}\r\n\r\n");
        let mut answer = vec![0; 64 * 1024];
        let mut before = 0;
        for turn in 0..110 {
            stream.write_all(request.as_bytes()).expect("an open connection");
            // So short an answer comes in one piece.
            let bytes = stream.read(&mut answer).expect("an open connection");
            let coded = format!("\r\ncontent-encoding: {coding}\r\n");
            assert!(String::from_utf8_lossy(&answer[..bytes]).contains(&coded), "{coding}");
            if turn == 9 {
                before = OF_WORKER.load(Ordering::Relaxed);
            }
        }
        let allocations = OF_WORKER.load(Ordering::Relaxed) - before;
        assert!(bounds.contains(&allocations), "{coding}: {allocations} allocations of 100 answers");
    }
}

static ENDPOINT: Late<'static> = Late::env("ENDPOINT", None);
static ENDPOINTS: [Endpoint; 1] = [Endpoint::new(Value::Late(&ENDPOINT), 1, false)];
static UPSTREAM: Upstream = Upstream {
    name: "app",
    number: 0,
    endpoints: &ENDPOINTS,
    pool: Pool {
        idle_connections: 8,
        idle_timeout: Duration::from_secs(60),
        requests_per_connection: u32::MAX,
        connection_age: Duration::from_secs(600),
    },
    eject: None,
    retry: None,
    budget: Budget::new(),
};
static PROXY: Proxy = Proxy {
    upstream: &UPSTREAM,
    policy: proxy::Policy {
        target: proxy::Target::Strip("/proxied"),
        host: proxy::HostPolicy::Endpoint,
        edits: &EDITS,
        is_raw: false,
        upgrades: &["websocket"],
    },
    upstream_edits: &EDITS,
    timeouts: upstream::Timeouts {
        connect: Duration::from_secs(10),
        first_byte: Duration::from_secs(10),
        between_bytes: Duration::from_secs(10),
        total: Some(Duration::from_secs(60)),
        tunnel_idle: Duration::from_secs(10),
    },
};

/// Answers what is asked for: as many bytes as the path says, in one piece or in chunks.
fn start_upstream() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
    ENDPOINT.set(Some(listener.local_addr().expect("an address").to_string().into_bytes())).expect("an address");
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || {
                let (mut request, mut filled) = (vec![0; 64 * 1024], 0);
                while let Ok(bytes @ 1..) = stream.read(&mut request[filled..]) {
                    filled += bytes;
                    if !request[..filled].ends_with(b"\r\n\r\n") {
                        continue;
                    }
                    let head = String::from_utf8_lossy(&request[..filled]).into_owned();
                    filled = 0;
                    let path = head.split(' ').nth(1).unwrap_or_default();
                    let (kind, bytes) = path[1..].split_once('/').expect("a kind and a length");
                    let body = vec![b'x'; bytes.parse().expect("a length")];
                    let framing = match kind {
                        "chunked" => format!("transfer-encoding: chunked\r\n\r\n{:x}\r\n", body.len()),
                        _ => format!("content-length: {}\r\n\r\n", body.len()),
                    };
                    let end: &[u8] = if kind == "chunked" { b"\r\n0\r\n\r\n" } else { b"" };
                    let answer = [format!("HTTP/1.1 200 OK\r\nserver: x\r\n{framing}").as_bytes(), &body, end].concat();
                    if stream.write_all(&answer).is_err() {
                        return;
                    }
                }
            });
        }
    });
}

/// The connection to the upstream is kept, and all memory is of the thread's pools.
fn proxied_answers_allocate_nothing(server: &Server) {
    for (target, body_bytes) in [("length/1040", 1040), ("length/65536", 65_536), ("length/1000000", 1_000_000), ("chunked/1040", 1040)] {
        let mut stream = TcpStream::connect(server.addresses()[0]).expect("a connection");
        let request = format!("GET /proxied/{target} HTTP/1.1\r\nhost: a.example\r\n\r\n");
        let mut answer = vec![0; 2 * 1024 * 1024];
        let mut before = 0;
        for turn in 0..210 {
            stream.write_all(request.as_bytes()).expect("an open connection");
            let mut bytes = 0;
            while bytes < body_bytes || !answer[..bytes - body_bytes].ends_with(b"\r\n\r\n") {
                let more = stream.read(&mut answer[bytes..]).expect("an open connection");
                assert_ne!(more, 0, "closed");
                bytes += more;
            }
            assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"), "{target}");
            if turn == 9 {
                before = OF_WORKER.load(Ordering::Relaxed);
            }
        }
        assert_eq!(OF_WORKER.load(Ordering::Relaxed) - before, 0, "{target}");
    }
}
