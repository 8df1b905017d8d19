//! Every request of the corpus on a real socket, against a site that answers everything with what it has understood.
//!
//! The corpus is the project's own: `runtime/semantics/tests/corpora/http1.txt` says of each request what RFC 9110 and 9112 want, what kiln answers and which
//! of five other servers refuse it. Here stands why where kiln takes what another refuses, or refuses what it might take.

use kiln_tests::{
    client::Client,
    corpus::{Row, Verdict, rows},
    server::{Server, Shared},
    site::{Profile, build, scratch},
};

static SERVER: Shared = Shared::new(|| Server::start(&build("tests/sites/strict/site.kdl", Profile::Dev, &[]), &scratch("strict")));

/// Requests that kiln takes and another server refuses, each with the reason.
const LAXER: &[(&str, &str)] = &[
    ("chunk-trailer-ok", "trailers are part of HTTP/1.1 (RFC 9112 §7.1.2); ours are bounded, checked and dropped"),
    ("cl-ows-tab", "a tab is optional white space around a value (RFC 9110 §5.6.3)"),
    ("head-cl-body", "a body of HEAD has no meaning but a length (RFC 9110 §9.3.2), and is read by it"),
    ("hop-conn-xff", "an option may name any field but those that frame or route, and no answer of ours depends on it"),
    ("hop-upgrade-unknown", "an upgrade that is not known is ignored (RFC 9110 §7.8)"),
    ("te-tab", "a tab is optional white space around a value (RFC 9110 §5.6.3)"),
    (
        "trace",
        "a route that says nothing of methods takes all of them; nothing of the request is reflected but what the site file writes out",
    ),
];

/// Requests that a recipient should take and kiln refuses, each with the reason.
const STRICTER: &[(&str, &str)] = &[(
    "cl-body-then-extra-crlf",
    "an empty line before a request line should be ignored (RFC 9112 §2.2), for clients of the nineties; a body that is one line longer than it says is a \
     request that two parsers read differently",
)];

/// What came back.
#[derive(Debug, Default, PartialEq)]
struct Outcome {
    statuses: Vec<u16>,
    /// The last answer says that the connection is closed.
    says_close: bool,
    bodies: String,
}

fn replay(row: &Row) -> Outcome {
    let mut client = SERVER.client();
    client.send(&row.bytes).finish();
    let mut outcome = Outcome::default();
    let mut is_head = row.bytes.starts_with(b"HEAD ");
    while let Some(answer) = next(&mut client, is_head) {
        is_head = false;
        outcome.statuses.push(answer.status);
        outcome.says_close = answer.field("connection") == Some("close");
        outcome.bodies.push_str(&answer.text());
    }
    outcome
}

fn next(client: &mut Client, is_head: bool) -> Option<kiln_tests::answer::Answer> {
    match client.try_answer(is_head) {
        Ok(answer) => Some(answer),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => None,
        Err(error) => panic!("{error}"),
    }
}

fn text(outcome: &Outcome) -> String {
    let mut words: Vec<String> = outcome.statuses.iter().map(u16::to_string).collect();
    words.extend(outcome.says_close.then(|| "close".to_owned()));
    if words.is_empty() { "-".to_owned() } else { words.join(" ") }
}

fn is_in(table: &[(&str, &str)], row: &Row) -> bool {
    table.iter().any(|(id, _)| *id == row.id)
}

/// What is wrong with an outcome, whatever the corpus says that ours is.
fn fault(row: &Row, outcome: &Outcome) -> Option<&'static str> {
    let statuses = &outcome.statuses;
    let is_refused = statuses.is_empty() || statuses.iter().any(|&status| status >= 400);
    let is_closed = outcome.says_close || statuses.is_empty();
    let smuggles = outcome.bodies.contains("smuggled");
    match row.verdict {
        _ if smuggles => Some("what is no request was answered"),
        _ if is_refused && !is_closed => Some("refused without a close"),
        Verdict::Reject if !is_refused || statuses.len() > 1 => Some("not refused"),
        Verdict::Accept if (is_refused || statuses.len() != row.requests) && !is_in(STRICTER, row) => Some("not taken"),
        Verdict::Normalise if statuses.iter().filter(|&&status| status < 400).count() > 1 => Some("read as more than one request"),
        _ if !is_refused && row.refused_by != "-" && !is_in(LAXER, row) => Some("another server is stricter"),
        _ => None,
    }
}

#[test]
fn corpus_on_the_wire_is_answered_as_it_says() {
    let mut faults = Vec::new();
    for row in rows() {
        let outcome = replay(&row);
        if let Some(fault) = fault(&row, &outcome) {
            faults.push(format!("{}: {fault}: {outcome:?}", row.id));
        }
        if text(&outcome) != row.ours {
            faults.push(format!("{}: `{}` where the corpus says `{}`", row.id, text(&outcome), row.ours));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn reasons_are_of_rows_that_need_one() {
    let rows = rows();
    for (id, _) in LAXER {
        let row = rows.iter().find(|row| row.id == *id).expect("a row of the corpus");
        assert!(row.refused_by != "-" && row.ours.starts_with("200"), "{id}");
    }
    for (id, _) in STRICTER {
        let row = rows.iter().find(|row| row.id == *id).expect("a row of the corpus");
        assert!(row.verdict == Verdict::Accept && row.ours.contains("400"), "{id}");
    }
}

#[test]
fn floods_are_refused_and_the_refusal_arrives() {
    let chunked = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    let rows = [
        ("extensions without data", chunked, format!("1;{}\r\nx\r\n", "e".repeat(3000)).repeat(1000), 400),
        (
            "trailers without end",
            &format!("{chunked}0\r\n"),
            "X-A: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n".repeat(50_000),
            400,
        ),
        ("empty lines", "", "\r\n".repeat(1 << 20), 400),
        ("fields without end", "GET / HTTP/1.1\r\nHost: localhost\r\n", "X-A: y\r\n".repeat(1 << 18), 431),
        ("a field without end", "GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ", "y".repeat(1 << 21), 431),
        ("a request line without end", "GET /", "y".repeat(1 << 21), 414),
        ("a method without end", "", "G".repeat(1 << 21), 414),
    ];
    for (what, front, flood, status) in rows {
        let mut client = SERVER.client();
        let answer = client.send(front).send(flood).answer();
        assert_eq!((answer.status, answer.field("connection")), (status, Some("close")), "{what}");
        client.finish();
        client.end();
    }
}

#[test]
fn small_chunks_are_borne_and_requests_behind_them_read() {
    let mut client = SERVER.client();
    client.send("POST /many HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.send(["1\r\nx\r\n".repeat(60_000).as_str(), "0\r\n\r\nGET /next HTTP/1.1\r\nHost: localhost\r\n\r\n"].concat());
    assert_eq!(client.answer().text(), "POST localhost /many\n");
    assert_eq!(client.answer().text(), "GET localhost /next\n");
}

#[test]
fn pipeline_that_is_not_read_is_answered_when_it_is() {
    let mut client = SERVER.client();
    let requests: String = (0..2000).map(|number| format!("GET /{number} HTTP/1.1\r\nHost: localhost\r\n\r\n")).collect();
    client.send(requests);
    for number in 0..2000 {
        assert_eq!(client.answer().text(), format!("GET localhost /{number}\n"));
    }
}
