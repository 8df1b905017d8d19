//! Answers of upstreams: which are taken, how they are framed, what of them goes on.

use proptest::prelude::*;

use super::*;
use crate::{
    edits::{Action, Edit},
    pattern::Captures,
    samples,
    template::Part,
};

const GET: Asked<'static> = Asked { method: Method::GET, upgrade: None };
const HEAD: Asked<'static> = Asked { method: Method::HEAD, upgrade: None };
const CHAT: Asked<'static> = Asked { method: Method::GET, upgrade: Some("websocket") };

fn scanned(text: &str, asked: Asked<'_>) -> Result<Option<Reply>, ReplyFault> {
    scan(text.replace('\n', "\r\n").as_bytes(), LIMITS, asked, &mut Vec::new())
}

#[track_caller]
fn check(text: &str, asked: Asked<'_>, expected: (u16, Framing, bool)) {
    let reply = scanned(text, asked).unwrap().unwrap();
    assert_eq!((reply.status, reply.framing, reply.is_persistent), expected, "{text}");
}

#[track_caller]
fn check_fault(text: &str, asked: Asked<'_>) {
    assert_eq!(scanned(text, asked), Err(ReplyFault::Malformed), "{text:?}");
}

/// The lines that go on of an answer to GET.
#[track_caller]
fn lines(text: &str, asked: Asked<'_>, edits: &Edits<'_>) -> (Appended, String) {
    let bytes = text.replace('\n', "\r\n");
    let mut table = Vec::new();
    let reply = scan(bytes.as_bytes(), LIMITS, asked, &mut table).unwrap().unwrap();
    samples::with_head("GET", "/", &[("x-a", "me")], |head| {
        let subject = Subject { head, captures: &Captures::default(), status: reply.status, request_id: &"" };
        let mut out = Vec::new();
        let appended = append(&reply, Fields::new(bytes.as_bytes(), &table), edits, &subject, &mut out);
        (appended, String::from_utf8(out).unwrap().replace("\r\n", "\n"))
    })
}

#[test]
fn body_is_framed_as_rfc_9112_says() {
    check("HTTP/1.1 200 OK\ncontent-length: 5\n\n", GET, (200, Framing::Length(5), true));
    check("HTTP/1.1 200 OK\nContent-Length:005\n\n", GET, (200, Framing::Length(5), true));
    check("HTTP/1.1 200 OK\ncontent-length: 0\n\n", GET, (200, Framing::Empty, true));
    check("HTTP/1.1 200 OK\nTransfer-Encoding: Chunked\n\n", GET, (200, Framing::Chunked, true));
    check("HTTP/1.1 200 OK\n\n", GET, (200, Framing::ToTheEnd, false));
    check("HTTP/1.0 200 OK\n\n", GET, (200, Framing::ToTheEnd, false));
    check("HTTP/1.0 200 OK\ncontent-length: 5\n\n", GET, (200, Framing::Length(5), false));
    check("HTTP/1.0 200 OK\ncontent-length: 5\nconnection: Keep-Alive\n\n", GET, (200, Framing::Length(5), true));
    check("HTTP/1.1 200 OK\ncontent-length: 5\nconnection: x, close\n\n", GET, (200, Framing::Length(5), false));
    check("HTTP/1.1 200 OK\ncontent-length: 5\n\n", HEAD, (200, Framing::Empty, true));
    check("HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n", HEAD, (200, Framing::Empty, true));
    check("HTTP/1.1 200 OK\n\n", HEAD, (200, Framing::Empty, true));
    check("HTTP/1.1 304 Not Modified\ncontent-length: 5\n\n", GET, (304, Framing::Empty, true));
    check("HTTP/1.1 204 No Content\n\n", GET, (204, Framing::Empty, true));
    check("HTTP/1.1 204 No Content\ncontent-length: 0\n\n", GET, (204, Framing::Empty, true));
    check("HTTP/1.1 204 No Content\ncontent-length: 5\n\n", GET, (204, Framing::Empty, false));
    check("HTTP/1.1 204 No Content\ntransfer-encoding: chunked\n\n", GET, (204, Framing::Empty, false));
}

