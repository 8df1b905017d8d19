//! Request bodies: read, left alone, over their limit, expected.

use super::stage::{READ, READS, SMALL, Stage, TRAILERS};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

fn post(path: &str, fields: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nhost: a\r\n{fields}\r\n")
}

#[test]
fn body_is_read_by_length_and_by_chunks() {
    let mut stage = Stage::new();
    stage.send([&post("/length", "content-length: 3\r\n"), "abc", GET].concat());
    stage.send([&post("/length", "transfer-encoding: chunked\r\n"), "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", GET].concat());
    stage.send([&post("/length", "content-length: 0\r\n"), GET].concat());
    assert_eq!(stage.statuses(), [201, 200, 201, 200, 200, 200]);
    assert!(!stage.is_closed());
}

#[test]
fn body_in_pieces_is_waited_for() {
    let mut stage = Stage::new();
    stage.send(post("/length", "content-length: 3\r\n"));
    stage.send("ab");
    assert_eq!(stage.answers(), "");
    stage.send(["c", GET].concat());
    assert_eq!(stage.statuses(), [201, 200]);
}

#[test]
fn body_that_nobody_reads_is_dropped() {
    let mut stage = Stage::new();
    stage.send([&post("/", "content-length: 3\r\n"), "abc", GET].concat());
    assert_eq!(stage.statuses(), [200, 200]);
    stage.send(post("/", "content-length: 3\r\n"));
    assert_eq!(stage.statuses(), [200], "its answer does not wait for the body");
    stage.send(["abc", GET].concat());
    assert_eq!(stage.statuses(), [200]);
    assert!(!stage.is_closed());
}

#[test]
fn chunked_body_that_nobody_reads_is_judged_before_the_answer() {
    let mut stage = Stage::new();
    stage.send([&post("/", "transfer-encoding: chunked\r\n"), "3\r\nabc\r\n"].concat());
    assert_eq!(stage.answers(), "");
    stage.send("xyz\r\n");
    assert_eq!(stage.statuses(), [400]);
    assert!(stage.is_closed());
}

#[test]
fn long_body_that_nobody_reads_closes() {
    let mut stage = Stage::new();
    stage.send(post("/", "content-length: 100000\r\n"));
    assert!(stage.answers().contains("connection: close\r\n"));
    assert!(stage.is_closed() && !stage.is_over());
    let mut stage = Stage::new();
    stage.send(post("/", "transfer-encoding: chunked\r\n"));
    for _ in 0..17 {
        stage.send(["1000\r\n", &"x".repeat(0x1000), "\r\n"].concat());
    }
    assert!(stage.answers().contains("connection: close\r\n"));
    assert!(stage.is_closed());
}

#[test]
fn rest_of_a_body_is_dropped_where_the_handler_stopped() {
    let mut stage = Stage::new();
    stage.send([&post("/some", "content-length: 6\r\n"), "abc"].concat());
    assert_eq!(stage.statuses(), [200]);
    stage.send(["def", GET].concat());
    assert_eq!(stage.statuses(), [200]);
}

#[test]
fn body_over_the_limit_is_refused() {
    let mut stage = Stage::with(&SMALL);
    stage.send(post("/length", "content-length: 101\r\n"));
    assert_eq!(stage.statuses(), [413]);
    let chunk = ["65\r\n", &"x".repeat(101), "\r\n0\r\n\r\n"].concat();
    for path in ["/", "/length"] {
        let mut stage = Stage::with(&SMALL);
        stage.send([&post(path, "transfer-encoding: chunked\r\n"), &chunk, GET].concat());
        assert_eq!(stage.statuses(), [413], "{path}");
        assert!(stage.is_closed());
    }
}

#[test]
fn body_at_its_limits_is_read() {
    let chunked =
        |bytes: usize| ["transfer-encoding: chunked\r\n\r\n", &format!("{bytes:x}\r\n{}\r\n0\r\n\r\n", "x".repeat(bytes))].concat();
    let sized = |bytes: usize| format!("content-length: {bytes}\r\n\r\n{}", "x".repeat(bytes));
    let rows = [("/length", 100, 202), ("/length", 101, 413), ("/limited", 50, 202), ("/limited", 51, 413)];
    for (path, bytes, status) in rows {
        for body in [chunked(bytes), sized(bytes)] {
            let mut stage = Stage::with(&SMALL);
            stage.send(format!("POST {path} HTTP/1.1\r\nhost: a\r\n{body}"));
            assert_eq!(stage.statuses(), [status], "{path} {bytes}");
            assert_eq!(stage.is_closed(), status == 413, "{path} {bytes}");
        }
    }
}

#[test]
fn body_over_every_limit_does_not_hide_what_the_handler_says() {
    let mut stage = Stage::with(&SMALL);
    stage.send(post("/none", "content-length: 101\r\n"));
    assert_eq!(stage.statuses(), [404]);
    assert!(stage.is_closed());
}

