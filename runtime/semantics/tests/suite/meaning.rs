//! Guards, negotiation, conditions, and the rows of `language.md`'s "Semantics by example" that need no engine.

use semantics::{
    conditional::{self, Validators, Verdict},
    guard,
    negotiate::{self, Coding, Codings},
    pattern::{self, Captures},
    ranges::{self, Part, Ranged},
};

use crate::{
    http1::status,
    request::{ask, judge},
};

#[test]
fn guards_ask_their_question() {
    ask("/docs", "X-A: 0\r\nx-a: 1\r\n", |head| {
        assert!(guard::header(head, "x-a", &["1"]) && guard::header(head, "x-a", &["2", "0"]) && guard::header(head, "x-a", &[]));
        assert!(!guard::header(head, "x-a", &["2"]) && !guard::header(head, "x-b", &[]));
        assert!(
            guard::host(head, &["other", "shop.example"])
                && guard::host(head, &["*.example"])
                && !guard::host(head, &["*.shop.example", "example"])
        );
        assert!(guard::path(head, &["/x", "/docs/*"]) && !guard::path(head, &["/docs/"]));
    });
}

#[track_caller]
fn accepts(line: &str, offered: &[Coding], expected: Coding) {
    let offered = offered.iter().fold(Codings::IDENTITY, |codings, coding| codings.with(*coding));
    let lines = if line.is_empty() { String::new() } else { format!("{line}\r\n") };
    ask("/", &lines, |head| assert_eq!(negotiate::coding(head, offered), expected, "{line}"));
}

#[test]
fn the_best_coding_is_taken() {
    use Coding::{Brotli, Gzip, Identity, Zstd};
    let all = [Gzip, Brotli, Zstd];
    accepts("", &all, Identity);
    accepts("Accept-Encoding:", &all, Identity);
    accepts("Accept-Encoding: gzip, deflate, br, zstd", &all, Zstd);
    accepts("Accept-Encoding: gzip, deflate, br", &all, Brotli);
    accepts("Accept-Encoding: gzip, deflate, br, zstd", &[Gzip], Gzip);
    accepts("Accept-Encoding: gzip\r\nAccept-Encoding: br", &all, Brotli);
    accepts("Accept-Encoding: gzip;q=1.0, br;q=0.9", &all, Gzip);
    accepts("Accept-Encoding: X-GZIP ; Q=0.5", &all, Gzip);
    accepts("Accept-Encoding: identity;q=1, gzip;q=0.5", &all, Identity);
    accepts("Accept-Encoding: gzip;q=0.001", &all, Gzip);
    accepts("Accept-Encoding: gzip;q=0", &all, Identity);
    accepts("Accept-Encoding: *", &all, Zstd);
    accepts("Accept-Encoding: zstd;q=0, *", &all, Brotli);
    accepts("Accept-Encoding: *;q=0", &all, Identity);
    accepts("Accept-Encoding: identity;q=0", &all, Identity);
    accepts("Accept-Encoding: identity;q=0, gzip;q=0.1", &all, Gzip);
    for malformed in
        ["gzip;q=2", "gzip;q=0.1234", "gzip;q=", "gzip;q=.5", "gzip;x=1", "g zip", "gzip;q=1;x=2", ";q=1", "gzip;q=1.001", "gzip;q=-1"]
    {
        accepts(&format!("Accept-Encoding: {malformed}"), &all, Identity);
        accepts(&format!("Accept-Encoding: {malformed}, br;q=0.2"), &all, Brotli);
    }
}

#[track_caller]
fn verdict(method: &str, lines: &[&str], validators: Validators<'_>, expected: Verdict) {
    let bytes = format!("{method} / HTTP/1.1\r\nHost: a\r\n{}\r\n", lines.iter().map(|line| format!("{line}\r\n")).collect::<String>());
    assert_eq!(judge(bytes.as_bytes(), |_, head| conditional::evaluate(head, validators)), Ok(Some(expected)), "{bytes:?}");
}

