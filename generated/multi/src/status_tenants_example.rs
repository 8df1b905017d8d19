//! `vhost "status.tenants.example"`, vhosts/tenants.kdl:14

use runtime::{Answer, Exchange, Step, respond};
use crate::headers::SITE_HEADERS;

/// `vhost "status.tenants.example"`, vhosts/tenants.kdl:14
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&SITE_HEADERS);
    if exchange.matches("/*") {
        return rest(exchange);
    }
    respond::not_found(exchange)
}

/// `route "/*"`, vhosts/tenants.kdl:15
fn rest(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &REST)
}
static REST: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 19\r\n",
    body: b"all systems are up\n",
};