#[test]
fn http10_body_has_a_length() {
    for method in ["POST", "PUT", "PATCH"] {
        let mut stage = Stage::new();
        stage.send(format!("{method} /length HTTP/1.0\r\nhost: a\r\n\r\nabc"));
        assert_eq!(stage.statuses(), [411], "{method}");
        let mut stage = Stage::new();
        stage.send(format!("{method} /length HTTP/1.0\r\nhost: a\r\ncontent-length: 0\r\n\r\n"));
        assert_eq!(stage.statuses(), [200], "{method}");
    }
}

#[test]
fn http10_expectation_is_ignored() {
    let mut stage = Stage::new();
    stage.send("POST /length HTTP/1.0\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n");
    assert_eq!(stage.answers(), "");
    stage.send("abc");
    assert_eq!(stage.answers(), "HTTP/1.1 201 Created\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
}

#[test]
fn broken_chunk_is_refused() {
    for path in ["/", "/length"] {
        let mut stage = Stage::new();
        stage.send([&post(path, "transfer-encoding: chunked\r\n"), "3\nabc\n0\n\n", GET].concat());
        assert_eq!(stage.statuses(), [400], "{path}");
        assert!(stage.is_closed());
    }
}

#[test]
fn expectation_is_met_when_the_handler_reads() {
    let mut stage = Stage::new();
    stage.send(post("/length", "content-length: 3\r\nexpect: 100-continue\r\n"));
    assert_eq!(stage.writes(), ["HTTP/1.1 100 Continue\r\n\r\n"]);
    stage.send(["abc", GET].concat());
    assert_eq!(stage.statuses(), [201, 200]);
}

#[test]
fn expectation_is_not_met_when_nobody_reads() {
    let mut stage = Stage::new();
    stage.send(post("/", "content-length: 3\r\nexpect: 100-continue\r\n"));
    assert_eq!(stage.answers(), "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello");
    assert!(stage.is_closed());
}

#[test]
fn body_that_came_anyway_needs_no_100() {
    let mut stage = Stage::new();
    stage.send([&post("/length", "content-length: 3\r\nexpect: 100-continue\r\n"), "abc"].concat());
    assert_eq!(stage.answers(), "HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n");
}

#[test]
fn body_that_breaks_off_ends_the_connection() {
    let mut stage = Stage::new();
    stage.send([&post("/length", "content-length: 3\r\n"), "ab"].concat());
    stage.end();
    stage.poll();
    assert_eq!(stage.statuses(), [400]);
    assert!(stage.is_closed());
}

#[test]
fn request_in_a_body_is_never_answered() {
    let mut stage = Stage::new();
    stage.send([&post("/", &format!("content-length: {}\r\n", GET.len())), GET].concat());
    assert_eq!(stage.statuses(), [200]);
    stage.send(GET);
    assert_eq!(stage.statuses(), [200]);
}

/// A body of that many bytes, no two stretches of which are alike.
fn large(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| ((at * at) >> 7) as u8).collect()
}

#[test]
fn large_body_goes_by_few_reads_to_whoever_has_room() {
    let body = large(200_000);
    let mut stage = Stage::new();
    stage.send(post("/roomy", "content-length: 200000\r\n"));
    stage.send_all(&[&body[..150_000], &body[150_000..], GET.as_bytes()]);
    assert_eq!(stage.statuses(), [200, 200]);
    assert_eq!(READS.take(), [65_536, 65_536, 18_928, 50_000]);
    assert_eq!(READ.take(), body);
}

#[test]
fn request_behind_a_large_body_is_left_for_its_turn() {
    let body = large(70_000);
    let mut stage = Stage::new();
    stage.send(post("/roomy", "content-length: 70000\r\n"));
    stage.send([&*body, GET.as_bytes(), GET.as_bytes()].concat());
    assert_eq!(stage.statuses(), [200, 200, 200]);
    assert_eq!(READ.take(), body);
}

#[test]
fn large_chunked_body_goes_by_few_reads() {
    let body = large(400_000);
    let mut stage = Stage::new();
    let chunks: Vec<u8> = body.chunks(100_000).flat_map(|chunk| [b"186a0\r\n", chunk, b"\r\n"].concat()).collect();
    stage.send(post("/roomy", "transfer-encoding: chunked\r\n"));
    stage.send([&*chunks, b"0\r\n\r\n", GET.as_bytes()].concat());
    assert_eq!(stage.statuses(), [200, 200]);
    assert!(READS.take().len() <= 10);
    assert_eq!(READ.take(), body);
}

#[test]
fn trailers_are_kept_for_the_reader() {
    let mut stage = Stage::new();
    stage.send(post("/roomy", "transfer-encoding: chunked\r\n"));
    stage.send("3\r\nabc\r\n0\r\nDigest: a\r\nx-b:");
    stage.send([" c\r\n\r\n", GET].concat());
    assert_eq!(stage.statuses(), [200, 200]);
    assert_eq!(TRAILERS.take(), b"Digest: a\r\nx-b: c\r\n");
    stage.send([&post("/roomy", "transfer-encoding: chunked\r\n"), "0\r\n\r\n"].concat());
    stage.send([&post("/roomy", "content-length: 3\r\n"), "abc"].concat());
    assert_eq!((stage.statuses(), TRAILERS.take()), (vec![200, 200], Vec::new()));
}
