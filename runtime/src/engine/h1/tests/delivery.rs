//! How many writes answers take, and how large they are: each policy, each depth; and that no answer waits for anything but its policy.

use super::stage::{SETTINGS, Stage, without_date};
use crate::{Delivery, Settings, engine::h1::work::OUT_BYTES_MAX};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
/// One answer to [`GET`]: a status line, `content-length: 5`, a `date` line, an empty line, and `hello`.
const ANSWER_BYTES: usize = 80;

static IMMEDIATE: Settings = Settings { delivery: Delivery::Immediate, ..SETTINGS };
static NOTHING: Settings = Settings { delivery: Delivery::Bytes(0), ..SETTINGS };
static THREE: Settings = Settings { delivery: Delivery::Bytes(3 * ANSWER_BYTES as u32), ..SETTINGS };
static OVER_THREE: Settings = Settings { delivery: Delivery::Bytes(3 * ANSWER_BYTES as u32 + 1), ..SETTINGS };
static WITHOUT_END: Settings = Settings { delivery: Delivery::Bytes(u32::MAX), ..SETTINGS };

/// Answers in each write, for so many requests in one read.
fn writes(settings: &'static Settings, depth: usize) -> Vec<usize> {
    let mut stage = Stage::with(settings);
    stage.send(GET.repeat(depth));
    let sizes = stage.sizes();
    assert!(sizes.iter().all(|bytes| bytes % ANSWER_BYTES == 0), "{sizes:?}");
    sizes.into_iter().map(|bytes| bytes / ANSWER_BYTES).collect()
}

#[test]
fn immediate_answers_have_a_write_each() {
    for settings in [&IMMEDIATE, &NOTHING] {
        for depth in [1, 8, 32] {
            assert_eq!(writes(settings, depth), vec![1; depth]);
        }
    }
}

#[test]
fn gathered_answers_of_a_read_have_one_write() {
    for depth in [1, 8, 32] {
        assert_eq!(writes(&SETTINGS, depth), [depth]);
    }
}

#[test]
fn answers_are_written_when_the_threshold_is_reached() {
    assert_eq!(writes(&THREE, 1), [1]);
    assert_eq!(writes(&THREE, 8), [3, 3, 2]);
    assert_eq!(writes(&THREE, 32), [[3; 10].as_slice(), &[2]].concat());
    assert_eq!(writes(&OVER_THREE, 8), [4, 4]);
    assert_eq!(writes(&OVER_THREE, 32), [4; 8]);
}

#[test]
fn output_is_bounded_whatever_the_threshold() {
    let mut stage = Stage::with(&WITHOUT_END);
    let request = "GET /inline HTTP/1.1\r\nhost: a\r\n\r\n";
    stage.send(request.repeat(230));
    let sizes = stage.sizes();
    let all: usize = sizes.iter().sum();
    assert!(all > 3 << 20, "{all} bytes in all");
    // A MiB and the end of an answer at a time; and what is left.
    assert_eq!(sizes.len(), 4, "{sizes:?}");
    assert!(sizes.iter().all(|&bytes| bytes < OUT_BYTES_MAX + 17 * 1024), "{sizes:?}");
}

#[test]
fn answers_do_not_wait_for_the_next_read() {
    let mut stage = Stage::new();
    stage.send_all(&[GET.repeat(2).as_bytes(), GET.as_bytes()]);
    assert_eq!(stage.sizes(), [2 * ANSWER_BYTES, ANSWER_BYTES]);
    stage.send([GET, "GET / HT"].concat());
    assert_eq!(stage.sizes(), [ANSWER_BYTES], "half a head behind holds nothing up");
}

#[test]
fn answers_do_not_wait_for_a_body() {
    for path in ["/length", "/"] {
        let mut stage = Stage::new();
        stage.send([GET, &format!("POST {path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nab")].concat());
        assert_eq!(stage.sizes(), [ANSWER_BYTES], "{path}");
    }
}

#[test]
fn later_answer_that_panics_takes_back_nothing_of_others() {
    let mut stage = Stage::new();
    stage.set_room(10);
    stage.send([GET, "GET /later-panic HTTP/1.1\r\nhost: a\r\n\r\n"].concat());
    let mut bytes = stage.raw();
    assert_eq!(bytes.len(), 10);
    stage.set_room(usize::MAX);
    stage.poll();
    bytes.extend(stage.raw());
    let text = without_date(&String::from_utf8(bytes).unwrap());
    assert!(text.starts_with("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhelloHTTP/1.1 500 "), "{text}");
    assert!(text.ends_with("500 Internal Server Error\n"), "{text}");
}

#[test]
fn later_answer_that_aborts_takes_back_nothing_of_others() {
    let mut stage = Stage::new();
    stage.set_room(10);
    stage.send([GET, "GET /later-abort HTTP/1.1\r\nhost: a\r\n\r\n"].concat());
    let mut bytes = stage.raw();
    stage.set_room(usize::MAX);
    stage.poll();
    bytes.extend(stage.raw());
    assert_eq!(without_date(&String::from_utf8(bytes).unwrap()), "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
    assert!(stage.is_over());
}
