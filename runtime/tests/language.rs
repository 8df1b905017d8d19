//! A small site as kiln writes them, over real sockets: what only engine and features together can show.

#[path = "shared/settings.rs"]
mod settings;

use std::{
    fs,
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    path::Path,
};

use runtime::{
    Answer, Edit, EditAction, Edits, Errors, Exchange, ForwardingFields, Late, Listener, ListenerOptions, Method, Methods, Networks, Part,
    Regex, Settings, Site, Step, Trust, Value,
    cors::{self, Allowed, Origins, Policy},
    guard, respond, rewrite,
    serve::{Server, StartFault},
};
use settings::SETTINGS;

static HELLO: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n", body: b"hello" };
static SECOND: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n", body: b"second" };

const fn page(status: u16, head: &'static [u8], body: &'static [u8]) -> Answer {
    Answer { status, head, body }
}

static OF_SITE: Errors = Errors { pages: &[page(400, b"HTTP/1.1 400 Bad Request\r\ncontent-length: 8\r\n", b"site 400")] };
static OF_VHOST: Errors = Errors {
    pages: &[
        page(400, b"HTTP/1.1 400 Bad Request\r\ncontent-length: 9\r\n", b"vhost 400"),
        page(404, b"HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n", b"vhost 404"),
        page(413, b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 9\r\n", b"vhost 413"),
        page(500, b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 9\r\n", b"vhost 500"),
    ],
};

static SHARED: Policy<'static> = Policy {
    origins: Origins::Listed { origins: &["https://b.example"], has_credentials: false },
    methods: Allowed::Listed(&["PUT"]),
    headers: Allowed::Listed(&[]),
    exposed: Allowed::Listed(&["etag"]),
    max_age_s: None,
};
const PUT: Methods = Methods::of(&[Method::PUT]);

const fn set(name: &'static str, value: &'static [Part<'static>]) -> Edit<'static> {
    Edit { action: EditAction::Set, name, value, only: &[], except: &[] }
}

static OF_ROUTE: Edits<'static> = Edits {
    appended: b"x-last: 1\r\n",
    rules: &[
        set("access-control-expose-headers", &[Part::Text("link")]),
        set("x-path", &[Part::Target]),
        set("x-slug", &[Part::Parameter(0)]),
        set("x-key", &[Part::Late(&KEY)]),
    ],
};
static PLAIN: Edits<'static> = Edits { appended: b"x-last: 1\r\n", rules: &[] };
static KEY: Late<'static> = Late::env("CARGO_PKG_NAME", None);
static SEEN: respond::Template =
    respond::Template { status: 200, content_type: "", body: &[Part::ClientIp, Part::Text(" "), Part::Scheme] };
static POSTS: [Part<'static>; 2] = [Part::Text("/posts/"), Part::Parameter(0)];

struct Whole;

impl Site for Whole {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        vhost(exchange)
    }
}

fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.with_errors(&OF_VHOST).edited(&PLAIN);
    match exchange.path() {
        "/listener" => {
            let answer = [&HELLO, &SECOND][exchange.listener()];
            return respond::prebuilt(exchange, answer);
        }
        "/client" => return respond::template(exchange, &SEEN),
        "/panic" => panic!("a handler panics"),
        "/limited" if exchange.exceeds_body(4) => return respond::refused(exchange, 413),
        "/limited" => return respond::prebuilt(exchange, &HELLO),
        "/shared" if exchange.is(PUT) || cors::asks_for(&exchange, PUT) => {
            let exchange = exchange.edited(&PLAIN).shared(&SHARED);
            if cors::is_preflight(&exchange) {
                return cors::preflight(exchange, &SHARED);
            }
            return respond::not_found(exchange);
        }
        "/edited" => return respond::prebuilt(exchange.edited(&OF_ROUTE).shared(&SHARED), &HELLO),
        "/secret" if !guard::header_late(exchange.head(), "x-key", &[Value::Late(&KEY)]) => return respond::refused(exchange, 403),
        "/secret" => return respond::prebuilt(exchange, &HELLO),
        _ => {}
    }
    if exchange.matches("/blog/{slug}") {
        return rewrite::restart(exchange.edited(&PLAIN).shared(&SHARED), &POSTS, vhost);
    }
    if exchange.matches("/posts/{slug}") {
        return respond::not_found(exchange.edited(&OF_ROUTE));
    }
    respond::not_found(exchange)
}

const ANY: Value<'static> = Value::Text("127.0.0.1:0");
static PROXIES: Trust<'static> =
    Trust { networks: Networks { v4: &[(0x7F00_0000, 0x7FFF_FFFF)], v6: &[] }, fields: ForwardingFields::Either };
const WHOLE: Settings = Settings {
    listeners: &[
        Listener { name: "first", address: ANY, options: ListenerOptions::DEFAULT },
        Listener { name: "second", address: ANY, options: ListenerOptions::DEFAULT },
    ],
    errors: Some(&OF_SITE),
    trusted_proxies: Some(&PROXIES),
    late: &[&KEY],
    ..SETTINGS
};
static SITE: Settings = WHOLE;

fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.write_all(request.as_bytes()).expect("an open connection");
    stream.shutdown(Shutdown::Write).expect("an open connection");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    answer.split_inclusive("\r\n").filter(|line| !line.starts_with("date: ") && *line != "connection: close\r\n").collect()
}

