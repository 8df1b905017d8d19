//! The engine as clients see it: exact bytes of a real binary, one connection after the other.

use kiln_tests::{
    answer::Answer,
    client::{Client, End},
    server::{Server, Shared},
    site::{Profile, build, scratch},
};

/// One server for all tests of this file, in a directory with files of its own.
static SERVER: Shared = Shared::new(|| {
    let directory = scratch("process");
    std::fs::create_dir_all(directory.join("tree/sub")).expect("a writable directory");
    for (name, body) in
        [("tree/index.html", "index\n"), ("tree/plain.txt", "plain\n"), ("tree/empty.txt", ""), ("outside.txt", "outside\n")]
    {
        std::fs::write(directory.join(name), body).expect("a writable directory");
    }
    std::fs::write(directory.join("tree/large.bin"), large()).expect("a writable directory");
    for (target, link) in [("../outside.txt", "tree/escape.txt"), ("plain.txt", "tree/inside.txt"), ("..", "tree/up")] {
        // It is there from an earlier run.
        drop(std::os::unix::fs::symlink(target, directory.join(link)));
    }
    Server::start(&build("tests/sites/engine/site.kdl", Profile::Dev, &[]), &directory)
});

/// 3 MiB in which no piece is like another.
fn large() -> Vec<u8> {
    (0..3 * 1024 * 1024 / 8_u64).flat_map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()).collect()
}

fn client() -> Client {
    SERVER.client()
}

fn get(target: &str, lines: &str) -> Answer {
    client().get("engine.test", target, lines)
}

