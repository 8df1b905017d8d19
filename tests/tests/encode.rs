//! `encode` on the wire: every coding decodes to the file, whatever its size and however it is asked for.

use std::{fs, path::PathBuf, sync::LazyLock, thread};

use kiln_tests::{
    answer::Answer,
    client::Client,
    server::{Server, Shared},
    site::{Profile, build, copy_tree, repository, scratch},
};

/// Bytes of the files, by which they are called.
const SIZES: [usize; 8] = [0, 1, 1023, 1024, 16 * 1024 + 1, 64 * 1024, 64 * 1024 + 1, 10 * 1024 * 1024];
const CODINGS: [&str; 3] = ["zstd", "br", "gzip"];

static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    copy_tree(&repository().join("tests/sites/encode"), &directory());
    fs::create_dir_all(directory().join("texts")).expect("a writable directory");
    for bytes in SIZES {
        fs::write(directory().join(format!("texts/{bytes}.txt")), text(bytes)).expect("a writable directory");
    }
    fs::write(directory().join("texts/photo.png"), text(5000)).expect("a writable directory");
    build(directory().join("site.kdl"), Profile::Release, &[])
});

static SERVER: Shared = Shared::new(start);

fn directory() -> PathBuf {
    scratch("sites").join("encode")
}

fn start() -> Server {
    Server::start(&BINARY, &directory())
}

/// Text that neither repeats itself nor is without order.
fn text(bytes: usize) -> Vec<u8> {
    let words = ["answer ", "client ", "engine ", "field ", "<p>", "</p>\n", "exchange ", "policy ", "0123 ", "the ", "of "];
    let mut state = bytes as u32;
    let mut text = Vec::with_capacity(bytes + 16);
    while text.len() < bytes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text.extend_from_slice(words[(state >> 24) as usize % words.len()].as_bytes());
        if state & 0xF00 == 0 {
            text.push(b'a' + (state >> 16) as u8 % 26);
        }
    }
    text.truncate(bytes);
    text
}

fn accepts(codings: &str) -> String {
    format!("accept-encoding: {codings}\r\n")
}

/// What every coded answer says.
#[track_caller]
fn assert_coded(answer: &Answer, coding: &str, expected: &[u8]) {
    assert_eq!((answer.status, answer.field("content-encoding")), (200, Some(coding)), "{:?}", answer.fields);
    assert!(answer.field("vary").is_some_and(|vary| vary.contains("accept-encoding")), "{:?}", answer.fields);
    assert!(answer.field("etag").is_none_or(|etag| etag.starts_with("W/\"")), "{:?}", answer.fields);
    assert_eq!(answer.field("accept-ranges"), None);
    let is_framed_once = answer.field("content-length").is_some() != answer.field("transfer-encoding").is_some();
    assert!(is_framed_once || answer.field("connection") == Some("close"), "{:?}", answer.fields);
    assert!(answer.decoded_body().is_ok_and(|body| body == expected), "{} bytes decode to something else", answer.body.len());
}

/// What an answer says but for its framing: whether a file was in memory, so that its coded length is known beforehand, differs from request to request.
fn unframed(answer: &Answer) -> Vec<(String, String)> {
    let is_framing = |name: &str| matches!(name, "content-length" | "transfer-encoding");
    answer.stable_fields().into_iter().filter(|(name, _)| !is_framing(name)).collect()
}

