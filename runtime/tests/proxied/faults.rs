//! Endpoints that fail: what the client is told, what is asked again, and that nothing is held afterwards.

use std::{
    io::{Read, Write},
    net::Shutdown,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    time::Duration,
};

use runtime::upstream::{Eject, Retry, Timeouts};

use crate::stage::{Stage, WAIT, Wanted, answering, ask, nowhere, read_answer, read_body, read_head, until, upstream};

const GET: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const POST: &str = "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nhello";
const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const RETRY: Retry =
    Retry { times: 2, budget_percent: 20, on_connect: true, on_reset: true, on_first_byte_timeout: false, statuses: &[503] };
/// As short as the clock tells apart.
const SHORT: Duration = Duration::from_millis(250);

fn timeouts() -> Timeouts {
    Wanted::default().timeouts
}

fn retried() -> Wanted {
    Wanted { retry: Some(RETRY), ..Wanted::default() }
}

/// Reads a request and does nothing until the other end closes.
fn silent() -> String {
    upstream(|stream, _| {
        read_head(stream);
        let _ = stream.read_to_end(&mut Vec::new());
    })
}

/// Reads a request, sends these bytes, and closes.
fn closing(sent: &'static [u8]) -> String {
    upstream(move |stream, _| {
        if read_head(stream).is_some() {
            let _ = stream.write_all(sent);
        }
    })
}

#[track_caller]
fn check(address: String, wanted: Wanted, status: &str) {
    let stage = Stage::new(&[address], wanted);
    for request in [GET, POST] {
        assert_eq!(stage.ask(request).status(), status, "{request}");
    }
    until("nothing is held", || stage.active() == 0);
}

#[test]
fn endpoint_that_refuses_is_502() {
    check(nowhere(), Wanted::default(), "502");
    check("unix:/nowhere/at-all.sock".to_owned(), Wanted::default(), "502");
}

#[test]
fn endpoint_that_says_nothing_is_504() {
    check(silent(), Wanted { timeouts: Timeouts { first_byte: SHORT, ..timeouts() }, ..Wanted::default() }, "504");
    check(silent(), Wanted { timeouts: Timeouts { total: Some(SHORT), ..timeouts() }, ..Wanted::default() }, "504");
}