/// Asks the first listener: `request` is method, target, then fields and perhaps an empty line and a body, each on a line.
#[track_caller]
fn check(request: &str, expected: &str) {
    let server = Server::start(&Whole, &SITE).expect("a server");
    let (head, body) = request.split_once("\n\n").unwrap_or((request, ""));
    let (line, fields) = head.split_once('\n').map_or((head, String::new()), |(line, fields)| (line, format!("{fields}\n")));
    let sent = format!("{line} HTTP/1.1\nhost: a.example\n{fields}\n{body}").replace('\n', "\r\n");
    let answer = ask(server.addresses()[0], &sent);
    assert_eq!(answer.replace("\r\n", "\n"), expected, "{request}");
    server.drain();
}

#[test]
fn listener_is_the_one_that_was_connected_to() {
    let server = Server::start(&Whole, &SITE).expect("a server");
    let bodies = [0, 1].map(|number| ask(server.addresses()[number], "GET /listener HTTP/1.1\r\nhost: a\r\n\r\n"));
    assert!(bodies[0].ends_with("hello") && bodies[1].ends_with("second"), "{bodies:?}");
    server.drain();
}

#[test]
fn fault_of_an_exchange_has_its_scope_s_page_and_edits() {
    check("GET /panic", "HTTP/1.1 500 Internal Server Error\ncontent-length: 9\nx-last: 1\n\nvhost 500");
    check("HEAD /panic", "HTTP/1.1 500 Internal Server Error\ncontent-length: 9\nx-last: 1\n\n");
}

#[test]
fn fault_before_an_exchange_has_the_site_s_page() {
    check("GET /..", "HTTP/1.1 400 Bad Request\ncontent-length: 8\n\nsite 400");
    check("HEAD /..", "HTTP/1.1 400 Bad Request\ncontent-length: 8\n\n");
}

#[test]
fn fault_behind_another_exchange_has_the_site_s_page() {
    let server = Server::start(&Whole, &SITE).expect("a server");
    let answers = ask(server.addresses()[0], "GET /x HTTP/1.1\r\nhost: a\r\n\r\nnonsense\r\n\r\n");
    assert!(answers.contains("vhost 404HTTP/1.1 400 ") && answers.ends_with("site 400"), "{answers}");
    server.drain();
}

#[test]
fn body_over_the_route_s_limit_is_413() {
    const REFUSED: &str = "HTTP/1.1 413 Content Too Large\ncontent-length: 9\nx-last: 1\n\nvhost 413";
    const ANSWERED: &str = "HTTP/1.1 200 OK\ncontent-length: 5\nx-last: 1\n\nhello";
    check("POST /limited\ncontent-length: 4\n\nabcd", ANSWERED);
    check("POST /limited\ncontent-length: 5\n\nabcde", REFUSED);
    check("POST /limited\ntransfer-encoding: chunked\n\n4\nabcd\n0\n\n", ANSWERED);
    check("POST /limited\ntransfer-encoding: chunked\n\n5\nabcde\n0\n\n", REFUSED);
}

#[test]
fn preflight_is_answered_with_the_policy() {
    check(
        "OPTIONS /shared\norigin: https://b.example\naccess-control-request-method: PUT",
        "HTTP/1.1 204 No Content\nvary: origin\naccess-control-allow-origin: https://b.example\naccess-control-allow-methods: PUT\nx-last: 1\n\n",
    );
    check(
        "OPTIONS /shared\norigin: https://b.example\naccess-control-request-method: DELETE",
        "HTTP/1.1 404 Not Found\ncontent-length: 9\nx-last: 1\n\nvhost 404",
    );
}

#[test]
fn errors_of_a_shared_route_tell_its_policy() {
    check(
        "PUT /shared\norigin: https://b.example",
        "HTTP/1.1 404 Not Found\ncontent-length: 9\nvary: origin\naccess-control-allow-origin: https://b.example\naccess-control-expose-headers: etag\nx-last: 1\n\nvhost 404",
    );
}

#[test]
fn edits_come_behind_the_policy() {
    check(
        "GET /edited?x\norigin: https://b.example",
        "HTTP/1.1 200 OK\ncontent-length: 5\nvary: origin\naccess-control-allow-origin: https://b.example\naccess-control-expose-headers: link\nx-path: /edited?x\nx-slug: \nx-key: kiln-runtime\nx-last: 1\n\nhello",
    );
}

#[test]
fn rewritten_exchange_has_the_second_route_s_edits_and_path() {
    check(
        "GET /blog/a%20b?x=1\norigin: https://b.example",
        "HTTP/1.1 404 Not Found\ncontent-length: 9\naccess-control-expose-headers: link\nx-path: /posts/a%20b?x=1\nx-slug: a%20b\nx-key: kiln-runtime\nx-last: 1\n\nvhost 404",
    );
}

