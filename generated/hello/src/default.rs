//! `vhost default=#true`, site.kdl:6

use runtime::{Answer, Exchange, Part, Step, respond};

/// `vhost default=#true`, site.kdl:6
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    match exchange.path() {
        "/" => return root(exchange),
        _ => {}
    }
    if exchange.matches("/hello/{name}") {
        return hello_name(exchange);
    }
    respond::not_found(exchange)
}

/// `route "/"`, site.kdl:7
fn root(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(16 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &ROOT)
}
static ROOT: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 6\r\n",
    body: b"hello\n",
};

/// `route "/hello/{name}"`, site.kdl:8
fn hello_name(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(16 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &HELLO_NAME)
}
static HELLO_NAME: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::Text("hello, "), Part::Parameter(0), Part::Text("\n")],
};
