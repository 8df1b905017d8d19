//! Upstreams that fail in every way there is: what the client is told, what the log calls it, and that nothing of it outlives its exchange.

use std::time::{Duration, Instant};

use kiln_tests::{
    client::{Client, End},
    proxied::Proxied,
    upstream::{Full, Peer, Refusing, Upstream, ok},
};

const GET: &str = "GET / HTTP/1.1\r\nhost: one.test\r\n\r\n";

/// Asks once, expects this status of kiln's own, on a connection that goes on, and this cause in body and log.
#[track_caller]
fn is_told(proxied: Proxied, request: &str, status: u16, cause: &str) {
    let mut client = proxied.client();
    let answer = client.ask(request);
    assert_eq!(answer.status, status, "{cause}: {}", answer.text());
    assert!(answer.text().contains(cause), "{cause}: {}", answer.text());
    assert_eq!(client.get("nowhere.test", "/", "").status, 421, "the client's connection is not at fault");
    drop(client);
    let logged = proxied.logged();
    assert_eq!((logged[0].get("status"), logged[0].get("cause")), (&*status.to_string(), cause));
}

/// Measures a wait that a timeout of one second ends.
#[track_caller]
fn takes_a_second(since: Instant) {
    let waited = since.elapsed();
    assert!(waited > Duration::from_millis(900) && waited < Duration::from_secs(8), "{waited:?}");
}

#[test]
fn refused_connection_is_bad_gateway() {
    let refusing = Refusing::new();
    is_told(Proxied::with("refused", refusing.address()), GET, 502, "upstream-connect-failed");
}

#[test]
fn endpoint_that_is_no_socket_is_bad_gateway() {
    is_told(Proxied::start("no-socket", &[]), "GET / HTTP/1.1\r\nhost: socket.test\r\n\r\n", 502, "upstream-connect-failed");
}

#[test]
fn connection_that_does_not_come_about_times_out() {
    let full = Full::new();
    let since = Instant::now();
    is_told(Proxied::with("connect", full.address()), &GET.replace("one", "quick"), 504, "upstream-connect-timed-out");
    takes_a_second(since);
}

#[test]
fn answer_that_does_not_begin_times_out() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.end();
        peer.mark("ended");
    });
    let since = Instant::now();
    is_told(Proxied::with("first-byte", upstream.address()), &GET.replace("one", "quick"), 504, "upstream-first-byte-timed-out");
    takes_a_second(since);
    upstream.wait_for_mark("ended", 1);
}

#[test]
fn head_that_does_not_end_times_out() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\ncontent-le");
        peer.end();
    });
    let since = Instant::now();
    is_told(Proxied::with("between-head", upstream.address()), &GET.replace("one", "quick"), 504, "upstream-between-bytes-timed-out");
    takes_a_second(since);
}

#[test]
fn body_that_stops_cuts_the_answer_and_is_named_in_the_log() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello");
        peer.end();
    });
    let proxied = Proxied::with("between-body", upstream.address());
    let mut client = proxied.client();
    let since = Instant::now();
    assert!(client.try_get("quick.test", "/", "").is_err());
    takes_a_second(since);
    let logged = proxied.logged();
    assert_eq!((logged[0].get("status"), logged[0].get("cause")), ("200", "upstream-between-bytes-timed-out"));
}

#[test]
fn answer_that_takes_too_long_in_all_times_out() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        // Never long between two bytes.
        peer.send("HTTP/1.1 200 OK\r\nx: ");
        while peer.try_send("x") {
            peer.pause(Duration::from_millis(50));
        }
    });
    let since = Instant::now();
    let request = "GET /total/x HTTP/1.1\r\nhost: quick.test\r\n\r\n";
    is_told(Proxied::with("total", upstream.address()), request, 504, "upstream-total-timed-out");
    takes_a_second(since);
    upstream.wait_for_open(0);
}