#[test]
fn status_line_has_one_form() {
    check("HTTP/1.1 200 \n\n", HEAD, (200, Framing::Empty, true));
    check("HTTP/1.1 200\n\n", HEAD, (200, Framing::Empty, true));
    check("HTTP/1.1 599 Any \u{e4}\tword\n\n", HEAD, (599, Framing::Empty, true));
    for line in [
        "HTTP/1.1 1000 OK",
        "HTTP/1.1 099 OK",
        "HTTP/1.1 600 OK",
        "HTTP/1.0 999 OK",
        "HTTP/1.1 20 OK",
        "HTTP/1.1  200 OK",
        "HTTP/1.1 200\tOK",
        "HTTP/1.1 2 0 OK",
        "HTTP/1.1 200 O\0K",
        "HTTP/1.1 200 O\rK",
        "HTTP/1.2 200 OK",
        "HTTP/2.0 200 OK",
        "HTTP/1 200 OK",
        "http/1.1 200 OK",
        "SSH-2.0-OpenSSH",
        " HTTP/1.1 200 OK",
        "\nHTTP/1.1 200 OK",
        "ICY 200 OK",
    ] {
        check_fault(&format!("{line}\ncontent-length: 0\n\n"), GET);
    }
    assert_eq!(scan(b"HTTP/1.1 200 OK\ncontent-length: 0\n\n", LIMITS, GET, &mut Vec::new()), Err(ReplyFault::Malformed));
}

#[test]
fn framing_in_doubt_is_a_fault() {
    for fields in [
        "Content-Length: 5\nContent-Length: 9\n",
        "Content-Length: 5\nContent-Length: 5\n",
        "Content-Length: 5, 5\n",
        "Content-Length: +5\n",
        "Content-Length: \n",
        "Content-Length: 5 5\n",
        "Content-Length: 0x5\n",
        "Content-Length: 18446744073709551621\n",
        "Content-Length: 9223372036854775808\n",
        "Transfer-Encoding: chunked\nContent-Length: 5\n",
        "Content-Length: 5\nTransfer-Encoding: chunked\n",
        "Transfer-Encoding: chunked\nTransfer-Encoding: chunked\n",
        "Transfer-Encoding: gzip, chunked\n",
        "Transfer-Encoding: identity\n",
        "Transfer-Encoding: xchunked\n",
        "Transfer-Encoding: \n",
        "Transfer-Encoding : chunked\n",
        "Transfer-Encoding: chunked;q=1\n",
        "X-A: b\n Content-Length: 5\n",
        "Connection: content-length\nContent-Length: 5\n",
        "Connection: close, Transfer-Encoding\n",
        "X-A: b\0c\n",
        "X-A: b\rc\n",
        "X A: b\n",
        ": b\n",
        "X-A\n",
    ] {
        check_fault(&format!("HTTP/1.1 200 OK\n{fields}\n"), GET);
        check_fault(&format!("HTTP/1.1 200 OK\n{fields}\n"), HEAD);
    }
    check_fault("HTTP/1.0 200 OK\nTransfer-Encoding: chunked\n\n", GET);
    assert_eq!(scan(b"HTTP/1.1 200 OK\r\nX-A: b\nX-B: c\r\n\r\n", LIMITS, GET, &mut Vec::new()), Err(ReplyFault::Malformed));
}

#[test]
fn informational_answers_are_told_apart() {
    let reply = scanned("HTTP/1.1 103 Early Hints\nLink: </x>\n\n", GET).unwrap().unwrap();
    assert!(reply.is_interim() && !reply.is_switch() && reply.framing == Framing::Empty);
    check_fault("HTTP/1.1 100 Continue\ncontent-length: 0\n\n", GET);
    check_fault("HTTP/1.1 103 Early Hints\ntransfer-encoding: chunked\n\n", GET);
    check_fault("HTTP/1.0 100 Continue\n\n", GET);
}

