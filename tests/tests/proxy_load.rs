//! Proxied routes under load: answers never cross, nothing grows, bodies of any length take no memory, and endpoints may die.

use std::{
    net::SocketAddr,
    path::PathBuf,
    process::Command,
    sync::{
        LazyLock, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use kiln_tests::{
    client::{Client, pause},
    crossing, planted,
    proxied::Proxied,
    random::Random,
    server::Server,
    site::{Profile, build, scratch, write},
    tools::note,
    upstream::{Refusing, Upstream, ok},
};
use rustix::process::Signal;

const REQUESTS: usize = 100_000;

#[test]
fn answers_never_cross() {
    let upstream = crossing::upstream();
    let proxied = Proxied::with("crossing", upstream.address());
    let since = Instant::now();
    let crossed = crossing::run(&proxied, REQUESTS);
    note(&format!("crossing: {} exact, {} failed, {} given up, {:?}", crossed.exact, crossed.failed, crossed.aborted, since.elapsed()));
    assert!(crossed.faults.is_empty(), "{:#?}", crossed.faults);
    assert_eq!(crossed.exact + crossed.failed + crossed.aborted, REQUESTS);
    assert!(crossed.exact > REQUESTS * 9 / 10 && crossed.failed > REQUESTS / 100 && crossed.aborted > REQUESTS / 200, "{crossed:?}");
}

/// A connection that something came on while it was idle is taken as it is.
const UNCHECKED: planted::Fault =
    planted::Fault { file: "src/upstream/pools.rs", sound: "if is_quiet && tick", faulty: "if (is_quiet || true) && tick" };

#[test]
fn answers_cross_where_idle_connections_are_not_looked_at() {
    let binary = planted::build("proxy", "tests/sites/proxy/site.kdl".as_ref(), &[UNCHECKED]);
    let upstream = crossing::upstream();
    let proxied = Proxied::start_binary(&binary, "planted", &[("ONE", upstream.address())]);
    let crossed = crossing::run(&proxied, REQUESTS);
    assert!(crossed.faults.iter().any(|fault| fault.contains("somebody else's")), "the test can't see it: {:#?}", crossed.faults);
}

/// Clients that ask on connections of their own until they have asked so often in all; some go away instead of reading.
fn storm(proxied: &Proxied, requests: usize) {
    const CLIENTS: usize = 16;
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut client = proxied.client();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= requests {
                        break;
                    }
                    let mut random = Random::new(number as u64);
                    if random.percent(1) {
                        client.send(format!("GET /{number} HTTP/1.1\r\nhost: one.test\r\n\r\n"));
                        std::mem::replace(&mut client, proxied.client()).abort();
                    } else {
                        let answer = client.get("one.test", &format!("/{number}"), "");
                        assert_eq!((answer.status, answer.body.len()), (200, 1_040));
                    }
                }
            });
        }
    });
}

#[test]
fn nothing_grows_with_clients_that_go_away() {
    let body = "x".repeat(1_040);
    let upstream = Upstream::start(move |peer| {
        while peer.uncounted().is_some() {
            peer.send(ok(&body));
        }
    });
    let mut proxied = Proxied::with("storm", upstream.address());
    storm(&proxied, 10_000);
    let idle = settled(&mut proxied);
    storm(&proxied, REQUESTS - 10_000);
    let after = settled(&mut proxied);
    note(&format!("storm: {} and {} descriptors, {} and {} KiB", idle.0, after.0, idle.1, after.1));
    assert!(after.0 <= idle.0 + 2 * CONNECTIONS_KEPT, "{idle:?} {after:?}");
    assert!(after.1 <= idle.1 + 2048, "{idle:?} {after:?}");
}

/// Idle connections to an endpoint that one worker may keep more or less.
const CONNECTIONS_KEPT: usize = 8;

/// Descriptors and KiB of a server that has nothing to do: its clients are gone, its exchanges over.
fn settled(proxied: &mut Proxied) -> (usize, u64) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while proxied.server.counter("connections") > 0 {
        assert!(Instant::now() < deadline, "connections of clients that have gone");
    }
    assert_eq!(proxied.server.active("one", 1), 0, "exchanges of clients that have gone");
    (proxied.server.descriptors(), proxied.server.resident_kib())
}