#[test]
fn rewrite_leaves_nothing_to_the_next_request() {
    let server = Server::start(&Whole, &SITE).expect("a server");
    let requests = ["/blog/a", "/edited", "/blog/b", "/blog/c"].map(|target| format!("GET {target} HTTP/1.1\r\nhost: a\r\n\r\n")).concat();
    let answers = ask(server.addresses()[0], &requests);
    let paths: Vec<&str> = answers.lines().filter_map(|line| line.strip_prefix("x-path: ")).collect();
    assert_eq!(paths, ["/posts/a", "/edited", "/posts/b", "/posts/c"]);
    server.drain();
}

#[test]
fn client_is_whom_trusted_proxies_say() {
    check("GET /client", "HTTP/1.1 200 OK\ncontent-length: 14\nx-last: 1\n\n127.0.0.1 http");
    check(
        "GET /client\nx-forwarded-for: 192.0.2.1, 203.0.113.9\nx-forwarded-proto: https",
        "HTTP/1.1 200 OK\ncontent-length: 17\nx-last: 1\n\n203.0.113.9 https",
    );
    check("GET /client\nx-forwarded-for: 192.0.2.1\nforwarded: for=192.0.2.2", "HTTP/1.1 400 Bad Request\ncontent-length: 8\n\nsite 400");
}

#[test]
fn guard_knows_what_the_host_knows() {
    check("GET /secret\nx-key: kiln-runtime", "HTTP/1.1 200 OK\ncontent-length: 5\nx-last: 1\n\nhello");
    check(
        "GET /secret\nx-key: kiln-runtimf",
        "HTTP/1.1 403 Forbidden\ncontent-type: text/plain; charset=utf-8\ncontent-length: 14\nx-last: 1\n\n403 Forbidden\n",
    );
}

#[test]
fn all_missing_values_are_told_at_once() {
    static UNSET: Late<'static> = Late::env("KILN_TEST_IS_NOT_SET", None);
    static DEFAULT: Late<'static> = Late::env("KILN_TEST_IS_NOT_SET", Some("127.0.0.1:0"));
    static ABSENT: Late<'static> = Late::file("/nowhere/at/all");
    static MISSING: Settings = Settings {
        late: &[&UNSET, &KEY, &DEFAULT, &ABSENT],
        listeners: &[Listener { name: "a", address: Value::Text("nonsense"), options: ListenerOptions::DEFAULT }],
        ..SETTINGS
    };
    let fault = Server::start(&Whole, &MISSING).expect_err("values are missing");
    assert_eq!(
        fault.to_string(),
        "environment variable `KILN_TEST_IS_NOT_SET` is not set, or empty\nfile `/nowhere/at/all`: No such file or directory (os error 2)"
    );
}

#[test]
fn file_s_value_is_its_text_without_the_line_s_end() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("language-{}", std::process::id()));
    let late: &'static Late<'static> = Box::leak(Box::new(Late::file(path.to_str().expect("UTF-8").to_owned().leak())));
    let listener = Listener { name: "late", address: Value::Late(late), options: ListenerOptions::DEFAULT };
    let settings: &'static Settings =
        Box::leak(Box::new(Settings { late: vec![late].leak(), listeners: vec![listener].leak(), ..SETTINGS }));
    for (content, fault) in [("a\0b", "has a control byte at offset 1"), ("\n", "is not set, or empty")] {
        fs::write(&path, content).expect("written");
        assert!(Server::start(&Whole, settings).expect_err("no value").to_string().ends_with(fault), "{content:?}");
    }
    fs::write(&path, "x".repeat(100_000)).expect("written");
    assert!(Server::start(&Whole, settings).expect_err("no value").to_string().ends_with("has more than 65536 bytes"));
    fs::write(&path, "127.0.0.1:0\r\n").expect("written");
    let server = Server::start(&Whole, settings).expect("a server");
    assert!(ask(server.addresses()[0], "GET /listener HTTP/1.1\r\nhost: a\r\n\r\n").ends_with("hello"));
    fs::remove_file(&path).expect("removed");
    server.drain();
}

#[test]
fn address_that_is_none_says_where_it_comes_from() {
    static NAMED: Settings =
        Settings { listeners: &[Listener { name: "a", address: Value::Late(&KEY), options: ListenerOptions::DEFAULT }], ..WHOLE };
    assert_eq!(
        Server::start(&Whole, &NAMED).expect_err("no address").to_string(),
        "listener `a`: can't listen on kiln-runtime (environment variable `CARGO_PKG_NAME`): it is no numeric address with a port, such as 127.0.0.1:8080"
    );
}

#[test]
fn damaged_regex_does_not_start() {
    static DAMAGED: Regex<'static> = Regex::new(b"damaged");
    static SETTINGS_WITH: Settings = Settings { regexes: &[&DAMAGED], ..SETTINGS };
    assert!(matches!(Server::start(&Whole, &SETTINGS_WITH), Err(StartFault::Regexes(1))));
}
