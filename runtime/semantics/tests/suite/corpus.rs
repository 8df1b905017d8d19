//! Verdicts on heads that are known from request smuggling: each was taken by some server at some time. Written after RFC 9110, 9112 and public advisories.

use crate::http1::status;

/// Lines behind `Host: localhost` that must be refused.
const REFUSED_LINES: &[&str] = &[
    "Content-Length: +5",
    "Content-Length: -5",
    "Content-Length: -0",
    "Content-Length: 5 5",
    "Content-Length: ",
    "Content-Length: 5.0",
    "Content-Length: 5e0",
    "Content-Length: 18446744073709551621",
    "Content-Length: 9223372036854775813",
    "Content-Length: 4294967301x",
    "Content-Length: 0_5",
    "Content-Length: 5, 6",
    "Content-Length: 5, 5",
    "Content-Length: 5;",
    "Content-Length: \u{b}5",
    "Content-Length: \u{c}5",
    "Content-Length: 5\0",
    "Content-Length: \u{a0}5",
    "Content-Length: five",
    "Content-Length: 5x",
    "Content-Length: ,",
    "Content-Length: 0x5",
    "Content-Length: 5\r\ncontent-length: 44",
    "Content-Length: 5\r\nContent-Length: 5",
    "Content-Length : 5",
    "Content-Length\t: 5",
    "X-A: b\r\n Content-Length: 5",
    "X-A: b\r\n\tContent-Length: 5",
    "Content-Length: 6\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 4",
    "Transfer-Encoding: chunked\r\nContent-Length: x",
    "Transfer-Encoding: xchunked",
    "Transfer-Encoding: identity",
    "Transfer-Encoding: gzip",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: chunked, gzip",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: \"chunked\"",
    "Transfer-Encoding: 'chunked'",
    "Transfer-Encoding: \u{b}chunked",
    "Transfer-Encoding: chunked\u{b}",
    "Transfer-Encoding: \u{c}chunked",
    "Transfer-Encoding: chunked\0",
    "Transfer-Encoding: chun\0ked",
    "Transfer-Encoding: \u{a0}chunked",
    "Transfer-Encoding: \u{ff}chunked",
    "Transfer-Encoding : chunked",
    "Transfer-Encoding\t: chunked",
    "\u{b}Transfer-Encoding: chunked",
    "Transfer Encoding: chunked",
    "Transfer-Encoding: chunked; x=y",
    "Transfer-Encoding:",
    "Transfer-Encoding: chunked chunked",
    "Transfer-Encoding: cow",
    "Transfer-Encoding: [chunked]",
    "Transfer-Encoding: identity, chunked",
    "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: ,chunked",
    "Transfer-Encoding: chunked,",
    "X-A: b\nTransfer-Encoding: chunked",
    "X-A: a\rb",
    "X-A: a\0b",
    "X-A: a\r\n b\r\n\tc",
    "X-A: a\u{1}",
    "X-A: a\u{7f}",
    "NoColonHere",
    "Foo Bar: x",
    "Fo/o: x",
    "Fo\0o: x",
    "Fo\u{7f}o: x",
    "Fo\"o: x",
    "Fo{o: x",
    "(x): y",
    ": x",
    "Fo\u{e9}: x",
    "Host: evil",
    "Host: localhost",
    "hOsT: evil",
    "Expect: 100-continue, x",
    "Expect: x",
    "Expect:\r\n 100-continue",
    "Content-Length: 5\r\nConnection: Content-Length",
    "Transfer-Encoding: chunked\r\nConnection: close, transfer-encoding",
    "Connection: Host",
];

/// Lines behind `Host: localhost` that must be taken.
const TAKEN_LINES: &[&str] = &[
    "Content-Length:\t5\t ",
    "Content-Length:5",
    "Content-Length: 0",
    "Transfer-Encoding:\tchunked \t",
    "Transfer-Encoding:chunked",
    "Connection: X-Foo\r\nX-Foo: 1",
    "Connection: close, X-Foo ,x-bar\r\nX-Foo: 1\r\nX-Bar: 2",
    "TE: gzip",
    "Connection: Upgrade\r\nUpgrade: foo/1",
    "Max-Forwards: 0",
    "Connection: Hos, Hosts, Content-Lengths",
    "X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil",
    "Expect: 100-continue",
    "X-A:",
    "X-A: \u{e9}",
    "!#$%&'*+-.^_`|~09az: x",
    "X_A: b",
    "X-A: a\tb",
];

/// Host lines of an HTTP/1.1 request that must be refused; without its line end.
const REFUSED_HOSTS: &[&str] = &[
    "",
    "Host:",
    "Host: ",
    "Host: localhost/x",
    "Host: user@localhost",
    "Host: localhost\\x",
    "Host: localhost:8o",
    "Host: localhost:-1",
    "Host: localhost:99999",
    "Host: [::1",
    "Host: ::1",
    "Host: %zz",
    "Host: localhost, evil",
    "Host: local host",
    "Host: localhost#",
    "Host: localhost?x",
    "Host: a..b",
    "Host: .",
    "Host:\r\n localhost",
    "Host : localhost",
    " Host: evil\r\nHost: localhost",
    "Host: localh\u{f6}st",
    "Host: *",
];

