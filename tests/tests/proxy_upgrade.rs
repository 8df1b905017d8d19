//! Connections that change their protocol: handshakes, bytes both ways, their ends, and where none is let through.

use std::{
    thread,
    time::{Duration, Instant},
};

use kiln_tests::{
    client::{Client, End},
    proxied::Proxied,
    upstream::{Heard, Peer, Upstream, ok},
};

const SWITCHED: &str = "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

fn ask(host: &str, target: &str, token: &str) -> String {
    format!(
        "GET {target} HTTP/1.1\r\nhost: {host}\r\nconnection: keep-alive, Upgrade\r\nupgrade: {token}\r\nsec-websocket-version: 13\r\n\
         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
}

/// Takes the handshake and says back what comes, until the other side has said all.
fn echo(peer: &mut Peer) {
    if let Some(heard) = peer.request() {
        let token = heard.field("upgrade").unwrap_or("none").to_owned();
        peer.send(SWITCHED.replace("upgrade: websocket", &format!("upgrade: {token}")));
        loop {
            let bytes = peer.some();
            if bytes.is_empty() {
                break;
            }
            peer.send(bytes);
        }
        peer.mark("end");
    }
}

/// A tunnel on a route with this target.
fn open(proxied: &Proxied, target: &str) -> Client {
    let mut client = proxied.client();
    let answer = client.ask(ask("upgrade.test", target, "websocket"));
    assert_eq!((answer.status, answer.field("upgrade"), answer.field("connection")), (101, Some("websocket"), Some("upgrade")));
    assert_eq!(answer.field("sec-websocket-accept"), Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    assert_eq!((answer.field("content-length"), answer.field("transfer-encoding")), (None, None));
    client
}

#[test]
fn bytes_go_both_ways_and_the_end_with_them() {
    let upstream = Upstream::start(echo);
    let proxied = Proxied::with("tunnel", upstream.address());
    let mut client = open(&proxied, "/ws/chat?room=1");
    let heard = upstream.request();
    assert_eq!((heard.line(), heard.field("upgrade")), ("GET /ws/chat?room=1".to_owned(), Some("websocket")));
    assert!(heard.field("connection").is_some_and(|value| value.eq_ignore_ascii_case("upgrade")), "{heard:?}");
    assert_eq!(heard.field("sec-websocket-key"), Some("dGhlIHNhbXBsZSBub25jZQ=="));
    for message in ["hello", "\u{0}\u{1}\r\n\r\nGET / HTTP/1.1\r\n\r\n", "x"] {
        assert_eq!(client.send(message).take(message.len()).ok(), Some(message.as_bytes().to_vec()));
    }
    client.finish();
    assert_eq!(client.end(), End::Closed);
    upstream.wait_for_mark("end", 1);
    upstream.wait_for_open(0);
}

#[test]
fn bytes_that_come_with_the_handshake_go_on() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.send(format!("{SWITCHED}first"));
        let bytes = peer.take(5);
        peer.send(bytes);
        peer.end();
    });
    let proxied = Proxied::with("with-handshake", upstream.address());
    let mut client = proxied.client();
    client.send(format!("{}early", ask("upgrade.test", "/ws/", "websocket")));
    assert_eq!(client.answer().status, 101);
    assert_eq!(client.take(10).ok().as_deref(), Some(&b"firstearly"[..]));
}

#[test]
fn half_close_is_passed_on_in_each_direction() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.send(SWITCHED);
        if peer.number() == 0 {
            // The client has said all: it is answered behind its end.
            assert_eq!(peer.some(), b"question");
            assert_eq!(peer.some(), b"");
            peer.send("answer");
        } else {
            peer.send("all").finish();
            assert_eq!(peer.take(5), b"still");
            peer.mark("heard");
        }
    });
    let proxied = Proxied::with("half", upstream.address());
    let mut client = open(&proxied, "/ws/");
    client.send("question").finish();
    assert_eq!(client.rest().ok().as_deref(), Some(&b"answer"[..]));
    let mut client = open(&proxied, "/ws/");
    assert_eq!(client.rest().ok().as_deref(), Some(&b"all"[..]));
    client.send("still");
    upstream.wait_for_mark("heard", 1);
}

