//! The memory budget: to its last byte, in order, for a while, and whatever ends a connection gives its part back.

use std::rc::Rc;

use super::stage::{SETTINGS, Stage};
use crate::{
    Exchange, Limits, Settings, Site, Step,
    buffer::Buffer,
    engine::h1::work,
    fault::Fault,
    response::{Rendered, Response},
    worker::{Shares, Worker},
};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
/// Ticks of 5 s, and one for the tick that is running.
const WAIT_TICKS: u32 = 5 * 4 + 1;

const fn budget(bytes: u64) -> Settings {
    Settings { limits: Limits { memory_bytes: Some(bytes), ..SETTINGS.limits }, ..SETTINGS }
}

/// What one connection needs that reads a request: 32 KiB of head, 8 KiB each for its body and its answer.
const WORK_BYTES: u64 = 48 * 1024;
static TWO: Settings = budget(2 * WORK_BYTES);
static NOT_QUITE_TWO: Settings = budget(2 * WORK_BYTES - 1);

/// Four connections of a worker, of which the first two hold half a head each.
fn stages(settings: &'static Settings) -> [Stage; 4] {
    assert_eq!(work::bytes(SETTINGS.limits.head_bytes) as u64, WORK_BYTES);
    let first = Stage::with(settings);
    let [second, third, fourth] = std::array::from_fn(|_| Stage::beside(&first.worker, settings));
    let mut stages = [first, second, third, fourth];
    stages[0].send("GET /");
    stages[1].send("GET /");
    stages
}

#[test]
fn budget_is_used_to_its_last_byte() {
    let [mut first, mut second, mut third, _] = stages(&TWO);
    third.send(GET);
    assert_eq!(third.answers(), "");
    for stage in [&mut first, &mut second] {
        stage.send(" HTTP/1.1\r\nhost: a\r\n\r\n");
        assert_eq!(stage.statuses(), [200], "it has its memory");
    }
    third.poll();
    assert_eq!(third.statuses(), [200]);
    let [_first, mut second, ..] = stages(&NOT_QUITE_TWO);
    second.send(" HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!(second.answers(), "", "a byte less is too little for two");
}

#[test]
fn connections_wait_in_their_order() {
    let [first, _second, mut third, mut fourth] = stages(&TWO);
    third.send(GET);
    fourth.send(GET);
    drop(first);
    fourth.poll();
    assert_eq!(fourth.answers(), "", "the third was there before");
    third.poll();
    assert_eq!(third.statuses(), [200]);
    fourth.poll();
    assert_eq!(fourth.statuses(), [200]);
}

#[test]
fn request_that_waits_too_long_is_told_so() {
    let [mut first, _second, mut third, _] = stages(&TWO);
    third.send([GET, GET].concat());
    third.pass(WAIT_TICKS - 1);
    assert_eq!(third.answers(), "");
    third.pass(1);
    assert_eq!(third.statuses(), [503]);
    assert!(third.is_closed());
    assert_eq!(third.count(|counters| &counters.faults[Fault::MemoryTimedOut.number()]), 1);
    first.send(" HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!(first.statuses(), [200], "its place in the queue is given up");
}

#[test]
fn connection_without_a_request_is_never_refused() {
    let [first, _second, mut third, mut fourth] = stages(&TWO);
    // Woken for nothing: it can't look without memory.
    third.poll();
    third.pass(WAIT_TICKS);
    assert!(!third.is_closed());
    fourth.send(GET);
    drop(first);
    fourth.poll();
    assert_eq!(fourth.statuses(), [200], "it stands in nobody's way");
    third.send(GET);
    assert_eq!(third.statuses(), [200]);
}

#[test]
fn output_that_a_client_does_not_take_is_charged() {
    let first = Stage::with(&TWO);
    let mut second = Stage::beside(&first.worker, &TWO);
    let mut first = first;
    first.set_room(0);
    first.send(GET);
    second.send(GET);
    assert_eq!(second.answers(), "");
    first.set_room(usize::MAX);
    first.poll();
    second.poll();
    assert_eq!((first.statuses(), second.statuses()), (vec![200], vec![200]));
}

#[test]
fn memory_comes_back_from_a_handler_that_panics() {
    let [mut first, _second, mut third, _] = stages(&TWO);
    third.send(GET);
    first.send("later-panic HTTP/1.1\r\nhost: a\r\n\r\n");
    third.poll();
    assert_eq!(third.answers(), "");
    first.poll();
    assert_eq!(first.statuses(), [500]);
    third.poll();
    assert_eq!(third.statuses(), [200]);
}

/// Answers with a body that was rendered: `/100000` has so many bytes.
struct Pages;

impl Site for Pages {
    fn handle<'a>(&'a self, exchange: Exchange<'a>) -> Step<'a> {
        let bytes = exchange.path().trim_start_matches('/').parse().unwrap();
        let mut buffer = Buffer::take();
        buffer.resize(bytes, b'x');
        buffer.push_status_line(200);
        buffer.push_number_field("content-length", bytes as u64);
        Step::Ready(Response::Rendered(Rendered::new(200, buffer, bytes)))
    }
}

#[test]
fn large_body_in_memory_is_charged_as_long_as_its_client_takes_it() {
    static SOME: Settings = budget(600_000);
    let worker = Rc::new(Worker::alone(8).with_shares(Shares { requests: 8, memory_bytes: SOME.limits.memory_bytes }));
    let [mut slow, mut second, mut third] = std::array::from_fn(|_| Stage::of_site(&Pages, &worker, &SOME));
    let page = "GET /300000 HTTP/1.1\r\nhost: a\r\n\r\n";
    slow.set_room(10);
    slow.send(page);
    second.send(page);
    assert_eq!((second.statuses(), second.is_closed()), (vec![503], true));
    assert_eq!(second.count(|counters| &counters.faults[Fault::MemoryTimedOut.number()]), 1);
    third.send("GET /1000 HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!(third.statuses(), [200]);
    slow.set_room(usize::MAX);
    slow.poll();
    third.send(page);
    assert_eq!((slow.raw().len() > 300_000, third.statuses()), (true, vec![200]), "it came back");
}