/// Request lines that must be refused; without their line end.
const REFUSED_REQUEST_LINES: &[&str] = &[
    "GET /t\r HTTP/1.1",
    "GET /t HTTP/1.1\r",
    " GET /t HTTP/1.1",
    "\r\nGET /t HTTP/1.1",
    "GET\u{b}/t\u{b}HTTP/1.1",
    "GET /t HTTP/1.1 ",
    "GET /t x HTTP/1.1",
    "GET /t HTTP/1.1 HTTP/1.1",
    "GET /t\u{7}x HTTP/1.1",
    "GET /t\u{7f}x HTTP/1.1",
    "GET /t\u{e9} HTTP/1.1",
    "GET /t#frag HTTP/1.1",
    "GET t HTTP/1.1",
    "GE(T /t HTTP/1.1",
    "GET: /t HTTP/1.1",
    "GET /t HTTP/2.0",
    "GET /t HTTP/3.0",
    "GET /t HTTP/1.10",
    "GET /t HTTP/01.1",
    "GET /t http/1.1",
    "GET /t HTTP/",
    "GET /t ICY/1.1",
    "GET /t HTTP/+1.1",
    "GET /t HTTP/0.9",
    "GET /t HTTP/1.",
    "GET /t HTTP/1.1x",
    "GET /t",
    "GET",
    "PRI * HTTP/2.0",
    "GET http:///t HTTP/1.1",
    "GET http://local host/t HTTP/1.1",
    "GET http://other.test/t HTTP/1.1",
    "GET localhost:80 HTTP/1.1",
    "CONNECT localhost:80 HTTP/1.1",
    "GET * HTTP/1.1",
    "GET /%00 HTTP/1.1",
    "GET /% HTTP/1.1",
    "GET /a\\b HTTP/1.1",
    "GET /a/%2e%2e/b HTTP/1.1",
    "GET /.. HTTP/1.1",
    " /t HTTP/1.1",
    "GET  HTTP/1.1",
    "",
];

/// Request lines that must be taken.
const TAKEN_REQUEST_LINES: &[&str] = &[
    "FROBNICATE /t HTTP/1.1",
    "TRACE /t HTTP/1.1",
    "get /t HTTP/1.1",
    "GET http://localhost/t HTTP/1.1",
    "GET HTTP://localhost/t HTTP/1.1",
    "GET //evil/t HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "GET /t?a=\"<>^`{|}\\ HTTP/1.1",
    "GET /t HTTP/1.0",
    "GET /?%zz HTTP/1.1",
];

/// The bytes of a text whose characters are all below U+0100: one byte each.
fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(u32::from(character)).expect("one byte")).collect()
}

#[track_caller]
fn check(text: &str, is_taken: bool) {
    let status = status(&latin1(text));
    assert!(if is_taken { status == 0 } else { status >= 400 }, "{text:?}: {status}");
}

#[test]
fn lines_are_judged() {
    for (lines, is_taken) in REFUSED_LINES.iter().map(|lines| (lines, false)).chain(TAKEN_LINES.iter().map(|lines| (lines, true))) {
        check(&format!("POST /t HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n\r\n"), is_taken);
        check(
            &format!("POST /t HTTP/1.1\r\nHost: localhost\r\n{lines}\r\nUser-Agent: a rather long line that comes last\r\n\r\n"),
            is_taken,
        );
    }
}

#[test]
fn hosts_are_judged() {
    for lines in REFUSED_HOSTS {
        let end = if lines.is_empty() { "" } else { "\r\n" };
        check(&format!("GET /t HTTP/1.1\r\n{lines}{end}\r\n"), false);
    }
    for host in ["localhost", "localhost.", "LOCALHOST:80", "localhost:", "127.0.0.1", "[::1]:8080"] {
        check(&format!("GET /t HTTP/1.1\r\nHost: {host}\r\n\r\n"), true);
    }
}

#[test]
fn request_lines_are_judged() {
    for (line, is_taken) in
        REFUSED_REQUEST_LINES.iter().map(|line| (line, false)).chain(TAKEN_REQUEST_LINES.iter().map(|line| (line, true)))
    {
        check(&format!("{line}\r\nHost: localhost\r\n\r\n"), is_taken);
    }
}

#[test]
fn line_ends_are_crlf() {
    for text in [
        "GET /t HTTP/1.1\nHost: localhost\n\n",
        "GET /t HTTP/1.1\r\nHost: localhost\r\n\n",
        "GET /t HTTP/1.1\nHost: localhost\r\n\r\n",
        "GET /t HTTP/1.1\r\nHost: localhost\n\r\n",
        "GET /t HTTP/1.1\rHost: localhost\r\r",
        "GET /t HTTP/1.1\r\nHost: localhost\r\r\n\r\n",
        "GET /t HTTP/1.1\r\nHost: localhost\r\n\rX",
    ] {
        check(text, false);
    }
}
