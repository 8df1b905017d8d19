//! What passes through a proxied route, in both directions, and what does not: exact requests at scripted upstreams, exact answers at clients.

use std::net::IpAddr;

use kiln_tests::{
    answer::Answer,
    client::{Client, End},
    proxied::Proxied,
    upstream::{Heard, Upstream, ok},
};

const GET: &str = "GET / HTTP/1.1\r\nhost: one.test\r\n\r\n";

/// Sends one request (Host is added) to a site before an upstream that says `ok`, and gives what the upstream got.
fn forwarded(host: &str, request_line: &str, lines: &str) -> Heard {
    let upstream = Upstream::saying("ok");
    let proxied = Proxied::with("forwarded", upstream.address());
    let answer = proxied.client().ask(format!("{request_line} HTTP/1.1\r\nhost: {host}\r\n{lines}\r\n"));
    assert_eq!((answer.status, answer.text().as_str()), (200, "ok"), "{request_line} {lines:?}");
    upstream.request()
}

/// What a client gets of an upstream's answer, asked on a connection that must stay open, which is proved.
fn passed(method: &str, answer: &str) -> Answer {
    let bytes = answer.to_owned();
    let upstream = Upstream::start(move |peer| {
        if peer.request().is_some() {
            // Closes behind it, which is the end of some of these answers.
            peer.send(&bytes).finish();
            peer.end();
        }
    });
    let proxied = Proxied::with("passed", upstream.address());
    let mut client = proxied.client();
    let got = client.ask(format!("{method} / HTTP/1.1\r\nhost: one.test\r\n\r\n"));
    assert_eq!(client.get("nowhere.test", "/", "").status, 421, "behind {answer:?} to {method}");
    got
}

fn without_date(answer: &Answer) -> Vec<(&str, &str)> {
    answer.fields.iter().filter(|(name, _)| name != "date").map(|(name, value)| (&**name, &**value)).collect()
}

#[test]
fn request_arrives_with_what_the_connection_says() {
    let heard = forwarded("one.test", "GET /a%7eb//c/../d?x=%20y&z", "accept: */*\r\nx-Own: 1\r\n");
    assert_eq!(heard.line(), "GET /a~b/d?x=%20y&z");
    let mut fields: Vec<_> = heard.fields.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.as_str())).collect();
    fields.sort();
    let expected = [
        ("accept", "*/*"),
        ("forwarded", "for=127.0.0.1;host=one.test;proto=http"),
        ("host", "one.test"),
        ("via", "1.1 kiln"),
        ("x-forwarded-for", "127.0.0.1"),
        ("x-forwarded-host", "one.test"),
        ("x-forwarded-proto", "http"),
        ("x-own", "1"),
    ];
    assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value)));
}

#[test]
fn field_of_one_connection_is_not_sent_on() {
    for (line, gone) in [
        ("connection: x-one, X-TWO\r\nx-one: 1\r\nx-two: 2\r\n", &["connection", "x-one", "x-two"][..]),
        ("connection: x-one\r\nconnection: x-two\r\nx-one: 1\r\nx-two: 2\r\n", &["connection", "x-one", "x-two"]),
        ("keep-alive: timeout=5\r\n", &["keep-alive"]),
        ("proxy-connection: keep-alive\r\n", &["proxy-connection"]),
        ("proxy-authorization: Basic eA==\r\n", &["proxy-authorization"]),
        ("te: gzip\r\n", &["te"]),
        ("upgrade: h2c\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n", &["upgrade", "http2-settings"]),
        ("upgrade: websocket\r\nconnection: upgrade\r\n", &["upgrade", "connection"]),
        ("proxy: http://evil.test\r\nx_forwarded_for: 9.9.9.9\r\n", &["proxy", "x_forwarded_for"]),
    ] {
        let heard = forwarded("one.test", "GET /", line);
        for name in gone {
            assert_eq!(heard.field(name), None, "{line:?}");
        }
        assert_eq!(heard.field("host"), Some("one.test"), "{line:?}");
    }
}

