//! `vhost "shop.customer.example"`, vhosts/own-names.kdl:2

use runtime::{Exchange, Part, Step, redirect, respond};
use crate::error_pages::SITE_ERRORS;
use crate::headers::SITE_HEADERS;
use crate::maps::{NAME_MAP, PLAN_MAP};

/// `vhost "shop.customer.example"`, vhosts/own-names.kdl:2
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(4).edited(&SITE_HEADERS).with_errors(&SITE_ERRORS);
    if exchange.host() != "shop.customer.example" {
        return redirect::canonical(exchange, &SHOP_CUSTOMER_EXAMPLE_CANONICAL);
    }
    if exchange.matches("/*") {
        return rest(exchange);
    }
    respond::not_found(exchange)
}
static SHOP_CUSTOMER_EXAMPLE_CANONICAL: redirect::Canonical = redirect::Canonical {
    host: "shop.customer.example",
    status: 302,
};

/// `route "/*"`, vhosts/own-names.kdl:4
fn rest(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &REST)
}
static REST: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[
        Part::Map(&NAME_MAP),
        Part::Text(" ("),
        Part::Map(&PLAN_MAP),
        Part::Text(") at its own name\n"),
    ],
};
