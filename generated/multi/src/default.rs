//! `vhost default=#true`, site.kdl:18

use runtime::{Answer, Exchange, Step, respond};

/// `vhost default=#true`, site.kdl:18
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    match exchange.path() {
        "/.env" => return env(exchange),
        "/healthz" => return healthz(exchange),
        "/wp-login.php" => return wp_login_php(exchange),
        _ => {}
    }
    if exchange.matches("/.git/*") {
        return git(exchange);
    }
    if exchange.matches("/*") {
        return rest(exchange);
    }
    respond::not_found(exchange)
}

/// `route "/healthz"`, site.kdl:20
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

/// `route "/.git/*"`, site.kdl:21
fn git(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::abort(exchange)
}

/// `route "/.env"`, site.kdl:21
fn env(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::abort(exchange)
}

/// `route "/wp-login.php"`, site.kdl:21
fn wp_login_php(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::abort(exchange)
}

/// `route "/*"`, site.kdl:22
fn rest(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 421)
}
