//! What endpoints get, line by line.

use std::net::IpAddr;

use proptest::prelude::*;

use super::*;
use crate::{
    cidr::{Prefix, Ranges},
    client::{self, ForwardingFields},
    edits::{Action, Edit},
    head::{self, Arrival, ScanLimits, Scheme, Scratch},
    pattern::{self, Captures},
};

const POLICY: Policy<'static> =
    Policy { target: Target::Same, host: HostPolicy::Preserve, edits: &Edits::NONE, is_raw: false, upgrades: &[] };

/// A request from 192.0.2.1 by http, or by a peer in 10.0.0.0/8 of whose fields `reads` are believed.
struct Case<'c> {
    request: &'c str,
    policy: Policy<'c>,
    peer: &'c str,
    reads: ForwardingFields,
    is_last: bool,
}

impl<'c> Case<'c> {
    fn of(request: &'c str) -> Self {
        Self { request, policy: POLICY, peer: "192.0.2.1", reads: ForwardingFields::Either, is_last: false }
    }

    fn with(request: &'c str, policy: Policy<'c>) -> Self {
        Self { policy, ..Self::of(request) }
    }

    fn forwarded(&self) -> Result<(Forwarded, String), TargetFault> {
        let ranges = Ranges::build(&[Prefix::parse("10.0.0.0/8").unwrap()]);
        let trust = Trust { networks: ranges.networks(), fields: self.reads };
        let bytes = self.request.replace('\n', "\r\n");
        let (mut table, mut scratch, mut captures) = (Vec::new(), Scratch::default(), Captures::default());
        let scanned = head::scan(bytes.as_bytes(), ScanLimits { head_bytes: 8192, fields: 100 }, &mut table).unwrap().unwrap();
        let peer = Arrival::direct(self.peer.parse::<IpAddr>().unwrap(), Scheme::Http);
        let arrival = client::arrival(peer, &trust, head::Fields::new(bytes.as_bytes(), &table)).unwrap();
        let head = head::view(bytes.as_bytes(), &scanned, &table, &mut scratch, arrival).unwrap();
        pattern::matches("/files/{name}", head.path.text, &mut captures);
        let subject = Subject { head: &head, captures: &captures, status: 0, request_id: &"" };
        let hop = Hop {
            endpoint: "10.9.9.9:3000",
            trust: Some(&trust),
            framing: scanned.framing,
            expects_continue: scanned.expects_continue,
            is_last: self.is_last,
        };
        let mut out = b"kept".to_vec();
        let forwarded = super::head(&self.policy, &subject, &hop, &mut out).inspect_err(|_| assert_eq!(out, b"kept"))?;
        let text = String::from_utf8(out).unwrap();
        Ok((forwarded, text.strip_prefix("kept").unwrap().replace("\r\n", "\n")))
    }

