//! Header edits on the fields of an answer.

use semantics::{
    edits::{self, Action, Edit, Edits},
    pattern::Captures,
    template::{Part, Subject},
};

use crate::request::ask;

const FIELDS: &str = "content-type: text/html\r\nServer: kiln\r\nx-a: 1\r\nX-B: 2\r\n";

fn rule<'e>(action: Action, name: &'e str, value: &'e [Part<'e>]) -> Edit<'e> {
    Edit { action, name, value, only: &[], except: &[] }
}

fn applied(edits: &Edits<'_>, status: u16) -> (String, u32) {
    ask("/a?b=%0d%0aset-cookie:x", "X-Tab: a\tb\r\n", |head| {
        let subject = Subject { head, captures: &Captures::default(), status, request_id: &"" };
        let mut out = b"HTTP/1.1 200 OK\r\n".to_vec();
        let unsent = edits::apply(edits, FIELDS.as_bytes(), &subject, &mut out);
        (String::from_utf8_lossy(&out).strip_prefix("HTTP/1.1 200 OK\r\n").expect("what was there is kept").to_owned(), unsent)
    })
}

#[track_caller]
fn check(rules: &[Edit<'_>], expected: &str) {
    assert_eq!(applied(&Edits { appended: b"", rules }, 200), (expected.to_owned(), 0));
}

#[test]
fn nothing_is_changed_without_rules() {
    assert_eq!(applied(&Edits::NONE, 200).0, FIELDS);
    assert_eq!(applied(&Edits { appended: b"y: 2\r\n", rules: &[] }, 200).0, format!("{FIELDS}y: 2\r\n"));
}

#[test]
fn rules_apply_by_kind() {
    let one = [Part::Text("9")];
    check(&[rule(Action::Remove, "server", &[])], "content-type: text/html\r\nx-a: 1\r\nX-B: 2\r\n");
    check(&[rule(Action::Remove, "x-*", &[])], "content-type: text/html\r\nServer: kiln\r\n");
    check(&[rule(Action::Set, "x-b", &one)], "content-type: text/html\r\nServer: kiln\r\nx-a: 1\r\nx-b: 9\r\n");
    check(&[rule(Action::Default, "server", &one)], FIELDS);
    check(&[rule(Action::Default, "x-c", &one)], &format!("{FIELDS}x-c: 9\r\n"));
    check(
        &[rule(Action::Add, "link", &[Part::Text("a")]), rule(Action::Add, "link", &[Part::Text("b")])],
        &format!("{FIELDS}link: a\r\nlink: b\r\n"),
    );
    check(
        &[rule(Action::Add, "x-a", &one), rule(Action::Set, "x-z", &one), rule(Action::Remove, "x-*", &[])],
        "content-type: text/html\r\nServer: kiln\r\nx-z: 9\r\nx-a: 9\r\n",
    );
    check(
        &[rule(Action::Set, "x-a", &one), rule(Action::Set, "x-a", &[Part::Text("8")])],
        "content-type: text/html\r\nServer: kiln\r\nX-B: 2\r\nx-a: 8\r\n",
    );
}

#[test]
fn only_narrows_every_action() {
    for action in [Action::Add, Action::Default, Action::Remove, Action::Set] {
        let rules = [Edit { action, name: "x-a", value: &[Part::Status], only: &[404, 410], except: &[] }];
        assert_eq!(applied(&Edits { appended: b"", rules: &rules }, 200).0, FIELDS, "{action:?}");
    }
    let rules = [Edit { action: Action::Add, name: "y", value: &[Part::Status], only: &[404, 410], except: &[] }];
    assert_eq!(applied(&Edits { appended: b"", rules: &rules }, 410).0, format!("{FIELDS}y: 410\r\n"));
}

#[test]
fn except_takes_statuses_away() {
    for (only, expected) in [(&[][..], ["a", "", "a"]), (&[404, 410], ["", "", "a"])] {
        let rules = [Edit { action: Action::Add, name: "y", value: &[Part::Text("a")], only, except: &[404] }];
        for (status, value) in [200, 404, 410].into_iter().zip(expected) {
            let line = if value.is_empty() { String::new() } else { format!("y: {value}\r\n") };
            assert_eq!(applied(&Edits { appended: b"", rules: &rules }, status).0, format!("{FIELDS}{line}"), "{only:?} {status}");
        }
    }
}

#[test]
fn control_bytes_are_not_sent_but_tabs_are() {
    let rules = [rule(Action::Add, "y", &[Part::QueryValue("b")]), rule(Action::Add, "z", &[Part::Header("x-tab")])];
    assert_eq!(applied(&Edits { appended: b"w: 1\r\n", rules: &rules }, 200), (format!("{FIELDS}z: a\tb\r\nw: 1\r\n"), 1));
    let rules = [rule(Action::Set, "x-a", &[Part::QueryValue("b")])];
    assert_eq!(
        applied(&Edits { appended: b"", rules: &rules }, 200),
        ("content-type: text/html\r\nServer: kiln\r\nX-B: 2\r\n".to_owned(), 1)
    );
}

#[test]
fn names_of_the_engine_and_of_our_own_are_told() {
    assert!(edits::is_reserved("Date") && edits::is_reserved("transfer-encoding") && !edits::is_reserved("server"));
    assert!(
        edits::is_own("etag") && edits::is_own("date") && edits::is_own("access-control-allow-origin") && !edits::is_own("x-frame-options")
    );
}

#[test]
fn framing_is_never_removed() {
    const FRAMED: &str = "content-type: text/html\r\ncontent-length: 3\r\nTransfer-Encoding: chunked\r\ntrailer: x\r\n";
    for (name, kept) in [
        ("content-*", "content-length: 3\r\nTransfer-Encoding: chunked\r\ntrailer: x\r\n"),
        ("t*", "content-type: text/html\r\ncontent-length: 3\r\nTransfer-Encoding: chunked\r\ntrailer: x\r\n"),
        ("*", "content-length: 3\r\nTransfer-Encoding: chunked\r\ntrailer: x\r\n"),
    ] {
        ask("/", "", |head| {
            let subject = Subject { head, captures: &Captures::default(), status: 200, request_id: &"" };
            let mut out = Vec::new();
            let rules = [rule(Action::Remove, name, &[])];
            edits::apply(&Edits { appended: b"", rules: &rules }, FRAMED.as_bytes(), &subject, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), kept, "{name}");
        });
    }
}
