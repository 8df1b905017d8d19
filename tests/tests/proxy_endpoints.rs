//! Which endpoint a request goes to and on which connection: pools and their bounds, weights, backups, ejection, and what is sent again.

use std::{
    fs,
    io::{Read, Write},
    net::SocketAddr,
    os::unix::net::UnixListener,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use kiln_tests::{
    client::Client,
    proxied::{self, Proxied},
    server::Server,
    site::scratch,
    upstream::{Peer, Refusing, Upstream, ok},
};

fn get(host: &str) -> String {
    format!("GET / HTTP/1.1\r\nhost: {host}\r\n\r\n")
}

fn post(host: &str) -> String {
    format!("POST / HTTP/1.1\r\nhost: {host}\r\ncontent-length: 5\r\n\r\nhello")
}

/// Two that say who they are, and a site before them.
fn two(name: &str) -> (Upstream, Upstream, Proxied) {
    let (one, two) = (Upstream::saying("one"), Upstream::saying("two"));
    let proxied = before(name, one.address(), two.address());
    (one, two, proxied)
}

fn before(name: &str, one: SocketAddr, two: SocketAddr) -> Proxied {
    Proxied::start(name, &[("ONE", one), ("TWO", two)])
}

/// Bodies, or statuses where they are not 200, of as many requests on one connection.
fn answers(client: &mut Client, request: &str, count: usize) -> Vec<String> {
    let one = |_| match client.ask(request) {
        answer if answer.status == 200 => answer.text(),
        answer => answer.status.to_string(),
    };
    (0..count).map(one).collect()
}

#[test]
fn connection_is_kept_for_the_next_request() {
    let upstream = Upstream::saying("ok");
    let proxied = Proxied::with("kept", upstream.address());
    let mut client = proxied.client();
    assert_eq!(answers(&mut client, &get("one.test"), 50), ["ok"; 50]);
    assert_eq!(answers(&mut client, &post("one.test"), 50), ["ok"; 50]);
    // Its client goes, it stays.
    drop(client);
    assert_eq!((upstream.opened(), upstream.requests().len()), (1, 100));
    upstream.wait_for_open(1);
}

#[test]
fn connections_of_other_clients_are_used_again() {
    let upstream = Upstream::saying("ok");
    let proxied = Proxied::with("shared", upstream.address());
    for _ in 0..100 {
        assert_eq!(proxied.client().ask(get("one.test")).text(), "ok");
    }
    // One for each worker.
    assert!(upstream.opened() <= 2, "{}", upstream.opened());
}

#[test]
fn pool_without_room_keeps_nothing() {
    let upstream = Upstream::saying("ok");
    let proxied = Proxied::with("no-pool", upstream.address());
    assert_eq!(answers(&mut proxied.client(), &get("fresh.test"), 5), ["ok"; 5]);
    assert_eq!(upstream.opened(), 5);
    upstream.wait_for_open(0);
}

#[test]
fn connection_ends_behind_its_last_request() {
    let upstream = Upstream::saying("ok");
    let proxied = Proxied::with("last-request", upstream.address());
    assert_eq!(answers(&mut proxied.client(), &get("short.test"), 9), ["ok"; 9]);
    upstream.wait_for_open(0);
    let mut requests = [0; 3];
    upstream.requests().iter().for_each(|heard| requests[heard.connection] += 1);
    assert_eq!(requests, [3; 3]);
}

#[test]
fn connection_of_an_age_is_not_used_again() {
    let upstream = Upstream::saying("ok");
    let proxied = Proxied::with("aged", upstream.address());
    let mut client = proxied.client();
    assert_eq!(answers(&mut client, &get("aged.test"), 2), ["ok"; 2]);
    kiln_tests::client::pause(Duration::from_millis(1_300));
    assert_eq!(answers(&mut client, &get("aged.test"), 1), ["ok"]);
    assert_eq!(upstream.opened(), 2);
    upstream.wait_for_open(1);
}

#[test]
fn idle_connection_is_closed_in_the_end() {
    let upstream = Upstream::saying("ok");
    let proxied = Proxied::with("idle", upstream.address());
    let mut client = proxied.client();
    let since = Instant::now();
    assert_eq!(answers(&mut client, &get("few.test"), 1), ["ok"]);
    upstream.wait_for_open(0);
    assert!(since.elapsed() > Duration::from_millis(900), "{:?}", since.elapsed());
    assert_eq!(answers(&mut client, &get("few.test"), 1), ["ok"]);
}

#[test]
fn idle_connections_are_bounded() {
    const CLIENTS: usize = 16;
    let upstream = Upstream::start(|peer| {
        while peer.request().is_some() {
            peer.wait_for_mark("go");
            peer.send(ok("ok"));
        }
    });
    let proxied = Proxied::with("bounded", upstream.address());
    let mut clients: Vec<_> = (0..CLIENTS).map(|_| proxied.client()).collect();
    for client in &mut clients {
        client.send(get("few.test"));
    }
    upstream.wait_for_requests(CLIENTS);
    upstream.mark("go");
    clients.iter_mut().for_each(|client| assert_eq!(client.answer().text(), "ok"));
    assert_eq!(upstream.opened(), CLIENTS);
    upstream.wait_for("at most 4 idle connections", |state| (state.open() <= 4).then_some(()));
}

#[test]
fn connection_that_says_it_ends_is_not_used_again() {
    for answer in [
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nConnection: x, Close\r\ncontent-length: 2\r\n\r\nok",
        "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok",
    ] {
        // It stays open although it says that it does not.
        let upstream = Upstream::answering(answer);
        let proxied = Proxied::with("says-close", upstream.address());
        assert_eq!(answers(&mut proxied.client(), &get("one.test"), 3), ["ok"; 3], "{answer:?}");
        assert_eq!(upstream.opened(), 3, "{answer:?}");
        upstream.wait_for_open(0);
    }
}

#[test]
fn connection_that_closed_while_idle_is_noticed() {
    let upstream = Upstream::answering_once(ok("ok"));
    let proxied = Proxied::with("closed-idle", upstream.address());
    let mut client = proxied.client();
    for request in [get("one.test"), post("one.test")].iter().cycle().take(40) {
        assert_eq!(client.ask(request).text(), "ok", "{request:?}");
        upstream.wait_for_open(0);
    }
    assert_eq!(upstream.requests().len(), 40);
}

#[test]
fn connection_that_was_reset_while_idle_is_noticed() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.send(ok("ok"));
        peer.wait_for_mark(&format!("answered {}", peer.number()));
        peer.reset();
    });
    let proxied = Proxied::with("reset-idle", upstream.address());
    let mut client = proxied.client();
    for number in 0..20 {
        assert_eq!(client.ask(post("one.test")).text(), "ok");
        upstream.mark(&format!("answered {number}"));
        upstream.wait_for_open(0);
    }
}

