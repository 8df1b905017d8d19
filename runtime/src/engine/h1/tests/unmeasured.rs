//! Answers without a length: how their pieces and their end are told, to each version and method.

use std::{
    cell::Cell,
    collections::VecDeque,
    io,
    task::{Context, Poll},
};

use super::stage::{IDLE_TICKS, Stage, WRITE_TICKS};
use crate::{
    buffer::Chunk,
    fault::Fault,
    response::Response,
    step::Step,
    unmeasured::{Source, Unmeasured},
};

/// What a source does when it is asked.
#[derive(Clone, Copy, Debug)]
enum Turn {
    Fail,
    Fault(Fault),
    Panic,
    Piece(&'static str),
    Rest,
}

#[derive(Debug)]
struct Script {
    /// Its head.
    line: &'static [u8],
    trailers: &'static [u8],
    fault: Option<Fault>,
    turns: VecDeque<Turn>,
    knows_its_end: bool,
}

impl Source for Script {
    fn head_lines(&self) -> &[u8] {
        self.line
    }

    fn poll_chunk(&mut self, _context: &mut Context<'_>, room: usize) -> Poll<Option<io::Result<Chunk>>> {
        let piece = match self.turns.pop_front() {
            None => return Poll::Ready(None),
            Some(Turn::Fault(fault)) => {
                self.fault = Some(fault);
                return Poll::Ready(Some(Err(io::ErrorKind::BrokenPipe.into())));
            }
            Some(Turn::Fail) => return Poll::Ready(Some(Err(io::ErrorKind::BrokenPipe.into()))),
            Some(Turn::Panic) => panic!("a source panics"),
            Some(Turn::Piece(piece)) => piece,
            Some(Turn::Rest) => return Poll::Pending,
        };
        assert!(piece.len() <= room);
        let mut chunk = Chunk::take();
        chunk.memory()[..piece.len()].copy_from_slice(piece.as_bytes());
        chunk.set_filled(piece.len());
        Poll::Ready(Some(Ok(chunk)))
    }

    fn has_ended(&self) -> bool {
        self.knows_its_end && self.turns.is_empty()
    }

    fn has_date(&self) -> bool {
        self.line.ends_with(b"GMT\r\n")
    }

    fn trailer_lines(&self) -> &[u8] {
        if self.turns.is_empty() { self.trailers } else { b"" }
    }

    fn fault(&self) -> Option<Fault> {
        self.fault
    }

    fn go_on(&mut self, _context: &mut Context<'_>) {
        WENT_ON.set(WENT_ON.get() + 1);
    }
}

/// What the play answers to paths that begin with `/open`.
pub(super) fn answer(path: &str) -> Step<'static> {
    let turns: &[Turn] = match path {
        "/open/broken" => &[Turn::Piece("abc"), Turn::Rest, Turn::Fail],
        "/open/broken-at-once" => &[Turn::Fail],
        "/open/empty" | "/open/none" => &[],
        "/open/faulty" => &[Turn::Piece("abc"), Turn::Rest, Turn::Fault(Fault::UpstreamReset)],
        "/open/faulty-at-once" => &[Turn::Fault(Fault::UpstreamReset)],
        "/open/endless" => &[Turn::Piece("abc"), Turn::Rest, Turn::Rest, Turn::Rest, Turn::Rest, Turn::Rest],
        "/open/empty-piece" => &[Turn::Piece("abc"), Turn::Rest, Turn::Piece("")],
        "/open/panic" => &[Turn::Piece("abc"), Turn::Rest, Turn::Panic],
        "/open/rests" => &[Turn::Rest, Turn::Rest, Turn::Piece("abc"), Turn::Rest, Turn::Piece("0123456789abcdefg"), Turn::Rest],
        _ => &[Turn::Piece("abc"), Turn::Piece("0123456789abcdefg")],
    };
    let (status, line): (_, &'static [u8]) = match path {
        "/open/none" => (204, b"HTTP/1.1 204 No Content\r\n"),
        "/open/dated" => (200, b"HTTP/1.1 200 OK\r\ndate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"),
        _ => (200, b"HTTP/1.1 200 OK\r\n"),
    };
    let trailers: &[u8] = if path.starts_with("/open/trailers") { b"a: b\r\nc: d\r\n" } else { b"" };
    let knows_its_end = matches!(path, "/open/known" | "/open/trailers/known");
    let source = Script { line, trailers, fault: None, turns: turns.iter().copied().collect(), knows_its_end };
    Step::Ready(Response::Unmeasured(Unmeasured::new(status, Box::new(source))))
}