#[test]
fn timeout_of_a_route_replaces_that_of_the_upstream() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.pause(Duration::from_millis(1_800));
        peer.send(ok("patience"));
    });
    let proxied = Proxied::with("patient", upstream.address());
    assert_eq!(proxied.client().get("quick.test", "/patient/x", "").text(), "patience");
}

/// An answer, where its head ends, and whether the end of the connection may be the end of its body.
const ANSWERS: [(&str, bool); 3] = [
    ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nx-a: b\r\n\r\nhello", false),
    ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nx-a: b\r\n\r\n", false),
    ("HTTP/1.1 200 OK\r\nx-a: b\r\n\r\nhello", true),
];

/// Each answer cut behind each of its bytes, by `cut`; what a client may take for whole is whole.
fn cut_everywhere(name: &str, cut: fn(&mut Peer), is_reset: bool) {
    let upstream = Upstream::start(move |peer| {
        if let Some(heard) = peer.request() {
            let numbers: Vec<usize> = heard.target[1..].split('/').map(|number| number.parse().expect("a number")).collect();
            peer.send(&ANSWERS[numbers[0]].0[..numbers[1]]);
            cut(peer);
        }
    });
    let proxied = Proxied::with(name, upstream.address());
    let mut client = proxied.client();
    let mut cases = 0;
    for (number, (answer, ends_with_connection)) in ANSWERS.iter().enumerate() {
        let head = answer.find("\r\n\r\n").expect("a head") + 4;
        for bytes in 0..=answer.len() {
            cases += 1;
            let got = client.try_get("one.test", &format!("/{number}/{bytes}"), "");
            let case = format!("{bytes} of {answer:?}: {got:?}");
            let is_whole = bytes == answer.len();
            match got {
                Ok(got) if got.status == 502 => assert!(!is_whole || is_reset, "{case}"),
                Ok(got) => {
                    assert!(bytes >= head && (is_whole || (*ends_with_connection && !is_reset)), "{case}");
                    assert_eq!(
                        got.text(),
                        answer.get(bytes.min(head)..bytes).filter(|_| *ends_with_connection).unwrap_or("hello"),
                        "{case}"
                    );
                }
                Err(_) => {
                    assert!(bytes >= head, "{case}");
                    client.finish_reading();
                    client = proxied.client();
                }
            }
        }
    }
    assert_eq!(upstream.requests().len(), cases, "each was asked for once");
    upstream.wait_for_open(0);
    assert_eq!(client.get("nowhere.test", "/", "").status, 421);
}

#[test]
fn close_at_each_byte_never_makes_a_wrong_answer() {
    cut_everywhere("close-at", |_| {}, false);
}

#[test]
fn reset_at_each_byte_never_makes_a_wrong_answer() {
    cut_everywhere("reset-at", Peer::reset, true);
}

#[test]
fn half_close_at_each_byte_never_makes_a_wrong_answer() {
    cut_everywhere(
        "half-close-at",
        |peer| {
            peer.finish();
            peer.end();
        },
        false,
    );
}

#[test]
fn answer_byte_by_byte_is_exact() {
    let upstream = Upstream::start(|peer| {
        while let Some(heard) = peer.request() {
            peer.drip(ANSWERS[heard.target[1..].parse::<usize>().unwrap()].0);
        }
    });
    let proxied = Proxied::with("drip", upstream.address());
    let mut client = proxied.client();
    for (number, expected) in [(0, vec![]), (1, vec![("x-a".to_owned(), "b".to_owned())])] {
        let answer = client.get("one.test", &format!("/{number}"), "");
        assert_eq!((answer.status, answer.text().as_str(), answer.trailers), (200, "hello", expected));
    }
    assert_eq!(upstream.opened(), 1);
}