/// The first request of each connection is answered, the second read and not answered.
fn closing_at_the_second(peer: &mut Peer) {
    if peer.request().is_some() {
        peer.send(ok("ok"));
        peer.request();
    }
}

#[test]
fn safe_request_on_a_connection_that_just_closed_is_sent_again() {
    let upstream = Upstream::start(closing_at_the_second);
    let proxied = Proxied::with("just-closed", upstream.address());
    assert_eq!(answers(&mut proxied.client(), &get("one.test"), 10), ["ok"; 10]);
    assert_eq!((upstream.opened(), upstream.requests().len()), (10, 19));
}

#[test]
fn other_request_on_a_connection_that_just_closed_is_never_sent_again() {
    let upstream = Upstream::start(closing_at_the_second);
    let proxied = Proxied::with("just-closed-post", upstream.address());
    for method in ["POST", "PATCH", "BREW"] {
        for body in
            ["content-length: 5\r\n\r\nhello", "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "content-length: 0\r\n\r\n"]
        {
            let request = format!("{method} / HTTP/1.1\r\nhost: one.test\r\n{body}");
            assert_eq!(answers(&mut proxied.client(), &get("one.test"), 1), ["ok"]);
            drop(upstream.requests());
            let got = answers(&mut proxied.client(), &request, 1);
            let sent = upstream.requests().iter().filter(|heard| heard.method == *method).count();
            // On another worker's connection it is the first.
            assert!(sent == 1 && (got == ["502"] || got == ["ok"]), "{request:?}: {got:?}, sent {sent} times");
        }
    }
}

#[test]
fn answer_that_nobody_asked_for_reaches_nobody() {
    let upstream = Upstream::start(|peer| {
        if peer.request().is_some() {
            peer.send(ok("asked for"));
            peer.wait_for_mark(&format!("answered {}", peer.number()));
            peer.send(ok("stray"));
            peer.mark(&format!("strayed {}", peer.number()));
            // Whatever comes now is answered, too.
            while peer.request().is_some() {
                peer.send(ok("behind a stray"));
            }
        }
    });
    let proxied = Proxied::with("stray", upstream.address());
    let mut client = proxied.client();
    for number in 0..20 {
        assert_eq!(client.ask(get("one.test")).text(), "asked for");
        upstream.mark(&format!("answered {number}"));
        upstream.wait_for_mark(&format!("strayed {number}"), 1);
    }
    assert_eq!(upstream.opened(), 20);
}

#[test]
fn connection_with_an_answer_too_many_is_not_used_again() {
    let upstream = Upstream::start(|peer| {
        // It speaks first.
        peer.send(ok("too early"));
        while peer.request().is_some() {
            peer.send(ok("asked for"));
            peer.mark("answered");
        }
    });
    let proxied = Proxied::with("too-early", upstream.address());
    let mut client = proxied.client();
    for times in 1..=10 {
        // Whoever sees the early answer behind its request takes it for the request's, as it must: the other one is nobody's.
        let answer = client.ask(get("one.test"));
        assert!(matches!((answer.status, &*answer.text()), (502, _) | (200, "too early")), "{answer:?}");
        upstream.wait_for_mark("answered", times);
    }
    assert_eq!(upstream.opened(), 10);
}

#[test]
fn unix_socket_is_an_endpoint() {
    // Short, which the path of a build directory need not be.
    let path = std::env::temp_dir().join(format!("kiln-upstream-{}.sock", std::process::id()));
    let listener = UnixListener::bind(&path).expect("a socket");
    let directory = scratch("proxied").join("unix");
    fs::create_dir_all(&directory).expect("a writable directory");
    let mut command = Command::new(proxied::binary());
    let server = Server::start_command(command.current_dir(&directory).env("SOCKET", format!("unix:{}", path.display())));
    let answering = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
        let mut heard = String::new();
        while heard.matches("\r\n\r\n").count() < 2 {
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).expect("a request");
            heard.push_str(&String::from_utf8_lossy(&bytes[..count]));
            stream.write_all(ok("unix").as_bytes()).expect("an open connection");
        }
        heard
    });
    assert_eq!(answers(&mut server.client(), &get("socket.test"), 2), ["unix"; 2]);
    let heard = answering.join().expect("two requests on one connection");
    assert_eq!(heard.matches("\r\nhost: socket.test\r\n").count(), 2, "{heard}");
    fs::remove_file(&path).expect("a socket's file");
}