#[test]
fn switch_must_have_been_asked_for() {
    let answer = "HTTP/1.1 101 Switching Protocols\nUpgrade: WebSocket\nConnection: Upgrade\nSec-WebSocket-Accept: x\n\n";
    let reply = scanned(answer, CHAT).unwrap().unwrap();
    assert!(reply.is_switch() && !reply.is_interim() && !reply.is_persistent);
    let (_, kept) = lines(answer, CHAT, &Edits::NONE);
    assert_eq!(kept, "HTTP/1.1 101 Switching Protocols\nUpgrade: WebSocket\nSec-WebSocket-Accept: x\n");
    check_fault(answer, GET);
    for fields in [
        "Upgrade: h2c\nConnection: Upgrade\n",
        "Upgrade: websocket\n",
        "Connection: Upgrade\n",
        "Upgrade: websocket, h2c\nConnection: Upgrade\n",
        "Upgrade: websocket\nUpgrade: websocket\nConnection: Upgrade\n",
        "Upgrade: websocket\nConnection: Upgrade\nContent-Length: 5\n",
    ] {
        check_fault(&format!("HTTP/1.1 101 Switching Protocols\n{fields}\n"), CHAT);
    }
}

#[test]
fn head_is_bounded() {
    let limits = ScanLimits { head_bytes: 64, fields: 2 };
    let scan = |text: &str| scan(text.as_bytes(), limits, GET, &mut Vec::new());
    let long = format!("HTTP/1.1 200 OK\r\nx-a: {}", "a".repeat(64));
    assert_eq!(scan(&long), Err(ReplyFault::TooLarge));
    assert_eq!(scan(&long[..63]), Ok(None));
    assert_eq!(scan(&format!("HTTP/1.1 200 {}", "a".repeat(64))), Err(ReplyFault::TooLarge));
    assert_eq!(scan("HTTP/1.1 200 OK\r\na: 1\r\nb: 2\r\n"), Ok(None));
    assert_eq!(scan("HTTP/1.1 200 OK\r\na: 1\r\nb: 2\r\nc"), Err(ReplyFault::TooLarge));
}

#[test]
fn fields_of_this_hop_stay_here() {
    let kept = |fields: &str| lines(&format!("HTTP/1.1 200 Fine\n{fields}\n"), GET, &Edits::NONE).1;
    assert_eq!(
        kept("Date: x\nConnection: X-Foo, keep-alive\nX-Foo: 1\nKeep-Alive: timeout=5\nContent-Length: 5\nServer:a\n"),
        "HTTP/1.1 200 Fine\nDate: x\nContent-Length: 5\nServer: a\n"
    );
    assert_eq!(
        kept("Set-Cookie: a\nSet-Cookie: b \nTransfer-Encoding: chunked\nTrailer: x-sum\n"),
        "HTTP/1.1 200 Fine\nSet-Cookie: a\nSet-Cookie: b\nTrailer: x-sum\n"
    );
    assert_eq!(
        kept("Content-Length: 0\nTrailer: x\nUpgrade: h2c\nTE: x\nProxy-Connection: x\nProxy-Authenticate: x\nX_A: 1\n"),
        "HTTP/1.1 200 Fine\nContent-Length: 0\nX_A: 1\n"
    );
}

#[test]
fn length_goes_on_where_the_status_can_have_one() {
    let kept = |line: &str, asked| lines(&format!("{line}\ncontent-length: 5\n\n"), asked, &Edits::NONE).1.contains("content-length: 5\n");
    assert!(kept("HTTP/1.1 200 OK", GET) && kept("HTTP/1.0 200 OK", GET) && kept("HTTP/1.1 200 OK", HEAD) && kept("HTTP/1.1 304 X", GET));
    assert!(!kept("HTTP/1.1 204 X", GET));
}

#[test]
fn informational_fields_are_appended_alone() {
    let bytes = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\nConnection: x-a\r\nX-A: 1\r\n\r\n";
    let mut table = Vec::new();
    let reply = scan(bytes, LIMITS, GET, &mut table).unwrap().unwrap();
    let mut out = b"kept".to_vec();
    append_fields(&reply, Fields::new(bytes, &table), &mut out);
    assert_eq!(out, b"keptLink: </x>\r\n");
}