fn fields(answer: &Answer) -> Vec<(&str, &str)> {
    answer.fields.iter().filter(|(name, _)| name != "date").map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[test]
fn respond_has_exactly_these_fields_and_this_body() {
    let answer = get("/", "");
    assert_eq!((answer.version.as_str(), answer.status, answer.reason.as_str()), ("HTTP/1.1", 200, "OK"));
    assert_eq!(fields(&answer), [("content-type", "text/plain; charset=utf-8"), ("content-length", "3"), ("x-vhost", "1")]);
    assert_eq!(answer.text(), "ok\n");
}

#[test]
fn date_is_an_http_date_of_now() {
    let date = get("/", "").field("date").map(str::to_owned).expect("a date");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs();
    let then = semantics::date::parse(date.as_bytes(), now).expect("an HTTP date");
    assert!(now.abs_diff(then) <= 2, "{date}");
}

#[test]
fn head_is_get_without_its_body() {
    let mut client = client();
    for target in ["/", "/empty", "/moved", "/embed/page.html", "/root/plain.txt", "/absent", "/post"] {
        let get = client.get("engine.test", target, "");
        let head = client.ask(format!("HEAD {target} HTTP/1.1\r\nhost: engine.test\r\n\r\n"));
        assert_eq!((get.status, get.stable_fields()), (head.status, head.stable_fields()), "{target}");
        assert_eq!(head.body, b"", "{target}");
    }
}

#[test]
fn no_content_has_no_length() {
    assert_eq!(fields(&get("/none", "")), [("x-vhost", "1")]);
}

#[test]
fn not_found_and_method_not_allowed_say_so_in_text() {
    assert_eq!(get("/absent", "").text(), "404 Not Found\n");
    let answer = get("/post", "");
    assert_eq!((answer.status, answer.field("allow"), answer.text().as_str()), (405, Some("POST"), "405 Method Not Allowed\n"));
}

#[test]
fn unknown_host_is_misdirected() {
    assert_eq!(client().get("other.test", "/", "").status, 421);
}

#[test]
fn entity_tag_that_is_known_gives_not_modified_without_body() {
    let mut client = client();
    for target in ["/embed/page.html", "/root/plain.txt"] {
        let full = client.get("engine.test", target, "");
        let tag = full.field("etag").expect("an entity tag").to_owned();
        let known = client.get("engine.test", target, &format!("if-none-match: \"x\", {tag}\r\n"));
        assert_eq!((known.status, known.field("etag"), known.field("content-length")), (304, Some(tag.as_str()), None), "{target}");
        assert_eq!(known.field("x-vhost"), Some("1"), "{target}");
        assert_eq!(client.get("engine.test", target, "if-none-match: \"x\"\r\n").status, 200, "{target}");
        assert_eq!(client.get("engine.test", target, "if-match: \"x\"\r\n").status, 412, "{target}");
    }
}

#[test]
fn file_that_was_not_modified_since_is_not_sent_again() {
    let mut client = client();
    let date = client.get("engine.test", "/root/plain.txt", "").field("last-modified").expect("a date").to_owned();
    assert_eq!(client.get("engine.test", "/root/plain.txt", &format!("if-modified-since: {date}\r\n")).status, 304);
    assert_eq!(client.get("engine.test", "/root/plain.txt", "if-modified-since: Mon, 01 Jan 1990 00:00:00 GMT\r\n").status, 200);
    assert_eq!(client.get("engine.test", "/root/plain.txt", "if-unmodified-since: Mon, 01 Jan 1990 00:00:00 GMT\r\n").status, 412);
}

#[test]
fn embedded_page_comes_in_the_coding_that_is_asked_for() {
    let mut client = client();
    let plain = client.get("engine.test", "/embed/page.html", "");
    assert_eq!((plain.field("content-encoding"), plain.field("vary")), (None, Some("accept-encoding")));
    for coding in ["br", "gzip", "zstd"] {
        let coded = client.get("engine.test", "/embed/page.html", &format!("accept-encoding: {coding}\r\n"));
        assert_eq!((coded.field("content-encoding"), coded.field("vary")), (Some(coding), Some("accept-encoding")));
        assert_ne!(coded.field("etag"), plain.field("etag"), "{coding}");
        assert!(coded.body.len() < plain.body.len(), "{coding}");
        assert_eq!(coded.decoded_body().as_ref(), Ok(&plain.body), "{coding}");
    }
}

#[test]
fn large_file_arrives_byte_by_byte() {
    assert!(get("/root/large.bin", "").body == large());
}

#[test]
fn empty_file_has_length_zero() {
    let answer = get("/root/empty.txt", "");
    assert_eq!((answer.status, answer.field("content-length")), (200, Some("0")));
}

#[test]
fn root_serves_nothing_outside_of_it() {
    for target in [
        "/root/escape.txt",
        "/root/up/outside.txt",
        "/root/..%2foutside.txt",
        "/root/%2e%2e/outside.txt",
        "/root/sub/../../outside.txt",
        "/outside.txt",
    ] {
        let answer = get(target, "");
        assert!(matches!(answer.status, 400 | 403 | 404), "{target}: {}", answer.status);
        assert!(!answer.text().contains("outside"), "{target}");
    }
}

#[test]
fn directory_leads_to_its_slash_and_its_index() {
    assert_eq!(get("/root?x=1", "").field("location"), Some("/root/?x=1"));
    assert_eq!(get("/root/", "").text(), "index\n");
    // One without an index is no file.
    assert_eq!(get("/root/sub?x=1", "").status, 404);
    assert_eq!(get("/root/sub/", "").status, 404);
}

#[test]
fn requests_in_one_piece_are_answered_in_order() {
    let mut client = client();
    let pieces: String = (0..100).map(|number| format!("GET /echo/{number} HTTP/1.1\r\nhost: engine.test\r\n\r\n")).collect();
    client.send(pieces);
    for number in 0..100 {
        assert_eq!(client.answer().text(), format!("GET engine.test /echo/{number}\n"));
    }
}

#[test]
fn request_byte_by_byte_is_answered() {
    let mut client = client();
    for byte in b"GET /echo/slow HTTP/1.1\r\nhost: engine.test\r\n\r\n" {
        client.send([*byte]);
    }
    assert_eq!(client.answer().text(), "GET engine.test /echo/slow\n");
}

#[test]
fn body_is_passed_over_and_the_next_request_is_read_behind_it() {
    let chunked = "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n3;name=value\r\nbye\r\n0\r\nx-trailer: 1\r\n\r\n";
    for body in ["content-length: 5\r\n\r\nhello", "content-length: 0\r\n\r\n", chunked, "transfer-encoding: chunked\r\n\r\n0\r\n\r\n"] {
        let mut client = client();
        client.send(format!("POST /post HTTP/1.1\r\nhost: engine.test\r\n{body}GET / HTTP/1.1\r\nhost: engine.test\r\n\r\n"));
        assert_eq!(client.answer().text(), "posted\n", "{body:?}");
        assert_eq!(client.answer().text(), "ok\n", "{body:?}");
    }
}

#[test]
fn body_over_the_limit_is_refused() {
    let chunk = format!("401\r\n{}\r\n0\r\n\r\n", "x".repeat(0x401));
    for body in ["content-length: 1025\r\n\r\n".to_owned(), format!("transfer-encoding: chunked\r\n\r\n{chunk}")] {
        let mut client = client();
        let answer = client.ask(format!("POST /post HTTP/1.1\r\nhost: engine.test\r\n{body}"));
        assert_eq!((answer.status, answer.field("connection")), (413, Some("close")), "{body:.60}");
        client.end();
    }
}

#[test]
fn body_at_the_limit_is_taken() {
    let body = "x".repeat(1024);
    let answer = client().ask(format!("POST /post HTTP/1.1\r\nhost: engine.test\r\ncontent-length: 1024\r\n\r\n{body}"));
    assert_eq!(answer.status, 200);
}

#[test]
fn early_answer_arrives_although_the_client_keeps_sending() {
    let body = "x".repeat(8 << 20);
    let chunked = format!("transfer-encoding: chunked\r\n\r\n800000\r\n{body}\r\n0\r\n\r\n");
    for (target, status, body) in [
        ("/post", 413, format!("content-length: 8388608\r\n\r\n{body}")),
        ("/post", 413, chunked.clone()),
        ("/absent", 404, format!("content-length: 8388608\r\n\r\n{body}")),
        ("/absent", 413, chunked),
    ] {
        let mut client = client();
        // All of it is sent before anything is read.
        let answer = client.ask(format!("POST {target} HTTP/1.1\r\nhost: engine.test\r\n{body}"));
        assert_eq!((answer.status, answer.field("connection")), (status, Some("close")), "{target} {body:.40}");
        assert_eq!(client.end(), End::Closed, "{target} {body:.40}");
    }
}

#[test]
fn expectation_is_answered_before_or_instead_of_its_body() {
    let mut client = client();
    let first = client.ask("POST /post HTTP/1.1\r\nhost: engine.test\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n");
    let last = if first.status == 100 { client.send("hello").answer() } else { first };
    assert_eq!(last.text(), "posted\n");
}

#[test]
fn expectation_that_is_unknown_fails() {
    let answer = get("/", "expect: tea\r\n");
    assert_eq!((answer.status, answer.field("connection")), (417, Some("close")));
}

#[test]
fn connection_stays_open_until_somebody_says_close() {
    let mut client = client();
    for _ in 0..3 {
        assert_eq!(client.get("engine.test", "/", "").field("connection"), None);
    }
    assert_eq!(client.get("engine.test", "/", "connection: close\r\n").field("connection"), Some("close"));
    assert_eq!(client.end(), End::Closed);
}

#[test]
fn http_1_0_closes_unless_it_asks_to_stay() {
    let mut client = client();
    let kept = client.ask("GET / HTTP/1.0\r\nhost: engine.test\r\nconnection: keep-alive\r\n\r\n");
    assert_eq!((kept.version.as_str(), kept.field("connection")), ("HTTP/1.1", Some("keep-alive")));
    let closed = client.ask("GET / HTTP/1.0\r\nhost: engine.test\r\n\r\n");
    assert_eq!((closed.text().as_str(), closed.field("connection")), ("ok\n", Some("close")));
    assert_eq!(client.end(), End::Closed);
}

#[test]
fn http_1_0_without_host_has_no_vhost_here() {
    assert_eq!(client().ask("GET / HTTP/1.0\r\n\r\n").status, 421);
}

#[test]
fn absolute_form_names_the_host() {
    let answer = client().ask("GET http://ENGINE.test:80/echo/x?y HTTP/1.1\r\nhost: engine.test\r\n\r\n");
    assert_eq!(answer.text(), "GET engine.test /echo/x?y\n");
}

#[test]
fn abort_closes_without_a_byte() {
    let mut client = client();
    client.send("GET /abort HTTP/1.1\r\nhost: engine.test\r\n\r\n").end();
}

#[test]
fn answers_before_an_abort_arrive() {
    let mut client = client();
    client.send("GET / HTTP/1.1\r\nhost: engine.test\r\n\r\nGET /abort HTTP/1.1\r\nhost: engine.test\r\n\r\n");
    assert_eq!(client.answer().text(), "ok\n");
    client.end();
}

#[test]
fn half_closed_connection_still_gets_its_answer() {
    let mut client = client();
    client.send("GET / HTTP/1.1\r\nhost: engine.test\r\n\r\n").finish();
    assert_eq!(client.answer().text(), "ok\n");
    client.end();
}

/// A head that must be refused: what it is, its bytes, the status.
const REFUSED: &[(&str, &str, u16)] = &[
    ("bare line feeds", "GET / HTTP/1.1\nhost: engine.test\n\n", 400),
    ("an empty line before", "\r\nGET / HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
    ("two spaces", "GET  / HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
    ("a tab in the request line", "GET\t/ HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
    ("no target", "GET HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
    ("a method that is no token", "G@T / HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
    ("a target without a slash", "GET x HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
    ("a fragment", "GET /#x HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
    ("a control byte in the target", "GET /\u{1} HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
    ("a byte above 0x7E in the target", "GET /\u{e4} HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
    ("no host", "GET / HTTP/1.1\r\n\r\n", 400),
    ("two hosts", "GET / HTTP/1.1\r\nhost: engine.test\r\nhost: engine.test\r\n\r\n", 400),
    ("a host with a path", "GET / HTTP/1.1\r\nhost: engine.test/x\r\n\r\n", 400),
    ("a host with user info", "GET / HTTP/1.1\r\nhost: a@engine.test\r\n\r\n", 400),
    ("an empty host", "GET / HTTP/1.1\r\nhost:\r\n\r\n", 400),
    ("white space before the colon", "GET / HTTP/1.1\r\nhost : engine.test\r\n\r\n", 400),
    ("a folded line", "GET / HTTP/1.1\r\nhost: engine.test\r\nx: 1\r\n 2\r\n\r\n", 400),
    ("a line without a colon", "GET / HTTP/1.1\r\nhost: engine.test\r\nx\r\n\r\n", 400),
    ("a name that is empty", "GET / HTTP/1.1\r\nhost: engine.test\r\n: x\r\n\r\n", 400),
    ("a NUL in a value", "GET / HTTP/1.1\r\nhost: engine.test\r\nx: a\0b\r\n\r\n", 400),
    ("a bare CR in a value", "GET / HTTP/1.1\r\nhost: engine.test\r\nx: a\rb\r\n\r\n", 400),
    ("length and chunked", "POST / HTTP/1.1\r\nhost: engine.test\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("two lengths", "POST / HTTP/1.1\r\nhost: engine.test\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabc", 400),
    ("a list of lengths", "POST / HTTP/1.1\r\nhost: engine.test\r\ncontent-length: 3, 3\r\n\r\nabc", 400),
    ("a length with a sign", "POST / HTTP/1.1\r\nhost: engine.test\r\ncontent-length: +3\r\n\r\nabc", 400),
    ("a length that is no number", "POST / HTTP/1.1\r\nhost: engine.test\r\ncontent-length: 3x\r\n\r\nabc", 400),
    ("a length above all numbers", "POST / HTTP/1.1\r\nhost: engine.test\r\ncontent-length: 99999999999999999999\r\n\r\n", 400),
    ("chunked that is not last", "POST / HTTP/1.1\r\nhost: engine.test\r\ntransfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n", 400),
    ("chunked twice", "POST / HTTP/1.1\r\nhost: engine.test\r\ntransfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400),
    ("chunked in HTTP/1.0", "POST / HTTP/1.0\r\nhost: engine.test\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    (
        "a chunk size that is none",
        "POST / HTTP/1.1\r\nhost: engine.test\r\ntransfer-encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
        400,
    ),
    (
        "a chunk with a bare line feed",
        "POST / HTTP/1.1\r\nhost: engine.test\r\ntransfer-encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n",
        400,
    ),
    ("a coding that is unknown", "POST / HTTP/1.1\r\nhost: engine.test\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    ("CONNECT", "CONNECT engine.test:443 HTTP/1.1\r\nhost: engine.test:443\r\n\r\n", 501),
    ("HTTP/2 in a request line", "GET / HTTP/2.0\r\nhost: engine.test\r\n\r\n", 505),
    ("HTTP/0.9 with a version", "GET / HTTP/0.9\r\nhost: engine.test\r\n\r\n", 505),
    ("a version of letters", "GET / HTTP/x.y\r\nhost: engine.test\r\n\r\n", 400),
    ("a path above the root", "GET /.. HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
    ("an escape that is broken", "GET /%4 HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
    ("* for GET", "GET * HTTP/1.1\r\nhost: engine.test\r\n\r\n", 400),
];

#[test]
fn what_could_be_read_in_two_ways_is_refused_and_closed() {
    let mut faults = Vec::new();
    for (what, bytes, status) in REFUSED {
        let mut client = client();
        // A second request that must never be answered.
        let answer = client.send(bytes).send("GET /echo/smuggled HTTP/1.1\r\nhost: engine.test\r\n\r\n").try_answer(false);
        let rest = client.rest().unwrap_or_default();
        match answer {
            Ok(answer) if answer.status != *status => faults.push(format!("{what}: {} in place of {status}", answer.status)),
            Ok(answer) if answer.field("connection") != Some("close") => faults.push(format!("{what}: not closed")),
            Ok(_) if !rest.is_empty() => faults.push(format!("{what}: more than an answer: {:?}", String::from_utf8_lossy(&rest))),
            Ok(_) => {}
            Err(error) => faults.push(format!("{what}: {error}")),
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn head_over_its_limits_is_refused() {
    let long = "x".repeat(5000);
    let many: String = (0..17).map(|number| format!("x-{number}: 1\r\n")).collect();
    let cases = [
        (format!("GET /{long} HTTP/1.1\r\nhost: engine.test\r\n\r\n"), 414),
        (format!("GET / HTTP/1.1\r\nhost: engine.test\r\nx: {long}\r\n\r\n"), 431),
        (format!("GET / HTTP/1.1\r\nhost: engine.test\r\n{many}\r\n"), 431),
    ];
    for (request, status) in cases {
        let mut client = client();
        let answer = client.ask(&request);
        assert_eq!((answer.status, answer.field("connection")), (status, Some("close")), "{request:.60}");
        client.end();
    }
}

#[test]
fn head_just_below_its_limits_is_taken() {
    let head = |filler: usize| format!("GET / HTTP/1.1\r\nhost: engine.test\r\nx: {}\r\n\r\n", "y".repeat(filler));
    let filler = 4096 - head(0).len();
    assert_eq!(client().ask(head(filler)).status, 200);
    let many: String = (0..15).map(|number| format!("x-{number}: 1\r\n")).collect();
    assert_eq!(get("/", &many).status, 200);
}

#[test]
fn options_of_the_server_itself_has_an_answer() {
    let answer = client().ask("OPTIONS * HTTP/1.1\r\nhost: engine.test\r\n\r\n");
    // It is a question about no path: no route takes it.
    assert_eq!(answer.status, 404);
}