#[test]
fn files_of_every_size_decode_to_themselves() {
    let mut client = SERVER.client();
    for coding in CODINGS {
        for bytes in SIZES {
            let (target, expected) = (format!("/{bytes}.txt"), text(bytes));
            let answer = client.get("all.test", &target, &accepts(coding));
            if bytes < 1024 {
                assert_eq!(answer.field("content-encoding"), None, "{target}");
                assert_eq!(answer.field("content-length"), Some(&*bytes.to_string()));
                assert!(answer.body == expected, "{target}");
                continue;
            }
            assert_coded(&answer, coding, &expected);
            assert!(answer.body.len() < bytes / 2, "{coding} {bytes}: {}", answer.body.len());
            let head = client.ask(format!("HEAD {target} HTTP/1.1\r\nhost: all.test\r\n{}\r\n", accepts(coding)));
            assert_eq!((head.status, unframed(&head)), (answer.status, unframed(&answer)), "{coding} {target}");
        }
    }
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let mut client = SERVER.client();
    let targets: Vec<(String, &str)> =
        SIZES.iter().flat_map(|bytes| CODINGS.map(|coding| (format!("/gzip/{bytes}.txt"), coding))).collect();
    let request = |(target, coding): &(String, &str)| format!("GET {target} HTTP/1.1\r\nhost: all.test\r\n{}\r\n", accepts(coding));
    client.send(targets.iter().map(request).collect::<String>());
    for (target, coding) in &targets {
        let answer = client.answer();
        let bytes: usize = target.trim_start_matches("/gzip/").trim_end_matches(".txt").parse().unwrap();
        match (*coding, bytes) {
            ("gzip", 1..) => assert_coded(&answer, "gzip", &text(bytes)),
            _ => assert!(answer.field("content-encoding").is_none() && answer.body == text(bytes), "{target} {coding}"),
        }
    }
}

#[test]
fn http_1_0_gets_a_length_or_the_end_of_the_connection() {
    for bytes in SIZES {
        for fields in ["", "connection: keep-alive\r\n"] {
            let mut client = SERVER.client();
            let answer = client.ask(format!("GET /gzip/{bytes}.txt HTTP/1.0\r\nhost: all.test\r\naccept-encoding: gzip\r\n{fields}\r\n"));
            assert_eq!(answer.field("transfer-encoding"), None);
            if bytes > 0 {
                assert_coded(&answer, "gzip", &text(bytes));
            }
            assert!(answer.field("content-length").is_some() || answer.field("connection") == Some("close"), "{:?}", answer.fields);
        }
    }
}

#[test]
fn edits_never_make_a_head_say_something_else_than_its_body() {
    let mut client = SERVER.client();
    let file = "16385.txt";
    let mut get = |path: &str| client.get("all.test", &format!("{path}/{file}"), &accepts("gzip"));
    let answer = get("/cached");
    assert_coded(&answer, "gzip", &text(16_385));
    assert_eq!((answer.field("vary"), answer.field("cache-control")), (Some("origin, accept-encoding"), Some("max-age=60")));
    for path in ["/typed", "/kept", "/raw"] {
        let answer = get(path);
        assert_eq!(answer.field("content-encoding"), None, "{path}");
        assert!(answer.body == text(16_385) && answer.field("etag").is_some_and(|etag| etag.starts_with('"')), "{path}");
    }
    let answer = get("/claimed");
    assert_eq!(answer.all("content-encoding").collect::<Vec<_>>(), ["identity"]);
    assert!(answer.body == text(16_385));
}

#[test]
fn what_is_no_text_or_coded_at_build_is_left_alone() {
    let mut client = SERVER.client();
    let all = accepts("gzip, deflate, br, zstd");
    let photo = client.get("all.test", "/photo.png", &all);
    assert!(photo.field("content-encoding").is_none() && photo.field("vary").is_none() && photo.body == text(5000));
    let page = client.get("all.test", "/once/404.html", &accepts("br"));
    assert_eq!(page.all("content-encoding").collect::<Vec<_>>(), ["br"]);
    assert!(page.decoded_body().unwrap().starts_with(b"<!doctype html>") && page.field("etag").is_some_and(|etag| etag.starts_with('"')));
    let plain = client.get("plain.test", "/1024.txt", &all);
    assert!(plain.field("content-encoding").is_none() && plain.field("vary").is_none());
}

#[test]
fn error_pages_and_rendered_answers_are_coded_where_they_are_long_enough() {
    let mut client = SERVER.client();
    let page = client.get("all.test", "/none.txt", &accepts("gzip"));
    assert_eq!((page.status, page.field("content-encoding")), (404, Some("gzip")));
    assert!(page.decoded_body().unwrap().ends_with(b"compressed.</p>\n"));
    let short = client.get("all.test", "/said?short", &accepts("gzip"));
    assert_eq!((short.field("content-encoding"), &*short.text()), (None, "/said short\n"));
    let query = "long-".repeat(400);
    let long = client.get("all.test", &format!("/said?{query}"), &accepts("zstd"));
    assert_coded(&long, "zstd", format!("/said {query}\n").as_bytes());
}

