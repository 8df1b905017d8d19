//! `vhost default=#true`, site.kdl:146

use runtime::{Answer, Exchange, Networks, Step, access, respond};
use crate::encodings::SITE_ENCODE;
use crate::error_pages::SITE_ERRORS;
use crate::headers::SITE_HEADERS;

/// `vhost default=#true`, site.kdl:146
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange
        .placed(23)
        .unlogged(true)
        .edited(&SITE_HEADERS)
        .encoded(&SITE_ENCODE)
        .with_errors(&SITE_ERRORS);
    match exchange.path() {
        "/up" => return up(exchange),
        "/version" => return version(exchange),
        _ => {}
    }
    if exchange.matches("/*") {
        return rest(exchange);
    }
    respond::not_found(exchange)
}

/// `access` of `vhost default=#true`, site.kdl:146
static DEFAULT_ACCESS: access::List<'static> = access::List {
    rules: &[
        access::Rule {
            verdict: access::Verdict::Allow,
            networks: Networks {
                v4: &[(0x0a00_0000, 0x0aff_ffff), (0x7f00_0000, 0x7fff_ffff)],
                v6: &[],
            },
        },
    ],
};

/// `route "/up"`, site.kdl:150
fn up(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(24);
    if !access::allows(&exchange, &[DEFAULT_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &UP)
}
static UP: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 3\r\n",
    body: b"ok\n",
};

/// `route "/version"`, site.kdl:151
fn version(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(25);
    if !access::allows(&exchange, &[DEFAULT_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &VERSION)
}
static VERSION: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\n",
    body: b"{\"version\":\"1\"}",
};

/// `route "/*"`, site.kdl:152
fn rest(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(26);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[DEFAULT_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 404)
}
