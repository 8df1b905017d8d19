//! `vhost default=#true`, vhosts/operations.kdl:11

use runtime::{Answer, Exchange, Step, respond};
use crate::error_pages::SITE_ERRORS;
use crate::headers::SITE_HEADERS;

/// `vhost default=#true`, vhosts/operations.kdl:11
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange
        .placed(3)
        .unlogged(true)
        .edited(&SITE_HEADERS)
        .with_errors(&SITE_ERRORS);
    match exchange.path() {
        "/healthz" => return healthz(exchange),
        _ => {}
    }
    if exchange.matches("/*") {
        return rest(exchange);
    }
    respond::not_found(exchange)
}

/// `route "/healthz"`, vhosts/operations.kdl:13
fn healthz(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &HEALTHZ)
}
static HEALTHZ: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 3\r\n",
    body: b"ok\n",
};

/// `route "/*"`, vhosts/operations.kdl:14
fn rest(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 404)
}