#[test]
fn conditions_hold_for_the_weakened_tag() {
    let mut client = SERVER.client();
    let mut get = |fields: &str| client.get("all.test", "/gzip/65537.txt", &format!("accept-encoding: gzip\r\n{fields}"));
    let whole = get("");
    let weak = whole.field("etag").expect("a tag").to_owned();
    let strong = weak.trim_start_matches("W/");
    let unchanged = get(&format!("if-none-match: {weak}\r\n"));
    assert_eq!((unchanged.status, unchanged.field("etag")), (304, Some(&*weak)), "the stored answer has this name");
    assert_eq!(get(&format!("if-none-match: {strong}\r\n")).field("etag"), Some(strong));
    assert_eq!(get(&format!("if-match: {weak}\r\n")).status, 412, "compared strongly");
    let part = get("range: bytes=0-9\r\n");
    assert_eq!((part.status, part.field("content-encoding"), &*part.body), (206, None, &text(65_537)[..10]));
    assert_coded(&get(&format!("range: bytes=0-9\r\nif-range: {weak}\r\n")), "gzip", &text(65_537));
    assert_eq!(get(&format!("range: bytes=0-9\r\nif-range: {strong}\r\n")).status, 206);
}

#[test]
fn client_that_goes_in_the_middle_leaves_nothing_behind() {
    let server = start();
    let before = server.resident_kib();
    for round in 0..200 {
        let mut client = Client::connect(server.address());
        let coding = CODINGS[round % 3];
        client.send(format!("GET /10485760.txt HTTP/1.1\r\nhost: all.test\r\n{}\r\n", accepts(coding)));
        client.begin_answer();
    }
    let mut client = Client::connect(server.address());
    assert_coded(&client.get("all.test", "/10485760.txt", &accepts("br")), "br", &text(10 * 1024 * 1024));
    let grown = server.resident_kib().saturating_sub(before);
    assert!(grown < 48 * 1024, "{grown} KiB more");
}

#[test]
fn slow_clients_hold_a_bounded_amount_of_memory() {
    let server = start();
    let slow: Vec<Client> = (0..200)
        .map(|number| {
            let mut client = Client::connect_narrow(server.address(), 4096);
            client.send(format!("GET /10485760.txt HTTP/1.1\r\nhost: all.test\r\n{}\r\n", accepts(CODINGS[number % 3])));
            client.begin_answer();
            client
        })
        .collect();
    // The budget of the site, and what a process has beside it.
    let held = server.resident_kib();
    assert!(held < 128 * 1024, "{held} KiB");
    // Whoever finds no memory for an encoder gets the file as it is.
    let mut client = Client::connect(server.address());
    let answer = client.get("all.test", "/65537.txt", &accepts("gzip"));
    assert!(answer.decoded_body().unwrap() == text(65_537) && answer.field("vary") == Some("accept-encoding"), "{:?}", answer.fields);
    drop(slow);
}

#[test]
fn hundred_clients_at_once_get_what_they_ask_for() {
    thread::scope(|scope| {
        for number in 0..100 {
            scope.spawn(move || {
                let mut client = SERVER.client();
                let (coding, bytes) = (CODINGS[number % 3], SIZES[3 + number % 4]);
                for _ in 0..5 {
                    assert_coded(&client.get("all.test", &format!("/{bytes}.txt"), &accepts(coding)), coding, &text(bytes));
                }
            });
        }
    });
}

#[test]
fn log_counts_the_bytes_of_the_coded_body() {
    LazyLock::force(&BINARY);
    let directory = scratch("encode-log");
    copy_tree(&self::directory().join("texts"), &directory.join("texts"));
    // That of an earlier run.
    drop(fs::remove_file(directory.join("access.log")));
    let server = Server::start(&BINARY, &directory);
    let mut client = Client::connect(server.address());
    let sent: Vec<usize> = ["/65536.txt", "/65537.txt", "/10485760.txt", "/1023.txt"]
        .iter()
        .map(|target| client.get("all.test", target, &accepts("gzip")).body.len())
        .collect();
    drop(client);
    server.stop();
    let log = fs::read_to_string(directory.join("access.log")).expect("the log");
    let logged: Vec<usize> = log.lines().filter_map(|line| line.rsplit(' ').next()?.parse().ok()).collect();
    assert_eq!(logged, sent, "{log}");
}