thread_local! {
    /// Times that a source was told to go on without its client.
    static WENT_ON: Cell<usize> = const { Cell::new(0) };
}

const HEAD: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const NEXT: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const HELLO: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n")
}

#[test]
fn pieces_are_chunks_and_the_connection_goes_on() {
    let mut stage = Stage::new();
    stage.send(get("/open") + NEXT);
    assert_eq!(stage.writes(), [&[HEAD, "3\r\nabc\r\n"].concat(), "11\r\n0123456789abcdefg\r\n", "0\r\n\r\n", HELLO]);
    assert!(!stage.is_closed());
}

#[test]
fn end_that_is_known_goes_with_the_last_piece() {
    let mut stage = Stage::new();
    stage.send(get("/open/known") + NEXT);
    assert_eq!(stage.writes(), [&[HEAD, "3\r\nabc\r\n"].concat(), "11\r\n0123456789abcdefg\r\n0\r\n\r\n", HELLO]);
}

#[test]
fn empty_body_is_the_last_chunk() {
    let mut stage = Stage::new();
    stage.send(get("/open/empty") + NEXT);
    assert_eq!(stage.answers(), [HEAD, "0\r\n\r\n", HELLO].concat());
}

#[test]
fn pieces_go_out_as_they_come() {
    let mut stage = Stage::new();
    stage.send(NEXT.to_owned() + &get("/open/rests"));
    assert_eq!(stage.writes(), [[HELLO, HEAD].concat()], "the source has nothing yet");
    stage.poll();
    assert_eq!(stage.writes(), ["3\r\nabc\r\n"]);
    stage.poll();
    assert_eq!(stage.writes(), ["11\r\n0123456789abcdefg\r\n"]);
    stage.pass(IDLE_TICKS);
    assert_eq!(stage.writes(), ["0\r\n\r\n"]);
    assert!(!stage.is_closed());
}

#[test]
fn slow_client_gets_the_same_bytes() {
    let mut stage = Stage::new();
    stage.set_room(0);
    stage.send(get("/open/rests"));
    let mut sent = String::new();
    for _ in 0..500 {
        stage.set_room(1);
        stage.poll();
        sent += &String::from_utf8(stage.raw()).unwrap();
    }
    let (head, body) = sent.split_once("\r\n\r\n").unwrap();
    assert!(head.ends_with("\r\ntransfer-encoding: chunked") || head.contains("\r\ntransfer-encoding: chunked\r\n"), "{head}");
    assert_eq!(body, "3\r\nabc\r\n11\r\n0123456789abcdefg\r\n0\r\n\r\n");
}

#[test]
fn head_says_what_get_says_and_has_no_body() {
    let mut stage = Stage::new();
    stage.send("HEAD /open HTTP/1.1\r\nhost: a\r\n\r\n".to_owned() + NEXT);
    assert_eq!(stage.answers(), [HEAD, HELLO].concat());
}

#[test]
fn status_without_a_body_is_not_framed() {
    let mut stage = Stage::new();
    stage.send(get("/open/none") + NEXT);
    assert_eq!(stage.answers(), ["HTTP/1.1 204 No Content\r\n\r\n", HELLO].concat());
}

