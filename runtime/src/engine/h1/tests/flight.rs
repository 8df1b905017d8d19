//! The limit on exchanges in flight: at it, below it, and that whatever ends an exchange frees its place.

use super::stage::{SETTINGS, Stage};
use crate::{Limits, Settings};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const LATER: &str = "GET /later HTTP/1.1\r\nhost: a\r\n\r\n";

static TWO: Settings = Settings { limits: Limits { requests: 2, ..SETTINGS.limits }, ..SETTINGS };

#[test]
fn exchange_over_the_limit_is_refused_and_its_connection_kept() {
    let mut first = Stage::with(&TWO);
    let mut second = Stage::beside(&first.worker, &TWO);
    let mut third = Stage::beside(&first.worker, &TWO);
    first.send(LATER);
    second.send(LATER);
    third.send([LATER, GET].concat());
    assert_eq!(third.statuses(), [503, 200]);
    assert!(!third.is_closed());
    assert_eq!(third.count(|counters| &counters.faults[crate::fault::Fault::RequestLimit.number()]), 1);
    first.poll();
    third.send(LATER);
    third.poll();
    assert_eq!((first.statuses(), third.statuses()), (vec![200], vec![200]));
}

#[test]
fn answer_that_is_ready_at_once_needs_no_place() {
    let mut first = Stage::with(&TWO);
    let mut second = Stage::beside(&first.worker, &TWO);
    let mut third = Stage::beside(&first.worker, &TWO);
    first.send(LATER);
    second.send(LATER);
    third.send(GET.repeat(3));
    assert_eq!(third.statuses(), [200, 200, 200]);
}

#[test]
fn body_of_a_refused_exchange_is_passed_over() {
    let mut first = Stage::with(&TWO);
    let mut second = Stage::beside(&first.worker, &TWO);
    let mut third = Stage::beside(&first.worker, &TWO);
    first.send(LATER);
    second.send(LATER);
    third.send(["POST /length HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", GET].concat());
    assert_eq!(third.statuses(), [503, 200]);
    third.send("POST /length HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\nexpect: 100-continue\r\n\r\n");
    assert!(third.answers().contains("connection: close\r\n"), "the body may never come");
}

#[test]
fn place_is_free_again_however_an_exchange_ends() {
    let blocked = [
        "GET /later HTTP/1.1\r\nhost: a\r\n\r\n",
        "GET /later-panic HTTP/1.1\r\nhost: a\r\n\r\n",
        "GET /large HTTP/1.1\r\nhost: a\r\n\r\n",
    ];
    for request in blocked {
        let mut first = Stage::with(&TWO);
        let mut second = Stage::beside(&first.worker, &TWO);
        let mut third = Stage::beside(&first.worker, &TWO);
        first.set_room(0);
        first.send(request);
        second.send(LATER);
        third.send(LATER);
        assert_eq!(third.statuses(), [503], "{request}");
        if request.contains("panic") {
            first.set_room(usize::MAX);
            first.poll();
            assert_eq!(first.statuses(), [500]);
        } else {
            drop(first);
        }
        third.send(LATER);
        third.poll();
        assert_eq!(third.statuses(), [200], "{request}");
    }
}