/// How much goes each way through one exchange.
const GIB: u64 = 1 << 30;
const STREAMED: u64 = 10 * GIB;
/// No multiple of any buffer, so that what is out of place is seen.
const PATTERN: usize = 1_000_003;

#[test]
fn ten_gibibytes_each_way_take_no_memory() {
    let pattern: Vec<u8> = (0..PATTERN as u32).flat_map(|number| number.wrapping_mul(0x9e37_79b9).to_le_bytes()).take(PATTERN).collect();
    let of_upstream = pattern.clone();
    let upstream = Upstream::start(move |peer| {
        let heard = peer.head().expect("a request");
        assert_eq!(heard.field("content-length"), Some(STREAMED.to_string().as_str()));
        peer.expect(STREAMED, &of_upstream);
        peer.send(format!("HTTP/1.1 200 OK\r\ncontent-length: {STREAMED}\r\n\r\n"));
        peer.repeat(STREAMED, &of_upstream);
        peer.end();
    });
    let proxied = Proxied::with("stream", upstream.address());
    let since = Instant::now();
    let mut client = proxied.client();
    client.send(format!("POST / HTTP/1.1\r\nhost: one.test\r\ncontent-length: {STREAMED}\r\n\r\n"));
    client.repeat(STREAMED, &pattern);
    let uploaded = since.elapsed();
    client.expect_body(STREAMED, &pattern);
    let peak = proxied.server.peak_kib();
    note(&format!("stream: {STREAMED} bytes up in {uploaded:?}, and down in {:?}, at most {peak} KiB", since.elapsed() - uploaded));
    assert!(peak < 64 * 1024, "{peak} KiB");
}

/// How a body is framed on its way.
const KINDS: [&str; 6] = ["length", "chunked", "end", "upload", "upload-chunked", "both"];

