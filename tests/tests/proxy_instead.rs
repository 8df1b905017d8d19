//! What is answered instead of an upstream's answer, or before one is asked: `intercept`, `miss`, `split`, pages of kiln's own faults.

use kiln_tests::{
    proxied::Proxied,
    upstream::{Refusing, Upstream, ok},
};

fn answering(status: &str, lines: &str) -> Upstream {
    Upstream::answering(format!("HTTP/1.1 {status}\r\n{lines}content-type: text/plain\r\ncontent-length: 8\r\n\r\noriginal"))
}

#[test]
fn page_takes_the_place_of_a_status() {
    for (status, body) in [("404 Nope", "instead"), ("500 Oops", "instead"), ("200 OK", "original"), ("410 Gone", "original")] {
        let upstream = answering(status, "");
        let proxied = Proxied::with("page", upstream.address());
        let mut client = proxied.client();
        for _ in 0..2 {
            let answer = client.get("instead.test", "/page/x", "");
            assert_eq!((answer.status, answer.text().contains(body)), (status[..3].parse().unwrap(), true), "{status}");
        }
        let head = client.ask("HEAD /page/x HTTP/1.1\r\nhost: instead.test\r\n\r\n");
        assert_eq!(head.status, status[..3].parse::<u16>().unwrap());
        // The body that nobody sees costs no connection, or it costs one: it is never taken for the next answer.
        assert_eq!(client.get("instead.test", "/plain", "").text(), "original");
    }
}

#[test]
fn page_of_a_fault_is_that_of_the_site() {
    let refusing = Refusing::new();
    let proxied = Proxied::with("fault-page", refusing.address());
    let answer = proxied.client().get("instead.test", "/x", "");
    assert_eq!((answer.status, answer.text().as_str()), (502, "<!doctype html><title>down</title>\n"));
    // An upstream's own answer is no fault of kiln's.
    let upstream = answering("502 Mine", "");
    let proxied = Proxied::with("own-page", upstream.address());
    let answer = proxied.client().get("instead.test", "/x", "");
    assert_eq!((answer.status, answer.text().as_str()), (502, "original"));
}

#[test]
fn page_of_a_timeout_or_a_body_over_its_limit_is_that_of_the_site() {
    let upstream = Upstream::start(|peer| {
        if peer.head().is_some() {
            peer.swallow(1 << 20);
        }
    });
    let proxied = Proxied::with("other-pages", upstream.address());
    let chunk = format!("800\r\n{}\r\n0\r\n\r\n", "x".repeat(0x800));
    for (status, target, lines) in [
        (504, "/quick/x", "\r\n".to_owned()),
        (413, "/small/x", "content-length: 1025\r\n\r\n".to_owned()),
        (413, "/small/x", format!("transfer-encoding: chunked\r\n\r\n{chunk}")),
    ] {
        let answer = proxied.client().ask(format!("POST {target} HTTP/1.1\r\nhost: instead.test\r\n{lines}"));
        assert_eq!((answer.status, answer.text().as_str()), (status, "<!doctype html><title>down</title>\n"), "{lines:.40}");
    }
    upstream.wait_for_open(0);
}

#[test]
fn accel_sends_the_file_that_the_upstream_names() {
    for (named, status, body) in [
        ("/private/report.txt", 200, "from accel\n"),
        ("/file.txt", 200, "a file\n"),
        ("/private/absent.txt", 404, ""),
        ("/../access.log", 404, ""),
        ("/private/../../access.log", 404, ""),
        ("/%2e%2e/access.log", 404, ""),
        ("/..%2faccess.log", 404, ""),
        ("/private", 404, ""),
        ("private/report.txt", 502, ""),
        ("//etc/passwd", 404, ""),
    ] {
        let upstream = answering("200 OK", &format!("x-accel-redirect: {named}\r\ncontent-disposition: attachment\r\n"));
        let proxied = Proxied::with("accel", upstream.address());
        let mut client = proxied.client();
        let answer = client.get("instead.test", "/accel/x", "");
        assert_eq!(answer.field("x-accel-redirect"), None, "{named}");
        match status {
            200 => assert_eq!((answer.status, answer.text().as_str()), (200, body), "{named}"),
            _ => {
                assert!(matches!(answer.status, 400 | 403 | 404 | 500 | 502) && !answer.text().contains("original"), "{named}: {answer:?}")
            }
        }
        assert_eq!(client.get("instead.test", "/plain", "").text(), "original", "{named}");
    }
}