#[test]
fn requests_go_round() {
    let (one, two, proxied) = two("round");
    let got = answers(&mut proxied.client(), &get("two.test"), 100).concat();
    assert!(got == "onetwo".repeat(50) || got == "twoone".repeat(50), "{got}");
    for _ in 0..100 {
        proxied.client().ask(get("two.test"));
    }
    // What the workers do not know of each other is at most one request each.
    let counts = (one.requests().len(), two.requests().len());
    assert!(counts.0.abs_diff(counts.1) <= 4, "{counts:?}");
}

#[test]
fn requests_go_by_weight() {
    let (one, two, proxied) = two("weights");
    let got = answers(&mut proxied.client(), &get("weighted.test"), 100);
    for four in got.chunks(4) {
        assert_eq!(four.iter().filter(|name| *name == "two").count(), 1, "{got:?}");
    }
    assert_eq!((one.requests().len(), two.requests().len()), (75, 25));
}

#[test]
fn backup_serves_while_no_other_does() {
    let refusing = Refusing::new();
    let (address, two) = (refusing.address(), Upstream::saying("two"));
    let proxied = before("backup", address, two.address());
    let mut client = proxied.client();
    assert_eq!(answers(&mut client, &get("backup.test"), 20), ["two"; 20], "its request is sent again where nothing listens");
    drop(refusing);
    let one = Upstream::start_at(address, |peer| {
        while peer.request().is_some() {
            peer.send(ok("one"));
        }
    });
    let deadline = Instant::now() + Duration::from_secs(20);
    while answers(&mut client, &get("backup.test"), 1) != ["one"] {
        assert!(Instant::now() < deadline, "it never comes back");
    }
    drop(two.requests());
    assert_eq!(answers(&mut client, &get("backup.test"), 20), ["one"; 20]);
    assert_eq!((one.requests().len(), two.requests().len()), (21, 0));
}

