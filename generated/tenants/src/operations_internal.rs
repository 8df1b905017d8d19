//! `vhost "operations.internal"`, vhosts/operations.kdl:2

use runtime::{Exchange, Networks, Part, Step, Value, access, guard, redirect, respond};
use crate::error_pages::SITE_ERRORS;
use crate::headers::SITE_HEADERS;
use crate::late_values::OPERATOR_KEY;

/// `vhost "operations.internal"`, vhosts/operations.kdl:2
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(2).edited(&SITE_HEADERS).with_errors(&SITE_ERRORS);
    match exchange.path() {
        "/whoami" => return whoami(exchange),
        _ => {}
    }
    if exchange.matches("/tenants/{tenant}/open") {
        if tenants_tenant_open_when(&exchange) {
            return tenants_tenant_open(exchange);
        }
    }
    respond::not_found(exchange)
}

/// `access` of `vhost "operations.internal"`, vhosts/operations.kdl:2
static OPERATIONS_INTERNAL_ACCESS: access::List<'static> = access::List {
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

/// `route "/whoami"`, vhosts/operations.kdl:4
fn whoami(exchange: Exchange<'_>) -> Step<'_> {
    if !access::allows(&exchange, &[OPERATIONS_INTERNAL_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &WHOAMI)
}
static WHOAMI: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::ClientIp, Part::Text(" by "), Part::Scheme, Part::Text("\n")],
};

/// `when` of `route "/tenants/{tenant}/open"`, vhosts/operations.kdl:5
fn tenants_tenant_open_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    guard::client_ip(head, &TENANTS_TENANT_OPEN_CLIENTS)
        || guard::header_late(head, "x-operator-key", &[Value::Late(&OPERATOR_KEY)])
}
static TENANTS_TENANT_OPEN_CLIENTS: Networks<'static> = Networks {
    v4: &[(0x0a00_0000, 0x0aff_ffff), (0xc000_0200, 0xc000_02ff)],
    v6: &[],
};

/// `route "/tenants/{tenant}/open"`, vhosts/operations.kdl:5
fn tenants_tenant_open(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[OPERATIONS_INTERNAL_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &TENANTS_TENANT_OPEN)
}
static TENANTS_TENANT_OPEN: redirect::Target = redirect::Target {
    status: 302,
    parts: &[
        Part::Text("https://"),
        Part::Parameter(0),
        Part::Text(".tenants.example/admin/"),
    ],
    drops_query: false,
};