#[test]
fn end_of_either_side_ends_the_other() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.send(SWITCHED);
        if peer.number() == 0 {
            peer.reset();
        } else {
            assert!(matches!(peer.end(), End::Closed | End::Reset));
            peer.mark("gone");
        }
    });
    let proxied = Proxied::with("ends", upstream.address());
    let mut client = open(&proxied, "/ws/");
    client.finish_reading();
    open(&proxied, "/ws/").abort();
    upstream.wait_for_mark("gone", 1);
    upstream.wait_for_open(0);
}

#[test]
fn tunnel_without_a_byte_is_ended() {
    let upstream = Upstream::start(echo);
    let proxied = Proxied::with("tunnel-idle", upstream.address());
    let mut client = proxied.client();
    assert_eq!(client.ask(ask("quick.test", "/tunnel", "websocket")).status, 101);
    let since = Instant::now();
    // A byte now and then keeps it.
    for _ in 0..4 {
        kiln_tests::client::pause(Duration::from_millis(500));
        assert_eq!(client.send("x").take(1).ok().as_deref(), Some(&b"x"[..]));
    }
    assert!(since.elapsed() > Duration::from_millis(1_900));
    let since = Instant::now();
    client.finish_reading();
    assert!(since.elapsed() > Duration::from_millis(900) && since.elapsed() < Duration::from_secs(8), "{:?}", since.elapsed());
    upstream.wait_for_open(0);
    // The timeouts of an answer are none of a tunnel's: above, more than the first byte's second has passed.
}

#[test]
fn upgrade_is_passed_where_it_is_written_and_nowhere_else() {
    let asked = |target: &str, request: String| -> (u16, Heard) {
        let upstream = Upstream::start(|peer| {
            let heard = peer.request().expect("a request");
            peer.send(if heard.field("upgrade").is_some() { SWITCHED.to_owned() } else { ok("plain") });
            peer.end();
        });
        let proxied = Proxied::with("where", upstream.address());
        let answer = proxied.client().ask(request);
        assert_eq!(
            answer.status == 101,
            upstream.wait_for("a request", |state| state.requests.first().map(|heard| heard.field("upgrade").is_some())),
            "{target}"
        );
        (answer.status, upstream.request())
    };
    for (target, token, status) in [
        ("/ws/", "websocket", 101),
        ("/ws/", "WebSocket", 101),
        ("/ws/", "h2c", 200),
        ("/any/", "websocket", 101),
        ("/none/", "websocket", 200),
    ] {
        let (got, heard) = asked(target, ask("upgrade.test", target, token));
        assert_eq!(got, status, "{target} {token}");
        assert_eq!(heard.field("connection").is_some_and(|value| value.eq_ignore_ascii_case("upgrade")), status == 101, "{target} {token}");
    }
    // The field alone asks for nothing (RFC 9110 §7.8), nor does HTTP/1.0.
    let plain = ask("upgrade.test", "/ws/", "websocket");
    assert_eq!(asked("/ws/", plain.replace("connection: keep-alive, Upgrade\r\n", "")).0, 200);
    assert_eq!(asked("/ws/", plain.replace("HTTP/1.1", "HTTP/1.0")).0, 200);
}

#[test]
fn any_upgrade_is_one_of_its_token() {
    let upstream = Upstream::start(echo);
    let proxied = Proxied::with("any", upstream.address());
    let mut client = proxied.client();
    let answer = client.ask(ask("upgrade.test", "/any/", "my-protocol/2"));
    assert_eq!((answer.status, answer.field("upgrade")), (101, Some("my-protocol/2")));
    assert_eq!(client.send("hi").take(2).ok().as_deref(), Some(&b"hi"[..]));
}