#[test]
fn accel_file_has_ranges_and_conditions() {
    let upstream = answering("200 OK", "x-accel-redirect: /private/report.txt\r\n");
    let proxied = Proxied::with("accel-range", upstream.address());
    let mut client = proxied.client();
    let part = client.get("instead.test", "/accel/x", "range: bytes=5-9\r\n");
    assert_eq!((part.status, part.text().as_str()), (206, "accel"));
    let tag = client.get("instead.test", "/accel/x", "").field("etag").map(str::to_owned).expect("a tag");
    assert_eq!(client.get("instead.test", "/accel/x", &format!("if-none-match: {tag}\r\n")).status, 304);
}

#[test]
fn field_of_accel_is_a_field_where_no_accel_is() {
    let upstream = answering("200 OK", "x-accel-redirect: /private/report.txt\r\n");
    let proxied = Proxied::with("no-accel", upstream.address());
    let answer = proxied.client().get("instead.test", "/x", "");
    assert_eq!((answer.text().as_str(), answer.field("x-accel-redirect")), ("original", Some("/private/report.txt")));
}

#[test]
fn action_takes_the_place_of_a_status() {
    let upstream = answering("404 Nope", "set-cookie: a=1\r\n");
    let proxied = Proxied::with("next", upstream.address());
    let answer = proxied.client().get("instead.test", "/next/a?b", "");
    assert_eq!((answer.status, answer.text().as_str(), answer.field("set-cookie")), (200, "instead of /next/a\n", None));
}

#[test]
fn second_upstream_is_asked_where_the_first_says_so() {
    let (one, two) = (answering("200 OK", "x-fallback: yes\r\n"), Upstream::saying("second"));
    let proxied = Proxied::start("fallback", &[("ONE", one.address()), ("TWO", two.address())]);
    let mut client = proxied.client();
    for method in ["GET", "POST"] {
        let body = if method == "POST" { "content-length: 5\r\n\r\nhello" } else { "\r\n" };
        let answer = client.try_ask(format!("{method} /next/x HTTP/1.1\r\nhost: instead.test\r\n{body}"));
        match answer {
            // A body that the first has read is there for no second.
            Ok(answer) if method == "POST" => assert!(matches!(answer.status, 200 | 502), "{answer:?}"),
            Ok(answer) => assert_eq!((answer.status, answer.text().as_str()), (200, "second")),
            Err(error) => panic!("{method}: {error}"),
        }
    }
    let heard = two.requests();
    assert_eq!(heard[0].line(), "GET /next/x");
    assert!(heard.iter().all(|heard| heard.method == "GET" || heard.body == b"hello" || heard.body.is_empty()), "{heard:?}");
}

#[test]
fn file_is_served_where_there_is_one_else_the_upstream() {
    let upstream = Upstream::start(|peer| {
        while let Some(heard) = peer.request() {
            peer.send(ok(&format!("{} {}", heard.line(), String::from_utf8_lossy(&heard.body))));
        }
    });
    let proxied = Proxied::with("miss", upstream.address());
    let mut client = proxied.client();
    assert_eq!(client.get("instead.test", "/files/file.txt", "").text(), "a file\n");
    assert_eq!(client.get("instead.test", "/files/absent.txt?x=1", "").text(), "GET /files/absent.txt?x=1 ");
    let posted = client.ask("POST /files/file.txt HTTP/1.1\r\nhost: instead.test\r\ncontent-length: 2\r\n\r\nhi");
    assert_eq!(posted.text(), "POST /files/file.txt hi");
    assert_eq!(upstream.requests().len(), 2);
}

#[test]
fn share_of_a_split_is_an_upstream() {
    let (one, two) = (Upstream::saying("one"), Upstream::saying("two"));
    let proxied = Proxied::start("split", &[("ONE", one.address()), ("TWO", two.address())]);
    let mut client = proxied.client();
    let lanes: Vec<_> = (0..20).map(|lane| client.get("instead.test", "/split/x", &format!("x-lane: {lane}\r\n")).text()).collect();
    assert!(lanes.contains(&"one".to_owned()) && lanes.contains(&"two".to_owned()), "{lanes:?}");
    let again: Vec<_> = (0..20).map(|lane| client.get("instead.test", "/split/x", &format!("x-lane: {lane}\r\n")).text()).collect();
    assert_eq!(lanes, again);
}
