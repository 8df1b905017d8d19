//! `vhost "*.tenants.example"`, vhosts/tenants.kdl:2

use runtime::{
    Answer, Edit, EditAction, Edits, Exchange, Method, Methods, Part, Step, respond,
};

/// `headers` of `vhost "*.tenants.example"`, vhosts/tenants.kdl:2
static ANY_TENANTS_EXAMPLE_HEADERS: Edits<'static> = Edits {
    appended: b"",
    rules: &[
        Edit {
            action: EditAction::Set,
            name: "x-content-type-options",
            value: &[Part::Text("nosniff")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-frame-options",
            value: &[Part::Text("DENY")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Default,
            name: "cache-control",
            value: &[Part::Text("no-cache")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-robots-tag",
            value: &[Part::Text("noindex")],
            only: &[404],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-tenant",
            value: &[Part::Host],
            only: &[],
            except: &[],
        },
    ],
};

/// `vhost "*.tenants.example"`, vhosts/tenants.kdl:2
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&ANY_TENANTS_EXAMPLE_HEADERS);
    match exchange.path() {
        "/" => return root(exchange),
        _ => {}
    }
    if exchange.matches("/echo/{rest*}") {
        return echo(exchange);
    }
    if exchange.matches("/uploads/*") {
        if exchange.is(UPLOADS_METHODS) {
            return uploads(exchange);
        }
        return respond::method_not_allowed(exchange, UPLOADS_METHODS);
    }
    respond::not_found(exchange)
}

/// `route "/"`, vhosts/tenants.kdl:4
fn root(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &ROOT)
}
static ROOT: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::Text("welcome to "), Part::Host, Part::Text("\n")],
};

/// `route "/echo/{rest*}"`, vhosts/tenants.kdl:5
fn echo(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &ECHO)
}
static ECHO: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[
        Part::Method,
        Part::Text(" "),
        Part::Scheme,
        Part::Text(" "),
        Part::Host,
        Part::Text(" "),
        Part::Path,
        Part::Text(" "),
        Part::Query,
        Part::Text(" "),
        Part::ClientIp,
        Part::Text("\n"),
    ],
};

/// `route "/uploads/*"`, vhosts/tenants.kdl:8
fn uploads(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &UPLOADS)
}
static UPLOADS: Answer = Answer {
    status: 201,
    head: b"HTTP/1.1 201 Created\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 7\r\n",
    body: b"stored\n",
};
const UPLOADS_METHODS: Methods = Methods::of(&[Method::POST, Method::PUT]);