#[test]
fn informational_fields_that_the_site_takes_away_stay_here() {
    let bytes = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\nX-In-A: 1\r\nServer: a\r\nX-User: a\r\nX-B: 1\r\n\r\n";
    let rule = |action, name| Edit { action, name, value: &[Part::Text("1")], only: &[], except: &[] };
    let received = [rule(Action::Remove, "x-in-*"), Edit { only: &[404], ..rule(Action::Remove, "server") }];
    let sent = [rule(Action::Set, "x-user"), rule(Action::Add, "link"), rule(Action::Default, "x-b")];
    let mut table = Vec::new();
    let reply = scan(bytes, LIMITS, GET, &mut table).unwrap().unwrap();
    let mut out = b"server: kept\r\n".to_vec();
    let edits = [&Edits { appended: b"x-last: 1\r\n", rules: &received }, &Edits { appended: b"", rules: &sent }];
    append_interim(&reply, Fields::new(bytes, &table), edits, &mut out);
    assert_eq!(String::from_utf8(out).unwrap(), "server: kept\r\nLink: </x>\r\nX-B: 1\r\n");
}

#[test]
fn edits_are_applied_and_leave_framing_alone() {
    let rule = |action, name, value, only| Edit { action, name, value, only, except: &[] };
    let rules = [
        rule(Action::Remove, "set-cookie", &[], &[]),
        rule(Action::Remove, "content-*", &[], &[]),
        rule(Action::Set, "x-by", &[Part::Header("x-a")], &[]),
        rule(Action::Set, "x-not", &[Part::Text("1")], &[404]),
        rule(Action::Add, "x-bad", &[Part::Text("a\nb")], &[]),
    ];
    let edits = Edits { appended: b"x-last: 1\r\n", rules: &rules };
    let (appended, text) = lines("HTTP/1.1 200 OK\nDate: x\nSet-Cookie: a\nContent-Type: b\nContent-Length: 5\nX-By: c\n\n", GET, &edits);
    assert_eq!(appended, Appended { has_date: true, unsent: 1 });
    assert_eq!(text, "HTTP/1.1 200 OK\nDate: x\nContent-Length: 5\nx-by: me\nx-last: 1\n");
    assert!(!lines("HTTP/1.1 200 OK\n\n", GET, &Edits::NONE).0.has_date);
}

proptest! {
    /// A head that is cut anywhere says nothing, or the fault that the whole one says; and what goes on says the same of the body.
    #[test]
    fn answer_means_one_thing(
        line in "HTTP/1\\.[01] (100|101|103|200|204|304|404) ?[ -~]{0,4}",
        fields in prop::collection::vec(
            "(connection|date|x-a|content-length|transfer-encoding|trailer|upgrade|set-cookie|[!-~]{1,6}):[ \t]?([ -~]{0,6}|5|0|chunked|x-a|upgrade|close|websocket)[ \t]?",
            0..8),
    ) {
        let text = format!("{line}\r\n{}\r\n", fields.iter().map(|field| format!("{field}\r\n")).collect::<String>());
        let mut table = Vec::new();
        for asked in [GET, HEAD, CHAT] {
            let whole = scan(text.as_bytes(), LIMITS, asked, &mut table);
            for cut in 0..text.len() {
                let early = scan(&text.as_bytes()[..cut], LIMITS, asked, &mut Vec::new());
                prop_assert!(early == Ok(None) || early == whole, "{} of {:?}", cut, text);
            }
            let Ok(Some(reply)) = whole else { continue };
            prop_assert_eq!(reply.head_bytes, text.len());
            samples::with_head("GET", "/", &[], |head| {
                let subject = Subject { head, captures: &Captures::default(), status: reply.status, request_id: &"" };
                let mut out = Vec::new();
                append(&reply, Fields::new(text.as_bytes(), &table), &Edits::NONE, &subject, &mut out);
                out.extend_from_slice(match reply.framing {
                    Framing::Chunked => b"transfer-encoding: chunked\r\n\r\n".as_slice(),
                    _ if reply.is_switch() => b"connection: upgrade\r\n\r\n",
                    _ => b"\r\n",
                });
                let again = scan(&out, LIMITS, asked, &mut Vec::new()).unwrap().unwrap();
                assert_eq!((again.status, again.framing, again.head_bytes), (reply.status, reply.framing, out.len()));
            });
        }
    }
}
