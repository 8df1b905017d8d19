//! `files` with `embed`.

use runtime::{
    Exchange, Rules, Step, Tried,
    embed::{self, Tree},
    respond,
};
use semantics::{
    blob::{self, FileInput, FormInput},
    negotiate::Coding,
};

use crate::handled::{Handled, get, handle};

fn form(path: &str, coding: Coding) -> FormInput {
    let name = coding.name();
    let body = format!("{path} {name}").into_bytes();
    let etag = format!("\"{path}.{name}\"");
    let encoding = if coding == Coding::Identity { String::new() } else { format!("content-encoding: {name}\r\n") };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n{encoding}etag: {etag}\r\n", body.len()).into_bytes();
    let not_modified = format!("HTTP/1.1 304 Not Modified\r\netag: {etag}\r\n").into_bytes();
    FormInput { coding, etag, head, not_modified, body }
}

/// A page that answers for a miss.
fn missed(exchange: Exchange<'_>) -> Step<'_> {
    respond::refused(exchange, 410)
}

/// A tree of `index.html`, `docs/index.html`, `docs/a b.txt` (all codings) and `app.js` in the directory `index.html` of `odd`.
fn tree() -> &'static Tree {
    tree_with(Rules::NEW)
}

/// The same by other rules.
fn tree_with(rules: Rules<'static>) -> &'static Tree {
    let file = |path: &str, codings: &[Coding]| FileInput {
        path: path.to_owned(),
        modified: 0,
        forms: codings.iter().map(|coding| form(path, *coding)).collect(),
    };
    let only = [Coding::Identity];
    let files = vec![
        file("index.html", &only),
        file("docs/index.html", &only),
        file("docs/a b.txt", &Coding::ALL),
        file("odd/index.html/app.js", &only),
    ];
    let blob = Box::leak(blob::encode(&[files]).into_boxed_slice());
    Box::leak(Box::new(Tree::new(blob, 0, rules)))
}

/// A request for the tree under `/d/*`.
fn embedded(target: &str, fields: &str) -> Handled {
    let tree = tree();
    handle(&format!("GET {target} HTTP/1.1\r\nhost: a.example\r\n{fields}\r\n"), |exchange| {
        assert!(exchange.matches("/d/*"));
        embed::file(exchange, tree, embed::At::Capture(0))
    })
}

#[test]
fn embedded_file_by_path_and_index() {
    for (target, body) in [
        ("/d/", "index.html identity"),
        ("/d/index.html", "index.html identity"),
        ("/d/docs/", "docs/index.html identity"),
        ("/d/docs/a%20b.txt", "docs/a b.txt identity"),
        ("/d/docs/../index.html?x", "index.html identity"),
    ] {
        let answered = embedded(target, "");
        assert_eq!((answered.status, answered.body.as_str()), (200, body), "{target}");
    }
}

#[test]
fn embedded_name_that_is_not_there_is_404() {
    for target in [
        "/d/nope",
        "/d/index.html/",
        "/d/docs/nope/",
        "/d/.git",
        "/d/x~",
        "/d/odd/",
        "/d/odd",
        "/d/odd/index.html",
        "/d/INDEX.html",
        "/d/a%5Cb",
        "/d/%FF",
    ] {
        assert_eq!(embedded(target, "").status, 404, "{target}");
    }
}

#[test]
fn embedded_directory_redirects_to_its_slash_and_keeps_query() {
    for (target, location) in [
        ("/d", "/d/"),
        ("/d?x=1", "/d/?x=1"),
        ("/d?", "/d/?"),
        ("/d/docs", "/d/docs/"),
        ("/d/docs?x=//e.example", "/d/docs/?x=//e.example"),
        ("//d//docs", "/d/docs/"),
    ] {
        let answered = embedded(target, "");
        assert_eq!((answered.status, answered.field("location")), (308, Some(location)), "{target}");
        assert_eq!(answered.field("content-length"), Some("0"));
    }
}

#[test]
fn embedded_names_are_tried_and_the_page_of_an_application_comes_last() {
    let tried = &[Tried { before: "", behind: "/index.html" }, Tried { before: "docs/", behind: " b.txt" }];
    let tree = tree_with(Rules { tried, spa: Some("index.html"), ..Rules::NEW });
    for (target, status, body) in [
        ("/docs", 200, "docs/index.html identity"),
        ("/a", 200, "docs/a b.txt identity"),
        ("/users/7", 200, "index.html identity"),
        ("/docs/nope/", 200, "index.html identity"),
        ("/nope.js", 404, "404 Not Found\n"),
        ("/.git", 404, "404 Not Found\n"),
    ] {
        let answered = get(target, |exchange| embed::file(exchange, tree, embed::At::Path));
        assert_eq!((answered.status, answered.body.as_str()), (status, body), "{target}");
    }
}

#[test]
fn embedded_miss_goes_to_the_other_action() {
    let tree = tree();
    let asked = |request: &str| {
        handle(&format!("{request} HTTP/1.1\r\nhost: a.example\r\n\r\n"), |exchange| {
            embed::file_or(exchange, tree, embed::At::Path, missed)
        })
        .status
    };
    for (request, status) in
        [("GET /", 200), ("HEAD /index.html", 200), ("GET /docs", 308), ("GET /nope", 410), ("GET /.git", 410), ("POST /index.html", 410)]
    {
        assert_eq!(asked(request), status, "{request}");
    }
}

#[test]
fn embedded_whole_path_for_routes_without_rest() {
    let tree = tree();
    for (target, status) in [("/docs/", 200), ("/", 200), ("/docs", 308), ("/nope", 404)] {
        assert_eq!(get(target, |exchange| embed::file(exchange, tree, embed::At::Path)).status, status, "{target}");
    }
}

#[test]
fn embedded_coding_is_negotiated() {
    for (accepted, coding) in
        [("br", "br"), ("gzip", "gzip"), ("zstd, br, gzip", "zstd"), ("br;q=0", "identity"), ("identity;q=0, x", "identity")]
    {
        let answered = embedded("/d/docs/a%20b.txt", &format!("accept-encoding: {accepted}\r\n"));
        assert_eq!(answered.body, format!("docs/a b.txt {coding}"), "{accepted}");
    }
    assert_eq!(embedded("/d/index.html", "accept-encoding: br\r\n").body, "index.html identity");
}

#[test]
fn embedded_conditions_give_304_and_412() {
    for (fields, status) in [
        ("if-none-match: \"index.html.identity\"\r\n", 304),
        ("if-none-match: \"x\", W/\"index.html.identity\"\r\n", 304),
        ("if-none-match: *\r\n", 304),
        ("if-none-match: \"index.html.br\"\r\n", 200),
        ("if-match: \"index.html.identity\"\r\n", 200),
        ("if-match: \"x\"\r\n", 412),
        ("if-modified-since: Mon, 30 Nov 2026 00:00:00 GMT\r\n", 200),
    ] {
        assert_eq!(embedded("/d/index.html", fields).status, status, "{fields}");
    }
    let answered = embedded("/d/index.html", "if-none-match: *\r\n");
    assert_eq!(answered.text(), "HTTP/1.1 304 Not Modified\r\netag: \"index.html.identity\"\r\n\n");
    let answered = embedded("/d/docs/a%20b.txt", "accept-encoding: br\r\nif-none-match: \"docs/a b.txt.br\"\r\n");
    assert_eq!((answered.status, answered.field("etag")), (304, Some("\"docs/a b.txt.br\"")));
}

#[test]
fn embedded_part_is_a_slice_of_the_form_that_was_selected() {
    let answered = embedded("/d/index.html", "range: bytes=0-4\r\n");
    let expected =
        "HTTP/1.1 206 Partial Content\r\ncontent-length: 5\r\ncontent-range: bytes 0-4/19\r\netag: \"index.html.identity\"\r\n\nindex";
    assert_eq!((answered.text(), answered.status, answered.body_bytes, answered.is_streamed), (expected.to_owned(), 206, 5, false));
    let answered = embedded("/d/docs/a%20b.txt", "accept-encoding: br\r\nrange: bytes=-2\r\n");
    assert_eq!((answered.status, answered.body.as_str()), (206, "br"));
    assert_eq!((answered.field("content-range"), answered.field("etag")), (Some("bytes 13-14/15"), Some("\"docs/a b.txt.br\"")));
}

#[test]
fn embedded_range_is_sent_only_where_it_holds() {
    let etag = "\"index.html.identity\"";
    for (fields, status) in [
        ("range: bytes=0-4\r\n".to_owned(), 206),
        ("range: bytes=19-\r\n".to_owned(), 416),
        ("range: lines=0-4\r\n".to_owned(), 200),
        (format!("range: bytes=0-4\r\nif-range: {etag}\r\n"), 206),
        (format!("range: bytes=0-4\r\nif-range: W/{etag}\r\n"), 200),
        ("range: bytes=0-4\r\nif-range: \"index.html.br\"\r\n".to_owned(), 200),
        ("range: bytes=19-\r\nif-range: \"x\"\r\n".to_owned(), 200),
        (format!("if-range: {etag}\r\n"), 200),
        (format!("range: bytes=0-4\r\nif-none-match: {etag}\r\n"), 304),
        (format!("range: bytes=0-4\r\nif-match: {etag}\r\n"), 206),
        ("range: bytes=0-4\r\nif-match: \"x\"\r\n".to_owned(), 412),
        ("range: bytes=0-4\r\nif-modified-since: Mon, 30 Nov 2026 00:00:00 GMT\r\n".to_owned(), 206),
    ] {
        assert_eq!(embedded("/d/index.html", &fields).status, status, "{fields}");
    }
    let answered = embedded("/d/index.html", "range: bytes=19-\r\n");
    assert_eq!((answered.field("content-range"), answered.body.as_str()), (Some("bytes */19"), "416 Range Not Satisfiable\n"));
}

#[test]
fn embedded_parts_come_as_multipart_unless_they_are_encoded() {
    let answered = embedded("/d/docs/a%20b.txt", "range: bytes=0-3, -8\r\n");
    let content_type = answered.field("content-type").expect("a multipart type");
    let boundary = content_type.strip_prefix("multipart/byteranges; boundary=").expect("a boundary");
    let expected = format!(
        "--{boundary}\r\ncontent-range: bytes 0-3/21\r\n\r\ndocs\r\n--{boundary}\r\ncontent-range: bytes 13-20/21\r\n\r\nidentity\r\n--{boundary}--\r\n"
    );
    assert_eq!((answered.status, answered.body.as_str(), answered.body_bytes), (206, expected.as_str(), expected.len() as u64));
    assert_eq!((answered.field("content-length"), answered.field("content-range")), (Some(expected.len().to_string().as_str()), None));
    let answered = embedded("/d/docs/a%20b.txt", "range: bytes=0-3, -8\r\naccept-encoding: gzip\r\n");
    assert_eq!((answered.status, answered.body.as_str()), (200, "docs/a b.txt gzip"));
    let answered = embedded("/d/docs/a%20b.txt", "range: bytes=0-3, 4-8\r\naccept-encoding: gzip\r\n");
    assert_eq!((answered.status, answered.body.as_str()), (206, "docs/a b."));
}