#[test]
fn endpoint_that_stops_in_its_head_is_504() {
    let address = upstream(|stream, _| {
        read_head(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-le").expect("an open connection");
        let _ = stream.read_to_end(&mut Vec::new());
    });
    check(address, Wanted { timeouts: Timeouts { between_bytes: SHORT, ..timeouts() }, ..Wanted::default() }, "504");
}

#[test]
fn head_that_is_cut_anywhere_is_502() {
    for bytes in 0..OK.len() - 2 {
        let stage = Stage::new(&[closing(&OK[..bytes])], Wanted::default());
        assert_eq!(stage.ask(GET).status(), "502", "{bytes}");
    }
}

#[test]
fn head_in_doubt_is_502_and_its_connection_is_closed() {
    for head in [
        &b"garbage\r\n\r\n"[..],
        b"HTTP/1.1 200 OK\ncontent-length: 2\n\nok",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok!",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\ncontent-length: 1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n",
    ] {
        let stage = Stage::new(&[answering(head)], Wanted::default());
        for _ in 0..2 {
            assert_eq!(stage.ask(GET).status(), "502", "{}", String::from_utf8_lossy(head));
        }
        assert_eq!(stage.connects(), 2);
        until("nothing is held", || stage.active() == 0);
    }
}

#[test]
fn flood_of_informational_answers_ends() {
    let address = upstream(|stream, _| {
        read_head(stream);
        while stream.write_all(b"HTTP/1.1 102 Processing\r\n\r\n").is_ok() {}
    });
    let stage = Stage::new(&[address], Wanted::default());
    let mut stream = stage.connect();
    stream.write_all(GET.as_bytes()).expect("an open connection");
    let mut answers = 0;
    let last = loop {
        let answer = read_answer(&mut stream, false);
        if answer.status() != "102" {
            break answer;
        }
        answers += 1;
    };
    assert!(answers <= 64);
    assert_eq!(last.status(), "502");
}

#[test]
fn head_without_an_end_is_502() {
    let address = upstream(|stream, _| {
        read_head(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\n").expect("an open connection");
        while stream.write_all(b"x-more: and more of it\r\n").is_ok() {}
    });
    check(address, Wanted::default(), "502");
}

#[test]
fn body_that_is_cut_breaks_the_answer_off() {
    for cut in [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell"[..],
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nx",
    ] {
        let stage = Stage::new(&[closing(cut)], Wanted::default());
        let answer = stage.ask(GET);
        assert!(!answer.is_complete && answer.status() == "200", "{answer:?}");
        until("nothing is held", || stage.active() == 0);
    }
}

#[test]
fn body_that_stops_breaks_the_answer_off() {
    for timeouts in [Timeouts { between_bytes: SHORT, ..timeouts() }, Timeouts { total: Some(SHORT), ..timeouts() }] {
        let address = upstream(|stream, _| {
            read_head(stream);
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell").expect("an open connection");
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let stage = Stage::new(&[address], Wanted { timeouts, ..Wanted::default() });
        let answer = stage.ask(GET);
        assert!(!answer.is_complete && answer.body == b"hell", "{answer:?}");
        until("nothing is held", || stage.active() == 0);
    }
}

#[test]
fn other_endpoint_answers_what_one_refuses() {
    let stage = Stage::new(&[nowhere(), answering(OK)], retried());
    for _ in 0..4 {
        assert_eq!(stage.ask(GET).text(), "ok");
        assert_eq!(stage.ask("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n").text(), "ok");
    }
}

#[test]
fn safe_request_is_asked_again_and_another_is_not() {
    let stage = Stage::new(&[closing(b""), echoing()], retried());
    let statuses: Vec<String> = (0..4).map(|_| stage.ask(POST).status().to_owned()).collect();
    assert_eq!(statuses.iter().filter(|status| *status == "502").count(), 2, "{statuses:?}");
    for _ in 0..4 {
        assert_eq!(stage.ask(GET).status(), "200");
    }
    until("nothing is held", || stage.active() == 0);
}

fn echoing() -> String {
    upstream(|stream, _| {
        while let Some(head) = read_head(stream) {
            read_body(stream, &head);
            stream.write_all(OK).expect("an open connection");
        }
    })
}

#[test]
fn answer_with_a_status_that_is_not_wanted_is_asked_for_again_and_the_last_one_counts() {
    let busy = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 4\r\n\r\nbusy";
    let stage = Stage::new(&[answering(busy), answering(OK)], retried());
    for _ in 0..4 {
        assert_eq!(stage.ask(GET).text(), "ok");
    }
    let stage = Stage::new(&[answering(busy)], retried());
    assert_eq!(stage.ask(GET).text(), "busy");
    assert_eq!(stage.connects(), 3);
}

#[test]
fn retries_have_a_budget() {
    let stage = Stage::new(&[closing(b"")], Wanted { retry: Some(Retry { times: 1, budget_percent: 0, ..RETRY }), ..retried() });
    for _ in 0..20 {
        assert_eq!(stage.ask(GET).status(), "502");
    }
    assert_eq!(stage.connects(), 30, "ten of them were tried again");
}

#[test]
fn endpoint_that_fails_is_left_alone_for_a_while() {
    let eject = Some(Eject { after: 2, span: Duration::from_secs(600) });
    let stage = Stage::new(&[nowhere(), answering(OK)], Wanted { eject, ..Wanted::default() });
    let failed = (0..10).filter(|_| stage.ask(GET).status() == "502").count();
    assert_eq!(failed, 2);
    let [first, other] = stage.endpoints else { panic!("two endpoints") };
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    assert_eq!((of(&first.counts().failures), of(&first.counts().ejections), of(&first.counts().exchanges)), (2, 1, 2));
    assert_eq!((of(&other.counts().failures), of(&other.counts().exchanges)), (0, 8));
}

#[test]
fn endpoint_whose_bodies_break_off_is_left_alone_too() {
    let eject = Some(Eject { after: 2, span: Duration::from_secs(600) });
    let cut = closing(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell");
    let stage = Stage::new(&[cut, answering(OK)], Wanted { eject, ..Wanted::default() });
    let failed = (0..10).filter(|_| !stage.ask(GET).is_complete).count();
    assert_eq!(failed, 2);
}

#[test]
fn status_that_another_endpoint_is_asked_for_is_no_failure() {
    let eject = Some(Eject { after: 1, span: Duration::from_secs(600) });
    let busy = answering(b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n");
    let stage = Stage::new(&[busy, answering(OK)], Wanted { eject, ..retried() });
    for _ in 0..6 {
        assert_eq!(stage.ask(GET).text(), "ok");
    }
    let counts = stage.endpoints[0].counts();
    assert_eq!((counts.failures.load(Ordering::Relaxed), counts.exchanges.load(Ordering::Relaxed)), (0, 3));
}

#[test]
fn all_endpoints_left_alone_are_asked_anyway() {
    let eject = Some(Eject { after: 1, span: Duration::from_secs(600) });
    let stage = Stage::new(&[nowhere(), nowhere()], Wanted { eject, ..Wanted::default() });
    for _ in 0..5 {
        assert_eq!(stage.ask(GET).status(), "502");
    }
}

#[test]
fn backup_is_asked_while_no_other_endpoint_can_be() {
    let eject = Some(Eject { after: 1, span: Duration::from_secs(600) });
    let backup = format!("backup {}", answering(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nbackup"));
    let stage = Stage::new(&[answering(OK), backup.clone()], Wanted::default());
    for _ in 0..5 {
        assert_eq!(stage.ask(GET).text(), "ok");
    }
    let stage = Stage::new(&[nowhere(), backup], Wanted { eject, ..retried() });
    for _ in 0..5 {
        assert_eq!(stage.ask(GET).text(), "backup");
    }
}

#[test]
fn kept_connection_that_ended_is_replaced_unseen_for_what_is_safe() {
    let heads = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&heads);
    let address = upstream(move |stream, number| {
        while read_head(stream).is_some() {
            counted.fetch_add(1, Ordering::Relaxed);
            if number == 0 && counted.load(Ordering::Relaxed) > 1 {
                // The end comes when the request is here already.
                return;
            }
            stream.write_all(OK).expect("an open connection");
        }
    });
    let stage = Stage::new(&[address], Wanted::default());
    let mut stream = stage.connect();
    assert_eq!(ask(&mut stream, GET).text(), "ok");
    assert_eq!(ask(&mut stream, GET).text(), "ok");
    assert_eq!((stage.connects(), heads.load(Ordering::Relaxed)), (2, 3));
}

#[test]
fn connection_that_closed_while_idle_is_not_used_for_what_can_not_be_repeated() {
    let (closes, closed) = mpsc::channel();
    let address = upstream(move |stream, _| {
        if let Some(head) = read_head(stream) {
            read_body(stream, &head);
            stream.write_all(OK).expect("an open connection");
            stream.shutdown(Shutdown::Both).expect("an open connection");
            closes.send(()).expect("a test");
        }
    });
    let stage = Stage::new(&[address], Wanted::default());
    let mut stream = stage.connect();
    for _ in 0..20 {
        assert_eq!(ask(&mut stream, POST).text(), "ok");
        closed.recv_timeout(WAIT).expect("closed");
    }
}
