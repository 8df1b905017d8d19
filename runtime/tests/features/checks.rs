//! What may refuse before the action, and the pages that say so: errors, access, body limit, CORS preflight.

use std::net::{IpAddr, Ipv4Addr};

use runtime::{
    Answer, Errors, Method, Methods, Networks, Part, Rules,
    access::{self, List, Rule, Verdict},
    cors::{self, Allowed, Origins, Policy},
    embed::{self, Tree},
    redirect, respond,
};

use crate::handled::{get, handle, with_exchange};

const MISSING: Answer =
    Answer { status: 404, head: b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\ncontent-length: 3\r\n", body: b"no\n" };
const METHOD: Answer =
    Answer { status: 405, head: b"HTTP/1.1 405 Method Not Allowed\r\ncontent-type: text/html\r\ncontent-length: 4\r\n", body: b"not\n" };
static ERRORS: Errors = Errors { pages: &[MISSING, METHOD] };

#[test]
fn page_of_the_status_stands_in_for_the_builtin_answer() {
    let answered = get("/x", |exchange| respond::not_found(exchange.with_errors(&ERRORS)));
    assert_eq!(answered.text(), "HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\ncontent-length: 3\r\n\nno\n");
    let answered = get("/x", |exchange| respond::refused(exchange.with_errors(&ERRORS), 403));
    assert_eq!(answered.body, "403 Forbidden\n");
    assert_eq!(get("/x", |exchange| respond::misdirected(exchange.with_errors(&ERRORS))).status, 421);
}

#[test]
fn page_of_405_keeps_allow() {
    let answered = get("/x", |exchange| respond::method_not_allowed(exchange.with_errors(&ERRORS), Methods::GET_HEAD));
    assert_eq!(
        answered.text(),
        "HTTP/1.1 405 Method Not Allowed\r\ncontent-type: text/html\r\ncontent-length: 4\r\nallow: GET, HEAD\r\n\nnot\n"
    );
}

#[test]
fn inner_scope_s_pages_replace_the_outer_ones() {
    static OUTER: Errors = Errors { pages: &[Answer { status: 404, head: b"", body: b"outer" }] };
    let answered = get("/x", |exchange| respond::not_found(exchange.with_errors(&OUTER).with_errors(&ERRORS)));
    assert_eq!(answered.body, "no\n");
}

#[test]
fn features_refuse_with_the_scope_s_page() {
    let blob = semantics::blob::encode(&[vec![]]).leak();
    let tree: &'static Tree = Box::leak(Box::new(Tree::new(blob, 0, Rules::NEW)));
    let answered = get("/x", |exchange| embed::file(exchange.with_errors(&ERRORS), tree, embed::At::Path));
    assert_eq!(answered.body, "no\n");
    static BROKEN: redirect::Target = redirect::Target { status: 302, parts: &[Part::Text("/\r\n")], drops_query: false };
    static BAD: Errors =
        Errors { pages: &[Answer { status: 400, head: b"HTTP/1.1 400 Bad Request\r\ncontent-length: 4\r\n", body: b"bad\n" }] };
    assert_eq!(get("/x", |exchange| redirect::to(exchange.with_errors(&BAD), &BROKEN)).body, "bad\n");
}

#[test]
fn respond_with_an_error_status_is_no_page() {
    static OWN: Answer = Answer { status: 404, head: b"HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n", body: b"own\n" };
    assert_eq!(get("/x", |exchange| respond::prebuilt(exchange.with_errors(&ERRORS), &OWN)).body, "own\n");
}

#[test]
fn access_asks_for_the_client() {
    static LOCAL: List<'static> =
        List { rules: &[Rule { verdict: Verdict::Allow, networks: Networks { v4: &[(0x7F00_0000, 0x7FFF_FFFF)], v6: &[] } }] };
    static TEN: List<'static> =
        List { rules: &[Rule { verdict: Verdict::Allow, networks: Networks { v4: &[(0x0A00_0000, 0x0AFF_FFFF)], v6: &[] } }] };
    with_exchange("GET / HTTP/1.1\r\nhost: a\r\n\r\n", |exchange| {
        assert_eq!(exchange.head().client, IpAddr::V4(Ipv4Addr::LOCALHOST));
        assert!(access::allows(&exchange, &[]) && access::allows(&exchange, &[LOCAL]));
        assert!(!access::allows(&exchange, &[TEN]) && !access::allows(&exchange, &[LOCAL, TEN]));
    });
}

#[test]
fn request_without_a_body_is_within_every_limit() {
    with_exchange("GET / HTTP/1.1\r\nhost: a\r\n\r\n", |exchange| assert!(!exchange.exceeds_body(0)));
}

#[test]
fn preflight_belongs_to_the_route_of_the_method_that_it_asks_for() {
    static POLICY: Policy<'static> = Policy {
        origins: Origins::Any,
        methods: Allowed::Listed(&["PUT"]),
        headers: Allowed::Any,
        exposed: Allowed::Listed(&[]),
        max_age_s: None,
    };
    let put = Methods::of(&[Method::PUT]);
    let preflight = "OPTIONS / HTTP/1.1\r\nhost: a\r\norigin: https://b\r\naccess-control-request-method: PUT\r\n\r\n";
    let answered = handle(preflight, |exchange| {
        assert!(cors::asks_for(&exchange, put) && !cors::asks_for(&exchange, Methods::GET_HEAD));
        assert!(cors::is_preflight(&exchange));
        cors::preflight(exchange.shared(&POLICY), &POLICY)
    });
    assert_eq!(answered.text(), "HTTP/1.1 204 No Content\r\n\n");
    with_exchange("PUT / HTTP/1.1\r\nhost: a\r\norigin: https://b\r\n\r\n", |exchange| {
        assert!(!cors::is_preflight(&exchange) && !cors::asks_for(&exchange, put));
    });
}