#[test]
fn connection_takes_no_field_away_that_matters() {
    let upstream = Upstream::saying("ok");
    let proxied = Proxied::with("connection-names", upstream.address());
    let named = "x-forwarded-for, forwarded, via, x-forwarded-proto";
    let answer = proxied.client().ask(format!("POST / HTTP/1.1\r\nhost: one.test\r\nconnection: {named}\r\ncontent-length: 2\r\n\r\nhi"));
    assert_eq!(answer.text(), "ok");
    let heard = upstream.request();
    for name in named.split(", ") {
        assert_eq!(heard.all(name).count(), 1, "{name}");
    }
    assert_eq!((heard.field("content-length"), heard.body.as_slice()), (Some("2"), &b"hi"[..]));
    // Who names the framing means to hide it from the next parser.
    let hidden = "POST / HTTP/1.1\r\nhost: one.test\r\nconnection: content-length, host\r\ncontent-length: 2\r\n\r\nhi";
    assert_eq!(proxied.client().ask(hidden).status, 400);
}

#[test]
fn client_cannot_say_who_it_is() {
    let forged = "x-forwarded-for: 9.9.9.9\r\nX-Forwarded-For: 8.8.8.8\r\nforwarded: for=9.9.9.9;proto=https\r\nx-real-ip: 9.9.9.9\r\n\
        x-forwarded-proto: https\r\nx-forwarded-host: evil.test\r\nx-forwarded-port: 1\r\nx-forwarded-server: evil\r\nx-forwarded-prefix: /evil\r\n\
        x-forwarded-anything: 9\r\n";
    let heard = forwarded("one.test", "GET /", forged);
    assert_eq!(heard.all("x-forwarded-for").collect::<Vec<_>>(), ["127.0.0.1"]);
    assert_eq!(heard.all("forwarded").collect::<Vec<_>>(), ["for=127.0.0.1;host=one.test;proto=http"]);
    assert_eq!(heard.all("x-forwarded-proto").collect::<Vec<_>>(), ["http"]);
    assert_eq!(heard.all("x-forwarded-host").collect::<Vec<_>>(), ["one.test"]);
    let head = String::from_utf8_lossy(&heard.head).into_owned();
    assert!(!head.contains('9') && !head.contains("8.8") && !head.contains("evil"), "{head}");
}

#[test]
fn proxy_that_is_trusted_is_added_to() {
    let upstream = Upstream::saying("ok");
    let proxied = Proxied::with("trusted", upstream.address());
    let from: IpAddr = [127, 0, 0, 2].into();
    let lines = "x-forwarded-for: 203.0.113.9\r\nx-forwarded-proto: https\r\nx-forwarded-host: outer.test\r\nvia: 1.0 edge\r\n";
    let answer = Client::connect_from(from, proxied.server.address()).get("one.test", "/", lines);
    assert_eq!(answer.status, 200);
    let heard = upstream.request();
    assert_eq!(heard.all("x-forwarded-for").collect::<Vec<_>>().join(", "), "203.0.113.9, 127.0.0.2");
    assert_eq!(heard.all("x-forwarded-proto").collect::<Vec<_>>(), ["https"]);
    assert_eq!(heard.all("x-forwarded-host").collect::<Vec<_>>(), ["outer.test"]);
    assert_eq!(heard.all("via").collect::<Vec<_>>().join(", "), "1.0 edge, 1.1 kiln");
}

#[test]
fn target_and_host_are_what_the_route_says() {
    for (target, expected, host) in [
        ("/same/x?q", "/same/x?q", "targets.test"),
        ("/api/v1?q=%20a", "/v1?q=%20a", "targets.test"),
        ("/api/", "/", "targets.test"),
        ("/api", "/", "targets.test"),
        ("/api/a/../b", "/b", "targets.test"),
        ("/api//x", "/x", "targets.test"),
        ("/items/7/a/b?x=1", "/v2/a/b/of/7?x=1", "targets.test"),
        ("/items/a%20b/c%7ed", "/v2/c~d/of/a%20b", "targets.test"),
        ("/query/7?x=1", "/search?id=7", "targets.test"),
        ("/raw/a//b/%7e/%61?x=%7c", "/raw/a//b/%7e/%61?x=%7c", "targets.test"),
        ("/literal", "/literal", "app.internal"),
    ] {
        let heard = forwarded("targets.test", &format!("GET {target}"), "");
        assert_eq!((heard.target.as_str(), heard.field("host")), (expected, Some(host)), "{target}");
    }
    let upstream = Upstream::saying("ok");
    let proxied = Proxied::with("endpoint-host", upstream.address());
    proxied.client().get("targets.test", "/endpoint", "");
    assert_eq!(upstream.request().field("host"), Some(upstream.address().to_string().as_str()));
}