#[test]
fn endpoint_that_fails_is_ejected_and_comes_back() {
    let refusing = Refusing::new();
    let (address, two) = (refusing.address(), Upstream::saying("two"));
    let proxied = before("ejected", address, two.address());
    // Each on a connection of its own: what one worker learns, the other knows.
    let got: Vec<_> = (0..40).flat_map(|_| answers(&mut proxied.client(), &get("eject.test"), 1)).collect();
    assert_eq!(got.iter().filter(|answer| *answer == "502").count(), 2, "{got:?}");
    drop(refusing);
    let one = Upstream::start_at(address, |peer| {
        while peer.request().is_some() {
            peer.send(ok("one"));
        }
    });
    let since = Instant::now();
    let mut client = proxied.client();
    while answers(&mut client, &get("eject.test"), 1) != ["one"] {
        assert!(since.elapsed() < Duration::from_secs(20), "it never comes back");
    }
    let got = answers(&mut client, &get("eject.test"), 20).concat();
    assert_eq!((got.matches("one").count(), got.matches("two").count()), (10, 10), "{got}");
    drop(one);
}

#[test]
fn all_that_are_ejected_are_as_good_as_none() {
    let (first, second) = (Refusing::new(), Refusing::new());
    let proxied = before("all-ejected", first.address(), second.address());
    let mut client = proxied.client();
    let got = answers(&mut client, &get("eject.test"), 20);
    assert!(got.iter().all(|answer| matches!(&**answer, "502" | "503")), "{got:?}");
    let (address, _) = (first.address(), drop(first));
    let _one = Upstream::start_at(address, |peer| {
        while peer.request().is_some() {
            peer.send(ok("one"));
        }
    });
    // Nobody waits for an ejection to end when there is no other endpoint.
    let got = answers(&mut client, &get("eject.test"), 4);
    assert!(got.contains(&"one".to_owned()), "{got:?}");
}

#[test]
fn answer_is_no_failure_of_an_endpoint() {
    let upstream = Upstream::answering("HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\noops");
    let two = Upstream::saying("two");
    let proxied = before("not-ejected", upstream.address(), two.address());
    let got = answers(&mut proxied.client(), &get("eject.test"), 20);
    assert_eq!(got.iter().filter(|answer| *answer == "500").count(), 10, "{got:?}");
}

/// Reads a request and resets.
fn resetting(peer: &mut Peer) {
    if peer.request().is_some() {
        peer.reset();
    }
}

