//! Clients that go away, or send no more, while their answer is waited for.

use super::stage::{MAY_ANSWER, Stage, WAITING};
use crate::{clock, engine::h1::link::ENDED};

const WAITS: &str = "GET /waits HTTP/1.1\r\nhost: a\r\n\r\n";
const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

fn waiting(request: &str) -> Stage {
    let mut stage = Stage::new();
    stage.send(request);
    assert_eq!((WAITING.get(), stage.answers()), (1, String::new()));
    stage
}

#[test]
fn client_that_is_gone_ends_what_it_waited_for_at_once() {
    let mut stage = waiting(WAITS);
    assert_eq!(stage.worker.requests(), 1);
    stage.go();
    assert_eq!((WAITING.get(), stage.worker.requests()), (0, 0));
    assert!(stage.is_over());
}

#[test]
fn requests_behind_do_not_hide_that_the_client_is_gone() {
    let mut stage = waiting(&WAITS.repeat(2));
    stage.send(GET);
    stage.go();
    assert!(stage.is_over() && WAITING.get() == 0);
}

#[test]
fn client_that_sends_no_more_gets_an_answer_that_comes_soon() {
    let mut stage = waiting(WAITS);
    stage.end();
    stage.pass(clock::ticks(ENDED) - 1);
    assert_eq!(WAITING.get(), 1);
    MAY_ANSWER.set(true);
    stage.poll();
    assert_eq!(stage.statuses(), [200]);
    assert!(stage.is_over());
}

#[test]
fn requests_behind_are_answered_though_the_client_sends_no_more() {
    let mut stage = waiting(&[WAITS, GET, WAITS].concat());
    stage.send(GET);
    stage.end();
    MAY_ANSWER.set(true);
    stage.poll();
    assert_eq!(stage.statuses(), [200; 4]);
}

#[test]
fn client_that_sends_no_more_is_held_to_be_gone_after_a_while() {
    let mut stage = waiting(WAITS);
    stage.pass(100);
    stage.end();
    stage.pass(clock::ticks(ENDED) - 1);
    assert!(!stage.is_over());
    stage.pass(1);
    assert!(stage.is_over() && WAITING.get() == 0);
    assert_eq!(stage.answers(), "");
}

#[test]
fn end_behind_a_body_that_nobody_reads_is_that_of_the_body() {
    let head = "POST /waits-beside HTTP/1.1\r\nhost: a\r\ncontent-length: 6\r\n\r\n";
    let mut stage = waiting(&[head, "abc"].concat());
    stage.send_all(&[b"def", b""]);
    stage.pass(100);
    assert_eq!(WAITING.get(), 1, "who reads on may find all of it");
    stage.go();
    assert_eq!(WAITING.get(), 0);
}

#[test]
fn answer_that_pauses_ends_with_its_client() {
    for is_gone in [true, false] {
        let mut stage = Stage::new();
        stage.send("GET /open/endless HTTP/1.1\r\nhost: a\r\n\r\n");
        stage.pass(100);
        assert!(!stage.is_over());
        match is_gone {
            true => stage.go(),
            false => {
                stage.end();
                stage.pass(clock::ticks(ENDED));
            }
        }
        assert!(stage.is_over(), "{is_gone}");
    }
}

#[test]
fn answer_that_goes_on_is_sent_though_the_client_sends_no_more() {
    let mut stage = Stage::new();
    stage.send("GET /open/rests HTTP/1.1\r\nhost: a\r\n\r\n");
    stage.end();
    for _ in 0..5 {
        stage.pass(clock::ticks(ENDED) - 1);
    }
    assert!(stage.answers().ends_with("\r\n0\r\n\r\n"));
}