#[test]
fn target_that_a_client_bends_is_refused() {
    let upstream = Upstream::saying("ok");
    let proxied = Proxied::with("bent", upstream.address());
    for to in ["http://evil.test/", "//evil.test/", "no-slash", "", "/a%20b%0d%0ax:1", "/a%00"] {
        let answer = proxied.client().get("targets.test", &format!("/host/x?to={to}"), "");
        let heard = upstream.requests();
        // Sent on as one target that is a path, or not at all.
        match heard.first() {
            None => assert_eq!(answer.status, 400, "{to}"),
            Some(heard) => assert!(heard.target.starts_with('/') && !heard.target.starts_with("//"), "{to}: {}", heard.target),
        }
    }
}

#[test]
fn edits_of_the_request_reach_the_upstream() {
    let heard = forwarded("fields.test", "GET /", "cookie: a=1\r\nx-secret-key: 1\r\nx-client: me\r\nx-added: by me\r\nx-default: me\r\n");
    assert_eq!((heard.field("cookie"), heard.field("x-secret-key")), (None, None));
    assert_eq!(heard.all("x-client").collect::<Vec<_>>(), ["127.0.0.1"]);
    assert_eq!(heard.all("x-added").collect::<Vec<_>>(), ["by me", "by kiln"]);
    assert_eq!(heard.all("x-default").collect::<Vec<_>>(), ["me"]);
    let heard = forwarded("fields.test", "GET /own", "");
    assert_eq!(heard.all("x-forwarded-for").collect::<Vec<_>>(), ["secret"]);
    assert_eq!((heard.field("via"), heard.field("forwarded"), heard.field("x-default")), (None, None, Some("kiln")));
}

#[test]
fn edits_of_the_answer_reach_the_client() {
    let upstream = Upstream::answering(
        "HTTP/1.1 201 Made\r\nserver: app\r\nx-powered-by: x\r\nx-kept: 1\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-length: 2\r\n\r\nok",
    );
    let proxied = Proxied::with("answer-edits", upstream.address());
    let answer = proxied.client().get("fields.test", "/", "");
    assert_eq!((answer.status, answer.text().as_str()), (201, "ok"));
    assert_eq!((answer.field("server"), answer.field("x-powered-by"), answer.field("x-kept")), (None, None, Some("1")));
    assert_eq!((answer.field("x-seen"), answer.field("x-of-kiln")), (Some("yes"), Some("201")));
    assert_eq!(answer.all("set-cookie").collect::<Vec<_>>(), ["a=1", "b=2"]);
}