#[test]
fn conditions_are_evaluated_in_order() {
    use Verdict::{NotModified, PreconditionFailed, Proceed};
    // Sun, 06 Nov 1994 08:49:37 GMT.
    let strong = Validators { etag: Some("\"a,b\""), modified: Some(784_111_777) };
    let weak = Validators { etag: Some("W/\"a\""), modified: None };
    let (same, earlier, later) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:36 1994", "Sunday, 06-Nov-94 08:49:38 GMT");
    verdict("GET", &[], strong, Proceed);
    verdict("GET", &["If-None-Match: \"x\", \"a,b\""], strong, NotModified);
    verdict("HEAD", &["If-None-Match: W/\"a,b\""], strong, NotModified);
    verdict("PUT", &["If-None-Match: \"a,b\""], strong, PreconditionFailed);
    verdict("GET", &["If-None-Match: *"], strong, NotModified);
    verdict("GET", &["If-None-Match: \"x\"", "If-None-Match: \"a,b\""], strong, NotModified);
    verdict("GET", &["If-None-Match: \"a\""], weak, NotModified);
    verdict("GET", &["If-None-Match: a,b"], strong, Proceed);
    verdict("GET", &["If-None-Match: \"x\" \"a,b\""], strong, Proceed);
    verdict("GET", &["If-Match: \"a,b\""], strong, Proceed);
    verdict("GET", &["If-Match: W/\"a,b\""], strong, PreconditionFailed);
    verdict("GET", &["If-Match: W/\"a\""], weak, PreconditionFailed);
    verdict("PUT", &["If-Match: *"], weak, Proceed);
    verdict("GET", &["If-Match: \"x\""], strong, PreconditionFailed);
    verdict("GET", &[&format!("If-Modified-Since: {same}")], strong, NotModified);
    verdict("GET", &[&format!("If-Modified-Since: {later}")], strong, NotModified);
    verdict("GET", &[&format!("If-Modified-Since: {earlier}")], strong, Proceed);
    verdict("POST", &[&format!("If-Modified-Since: {same}")], strong, Proceed);
    verdict("GET", &["If-Modified-Since: yesterday"], strong, Proceed);
    verdict("GET", &[&format!("If-Modified-Since: {same}"), "If-None-Match: \"x\""], strong, Proceed);
    verdict("GET", &[&format!("If-Unmodified-Since: {earlier}")], strong, PreconditionFailed);
    verdict("GET", &[&format!("If-Unmodified-Since: {same}")], strong, Proceed);
    verdict("GET", &[&format!("If-Unmodified-Since: {earlier}"), "If-Match: \"a,b\""], strong, Proceed);
    verdict("GET", &[&format!("If-Unmodified-Since: {earlier}")], weak, Proceed);
    verdict("GET", &["If-Match: \"a,b\"", "If-None-Match: \"a,b\""], strong, NotModified);
}

#[test]
fn range_counts_while_the_representation_is_the_one_that_is_named() {
    // Sun, 06 Nov 1994 08:49:37 GMT.
    let strong = Validators { etag: Some("\"a\""), modified: Some(784_111_777) };
    let undated = Validators { modified: None, ..strong };
    let weak = Validators { etag: Some("W/\"a\""), ..strong };
    for (lines, validators, expected) in [
        ("", strong, true),
        ("If-Range: \"a\"\r\n", strong, true),
        ("If-Range: \"b\"\r\n", strong, false),
        ("If-Range: W/\"a\"\r\n", strong, false),
        ("If-Range: W/\"a\"\r\n", weak, false),
        ("If-Range: \"a\"\r\n", weak, false),
        ("If-Range: \"a\", \"b\"\r\n", strong, false),
        ("If-Range: *\r\n", strong, false),
        ("If-Range: garbage\r\n", strong, false),
        ("If-Range:\r\n", strong, false),
        ("If-Range: Sun, 06 Nov 1994 08:49:37 GMT\r\n", strong, true),
        ("If-Range: Sun Nov  6 08:49:37 1994\r\n", strong, true),
        ("If-Range: Sun, 06 Nov 1994 08:49:38 GMT\r\n", strong, false),
        ("If-Range: Sun, 06 Nov 1994 08:49:36 GMT\r\n", strong, false),
        ("If-Range: Sun, 06 Nov 1994 08:49:37 GMT\r\n", undated, false),
        ("If-Range: \"a\"\r\nIf-Range: \"a\"\r\n", strong, false),
    ] {
        let bytes = format!("GET / HTTP/1.1\r\nHost: a\r\nRange: bytes=0-0\r\n{lines}\r\n");
        let counts =
            judge(bytes.as_bytes(), |_, head| conditional::may_be_conditional(head) && conditional::is_range_current(head, validators));
        assert_eq!(counts, Ok(Some(expected)), "{lines:?}");
    }
}

#[test]
fn range_is_read_of_one_line_of_a_get() {
    let part = |first, last| vec![Part { first, last }];
    for (method, lines, expected) in [
        ("GET", "Range: bytes=0-9\r\n", part(0, 9)),
        ("GET", "rAnGe:\tbytes=-1 \r\n", part(99, 99)),
        ("HEAD", "Range: bytes=0-9\r\n", Vec::new()),
        ("POST", "Range: bytes=0-9\r\n", Vec::new()),
        ("GET", "Range: bytes=0-9\r\nRange: bytes=0-9\r\n", Vec::new()),
        ("GET", "", Vec::new()),
    ] {
        let bytes = format!("{method} / HTTP/1.1\r\nHost: a\r\n{lines}\r\n");
        let asked = judge(bytes.as_bytes(), |_, head| match ranges::requested(head, 100) {
            Ranged::Parts(parts) => parts.as_slice().to_vec(),
            Ranged::Unsatisfiable | Ranged::Whole => Vec::new(),
        });
        assert_eq!(asked, Ok(Some(expected)), "{method} {lines:?}");
    }
}

#[test]
fn other_forms_of_a_path_reach_the_same_pattern() {
    for target in ["//admin/x", "/a/../admin/x", "/%61dmin/x"] {
        ask(target, "", |head| assert!(pattern::matches("/admin/*", head.path.text, &mut Captures::default()), "{target}"));
    }
    for target in ["/\\admin", "/a/%2e%2e/admin"] {
        assert_eq!(status(format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes()), 400, "{target}");
    }
    for target in ["/admin%2fx", "/a/..%2fadmin/x"] {
        ask(target, "", |head| {
            assert!(head.path.has_encoded_slash && !pattern::matches("/admin/*", head.path.text, &mut Captures::default()))
        });
    }
}
