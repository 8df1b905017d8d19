//! The scan: what a valid head says, and which status each kind of invalid one gets.

use semantics::{
    head::{self, Framing, HeadFault, ScanLimits, Scanned, Version},
    method::Method,
};

use crate::request::judge;

/// The status that a head is refused with; 0: taken, 1: not complete.
pub(crate) fn status(bytes: &[u8]) -> u16 {
    match judge(bytes, |_, _| ()) {
        Err(fault) => fault.status(),
        Ok(Some(())) => 0,
        Ok(None) => 1,
    }
}

#[track_caller]
fn taken<T>(bytes: &str, ask: impl FnOnce(&Scanned, &head::Head<'_>) -> T) -> T {
    match judge(bytes.as_bytes(), ask) {
        Ok(Some(answer)) => answer,
        other => panic!("{bytes:?}: {:?}", other.map(|_| ())),
    }
}

#[test]
fn a_request_is_viewed() {
    let bytes =
        "POST /%61/../b%2fc?x=%31 HTTP/1.1\r\nhOsT: Shop.Example.:8080\r\nX-A: \t a\tb \t\r\nX-B:\r\nContent-Length: 5\r\n\r\nhello";
    taken(bytes, |scanned, head| {
        assert_eq!(scanned.head_bytes, bytes.len() - 5);
        assert_eq!((scanned.framing, scanned.is_persistent, scanned.version), (Framing::Length(5), true, Version::Http11));
        assert_eq!((head.method, head.method_name), (Method::POST, "POST"));
        assert_eq!((head.host, head.port), ("shop.example", Some(8080)));
        assert_eq!((head.target, head.path.text, head.query), ("/%61/../b%2fc?x=%31", "/b%2Fc", Some("x=%31")));
        assert!(head.path.has_encoded_slash && !head.path.has_encoded_backslash);
        let fields: Vec<_> = head.fields.iter().collect();
        assert_eq!(fields[1..3], [("X-A", &b"a\tb"[..]), ("X-B", &b""[..])]);
        assert_eq!(head.fields.first("content-length"), Some(&b"5"[..]));
        assert_eq!(head.fields.all("x-none").count(), 0);
    });
}

#[test]
fn plain_and_other_paths_are_cut_at_the_first_question_mark() {
    for (target, path, query) in [
        ("/", "/", None),
        ("/?", "/", Some("")),
        ("/a/b-c.css?v=/..//x?y", "/a/b-c.css", Some("v=/..//x?y")),
        ("/a;b?x", "/a;b", Some("x")),
        ("/.well-known/x?a=b", "/.well-known/x", Some("a=b")),
        ("//a", "/a", None),
        ("/a/", "/a/", None),
        ("/a|b?c|d", "/a%7Cb", Some("c|d")),
        ("/0123456789abcdef/0123456789abcdef/./x", "/0123456789abcdef/0123456789abcdef/x", None),
    ] {
        let bytes = format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n");
        taken(&bytes, |_, head| assert_eq!((head.target, head.path.text, head.query), (target, path, query)));
    }
}

#[test]
fn versions_decide_persistence() {
    let is_persistent =
        |version: &str, lines: &str| taken(&format!("GET / HTTP/{version}\r\nHost: a\r\n{lines}\r\n"), |scanned, _| scanned.is_persistent);
    assert!(is_persistent("1.1", ""));
    assert!(!is_persistent("1.1", "Connection: close\r\n"));
    assert!(!is_persistent("1.1", "Connection: X-Foo ,Close\r\n"));
    assert!(!is_persistent("1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
    assert!(!is_persistent("1.0", ""));
    assert!(is_persistent("1.0", "Connection: Keep-Alive\r\n"));
    assert!(!is_persistent("1.0", "Connection: keep-alive, close\r\n"));
}

#[test]
fn expectation_and_upgrade_are_of_http_1_1() {
    let told = |version: &str, lines: &str| {
        taken(&format!("POST / HTTP/{version}\r\nHost: a\r\n{lines}\r\n"), |scanned, _| (scanned.expects_continue, scanned.asks_upgrade))
    };
    assert_eq!(told("1.1", "Expect: 100-Continue\r\nContent-Length: 1\r\n"), (true, false));
    assert_eq!(told("1.1", "Expect: 100-continue\r\n"), (false, false));
    assert_eq!(told("1.0", "Expect: 100-continue\r\nContent-Length: 1\r\n"), (false, false));
    assert_eq!(told("1.1", "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"), (false, true));
    assert_eq!(told("1.1", "Upgrade: websocket\r\n"), (false, false));
    assert_eq!(told("1.1", "Connection: upgrade\r\n"), (false, false));
    assert_eq!(told("1.0", "Connection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 0\r\n"), (false, false));
}

#[test]
fn framing_is_told() {
    let framing = |lines: &str| taken(&format!("POST / HTTP/1.1\r\nHost: a\r\n{lines}\r\n"), |scanned, _| scanned.framing);
    assert_eq!(framing(""), Framing::Empty);
    assert_eq!(framing("Content-Length: 0\r\n"), Framing::Empty);
    assert_eq!(framing("Content-Length: 0005\r\n"), Framing::Length(5));
    assert_eq!(framing("Content-Length: 9223372036854775807\r\n"), Framing::Length(i64::MAX as u64));
    assert_eq!(framing("Transfer-Encoding:\tCHUNKED \t\r\n"), Framing::Chunked);
}

#[test]
fn absolute_targets_agree_with_host() {
    let viewed = |target: &str, host: &str| {
        let bytes = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        judge(bytes.as_bytes(), |_, head| (head.host.to_owned(), head.port, head.target.to_owned())).map_err(HeadFault::status)
    };
    let local = |port, target: &str| Ok(Some(("localhost".to_owned(), port, target.to_owned())));
    assert_eq!(viewed("http://localhost/a?b", "localhost"), local(None, "/a?b"));
    assert_eq!(viewed("HTTP://LocalHost/a", "localhost"), local(None, "/a"));
    assert_eq!(viewed("http://localhost:80/a", "localhost"), local(Some(80), "/a"));
    assert_eq!(viewed("https://localhost/a", "localhost:443"), local(None, "/a"));
    assert_eq!(viewed("http://localhost", "localhost"), local(None, "/"));
    for (target, host) in [
        ("http://other.test/a", "localhost"),
        ("http://localhost:81/a", "localhost"),
        ("https://localhost/a", "localhost:80"),
        ("http:///a", "localhost"),
        ("http://user@localhost/a", "localhost"),
        ("http://localhost?x=/a", "localhost"),
        ("http://localhost\\a", "localhost"),
        ("ftp://localhost/a", "localhost"),
        ("http:/localhost/a", "localhost"),
        ("localhost:80", "localhost"),
        ("a", "localhost"),
        ("*", "localhost"),
        ("http://loc%61lhost/", "localhost"),
    ] {
        assert_eq!(viewed(target, host), Err(400), "{target}");
    }
}

#[test]
fn asterisk_is_for_options() {
    taken("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", |_, head| assert_eq!((head.target, head.path.text, head.query), ("*", "*", None)));
    assert_eq!(status(b"OPTIONS *x HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
    assert_eq!(status(b"GET * HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
}

#[test]
fn http_1_0_may_have_no_host() {
    taken("GET /a HTTP/1.0\r\n\r\n", |scanned, head| assert_eq!((head.host, head.port, scanned.version), ("", None, Version::Http10)));
}

#[test]
fn faults_have_their_status() {
    for (bytes, expected) in [
        ("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 501),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        ("GET / HTTP/1.2\r\n", 505),
        ("GET / HTTP/0.9\r\n", 505),
        ("GET / HTTP/1.10\r\n", 400),
        ("GET / http/1.1\r\n", 400),
        ("GET  / HTTP/1.1\r\n", 400),
        ("GET /  HTTP/1.1\r\n", 400),
        ("GET /\tHTTP/1.1\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n", 417),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked;q=1\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\nContent-Length: 1\r\n\r\n", 400),
        ("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST / HTTP/1.0\r\nHost: a\r\n\r\n", 411),
        ("PUT / HTTP/1.0\r\n\r\n", 411),
        ("PATCH / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 411),
        ("POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n", 0),
        ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", 0),
        ("DELETE / HTTP/1.0\r\n\r\n", 0),
        ("GET / HTTP/1.0\r\nHost:\r\n\r\n", 400),
        ("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n", 400),
        ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET /../x HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ] {
        assert_eq!(status(bytes.as_bytes()), expected, "{bytes:?}");
    }
}

#[test]
fn certain_faults_are_told_early() {
    for prefix in [
        "\r",
        "\n",
        " ",
        "GET\t",
        "GET / X",
        "GET / HTTP/1.1\n",
        "GET / HTTP/1.1\r\n ",
        "GET /\x7f",
        "GET / HTTP/1.1\r\nA\r",
        "GET / HTTP/1.1\r\nA:\x01",
    ] {
        assert_eq!(status(prefix.as_bytes()), 400, "{prefix:?}");
    }
    for prefix in ["", "G", "GET ", "GET /", "GET / HTTP/1.1", "GET / HTTP/1.1\r", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r"]
    {
        assert_eq!(status(prefix.as_bytes()), 1, "{prefix:?}");
    }
}

#[test]
fn limits_are_inclusive() {
    let scan = |bytes: &str, head_bytes: u32, fields: u16| {
        let limits = ScanLimits { head_bytes, fields };
        head::scan(bytes.as_bytes(), limits, &mut Vec::new()).map(|scanned| scanned.is_some()).map_err(HeadFault::status)
    };
    let bytes = "GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n\r\nrest";
    let length = (bytes.len() - 4) as u32;
    assert_eq!(scan(bytes, length, 2), Ok(true));
    assert_eq!(scan(bytes, length - 1, 2), Err(431));
    assert_eq!(scan(bytes, length, 1), Err(431));
    assert_eq!(scan(bytes, 15, 2), Err(414));
    assert_eq!(scan(bytes, 16, 2), Err(431));
    assert_eq!(scan("GET /aaaaaaa", 12, 2), Err(414));
    assert_eq!(scan("GET /aaaaaaa", 13, 2), Ok(false));
}

#[test]
fn every_byte_has_its_place() {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    for byte in 0..=u8::MAX {
        let put = |before: &str, after: &str| status(&[before.as_bytes(), &[byte], after.as_bytes()].concat());
        // Long enough that whole chunks are looked at.
        let value = put("GET / HTTP/1.1\r\nHost: a\r\nX: 0123456789abcdefghijklm", "0123456789abcdefghijklm\r\n\r\n");
        assert_eq!(value == 0, byte == b'\t' || (byte >= 0x20 && byte != 0x7F), "value {byte:#x}");
        let name = put("GET / HTTP/1.1\r\nHost: a\r\nX-Long", "-Name: a\r\n\r\n");
        assert_eq!(name == 0, token(byte) || byte == b':', "name {byte:#x}");
        let query = put("GET /?0123456789abcdefghijklm", "0123456789abcdefghijklm HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(query == 0, (0x21..0x7F).contains(&byte) && byte != b'#', "query {byte:#x}");
        let method = put("GE", "T / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert_eq!(method == 0, token(byte), "method {byte:#x}");
    }
}