/// Method, what the upstream says, and what the client gets: status, length, coding, body.
type Framing = (&'static str, &'static str, u16, Option<&'static str>, Option<&'static str>, &'static str);

const FRAMINGS: &[Framing] = &[
    ("GET", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", 200, Some("5"), None, "hello"),
    ("GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 502, None, None, ""),
    ("GET", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 200, Some("0"), None, ""),
    (
        "GET",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n",
        200,
        None,
        Some("chunked"),
        "hello",
    ),
    ("GET", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 200, None, Some("chunked"), ""),
    ("GET", "HTTP/1.1 200 OK\r\n\r\nhello", 200, None, Some("chunked"), "hello"),
    ("GET", "HTTP/1.0 200 OK\r\n\r\nhello", 200, None, Some("chunked"), "hello"),
    ("GET", "HTTP/1.0 200 OK\r\ncontent-length: 5\r\n\r\nhello", 200, Some("5"), None, "hello"),
    ("GET", "HTTP/1.1 200\r\ncontent-length: 5\r\n\r\nhello", 200, Some("5"), None, "hello"),
    ("GET", "HTTP/1.1 200 \r\ncontent-length: 5\r\n\r\nhello", 200, Some("5"), None, "hello"),
    ("HEAD", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", 200, Some("5"), None, ""),
    ("HEAD", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", 200, None, None, ""),
    ("HEAD", "HTTP/1.1 200 OK\r\n\r\n", 200, None, None, ""),
    ("GET", "HTTP/1.1 204 No Content\r\n\r\n", 204, None, None, ""),
    ("GET", "HTTP/1.1 304 Not Modified\r\netag: \"x\"\r\ncontent-length: 5\r\n\r\n", 304, Some("5"), None, ""),
    ("GET", "HTTP/1.1 304 Not Modified\r\netag: \"x\"\r\n\r\n", 304, None, None, ""),
    ("GET", "HTTP/1.1 404 Nope\r\ncontent-length: 5\r\n\r\nhello", 404, Some("5"), None, "hello"),
    ("GET", "HTTP/1.1 599 X\r\ncontent-length: 5\r\n\r\nhello", 599, Some("5"), None, "hello"),
    ("POST", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", 200, Some("5"), None, "hello"),
    ("OPTIONS", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 200, Some("0"), None, ""),
    ("BREW", "HTTP/1.1 418 Teapot\r\ncontent-length: 5\r\n\r\nhello", 418, Some("5"), None, "hello"),
];

#[test]
fn answer_is_framed_as_its_method_and_status_say() {
    for (method, said, status, length, coding, body) in FRAMINGS {
        let answer = passed(method, said);
        assert_eq!(answer.status, *status, "{method} {said:?}");
        if *status != 502 {
            // Of a body in chunks that is there at once the length is known.
            let whole = body.len().to_string();
            let (length, coding) = match answer.field("content-length") {
                Some(_) if *coding == Some("chunked") => (Some(&*whole), None),
                _ => (*length, *coding),
            };
            let framing = (answer.field("content-length"), answer.field("transfer-encoding"), &*answer.text());
            assert_eq!(framing, (length, coding, *body), "{method} {said:?}");
        }
    }
}

#[test]
fn answer_keeps_what_is_not_of_its_connection() {
    let said = "HTTP/1.1 200 Fine\r\nconnection: close, x-hop\r\nx-hop: 1\r\nkeep-alive: timeout=5\r\nproxy-authenticate: Basic\r\nupgrade: h2c\r\n\
        date: Mon, 01 Jan 2024 00:00:00 GMT\r\netag: \"a\"\r\nvary: accept\r\nvary: cookie\r\nx-empty:\r\ncontent-length: 2\r\n\r\nok";
    let answer = passed("GET", said);
    assert_eq!(answer.all("date").collect::<Vec<_>>(), ["Mon, 01 Jan 2024 00:00:00 GMT"]);
    let expected = [("etag", "\"a\""), ("vary", "accept"), ("vary", "cookie"), ("x-empty", ""), ("content-length", "2")];
    let mut fields = without_date(&answer);
    fields.retain(|(name, _)| *name != "proxy-authenticate");
    fields.sort_unstable();
    let mut sorted = expected;
    sorted.sort_unstable();
    assert_eq!(fields, sorted);
    assert_eq!(passed("GET", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").all("date").count(), 1, "one of kiln's");
}

#[test]
fn old_client_gets_what_it_can_read() {
    let upstream = Upstream::answering("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
    let proxied = Proxied::with("old", upstream.address());
    let mut client = proxied.client();
    let answer = client.ask("GET / HTTP/1.0\r\nhost: one.test\r\n\r\n");
    assert_eq!((answer.field("transfer-encoding"), answer.field("connection"), &*answer.text()), (None, Some("close"), "hello"));
    client.end();
    assert_eq!(upstream.request().method, "GET");
}

#[test]
fn body_arrives_in_its_framing() {
    for (lines, length, coding) in [
        ("content-length: 11\r\n\r\nhello world", Some("11"), None),
        ("transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=1\r\n world\r\n0\r\n\r\n", None, Some("chunked")),
    ] {
        let upstream = Upstream::saying("ok");
        let proxied = Proxied::with("upload", upstream.address());
        let mut client = proxied.client();
        assert_eq!(client.ask(format!("PUT /x HTTP/1.1\r\nhost: one.test\r\n{lines}")).status, 200);
        assert_eq!(client.ask(GET).status, 200);
        let [first, second] = <[Heard; 2]>::try_from(upstream.requests()).expect("two requests");
        assert_eq!((first.field("content-length"), first.field("transfer-encoding")), (length, coding));
        assert_eq!((first.line(), first.body.as_slice()), ("PUT /x".to_owned(), &b"hello world"[..]));
        assert_eq!((second.line(), second.field("content-length"), second.body.len()), ("GET /".to_owned(), None, 0));
    }
    let heard = forwarded("one.test", "POST /", "content-length: 0\r\n");
    assert_eq!(heard.field("content-length"), Some("0"), "a POST says that it has no body");
}

#[test]
fn trailers_pass_in_both_directions() {
    let upstream = Upstream::answering(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n5\r\nhello\r\n0\r\nx-sum: 1\r\ncontent-length: 9\r\nx-more: 2\r\n\r\n",
    );
    let proxied = Proxied::with("trailers", upstream.address());
    let mut client = proxied.client();
    let answer = client.ask(
        "POST / HTTP/1.1\r\nhost: one.test\r\nte: trailers\r\ntrailer: x-end\r\ntransfer-encoding: chunked\r\n\r\n\
         2\r\nhi\r\n0\r\nx-end: 7\r\nx-forwarded-for: 9.9.9.9\r\n\r\n",
    );
    let trailers: Vec<_> = answer.trailers.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!((answer.text().as_str(), trailers), ("hello", vec![("x-sum", "1"), ("x-more", "2")]));
    let heard = upstream.request();
    assert_eq!((heard.body.as_slice(), heard.field("te")), (&b"hi"[..], Some("trailers")));
    assert_eq!(heard.trailers, [("x-end".to_owned(), "7".to_owned())]);
    assert_eq!(client.ask(GET).text(), "hello", "the connection goes on behind them");
}

#[test]
fn interim_answers_pass() {
    let upstream = Upstream::answering(
        "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\nconnection: x-hop\r\nx-hop: 1\r\n\r\n\
         HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
    );
    let proxied = Proxied::with("interim", upstream.address());
    let mut client = proxied.client();
    let early = client.ask(GET);
    assert_eq!((early.status, early.field("link"), early.field("x-hop")), (103, Some("</a.css>; rel=preload"), None));
    let next = client.answer();
    let last = if next.status == 102 { client.answer() } else { next };
    assert_eq!((last.status, last.text().as_str()), (200, "ok"));
    // HTTP/1.0 knows none of them (RFC 9110 §15.2).
    assert_eq!(client.ask("GET / HTTP/1.0\r\nhost: one.test\r\n\r\n").status, 200);
}

#[test]
fn expectation_is_the_upstreams_to_answer() {
    const EXPECTING: &str = "POST / HTTP/1.1\r\nhost: one.test\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n";
    let upstream = Upstream::start(|peer| {
        while let Some(heard) = peer.head() {
            if heard.field("expect") == Some("100-continue") {
                peer.send("HTTP/1.1 100 Continue\r\n\r\n");
            }
            let (body, _) = peer.body(&heard);
            peer.send(ok(&String::from_utf8_lossy(&body)));
        }
    });
    let proxied = Proxied::with("expect", upstream.address());
    let mut client = proxied.client();
    assert_eq!(client.ask(EXPECTING).status, 100);
    assert_eq!(client.send("hello").answer().text(), "hello");
    assert_eq!(upstream.request().field("expect"), Some("100-continue"));
    assert_eq!(client.ask(GET).status, 200, "the connection goes on");

    // Who says no gets no body.
    let upstream = Upstream::start(|peer| {
        peer.head();
        peer.send("HTTP/1.1 403 No\r\ncontent-length: 2\r\n\r\nno");
        assert_eq!(peer.some(), b"", "a body that nobody wanted");
    });
    let proxied = Proxied::with("expect-refused", upstream.address());
    let mut client = proxied.client();
    let answer = client.ask(EXPECTING);
    assert_eq!((answer.status, answer.text().as_str()), (403, "no"));
    upstream.wait_for_open(0);
}

#[test]
fn expectation_that_the_upstream_does_not_know_does_not_hang() {
    let upstream = Upstream::answering(ok("late"));
    let proxied = Proxied::with("expect-unknown", upstream.address());
    let mut client = proxied.client();
    let first = client.ask("POST / HTTP/1.1\r\nhost: one.test\r\nexpect: 100-continue\r\ncontent-length: 5\r\n\r\n");
    assert_eq!(first.status, 100, "after a while the client is told to go on");
    assert_eq!(client.send("hello").answer().text(), "late");
    assert_eq!(upstream.request().body, b"hello");
}

#[test]
fn early_answer_arrives_while_the_body_still_comes() {
    let upstream = Upstream::start(|peer| {
        let heard = peer.head().expect("a request");
        peer.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nearly\r\n");
        let (body, _) = peer.body(&heard);
        peer.send(format!("{:x}\r\n{}\r\n0\r\n\r\n", body.len(), String::from_utf8_lossy(&body)));
        peer.end();
    });
    let proxied = Proxied::with("early", upstream.address());
    let mut client = proxied.client();
    client.send("POST / HTTP/1.1\r\nhost: one.test\r\ncontent-length: 10\r\n\r\nhello");
    client.begin_head();
    for (expected, next) in [("5\r\nearly\r\n", "world"), ("a\r\nhelloworld\r\n0\r\n\r\n", "")] {
        let piece = client.take(expected.len()).expect("a piece");
        assert_eq!(String::from_utf8_lossy(&piece), expected);
        client.send(next);
    }
}

#[test]
fn early_refusal_arrives_and_its_connections_end() {
    let upstream = Upstream::start(|peer| {
        peer.head();
        peer.send("HTTP/1.1 413 Large\r\ncontent-length: 3\r\nconnection: close\r\n\r\nbig").finish();
        peer.end();
    });
    let proxied = Proxied::with("refusal", upstream.address());
    let mut client = proxied.client();
    client.send("POST / HTTP/1.1\r\nhost: one.test\r\ncontent-length: 100000000\r\n\r\n").send(vec![b'x'; 8 << 20]);
    let answer = client.answer();
    assert_eq!((answer.status, answer.text().as_str(), answer.field("connection")), (413, "big", Some("close")));
    client.finish_reading();
    upstream.wait_for_open(0);
}

#[test]
fn body_over_the_limit_is_refused() {
    let upstream = Upstream::start(|peer| {
        if peer.head().is_some() {
            assert!(peer.swallow(1 << 20) < 1 << 10, "a body over the limit came here");
        }
    });
    let proxied = Proxied::with("limit", upstream.address());
    let chunk = format!("800\r\n{}\r\n0\r\n\r\n", "x".repeat(0x800));
    for lines in ["content-length: 1025\r\n\r\n".to_owned(), format!("transfer-encoding: chunked\r\n\r\n{chunk}")] {
        let mut client = proxied.client();
        let answer = client.ask(format!("POST / HTTP/1.1\r\nhost: small.test\r\n{lines}"));
        assert_eq!((answer.status, answer.field("connection")), (413, Some("close")), "{lines:.40}");
        client.end();
    }
    upstream.wait_for_open(0);
}

#[test]
fn pieces_arrive_as_they_come() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
        for number in 0..3 {
            peer.send(format!("8\r\ndata: {number}\n\r\n"));
            peer.wait_for_mark(&format!("seen {number}"));
        }
        peer.send("0\r\n\r\n");
        peer.end();
    });
    let proxied = Proxied::with("events", upstream.address());
    let mut client = proxied.client();
    client.send(GET);
    client.begin_head();
    for number in 0..3 {
        assert_eq!(client.take(13).expect("a piece"), format!("8\r\ndata: {number}\n\r\n").into_bytes());
        upstream.mark(&format!("seen {number}"));
    }
    assert_eq!(client.take(5).expect("the end"), b"0\r\n\r\n");
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let upstream = Upstream::start(|peer| {
        while let Some(heard) = peer.request() {
            peer.send(ok(&heard.target));
        }
    });
    let proxied = Proxied::with("pipeline", upstream.address());
    let mut client = proxied.client();
    client.send((0..50).map(|number| format!("GET /{number} HTTP/1.1\r\nhost: one.test\r\n\r\n")).collect::<String>());
    for number in 0..50 {
        assert_eq!(client.answer().text(), format!("/{number}"));
    }
}

#[test]
fn half_closed_client_still_gets_its_answer() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.wait_for_mark("go");
        peer.send(ok("late"));
    });
    let proxied = Proxied::with("half-closed", upstream.address());
    let mut client = proxied.client();
    client.send("GET / HTTP/1.1\r\nhost: one.test\r\nconnection: close\r\n\r\n");
    upstream.wait_for_requests(1);
    client.finish();
    upstream.mark("go");
    assert_eq!(client.answer().text(), "late");
    client.end();
}

#[test]
fn client_that_goes_away_ends_what_was_done_for_it() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.mark("got");
        assert!(matches!(peer.end(), End::Closed | End::Reset));
        peer.mark("gone");
    });
    let proxied = Proxied::with("gone", upstream.address());
    for (times, is_reset) in [(1, true), (2, false)] {
        let mut client = proxied.client();
        client.send(GET);
        upstream.wait_for_mark("got", times);
        match is_reset {
            true => client.abort(),
            false => drop(client),
        }
        upstream.wait_for_mark("gone", times);
    }
}

#[test]
fn client_that_goes_away_within_an_answer_ends_it() {
    let upstream = Upstream::start(|peer| {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\n\r\n");
        while peer.try_send([b'x'; 64 * 1024]) {}
        peer.mark("gone");
    });
    let proxied = Proxied::with("gone-within", upstream.address());
    let mut client = proxied.client();
    client.send(GET).begin_answer();
    client.abort();
    upstream.wait_for_mark("gone", 1);
}
