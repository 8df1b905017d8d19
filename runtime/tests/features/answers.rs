//! Answers of kiln itself, `respond` and `redirect`.

use runtime::{Answer, Edits, Methods, Part, redirect, respond};

use crate::handled::{Handled, get, handle};

#[test]
fn builtin_answers_say_their_status() {
    let expected = "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 14\r\n";
    assert_eq!(get("/x", respond::not_found).text(), format!("{expected}\n404 Not Found\n"));
    for (status, answered) in [
        (421, get("/x", respond::misdirected)),
        (400, get("/x", respond::bad_request)),
        (403, get("/x", |exchange| respond::refused(exchange, 403))),
        (599, get("/x", |exchange| respond::refused(exchange, 599))),
    ] {
        assert_eq!(answered.status, status);
    }
}

#[test]
fn method_not_allowed_names_methods_in_order() {
    let answered = get("/x", |exchange| respond::method_not_allowed(exchange, Methods::GET_HEAD));
    let expected =
        "HTTP/1.1 405 Method Not Allowed\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 23\r\nallow: GET, HEAD\r\n";
    assert_eq!(answered.text(), format!("{expected}\n405 Method Not Allowed\n"));
}

#[test]
fn abort_sends_nothing() {
    let answered = get("/x", respond::abort);
    assert!(answered.is_abort && answered.head.is_empty() && answered.body.is_empty());
}

#[test]
fn prebuilt_is_copied() {
    static ANSWER: Answer = Answer { status: 200, head: b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n", body: b"ok\n" };
    let answered = get("/x", |exchange| respond::prebuilt(exchange, &ANSWER));
    assert_eq!(answered.text(), "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\nok\n");
}

#[test]
fn template_renders_body_before_its_length() {
    static TEMPLATE: respond::Template = respond::Template {
        status: 200,
        content_type: "text/html",
        body: &[Part::Text("id "), Part::Parameter(0), Part::Text(" q "), Part::QueryValue("q")],
    };
    let answered = get("/p/7?q=a%20b", |exchange| {
        assert!(exchange.matches("/p/{id}"));
        respond::template(exchange, &TEMPLATE)
    });
    assert_eq!(answered.text(), "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 10\r\n\nid 7 q a b");
}

#[test]
fn template_without_body_has_neither_type_nor_length() {
    static TEMPLATE: respond::Template = respond::Template { status: 204, content_type: "text/plain", body: &[Part::Host] };
    assert_eq!(get("/x", |exchange| respond::template(exchange, &TEMPLATE)).text(), "HTTP/1.1 204 No Content\r\n\n");
}

fn redirected(target: &str, to: &'static redirect::Target) -> Handled {
    get(target, |exchange| {
        let _ = exchange.matches("/old/{rest*}");
        redirect::to(exchange, to)
    })
}

#[test]
fn redirect_keeps_query_and_puts_fragment_last() {
    static KEPT: redirect::Target = redirect::Target { status: 308, parts: &[Part::Text("/new/"), Part::Parameter(0)], drops_query: false };
    static DROPPED: redirect::Target = redirect::Target { drops_query: true, ..KEPT };
    static OWN: redirect::Target = redirect::Target { status: 302, parts: &[Part::Text("/new?y=2")], drops_query: false };
    static FRAGMENT: redirect::Target = redirect::Target { status: 302, parts: &[Part::Text("/new#top")], drops_query: false };
    let answered = redirected("/old/a%20b?x=1", &KEPT);
    assert_eq!(answered.text(), "HTTP/1.1 308 Permanent Redirect\r\ncontent-length: 0\r\nlocation: /new/a%20b?x=1\r\n\n");
    for (target, to, location) in [
        ("/old/a", &KEPT, "/new/a"),
        ("/old/a?", &KEPT, "/new/a"),
        ("/old/a?x=1", &DROPPED, "/new/a"),
        ("/old/a?x=1", &OWN, "/new?y=2"),
        ("/old/a?x=1", &FRAGMENT, "/new?x=1#top"),
    ] {
        assert_eq!(redirected(target, to).field("location"), Some(location), "{target}");
    }
}

#[test]
fn canonical_redirect_keeps_port_path_and_query() {
    static CANONICAL: redirect::Canonical = redirect::Canonical { host: "shop.example", status: 308 };
    for (request, location) in [
        ("GET /a%20b?x=1 HTTP/1.1\r\nhost: WWW.shop.example", "http://shop.example/a%20b?x=1"),
        ("GET //a/../%62 HTTP/1.1\r\nhost: www.shop.example:8080", "http://shop.example:8080/b"),
        ("GET /? HTTP/1.1\r\nhost: www.shop.example.", "http://shop.example/?"),
        ("GET http://www.shop.example:80/a HTTP/1.1\r\nhost: www.shop.example:80", "http://shop.example:80/a"),
        ("OPTIONS * HTTP/1.1\r\nhost: x", "http://shop.example/"),
    ] {
        let answered = handle(&format!("{request}\r\n\r\n"), |exchange| {
            assert_ne!(exchange.host(), CANONICAL.host);
            redirect::canonical(exchange, &CANONICAL)
        });
        assert_eq!(answered.head, format!("HTTP/1.1 308 Permanent Redirect\r\ncontent-length: 0\r\nlocation: {location}\r\n"), "{request}");
    }
}

#[test]
fn redirect_with_control_byte_is_400() {
    static TARGET: redirect::Target = redirect::Target { status: 302, parts: &[Part::Text("/new/\r\nx: y")], drops_query: false };
    assert_eq!(redirected("/old/a", &TARGET).status, 400);
}

#[test]
fn edits_are_left_to_the_engine() {
    static ANSWER: Answer =
        Answer { status: 301, head: b"HTTP/1.1 301 Moved Permanently\r\ncontent-length: 0\r\nlocation: /x\r\n", body: b"" };
    let answered = get("/y", |exchange| redirect::prebuilt(exchange.edited(&Edits::NONE), &ANSWER));
    assert_eq!(answered.head.as_bytes(), ANSWER.head);
}