    /// The lines without those that every request gets.
    fn own_lines(&self) -> String {
        let (_, text) = self.forwarded().unwrap();
        let is_added = |line: &str| ["host:", "x-forwarded-", "forwarded:", "via:"].iter().any(|name| line.starts_with(name));
        let lines = text.lines().skip(1).filter(|line| !is_added(line) && !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    fn request_line(&self) -> Option<String> {
        let (_, text) = self.forwarded().ok()?;
        text.lines().next().and_then(|line| line.strip_suffix(" HTTP/1.1")).map(str::to_owned)
    }

    fn line(&self, name: &str) -> Option<String> {
        let (_, text) = self.forwarded().unwrap();
        let mut values = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let value = values.next().map(str::to_owned);
        assert_eq!(values.next(), None, "one line only");
        value
    }
}

#[test]
fn request_is_made_anew_with_what_is_known_of_its_way() {
    let (forwarded, text) =
        Case::of("GET /a//b/%7Ec?q=%20 HTTP/1.1\nAccept: */*\nHost: Shop.example.:8080\nX-A: 1\n\n").forwarded().unwrap();
    assert_eq!(forwarded, Forwarded { unsent: 0, asks_upgrade: false });
    assert_eq!(
        text,
        "GET /a/b/~c?q=%20 HTTP/1.1\nhost: shop.example:8080\nAccept: */*\nX-A: 1\nx-forwarded-for: 192.0.2.1\nx-forwarded-host: shop.example:8080\n\
         x-forwarded-proto: http\nforwarded: for=192.0.2.1;host=\"shop.example:8080\";proto=http\nvia: 1.1 kiln\n\n"
    );
}

#[test]
fn target_is_as_the_policy_says() {
    let check = |target: &str, policy: Policy<'_>, expected: Option<&str>| {
        let request = format!("GET {target} HTTP/1.1\nhost: a\nx-to: b c\n\n");
        let line = Case::with(&request, policy).request_line();
        assert_eq!(line.as_deref().and_then(|line| line.strip_prefix("GET ")), expected, "{target} {:?}", policy.target);
    };
    check("/a/./b?", POLICY, Some("/a/b?"));
    check("http://a/b?c", POLICY, Some("/b?c"));
    check("http://a", POLICY, Some("/"));
    let raw = Policy { is_raw: true, ..POLICY };
    check("/a//b/../%7e?%7e", raw, Some("/a//b/../%7e?%7e"));
    check("http://a/%7e", raw, Some("/%7e"));
    let strip = Policy { target: Target::Strip("/api"), ..POLICY };
    check("/api/v1?q=%20a", strip, Some("/v1?q=%20a"));
    check("/api", strip, Some("/"));
    check("/api?q", strip, Some("/?q"));
    check("/api/", strip, Some("/"));
    check("/%61pi/v1", strip, Some("/v1"));
    check("/apis", strip, None);
    check("/b", strip, None);
}

#[test]
fn template_makes_a_target_in_normal_form() {
    let check = |target: &str, parts: &[Part<'_>], expected: Option<&str>| {
        let request = format!("GET {target} HTTP/1.1\nhost: a\nx-to: b c\n\n");
        let line = Case::with(&request, Policy { target: Target::Template(parts), ..POLICY }).request_line();
        assert_eq!(line.as_deref().and_then(|line| line.strip_prefix("GET ")), expected, "{target} {parts:?}");
    };
    let by_name = [Part::Text("/v2/"), Part::Parameter(0)];
    check("/files/a%20b?x=1", &by_name, Some("/v2/a%20b?x=1"));
    check("/files/a%2fb", &by_name, Some("/v2/a%2Fb"));
    check("/files/a?x=1", &[Part::Text("/v2?y=2")], Some("/v2?y=2"));
    check("/files/a?x=1", &[Part::Text("/v2?y=2&"), Part::Query], Some("/v2?y=2&x=1"));
    check("/a", &[Part::Text("/v2/"), Part::Header("x-to")], Some("/v2/b%20c"));
    let by_query = [Part::Text("/v2/"), Part::QueryValue("p")];
    check("/a?p=%c3%a4", &by_query, Some("/v2/%C3%A4?p=%c3%a4"));
    check("/a?p=b//c", &by_query, Some("/v2/b/c?p=b//c"));
    for escape in ["..", "../b", "%2e%2e", ".", "b/%2e%2e/c", "b%2fc", "..%2fb", "b%5cc", "%00", "%4", "b\\c"] {
        check(&format!("/a?p={escape}"), &by_query, None);
    }
    for text in ["", "b", "*", "?x", "/a b", "/a\u{e4}", "/a#b", "/a\r\nb"] {
        check("/a", &[Part::Text(text)], None);
    }
}

#[test]
fn value_in_a_target_keeps_to_its_place() {
    let check = |target: &str, parts: &[Part<'_>], expected: &str| {
        let request = format!("GET {target} HTTP/1.1\nhost: a\nx-to: b?c&d=e#f+g;h/i\ncookie: s=1?x&y\n\n");
        let line = Case::with(&request, Policy { target: Target::Template(parts), ..POLICY }).request_line();
        assert_eq!(line.as_deref().and_then(|line| line.strip_prefix("GET ")), Some(expected), "{target} {parts:?}");
    };
    check("/files/1&role=admin+a;b", &[Part::Text("/user?id="), Part::Parameter(0)], "/user?id=1%26role=admin%2Ba%3Bb");
    check("/files/1&role=admin+a;b", &[Part::Text("/user/"), Part::Parameter(0)], "/user/1&role=admin+a;b");
    check("/a&b?x=1", &[Part::Text("/in?to="), Part::Path], "/in?to=/a%26b");
    check("/a?x=1", &[Part::Text("/user/"), Part::Header("x-to")], "/user/b%3Fc&d=e%23f+g;h/i?x=1");
    check("/a?x=1", &[Part::Text("/user?id="), Part::Header("x-to")], "/user?id=b?c%26d=e%23f%2Bg%3Bh/i");
    check("/a", &[Part::Text("/user/"), Part::Cookie("s")], "/user/1%3Fx&y");
    check("/a?p=1?x=2+3", &[Part::Text("/user/"), Part::QueryValue("p")], "/user/1%3Fx=2+3?p=1?x=2+3");
    check("/a?p=1?x=2+3", &[Part::Text("/user?id="), Part::QueryValue("p")], "/user?id=1?x=2+3");
    check("/a?x=1&y", &[Part::Text("/in?"), Part::Query], "/in?x=1&y");
}

#[test]
fn host_is_as_the_policy_says() {
    let host = |request: &str, host| Case::with(request, Policy { host, ..POLICY }).line("host");
    let sent = "GET / HTTP/1.1\nHost: A.example:80\n\n";
    assert_eq!(host(sent, HostPolicy::Preserve).as_deref(), Some("a.example:80"));
    assert_eq!(host(sent, HostPolicy::Endpoint).as_deref(), Some("10.9.9.9:3000"));
    assert_eq!(host(sent, HostPolicy::Literal("b.example")).as_deref(), Some("b.example"));
    assert_eq!(host("GET http://b.example/ HTTP/1.1\nHost: b.example\n\n", HostPolicy::Preserve).as_deref(), Some("b.example"));
    assert_eq!(host("GET / HTTP/1.1\nHost: [::A]:1\n\n", HostPolicy::Preserve).as_deref(), Some("[::a]:1"));
    let old = Case::of("GET / HTTP/1.0\n\n");
    assert_eq!((old.line("host").as_deref(), old.line("x-forwarded-host")), (Some("10.9.9.9:3000"), None));
}

#[test]
fn fields_of_this_hop_stay_here() {
    let lines = |fields: &str| Case::of(&format!("GET / HTTP/1.1\nhost: a\n{fields}\n")).own_lines();
    // RFC 9110 §7.6.1.
    assert_eq!(lines("Keep-Alive: timeout=5\nProxy-Connection: keep-alive\nX-A: 1\nConnection: keep-alive\n"), "X-A: 1");
    assert_eq!(lines("Connection: close, X-Foo ,x-bar\nX-Foo: 1\nX-A: 1\nx-BAR: 2\n"), "X-A: 1");
    assert_eq!(lines("X-Foo: 1\nConnection: X-Foo\nConnection: x-bar\nX-Bar: 1\nX-Barn: 1\n"), "X-Barn: 1");
    assert_eq!(lines("Proxy-Authorization: Basic a\nAuthorization: Basic b\n"), "Authorization: Basic b");
    assert_eq!(lines("Upgrade: h2c\nConnection: Upgrade, HTTP2-Settings\nHTTP2-Settings: AAMA\n"), "");
    assert_eq!(lines("HTTP2-Settings: AAMA\nProxy: 127.0.0.1\nTrailer: x-sum\n"), "");
    assert_eq!(lines("Expect: 100-continue\n"), "");
    assert_eq!(lines("TE: gzip\n"), "");
    assert_eq!(lines("TE: gzip, Trailers\nConnection: TE\n"), "connection: te\nte: trailers");
    assert_eq!(lines("X_A: 1\nContent_Length: 5\nX-B: a_b\nX_Forwarded_For: 1.2.3.4\n"), "X-B: a_b");
}

#[test]
fn lines_go_on_in_their_plain_form() {
    let lines = |fields: &str| Case::of(&format!("GET / HTTP/1.1\nhost: a\n{fields}\n")).own_lines();
    assert_eq!(lines("X-A:1\nX-B: \t 2 \nX-C:\t3\nX-D:\nX-E: \nX-F: a\tb\n"), "X-A: 1\nX-B: 2\nX-C: 3\nX-D: \nX-E: \nX-F: a\tb");
    assert_eq!(lines("X-A: 1\nKeep-Alive: 1\nX-B: 2\nX-C: 3 \nX-D: 4\nx-a: 5\n"), "X-A: 1\nX-B: 2\nX-C: 3\nX-D: 4\nx-a: 5");
}

#[test]
fn framing_is_made_for_the_next_connection() {
    let lines = |line: &str, fields: &str| Case::of(&format!("{line}\nhost: a\n{fields}\n")).own_lines();
    assert_eq!(lines("GET / HTTP/1.1", ""), "");
    assert_eq!(lines("GET / HTTP/1.1", "Content-Length: 0\n"), "");
    assert_eq!(lines("POST / HTTP/1.1", ""), "content-length: 0");
    assert_eq!(lines("POST / HTTP/1.1", "CONTENT-LENGTH:005\n"), "content-length: 5");
    assert_eq!(lines("DELETE / HTTP/1.1", "Content-Length: 9223372036854775807\n"), "content-length: 9223372036854775807");
    let chunked = lines("POST / HTTP/1.1", "Transfer-Encoding: Chunked\nTrailer: x-sum\n");
    assert_eq!(chunked, "Trailer: x-sum\ntransfer-encoding: chunked");
    let waiting = lines("PUT / HTTP/1.1", "Expect: 100-Continue\nContent-Length: 5\n");
    assert_eq!(waiting, "content-length: 5\nexpect: 100-continue");
    assert_eq!(lines("PUT / HTTP/1.0", "Expect: 100-continue\nContent-Length: 5\n"), "content-length: 5");
}

#[test]
fn last_request_of_a_connection_says_so() {
    let case = Case { is_last: true, ..Case::of("GET / HTTP/1.1\nhost: a\nte: trailers\n\n") };
    assert_eq!(case.own_lines(), "connection: close, te\nte: trailers");
    let case = Case { is_last: true, ..Case::of("GET / HTTP/1.0\n\n") };
    assert_eq!((case.own_lines().as_str(), case.line("via").as_deref()), ("connection: close", Some("1.0 kiln")));
}

#[test]
fn upgrade_is_asked_for_where_the_site_says_so() {
    let request = "GET /chat HTTP/1.1\nHost: a\nUpgrade: other, websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\n\n";
    let case = Case::with(request, Policy { upgrades: &["websocket"], ..POLICY });
    assert!(case.forwarded().unwrap().0.asks_upgrade);
    assert_eq!(case.own_lines(), "Sec-WebSocket-Version: 13\nconnection: upgrade\nupgrade: websocket");
    let case = Case::of(request);
    assert!(!case.forwarded().unwrap().0.asks_upgrade);
    assert_eq!(case.own_lines(), "Sec-WebSocket-Version: 13");
}

#[test]
fn word_of_an_untrusted_peer_does_not_count() {
    let case = Case::of(
        "GET / HTTP/1.1\nhost: a\nConnection: x-forwarded-for, via\nX-Forwarded-For: 10.0.0.1\nX-Forwarded-Proto: https\nForwarded: for=10.0.0.1\nVia: 1.0 x\n\
         X-Forwarded-Port: 443\nX-Real-IP: 10.0.0.1\nX-Original-URL: /admin\nX-Rewrite-URL: /admin\nTrue-Client-IP: 1\nX-Forwarded: 1\nx-forwarded-host: b\n\n",
    );
    assert_eq!(case.own_lines(), "");
    assert_eq!(case.line("x-forwarded-for").as_deref(), Some("192.0.2.1"));
    assert_eq!(case.line("x-forwarded-proto").as_deref(), Some("http"));
    assert_eq!(case.line("x-forwarded-host").as_deref(), Some("a"));
    assert_eq!(case.line("forwarded").as_deref(), Some("for=192.0.2.1;host=a;proto=http"));
    assert_eq!(case.line("via").as_deref(), Some("1.1 kiln"));
    assert_eq!(case.line("x-forwarded-port"), None);
}

#[test]
fn word_of_a_trusted_proxy_is_appended_to() {
    let request = "GET / HTTP/1.1\nhost: inner\nX-Forwarded-For: 198.51.100.9\nVia: 1.0 x\nX-Forwarded-Proto: https\nX-Forwarded-For: 203.0.113.9\n\
         X-Forwarded-Host: outer\nConnection: x-forwarded-port\nX-Forwarded-Port: 443\nx-real-ip: 203.0.113.9\n\n";
    let case = Case { peer: "10.0.0.1", ..Case::of(request) };
    assert_eq!(case.line("x-forwarded-for").as_deref(), Some("198.51.100.9, 203.0.113.9, 10.0.0.1"));
    assert_eq!(case.line("x-forwarded-proto").as_deref(), Some("https"));
    assert_eq!(case.line("x-forwarded-host").as_deref(), Some("outer"));
    assert_eq!(case.line("X-Forwarded-Port").as_deref(), Some("443"));
    assert_eq!(case.line("x-real-ip").as_deref(), Some("203.0.113.9"));
    assert_eq!(case.line("forwarded").as_deref(), Some("for=203.0.113.9;host=inner;proto=https, for=10.0.0.1"));
    assert_eq!(case.line("via").as_deref(), Some("1.0 x, 1.1 kiln"));
    let case = Case { peer: "::ffff:10.0.0.1", ..Case::of("GET / HTTP/1.1\nhost: a\nforwarded: for=\"[2001:db8::1]\"\n\n") };
    assert_eq!(case.line("forwarded").as_deref(), Some("for=\"[2001:db8::1]\", for=10.0.0.1"));
    assert_eq!(case.line("x-forwarded-for").as_deref(), Some("2001:db8::1, 10.0.0.1"));
}

#[test]
fn fields_that_a_trusted_proxy_does_not_write_are_dropped() {
    let request = "GET / HTTP/1.1\nhost: a\nX-Forwarded-For: 198.51.100.9\nForwarded: for=203.0.113.9\nX-Forwarded-Port: 1\n\n";
    let case = Case { peer: "10.0.0.1", reads: ForwardingFields::Forwarded, ..Case::of(request) };
    assert_eq!(case.line("x-forwarded-for").as_deref(), Some("203.0.113.9, 10.0.0.1"));
    assert_eq!(case.line("forwarded").as_deref(), Some("for=203.0.113.9, for=10.0.0.1"));
    assert_eq!(case.line("X-Forwarded-Port"), None);
    let case = Case { peer: "10.0.0.1", reads: ForwardingFields::XForwarded, ..Case::of(request) };
    assert_eq!(case.line("x-forwarded-for").as_deref(), Some("198.51.100.9, 10.0.0.1"));
    assert_eq!(case.line("forwarded").as_deref(), Some("for=198.51.100.9;host=a;proto=http, for=10.0.0.1"));
}

#[test]
fn ipv6_peer_is_named_as_each_field_wants_it() {
    let case = Case { peer: "2001:db8::1", ..Case::of("GET / HTTP/1.1\nhost: [::1]\n\n") };
    assert_eq!(case.line("x-forwarded-for").as_deref(), Some("2001:db8::1"));
    assert_eq!(case.line("forwarded").as_deref(), Some("for=\"[2001:db8::1]\";host=\"[::1]\";proto=http"));
}

#[test]
fn edits_come_last_and_leave_framing_alone() {
    let rule = |action, name, value| Edit { action, name, value, only: &[], except: &[] };
    let rules = [
        rule(Action::Remove, "x-*", &[]),
        rule(Action::Set, "x-user", &[Part::Header("x-who")]),
        rule(Action::Set, "via", &[Part::Text("1.1 other")]),
        rule(Action::Remove, "content-*", &[]),
        rule(Action::Add, "x-bad", &[Part::Text("a\r\nb")]),
    ];
    let edits = Edits { appended: b"x-last: 1\r\n", rules: &rules };
    let request = "POST / HTTP/1.1\nhost: a\nConnection: x-user\nX-User: admin\nx-who: me\ncontent-type: b\ncontent-length: 1\n\n";
    let case = Case::with(request, Policy { edits: &edits, ..POLICY });
    let (forwarded, text) = case.forwarded().unwrap();
    assert_eq!(forwarded.unsent, 1);
    assert_eq!(
        text,
        "POST / HTTP/1.1\nhost: a\nforwarded: for=192.0.2.1;host=a;proto=http\nx-user: me\nvia: 1.1 other\nx-last: 1\ncontent-length: 1\n\n"
    );
}

proptest! {
    /// What goes on is one head, of as many fields as it says, and says the same of its body.
    #[test]
    fn forwarded_head_is_one_head(
        line in "(GET|POST|X) (/[ -~]{0,8}|http://a/[!-~]{0,4}) HTTP/1\\.[01]",
        fields in prop::collection::vec(
            "(host|connection|te|x-a|X-Forwarded-For|content-length|transfer-encoding|trailer|upgrade|expect|[!-~]{1,6}):[ \t]?([ -~]{0,6}|a|5|chunked|x-a|upgrade|trailers|websocket)[ \t]?",
            0..8),
    ) {
        let request = format!("{line}\r\n{}\r\n", fields.iter().map(|field| format!("{field}\r\n")).collect::<String>());
        let limits = ScanLimits { head_bytes: 8192, fields: 100 };
        let (mut table, mut scratch) = (Vec::new(), Scratch::default());
        let Ok(Some(scanned)) = head::scan(request.as_bytes(), limits, &mut table) else { return Ok(()) };
        let arrival = Arrival::direct(IpAddr::from([192, 0, 2, 1]), Scheme::Http);
        let Ok(head) = head::view(request.as_bytes(), &scanned, &table, &mut scratch, arrival) else { return Ok(()) };
        let captures = Captures::default();
        let subject = Subject { head: &head, captures: &captures, status: 0, request_id: &"" };
        let hop = Hop { endpoint: "e", trust: None, framing: scanned.framing, expects_continue: scanned.expects_continue, is_last: false };
        let mut out = Vec::new();
        super::head(&Policy { upgrades: &["*"], ..POLICY }, &subject, &hop, &mut out).unwrap();
        let mut table = Vec::new();
        let again = head::scan(&out, limits, &mut table).unwrap().unwrap();
        prop_assert_eq!(again.head_bytes, out.len());
        prop_assert_eq!(again.framing, scanned.framing);
        prop_assert_eq!(again.method, scanned.method);
        prop_assert!(again.is_persistent);
        prop_assert_eq!(again.target.of(&out).first(), Some(&b'/'));
        let again = head::Fields::new(&out, &table);
        prop_assert_eq!(again.all("x-forwarded-for").collect::<Vec<_>>(), [b"192.0.2.1"]);
        prop_assert_eq!(again.all("host").count(), 1);
    }
}