#[test]
fn concurrent_answers_are_exact() {
    let upstream = Upstream::start(|peer| {
        while let Some(heard) = peer.uncounted() {
            let body = if heard.body.is_empty() { told(&heard.target).into_bytes() } else { heard.body };
            match heard.target.split('/').nth(1).unwrap_or_default() {
                "chunked" | "both" => {
                    peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                    for piece in body.chunks(777) {
                        peer.send([format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat());
                    }
                    peer.send("0\r\n\r\n");
                }
                "end" => {
                    peer.send("HTTP/1.1 200 OK\r\n\r\n").send(body);
                    break;
                }
                _ => drop(peer.try_send([format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes(), &body].concat())),
            }
        }
    });
    let proxied = Proxied::start("concurrent", &[("ONE", upstream.address()), ("TWO", upstream.address())]);
    let exact = AtomicUsize::new(0);
    for kind in KINDS {
        for clients in [32, 64, 224] {
            thread::scope(|scope| {
                for number in 0..clients {
                    let (proxied, exact) = (&proxied, &exact);
                    scope.spawn(move || {
                        let target = format!("/{kind}/{clients}/{number}");
                        let body = told(&target);
                        let lines = match kind {
                            "upload" => format!("content-length: {}\r\n\r\n{body}", body.len()),
                            "upload-chunked" | "both" => {
                                let (first, second) = body.split_at(body.len() / 3);
                                format!(
                                    "transfer-encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
                                    first.len(),
                                    second.len()
                                )
                            }
                            _ => "\r\n".to_owned(),
                        };
                        let method = if lines.len() > 2 { "POST" } else { "GET" };
                        let answer = proxied.client().ask(format!("{method} {target} HTTP/1.1\r\nhost: two.test\r\n{lines}"));
                        assert_eq!(answer.status, 200, "{target}");
                        assert!(answer.body == body.as_bytes(), "{target}");
                        exact.fetch_add(1, Ordering::Relaxed);
                    });
                }
            });
        }
    }
    assert_eq!(exact.into_inner(), 1_920);
}

/// A body that only this target has; up to some 300 KiB.
fn told(target: &str) -> String {
    let length = 1 + Random::new(target.bytes().fold(7, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(byte.into()))).below(12_000);
    format!("{target},").repeat(length)
}

/// A server that can be an endpoint, be killed, and come back at the same address.
static ENDPOINT: LazyLock<PathBuf> = LazyLock::new(|| {
    let text = "site \"endpoint\" language=1 {\n    listen (env)\"LISTEN\"\n    workers 1\n    timeouts { drain \"1s\" }\n}\n\
        vhost default=#true { route \"/*\" { respond 200 \"{path}\" template=#true } }\n";
    build(write("endpoint", &[("site.kdl", text)]), Profile::Dev, &[])
});

fn endpoint(address: SocketAddr) -> Server {
    Server::start_command(Command::new(&*ENDPOINT).current_dir(scratch("endpoint")).env("LISTEN", address.to_string()))
}

fn free_address() -> SocketAddr {
    Refusing::new().address()
}

/// Asks in a loop, on kept connections, until it is told to stop; gives what went wrong.
fn ask_all_the_time(proxied: &Proxied, is_over: &AtomicBool, asked: &AtomicUsize) -> Vec<String> {
    let mut faults = Vec::new();
    let mut client = proxied.client();
    while !is_over.load(Ordering::Relaxed) && faults.len() < 5 {
        let target = format!("/{}", asked.fetch_add(1, Ordering::Relaxed));
        match client.try_get("steady.test", &target, "") {
            // The load is bounded.
            Ok(answer) if answer.status == 200 && answer.text() == target => pause(Duration::from_micros(500)),
            got => {
                faults.push(format!("{target}: {got:?}"));
                client = proxied.client();
            }
        }
    }
    faults
}

#[test]
fn endpoints_may_die_while_one_is_well() {
    const CLIENTS: usize = 8;
    let (first, second) = (free_address(), free_address());
    let mut proxied = Proxied::start("dying", &[("ONE", first), ("TWO", second)]);
    let endpoints = Mutex::new([endpoint(first), endpoint(second)]);
    let (is_over, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    let faults: Vec<String> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| ask_all_the_time(&proxied, &is_over, &asked))).collect();
        let under_load = |count: usize| {
            let (from, deadline) = (asked.load(Ordering::Relaxed), Instant::now() + Duration::from_secs(20));
            while asked.load(Ordering::Relaxed) < from + count && Instant::now() < deadline {
                pause(Duration::from_millis(5));
            }
        };
        for turn in 0..6 {
            let (dying, address) = (turn % 2, if turn % 2 == 0 { first } else { second });
            under_load(500);
            match turn / 2 {
                // Without a word.
                0 => endpoints.lock().expect("no panic")[dying].signal(Signal::KILL),
                // It drains, and does not come back at once.
                1 => endpoints.lock().expect("no panic")[dying].terminate(),
                // It stands still, accepts and says nothing, and goes on.
                _ => endpoints.lock().expect("no panic")[dying].paused(|| {
                    under_load(500);
                    pause(Duration::from_millis(1_800));
                }),
            }
            under_load(500);
            if turn < 4 {
                let mut endpoints = endpoints.lock().expect("no panic");
                let [one, two] = &mut *endpoints;
                let ended = if dying == 0 { one } else { two };
                ended.wait_for_end();
                *ended = endpoint(address);
            }
            // Until an ejection is over.
            pause(Duration::from_millis(1_200));
        }
        is_over.store(true, Ordering::Relaxed);
        clients.into_iter().flat_map(|client| client.join().expect("no panic")).collect()
    });
    note(&format!("dying endpoints: {} requests", asked.load(Ordering::Relaxed)));
    assert!(faults.is_empty(), "{faults:#?}");
    assert_eq!(proxied.server.active("steady", 2), 0, "exchanges that are over");
}

#[test]
fn drain_finishes_exchanges_with_upstreams() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello");
        peer.wait_for_mark("go");
        peer.send("world");
        peer.end();
    });
    let mut proxied = Proxied::with("drain", upstream.address());
    let mut client: Client = proxied.client();
    client.send("GET / HTTP/1.1\r\nhost: one.test\r\n\r\n");
    client.begin_answer();
    proxied.server.terminate();
    proxied.server.wait_for_line("draining");
    upstream.mark("go");
    let rest = client.rest().expect("the rest");
    assert!(rest.ends_with(b"world"), "{rest:?}");
    upstream.wait_for_open(0);
}