#[test]
fn upgrade_that_is_refused_is_an_answer_as_any_other() {
    let upstream = Upstream::start(|peer| {
        while let Some(heard) = peer.request() {
            let status = if heard.field("upgrade").is_some() { "426 Upgrade Required" } else { "200 OK" };
            peer.send(format!("HTTP/1.1 {status}\r\nupgrade: other\r\ncontent-length: 2\r\n\r\nno"));
        }
    });
    let proxied = Proxied::with("upgrade-refused", upstream.address());
    let mut client = proxied.client();
    assert_eq!(client.ask(ask("upgrade.test", "/ws/", "websocket")).status, 426);
    assert_eq!(client.get("upgrade.test", "/ws/", "").status, 200, "the connection goes on");
    assert_eq!(upstream.opened(), 1);
}

#[test]
fn switch_to_something_else_is_bad_gateway() {
    for switched in [
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\ncontent-length: 5\r\n\r\nhello",
    ] {
        let upstream = Upstream::answering_once(switched);
        let proxied = Proxied::with("switch", upstream.address());
        assert_eq!(proxied.client().ask(ask("upgrade.test", "/ws/", "websocket")).status, 502, "{switched:?}");
    }
}

#[test]
fn tunnel_is_exact_under_load_in_both_directions() {
    const BYTES: usize = 24 << 20;
    let upstream = Upstream::start(echo);
    let proxied = Proxied::with("exact", upstream.address());
    let mut client = open(&proxied, "/ws/");
    let sent: Vec<u8> = (0..BYTES / 8).flat_map(|number| (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()).collect();
    let mut writer = client.twin();
    let got = thread::scope(|scope| {
        scope.spawn(|| {
            writer.send(&sent);
            writer.finish();
        });
        client.rest().expect("all that was sent")
    });
    assert!(got == sent, "{} of {BYTES} bytes", got.len());
}

#[test]
fn side_that_does_not_read_stops_the_other() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.send(SWITCHED);
        peer.wait_for_mark("go");
        assert_eq!(peer.swallow(64 << 20), 64 << 20);
        peer.send("done");
        peer.end();
    });
    let proxied = Proxied::with("tunnel-pressure", upstream.address());
    let mut client = open(&proxied, "/ws/");
    let before = proxied.server.resident_kib();
    let sent = client.send_until_full(&[b'x'; 64 * 1024], 64 << 20);
    assert!(sent < 48 << 20, "{sent} bytes were taken");
    assert!(proxied.server.resident_kib() < before + 4096);
    upstream.mark("go");
    client.send(vec![b'x'; (64 << 20) - sent]);
    assert_eq!(client.take(4).ok().as_deref(), Some(&b"done"[..]));
}

#[test]
fn drain_ends_tunnels() {
    let upstream = Upstream::start(echo);
    let proxied = Proxied::with("tunnel-drain", upstream.address());
    let mut client = open(&proxied, "/ws/");
    assert_eq!(client.send("hi").take(2).ok().as_deref(), Some(&b"hi"[..]));
    let since = Instant::now();
    let ending = thread::spawn(move || proxied.logged());
    client.finish_reading();
    let logged = ending.join().expect("it ends");
    assert!(since.elapsed() < Duration::from_secs(10), "{:?}", since.elapsed());
    assert_eq!(logged[0].get("status"), "101");
    upstream.wait_for_open(0);
}

#[test]
fn tunnel_is_logged_with_its_bytes() {
    let upstream = Upstream::start(echo);
    let proxied = Proxied::with("tunnel-log", upstream.address());
    let mut client = open(&proxied, "/ws/");
    assert_eq!(client.send("x".repeat(1000)).take(1000).map(|bytes| bytes.len()).ok(), Some(1000));
    client.finish();
    client.end();
    let logged = proxied.logged();
    let (received, sent) = (logged[0].get("received").parse::<u64>(), logged[0].get("sent").parse::<u64>());
    assert_eq!((logged.len(), logged[0].get("status"), logged[0].get("outcome")), (1, "101", "complete"));
    assert!(received.is_ok_and(|bytes| bytes >= 1000) && sent.is_ok_and(|bytes| bytes >= 1000), "{logged:?}");
}