#[test]
fn http_1_0_gets_the_body_to_the_end_of_the_connection() {
    for fields in ["", "connection: keep-alive\r\n"] {
        let mut stage = Stage::new();
        stage.send(format!("GET /open HTTP/1.0\r\nhost: a\r\n{fields}\r\n"));
        assert_eq!(stage.answers(), "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nabc0123456789abcdefg");
        assert!(stage.is_closed() && !stage.is_reset());
    }
    let mut stage = Stage::new();
    stage.send("HEAD /open HTTP/1.0\r\nconnection: keep-alive\r\nhost: a\r\n\r\n");
    assert_eq!(stage.answers(), "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
}

#[test]
fn body_that_breaks_off_gets_no_last_chunk() {
    for path in ["/open/broken", "/open/panic", "/open/empty-piece"] {
        let mut stage = Stage::new();
        stage.send(get(path) + NEXT);
        stage.poll();
        assert_eq!(stage.answers(), [HEAD, "3\r\nabc\r\n"].concat(), "{path}");
        assert!(stage.is_over() && stage.is_closed(), "{path}");
    }
}

#[test]
fn body_to_the_end_that_breaks_off_is_reset() {
    let mut stage = Stage::new();
    stage.send("GET /open/broken HTTP/1.0\r\nhost: a\r\n\r\n");
    assert!(!stage.is_reset());
    stage.poll();
    assert_eq!(stage.answers(), "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nabc");
    assert!(stage.is_over() && stage.is_reset());
}

#[test]
fn body_that_breaks_off_before_its_head_was_sent_leaves_the_answers_before_it() {
    let mut stage = Stage::new();
    stage.send(NEXT.to_owned() + &get("/open/broken-at-once"));
    assert_eq!(stage.answers(), HELLO);
    assert!(stage.is_closed());
}

#[test]
fn client_that_takes_nothing_is_given_up() {
    let mut stage = Stage::new();
    stage.set_room(60);
    stage.send(get("/open"));
    stage.pass(WRITE_TICKS);
    stage.pass(WRITE_TICKS);
    assert!(stage.is_over() && stage.is_reset());
}

#[test]
fn date_of_the_source_is_the_only_one() {
    for (path, date) in [("/open/dated", "date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"), ("/open", "")] {
        for (version, end) in [("1.1", "\r\n3\r\nabc"), ("1.0", "connection: close\r\n\r\nabc")] {
            let mut stage = Stage::new();
            stage.send(format!("GET {path} HTTP/{version}\r\nhost: a\r\n\r\n"));
            let answer = String::from_utf8(stage.raw()).unwrap();
            assert_eq!(answer.matches("date: ").count(), 1, "{answer}");
            assert!(answer.contains(date) && answer.contains(end), "{answer}");
        }
    }
}

#[test]
fn trailers_follow_the_last_chunk() {
    for path in ["/open/trailers", "/open/trailers/known"] {
        let mut stage = Stage::new();
        stage.send(get(path) + NEXT);
        let body = "3\r\nabc\r\n11\r\n0123456789abcdefg\r\n0\r\na: b\r\nc: d\r\n\r\n";
        assert_eq!(stage.answers(), [HEAD, body, HELLO].concat(), "{path}");
    }
}

#[test]
fn trailers_have_no_place_in_http_1_0() {
    let mut stage = Stage::new();
    stage.send("GET /open/trailers HTTP/1.0\r\nhost: a\r\n\r\n");
    assert!(stage.answers().ends_with("\r\n\r\nabc0123456789abcdefg"));
}

#[test]
fn source_goes_on_while_its_client_takes_nothing() {
    let mut stage = Stage::new();
    stage.send(get("/open/rests"));
    stage.poll();
    assert_eq!(WENT_ON.get(), 0, "nothing waits to be written");
    stage.set_room(0);
    stage.poll();
    stage.poll();
    assert_eq!(WENT_ON.get(), 2);
}

#[test]
fn fault_before_its_head_was_sent_is_answered() {
    for version in ["1.1", "1.0"] {
        let mut stage = Stage::new();
        stage.send(NEXT.to_owned() + &get("/open/faulty-at-once").replace("1.1", version) + NEXT);
        assert_eq!(stage.statuses()[..2], [200, 502]);
        assert_eq!(stage.is_closed(), version == "1.0");
        assert_eq!(stage.count(|counters| &counters.faults[Fault::UpstreamReset.number()]), 1);
    }
    let mut stage = Stage::new();
    stage.send(get("/open/faulty") + NEXT);
    stage.poll();
    assert_eq!(stage.answers(), [HEAD, "3\r\nabc\r\n"].concat());
    assert!(stage.is_over());
}