/// What no upstream may say in place of a head; each is answered with 502, whatever could be made of it.
const GARBAGE: &[&str] = &[
    "\0\0\0\0\0\0\0\0\r\n\r\n",
    "\r\n\r\n",
    "\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
    "hello\r\n\r\n",
    "SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
    "HTTP/1.1 200 OK\ncontent-length: 2\n\nok",
    "HTTP/1.1 200 OK\r\ncontent-length: 2\n\r\nok",
    "HTTP/1.1 200 OK\rcontent-length: 2\r\n\r\nok",
    "http/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1  200 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1\t200 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.2 200 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/2.0 200 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 20 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 2000 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 000 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 099 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 600 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 2x0 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 200 O\0K\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ncontent-length : 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\n content-length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nx: 1\r\n folded\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nno colon\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\n: empty\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nx y: 1\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nx: a\0b\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nx: a\rb\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ncontent-length: 2, 3\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ncontent-length: 0x2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ncontent-length: two\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ncontent-length:\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: xchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked, identity\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nok",
    "HTTP/1.1 200 OK\r\ntransfer-encoding:\x0bchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n",
    "HTTP/1.1 103 Early\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
    "HTTP/1.1 103 Early\r\ntransfer-encoding: chunked\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
];

#[test]
fn head_in_doubt_is_bad_gateway_and_its_connection_ends() {
    let upstream = Upstream::start(|peer| {
        if let Some(heard) = peer.request() {
            peer.send(GARBAGE[heard.target[1..].parse::<usize>().unwrap()]);
            peer.end();
        }
    });
    let proxied = Proxied::with("garbage", upstream.address());
    let mut client = proxied.client();
    let mut faults = Vec::new();
    for (number, garbage) in GARBAGE.iter().enumerate() {
        match client.try_get("one.test", &format!("/{number}"), "") {
            Ok(answer) if answer.status == 502 => {}
            got => {
                faults.push(format!("{garbage:?}: {got:?}"));
                client = proxied.client();
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    upstream.wait_for_open(0);
    assert_eq!(upstream.opened(), GARBAGE.len(), "none of these connections was used again");
    drop(client);
    let others: Vec<_> = proxied.logged().into_iter().filter(|line| line.get("cause") != "upstream-framing").collect();
    assert!(others.is_empty(), "{others:#?}");
}

/// What may not stand in chunks; all of it comes behind a head that is sound.
const CHUNKS: &[&str] = &[
    "x\r\nhello\r\n0\r\n\r\n",
    "-5\r\nhello\r\n0\r\n\r\n",
    "+5\r\nhello\r\n0\r\n\r\n",
    "0x5\r\nhello\r\n0\r\n\r\n",
    " 5\r\nhello\r\n0\r\n\r\n",
    "5 \r\nhello\r\n0\r\n\r\n",
    "5\nhello\n0\n\n",
    "5\r\nhelloX\r\n0\r\n\r\n",
    "5\r\nhello0\r\n\r\n",
    "5\r\nhell\r\n0\r\n\r\n",
    "\r\n0\r\n\r\n",
    "ffffffffffffffffff\r\nhello\r\n0\r\n\r\n",
    "5;\nhello\r\n0\r\n\r\n",
    "0\r\nbad trailer\r\n\r\n",
    "0\r\nx: a\0b\r\n\r\n",
    "0\r\n folded: 1\r\n\r\n",
];

#[test]
fn chunks_in_doubt_cut_the_answer_and_their_connection_ends() {
    let upstream = Upstream::start(|peer| {
        if let Some(heard) = peer.request() {
            let (chunks, how) = heard.target[1..].split_once('/').expect("two words");
            let chunks = CHUNKS[chunks.parse::<usize>().unwrap()];
            let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
            if how == "later" {
                peer.send(head).pause(Duration::from_millis(20));
                peer.send(chunks);
            } else {
                peer.send(format!("{head}{chunks}"));
            }
            peer.end();
        }
    });
    let proxied = Proxied::with("chunks", upstream.address());
    let mut faults = Vec::new();
    for (number, chunks) in CHUNKS.iter().enumerate() {
        for how in ["at-once", "later"] {
            let mut client = proxied.client();
            match client.try_get("one.test", &format!("/{number}/{how}"), "") {
                Ok(answer) if answer.status != 502 => faults.push(format!("{chunks:?} {how}: {answer:?}")),
                Ok(_) | Err(_) => {}
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    upstream.wait_for_open(0);
    assert_eq!(upstream.opened(), 2 * CHUNKS.len());
}

#[test]
fn bytes_behind_an_answer_reach_nobody() {
    const SMUGGLED: &str = "HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nsmuggled";
    let upstream = Upstream::start(|peer| {
        let heard = peer.request().expect("a request");
        match &*heard.target {
            // In one piece, behind each framing.
            "/length" => peer.send(format!("{}{SMUGGLED}", ok("hello"))),
            "/chunked" => peer.send(format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n{SMUGGLED}")),
            "/none" => peer.send(format!("HTTP/1.1 204 No Content\r\n\r\n{SMUGGLED}")),
            "/known" => peer.send(format!("HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n{SMUGGLED}")),
            "/head" => peer.send(format!("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n{SMUGGLED}")),
            other => panic!("{other}"),
        };
        peer.end();
    });
    let proxied = Proxied::with("behind", upstream.address());
    let mut client = proxied.client();
    for (method, target, status, body) in [
        ("GET", "/length", 200, "hello"),
        ("GET", "/chunked", 200, "hello"),
        ("GET", "/none", 204, ""),
        ("GET", "/known", 304, ""),
        ("HEAD", "/head", 200, ""),
    ] {
        let answer = client.ask(format!("{method} {target} HTTP/1.1\r\nhost: one.test\r\n\r\n"));
        assert_eq!((answer.status, answer.text().as_str()), (status, body), "{target}");
        assert_eq!(client.get("nowhere.test", "/", "").status, 421, "{target}");
    }
    upstream.wait_for_open(0);
    assert_eq!(upstream.opened(), 5);
}

#[test]
fn body_of_a_wrong_length_is_not_passed_off_as_whole() {
    let upstream = Upstream::answering_once("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello");
    let proxied = Proxied::with("length", upstream.address());
    let mut client = proxied.client();
    let got = client.try_get("one.test", "/", "");
    assert!(got.as_ref().map_or(true, |answer| answer.status == 502), "{got:?}");
    let answer = client_or_new(&proxied, client, got.is_err()).get("nowhere.test", "/", "");
    assert_eq!(answer.status, 421);
}

fn client_or_new(proxied: &Proxied, client: Client, is_over: bool) -> Client {
    if is_over { proxied.client() } else { client }
}

#[test]
fn endless_head_is_bad_gateway_and_takes_no_memory() {
    let upstream = Upstream::start(|peer| {
        if let Some(heard) = peer.request() {
            let line =
                if heard.target == "/lines" { "x-more: and more and more and more\r\n" } else { "and more and more and more and more" };
            peer.send("HTTP/1.1 200 OK\r\nx: ");
            // 64 MiB at most.
            let _is_over = (0..2 << 20).all(|_| peer.try_send(line));
        }
    });
    let proxied = Proxied::with("endless", upstream.address());
    let mut client = proxied.client();
    assert_eq!(client.get("nowhere.test", "/", "").status, 421);
    let before = proxied.server.resident_kib();
    for target in ["/lines", "/line"] {
        assert_eq!(client.get("one.test", target, "").status, 502, "{target}");
    }
    let after = proxied.server.resident_kib();
    assert!(after < before + 4096, "{before} KiB before, {after} KiB after");
    upstream.wait_for_open(0);
}

#[test]
fn endless_interim_answers_end() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        while peer.try_send("HTTP/1.1 102 Processing\r\n\r\n".repeat(100)) {}
    });
    let proxied = Proxied::with("endless-interim", upstream.address());
    let mut client = proxied.client();
    client.send(GET);
    let last = (0..100_000).find_map(|_| match client.try_answer(false) {
        Ok(answer) if answer.status == 102 => None,
        got => Some(got),
    });
    match last {
        Some(Ok(answer)) => assert_eq!(answer.status, 502),
        Some(Err(_)) => {}
        None => panic!("100,000 of them"),
    }
    upstream.wait_for_open(0);
}

#[test]
fn upstream_that_takes_no_body_stops_the_client() {
    let upstream = Upstream::start(|peer| {
        peer.head();
        peer.wait_for_mark("go");
        assert_eq!(peer.swallow(64 << 20), 64 << 20);
        peer.send(ok("all of it"));
        peer.end();
    });
    let proxied = Proxied::with("back-pressure", upstream.address());
    let mut client = proxied.client();
    client.send("POST / HTTP/1.1\r\nhost: one.test\r\ncontent-length: 67108864\r\n\r\n");
    upstream.wait_for_requests(1);
    let before = proxied.server.resident_kib();
    let sent = client.send_until_full(&[b'x'; 64 * 1024], 64 << 20);
    assert!(sent < 48 << 20, "{sent} bytes were taken for an upstream that reads none");
    let after = proxied.server.resident_kib();
    assert!(after < before + 4096, "{before} KiB before, {after} KiB after");
    upstream.mark("go");
    client.send(vec![b'x'; (64 << 20) - sent]);
    assert_eq!(client.answer().text(), "all of it");
}

#[test]
fn reset_within_an_upload_is_bad_gateway() {
    let upstream = Upstream::start(|peer| {
        peer.head();
        peer.take(10_000);
        peer.reset();
    });
    let proxied = Proxied::with("reset-upload", upstream.address());
    let mut client = proxied.client();
    client.send("POST / HTTP/1.1\r\nhost: one.test\r\ncontent-length: 50000000\r\n\r\n").send(vec![b'x'; 20 << 20]);
    let answer = client.answer();
    assert_eq!((answer.status, answer.field("connection")), (502, Some("close")));
    client.finish_reading();
    assert_eq!(upstream.requests().len(), 1, "it was not sent again");
}

#[test]
fn answer_before_a_reset_within_an_upload_arrives() {
    let upstream = Upstream::start(|peer| {
        peer.head();
        peer.send("HTTP/1.1 403 No\r\nconnection: close\r\ncontent-length: 2\r\n\r\nno");
        // What it has not read makes this a reset.
    });
    let proxied = Proxied::with("refusing-upload", upstream.address());
    for _ in 0..20 {
        let mut client = proxied.client();
        client.send("POST / HTTP/1.1\r\nhost: one.test\r\ncontent-length: 5000000\r\n\r\n").send(vec![b'x'; 5_000_000]);
        let answer = client.answer();
        // The kernel may drop an answer that a reset follows; then it is 502.
        assert!(matches!(answer.status, 403 | 502), "{}", answer.status);
        client.finish_reading();
    }
}

#[test]
fn client_that_aborts_its_upload_ends_it_at_the_upstream() {
    let upstream = Upstream::start(|peer| {
        peer.head();
        peer.take(5);
        peer.mark("half");
        assert!(matches!(peer.end(), End::Closed | End::Reset));
        peer.mark("gone");
    });
    let proxied = Proxied::with("aborted-upload", upstream.address());
    let mut client = proxied.client();
    client.send("POST / HTTP/1.1\r\nhost: one.test\r\ncontent-length: 10\r\n\r\nhello");
    upstream.wait_for_mark("half", 1);
    client.abort();
    upstream.wait_for_mark("gone", 1);
    // Chunks that do not end are no end of a body.
    let mut client = proxied.client();
    client.send("POST / HTTP/1.1\r\nhost: one.test\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n");
    upstream.wait_for_requests(2);
    client.finish();
    upstream.wait_for_open(0);
}