#[test]
fn request_that_was_not_sent_is_sent_elsewhere() {
    let (refusing, two) = (Refusing::new(), Upstream::saying("two"));
    let proxied = before("elsewhere", refusing.address(), two.address());
    assert_eq!(answers(&mut proxied.client(), &get("retry.test"), 20), ["two"; 20]);
    assert_eq!(answers(&mut proxied.client(), &post("retry.test"), 20), ["two"; 20], "no byte of these had left");
    assert!(two.requests().iter().skip(20).all(|heard| heard.body == b"hello"));
}

#[test]
fn safe_request_is_sent_again_where_its_connection_was_reset() {
    let (one, two) = (Upstream::start(resetting), Upstream::saying("two"));
    let proxied = before("again", one.address(), two.address());
    for method in ["GET", "OPTIONS"] {
        let request = format!("{method} / HTTP/1.1\r\nhost: retry.test\r\n\r\n");
        assert_eq!(answers(&mut proxied.client(), &request, 10), ["two"; 10], "{method}");
    }
    assert_eq!((one.requests().len(), two.requests().len()), (10, 20));
}

#[test]
fn other_request_is_never_sent_again() {
    let (one, two) = (Upstream::start(resetting), Upstream::saying("two"));
    let proxied = before("never-again", one.address(), two.address());
    let mut got = Vec::new();
    for _ in 0..10 {
        got.extend(answers(&mut proxied.client(), &post("retry.test"), 1));
    }
    let failed = got.iter().filter(|answer| *answer == "502").count();
    assert_eq!((failed, 10 - failed), (one.requests().len(), two.requests().len()), "{got:?}");
    assert!((3..=7).contains(&failed), "{got:?}");
}

#[test]
fn status_that_is_named_is_asked_for_again() {
    let (one, two) = (Upstream::answering("HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy"), Upstream::saying("two"));
    let proxied = before("busy", one.address(), two.address());
    assert_eq!(answers(&mut proxied.client(), &get("retry.test"), 10), ["two"; 10]);
    assert_eq!((one.requests().len(), two.requests().len()), (5, 10));
    let got = answers(&mut proxied.client(), &post("retry.test"), 10);
    assert_eq!(got.iter().filter(|answer| *answer == "503").count(), 5, "{got:?}");
}

#[test]
fn request_whose_answer_began_is_not_sent_again() {
    let one = Upstream::start(|peer| {
        if peer.request().is_some() {
            peer.send("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe");
            peer.pause(Duration::from_millis(50));
            peer.reset();
        }
    });
    let two = Upstream::saying("two");
    let proxied = before("began", one.address(), two.address());
    let cut = (0..10).filter(|_| proxied.client().try_get("retry.test", "/", "").is_err()).count();
    assert_eq!((cut, 10 - cut), (one.requests().len(), two.requests().len()));
    assert!((3..=7).contains(&cut), "{cut}");
}

#[test]
fn request_is_not_sent_more_often_than_it_says() {
    let (one, two) = (Upstream::start(resetting), Upstream::start(resetting));
    let proxied = before("twice", one.address(), two.address());
    assert_eq!(answers(&mut proxied.client(), &get("retry.test"), 10), ["502"; 10]);
    assert_eq!(one.requests().len() + two.requests().len(), 20);
}

#[test]
fn budget_bounds_what_is_sent_again() {
    const REQUESTS: usize = 1000;
    let (one, two) = (Upstream::answering("HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy"), Upstream::saying("two"));
    let proxied = before("budget", one.address(), two.address());
    let got = answers(&mut proxied.client(), &get("thrifty.test"), REQUESTS);
    let again = one.requests().len() + two.requests().len() - REQUESTS;
    // A fifth, and a few at the beginning.
    assert!((REQUESTS / 10..=REQUESTS / 5 + 20).contains(&again), "{again} of {REQUESTS} were sent again");
    assert!(got.contains(&"503".to_owned()), "the budget was never used up");
}
