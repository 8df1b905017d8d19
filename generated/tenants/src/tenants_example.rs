//! `vhost "tenants.example"`, vhosts/own-names.kdl:8

use runtime::{Answer, Exchange, Networks, Part, Step, Value, guard, redirect, respond};
use crate::error_pages::SITE_ERRORS;
use crate::headers::SITE_HEADERS;
use crate::late_values::OPERATOR_KEY;

/// `vhost "tenants.example"`, vhosts/own-names.kdl:8
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(5).edited(&SITE_HEADERS).with_errors(&SITE_ERRORS);
    if exchange.host() != "tenants.example" {
        return redirect::canonical(exchange, &TENANTS_EXAMPLE_CANONICAL);
    }
    match exchange.path() {
        "/" => return root(exchange),
        "/status" => {
            if status_if_client_10_0_0_0_8_192_0_when(&exchange) {
                return status_if_client_10_0_0_0_8_192_0(exchange);
            }
            return status(exchange);
        }
        _ => {}
    }
    if exchange.matches("/t/{tenant}/{rest*}") {
        return t_tenant(exchange);
    }
    respond::not_found(exchange)
}
static TENANTS_EXAMPLE_CANONICAL: redirect::Canonical = redirect::Canonical {
    host: "tenants.example",
    status: 308,
};

/// `route "/"`, vhosts/own-names.kdl:10
fn root(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &ROOT)
}
static ROOT: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 11\r\n",
    body: b"a platform\n",
};

/// `route "/t/{tenant}/{rest*}"`, vhosts/own-names.kdl:12
fn t_tenant(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &T_TENANT)
}
static T_TENANT: redirect::Target = redirect::Target {
    status: 301,
    parts: &[
        Part::Text("https://"),
        Part::Parameter(0),
        Part::Text(".tenants.example/"),
        Part::Parameter(1),
    ],
    drops_query: false,
};

/// `when` of `route "/status"`, vhosts/own-names.kdl:13
fn status_if_client_10_0_0_0_8_192_0_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    guard::client_ip(head, &STATUS_IF_CLIENT_10_0_0_0_8_192_0_CLIENTS)
        || guard::header_late(head, "x-operator-key", &[Value::Late(&OPERATOR_KEY)])
}
static STATUS_IF_CLIENT_10_0_0_0_8_192_0_CLIENTS: Networks<'static> = Networks {
    v4: &[(0x0a00_0000, 0x0aff_ffff), (0xc000_0200, 0xc000_02ff)],
    v6: &[],
};

/// `route "/status"`, vhosts/own-names.kdl:13
fn status_if_client_10_0_0_0_8_192_0(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &STATUS_IF_CLIENT_10_0_0_0_8_192_0)
}
static STATUS_IF_CLIENT_10_0_0_0_8_192_0: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 44\r\n",
    body: b"all systems are up, and you are an operator\n",
};

/// `route "/status"`, vhosts/own-names.kdl:17
fn status(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &STATUS)
}
static STATUS: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 19\r\n",
    body: b"all systems are up\n",
};
