//! `vhost "app.example"`, site.kdl:56

use std::time::Duration;
use runtime::{
    Answer, Edit, EditAction, Edits, Exchange, Method, Methods, Networks, Part, Rules,
    Step, Value, access, embed, files, guard, proxy, redirect, respond, upstream,
};
use crate::encodings::SITE_ENCODE;
use crate::error_pages::SITE_ERRORS;
use crate::headers::SITE_HEADERS;
use crate::late_values::UPLOADS;
use crate::upstreams::{APP_TIMEOUTS, APP_UPSTREAM};

/// `vhost "app.example"`, site.kdl:56
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange
        .placed(1)
        .edited(&SITE_HEADERS)
        .encoded(&SITE_ENCODE)
        .with_errors(&SITE_ERRORS);
    if exchange.host() != "app.example" {
        return redirect::canonical(exchange, &APP_EXAMPLE_CANONICAL);
    }
    match exchange.path() {
        "/.env" => return env(exchange),
        "/admin/webhooks/payments" => {
            if exchange.is(ADMIN_WEBHOOKS_PAYMENTS_METHODS) {
                return admin_webhooks_payments(exchange);
            }
            return respond::method_not_allowed(
                exchange,
                ADMIN_WEBHOOKS_PAYMENTS_METHODS,
            );
        }
        "/attachments" => {
            if attachments_if_post_put_and_app_session_when(&exchange) {
                return attachments_if_post_put_and_app_session(exchange);
            }
            if attachments_if_post_put_when(&exchange) {
                return attachments_if_post_put(exchange);
            }
        }
        "/cable" => {
            if cable_when(&exchange) {
                return cable(exchange);
            }
        }
        "/favicon.ico" => return favicon_ico(exchange),
        "/favicon.svg" => {
            if exchange.is(Methods::GET_HEAD) {
                return favicon_svg(exchange);
            }
            return respond::method_not_allowed(exchange, Methods::GET_HEAD);
        }
        "/manifest.webmanifest" => {
            if exchange.is(Methods::GET_HEAD) {
                return manifest_webmanifest(exchange);
            }
            return respond::method_not_allowed(exchange, Methods::GET_HEAD);
        }
        "/robots.txt" => {
            if exchange.is(Methods::GET_HEAD) {
                return robots_txt(exchange);
            }
            return respond::method_not_allowed(exchange, Methods::GET_HEAD);
        }
        "/session" => {
            if exchange.is(SESSION_METHODS) {
                return session(exchange);
            }
            return respond::method_not_allowed(exchange, SESSION_METHODS);
        }
        _ => {}
    }
    if exchange.matches("/.git/*") {
        return git(exchange);
    }
    if exchange.matches("/admin/jobs/*") {
        if admin_jobs_when(&exchange) {
            return admin_jobs(exchange);
        }
    }
    if exchange.matches("/admin/*") {
        return admin(exchange);
    }
    if exchange.matches("/assets/*") {
        if exchange.is(Methods::GET_HEAD) {
            return assets_route(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/attachments/{id}") {
        if attachments_id_if_post_put_and_app_session_when(&exchange) {
            return attachments_id_if_post_put_and_app_session(exchange);
        }
        if attachments_id_if_post_put_when(&exchange) {
            return attachments_id_if_post_put(exchange);
        }
        if attachments_id_if_get_head_when(&exchange) {
            return attachments_id_if_get_head(exchange);
        }
    }
    if exchange.matches("/config/*") {
        return config(exchange);
    }
    if exchange.matches("/packs/*") {
        if exchange.is(Methods::GET_HEAD) {
            return packs(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/*") {
        if rest_if_extension_php_asp_aspx_when(&exchange) {
            return rest_if_extension_php_asp_aspx(exchange);
        }
        return rest(exchange);
    }
    respond::not_found(exchange)
}
static APP_EXAMPLE_CANONICAL: redirect::Canonical = redirect::Canonical {
    host: "app.example",
    status: 308,
};

/// `access` of `vhost "app.example"`, site.kdl:56
static APP_EXAMPLE_ACCESS: access::List<'static> = access::List {
    rules: &[
        access::Rule {
            verdict: access::Verdict::Refuse,
            networks: Networks {
                v4: &[(0xcb00_7180, 0xcb00_71ff)],
                v6: &[
                    (
                        0x2001_0db8_0bad_0000_0000_0000_0000_0000,
                        0x2001_0db8_0bad_ffff_ffff_ffff_ffff_ffff,
                    ),
                ],
            },
        },
    ],
};

/// `public/assets`
static PUBLIC_ASSETS: embed::Tree = embed::Tree::new(
    assets::BLOB,
    0,
    Rules {
        immutable: &["*"],
        ..Rules::NEW
    },
);

/// `route "/assets/*"`, site.kdl:63
fn assets_route(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(7);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PUBLIC_ASSETS, embed::At::Capture(0))
}

/// `public/packs`
static PUBLIC_PACKS: embed::Tree = embed::Tree::new(
    assets::BLOB,
    1,
    Rules {
        immutable: &["*"],
        ..Rules::NEW
    },
);

/// `route "/packs/*"`, site.kdl:66
fn packs(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(18);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PUBLIC_PACKS, embed::At::Capture(0))
}

/// `headers` of `route "/favicon.svg"`, site.kdl:70
static FAVICON_SVG_HEADERS: Edits<'static> = Edits {
    appended: b"",
    rules: &[
        Edit {
            action: EditAction::Set,
            name: "strict-transport-security",
            value: &[Part::Text("max-age=63072000; includeSubDomains")],
            only: &[],
            except: &[],
        },
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
            value: &[Part::Text("SAMEORIGIN")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "referrer-policy",
            value: &[Part::Text("strict-origin-when-cross-origin")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "server",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-powered-by",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-runtime",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-request-id",
            value: &[Part::RequestId],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("public, max-age=3600")],
            only: &[],
            except: &[],
        },
    ],
};

/// `public`
static PUBLIC: embed::Tree = embed::Tree::new(assets::BLOB, 2, Rules::NEW);

/// `route "/favicon.svg"`, site.kdl:70
fn favicon_svg(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(16).edited(&FAVICON_SVG_HEADERS);
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PUBLIC, embed::At::Path)
}

/// `route "/robots.txt"`, site.kdl:70
fn robots_txt(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(19).edited(&FAVICON_SVG_HEADERS);
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PUBLIC, embed::At::Path)
}

/// `route "/manifest.webmanifest"`, site.kdl:70
fn manifest_webmanifest(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(17).edited(&FAVICON_SVG_HEADERS);
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PUBLIC, embed::At::Path)
}

/// `route "/favicon.ico"`, site.kdl:74
fn favicon_ico(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(15);
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::prebuilt(exchange, &FAVICON_ICO)
}
static FAVICON_ICO: Answer = Answer {
    status: 301,
    head: b"HTTP/1.1 301 Moved Permanently\r\ncontent-length: 0\r\nlocation: /favicon.svg\r\n",
    body: b"",
};

/// `headers` of `route "/*"`, site.kdl:77
static REST_HEADERS: Edits<'static> = Edits {
    appended: b"",
    rules: &[
        Edit {
            action: EditAction::Set,
            name: "strict-transport-security",
            value: &[Part::Text("max-age=63072000; includeSubDomains")],
            only: &[],
            except: &[],
        },
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
            value: &[Part::Text("SAMEORIGIN")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "referrer-policy",
            value: &[Part::Text("strict-origin-when-cross-origin")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "server",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-powered-by",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-runtime",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-request-id",
            value: &[Part::RequestId],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Default,
            name: "cache-control",
            value: &[Part::Text("private, no-store")],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/*"`, site.kdl:77
fn rest(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(22).edited(&REST_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file_or(exchange, &PUBLIC, embed::At::Capture(0), rest_miss)
}

/// `request-headers` of `vhost "app.example"`, site.kdl:56
static APP_EXAMPLE_REQUEST_HEADERS: Edits<'static> = Edits {
    appended: b"",
    rules: &[
        Edit {
            action: EditAction::Set,
            name: "x-request-id",
            value: &[Part::RequestId],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-user-*",
            value: &[],
            only: &[],
            except: &[],
        },
    ],
};

/// `miss` of `route "/*"`, site.kdl:77
fn rest_miss(exchange: Exchange<'_>) -> Step<'_> {
    proxy::forward(exchange, &REST_MISS_PROXY)
}
static REST_MISS_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &APP_UPSTREAM,
    policy: proxy::Policy {
        edits: &APP_EXAMPLE_REQUEST_HEADERS,
        ..proxy::Policy::NEW
    },
    upstream_edits: &Edits::NONE,
    timeouts: APP_TIMEOUTS,
};

/// `route "/session"`, site.kdl:86
fn session(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(20);
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(8 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &REST_MISS_PROXY)
}
const SESSION_METHODS: Methods = Methods::of(&[Method::POST, Method::DELETE]);

/// `when` of `route "/attachments"`, site.kdl:92
fn attachments_if_post_put_and_app_session_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    exchange.is(Methods::of(&[Method::POST, Method::PUT]))
        && guard::cookie(head, "_app_session", &[])
}

/// `route "/attachments"`, site.kdl:92
fn attachments_if_post_put_and_app_session(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(8);
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(64 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &ATTACHMENTS_IF_POST_PUT_AND_APP_SESSION_PROXY)
}
static ATTACHMENTS_IF_POST_PUT_AND_APP_SESSION_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &APP_UPSTREAM,
    policy: proxy::Policy {
        edits: &APP_EXAMPLE_REQUEST_HEADERS,
        ..proxy::Policy::NEW
    },
    upstream_edits: &Edits::NONE,
    timeouts: upstream::Timeouts {
        first_byte: Duration::from_mins(2),
        ..APP_TIMEOUTS
    },
};

/// `when` of `route "/attachments/{id}"`, site.kdl:92
fn attachments_id_if_post_put_and_app_session_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    exchange.is(Methods::of(&[Method::POST, Method::PUT]))
        && guard::cookie(head, "_app_session", &[])
}

/// `route "/attachments/{id}"`, site.kdl:92
fn attachments_id_if_post_put_and_app_session(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(10);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(64 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &ATTACHMENTS_IF_POST_PUT_AND_APP_SESSION_PROXY)
}

/// `when` of `route "/attachments"`, site.kdl:98
fn attachments_if_post_put_when(exchange: &Exchange<'_>) -> bool {
    exchange.is(Methods::of(&[Method::POST, Method::PUT]))
}

/// `route "/attachments"`, site.kdl:98
fn attachments_if_post_put(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(9);
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 403)
}

/// `when` of `route "/attachments/{id}"`, site.kdl:98
fn attachments_id_if_post_put_when(exchange: &Exchange<'_>) -> bool {
    exchange.is(Methods::of(&[Method::POST, Method::PUT]))
}

/// `route "/attachments/{id}"`, site.kdl:98
fn attachments_id_if_post_put(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(11);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 403)
}

/// `when` of `route "/attachments/{id}"`, site.kdl:103
fn attachments_id_if_get_head_when(exchange: &Exchange<'_>) -> bool {
    exchange.is(Methods::GET_HEAD)
}

/// `route "/attachments/{id}"`, site.kdl:103
fn attachments_id_if_get_head(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(12);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::intercepted(
        exchange,
        &REST_MISS_PROXY,
        &ATTACHMENTS_ID_IF_GET_HEAD_INTERCEPTS,
    )
}
static ATTACHMENTS_ID_IF_GET_HEAD_INTERCEPTS: [proxy::Intercept; 1] = [
    proxy::Intercept {
        when: proxy::When::Field("x-accel-redirect"),
        then: proxy::Then::Accel(attachments_id_if_get_head_accel),
    },
];

/// `accel` of `route "/attachments/{id}"`, site.kdl:103
fn attachments_id_if_get_head_accel<'a>(exchange: Exchange<'a>, path: &str) -> Step<'a> {
    files::named(exchange, &ATTACHMENTS_ID_IF_GET_HEAD_ACCEL, path)
}
static ATTACHMENTS_ID_IF_GET_HEAD_ACCEL: files::Root = files::Root {
    directory: Value::Late(&UPLOADS),
    rules: Rules {
        is_encoded: true,
        ..Rules::NEW
    },
};

/// `when` of `route "/cable"`, site.kdl:109
fn cable_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    guard::header(head, "upgrade", &["websocket"])
}

/// `route "/cable"`, site.kdl:109
fn cable(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(13);
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &CABLE_PROXY)
}
static CABLE_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &APP_UPSTREAM,
    policy: proxy::Policy {
        edits: &APP_EXAMPLE_REQUEST_HEADERS,
        upgrades: &["websocket"],
        ..proxy::Policy::NEW
    },
    upstream_edits: &Edits::NONE,
    timeouts: upstream::Timeouts {
        tunnel_idle: Duration::from_mins(10),
        ..APP_TIMEOUTS
    },
};

/// `headers` of `route "/admin/*"`, site.kdl:121
static ADMIN_HEADERS: Edits<'static> = Edits {
    appended: b"",
    rules: &[
        Edit {
            action: EditAction::Set,
            name: "strict-transport-security",
            value: &[Part::Text("max-age=63072000; includeSubDomains")],
            only: &[],
            except: &[],
        },
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
            value: &[Part::Text("SAMEORIGIN")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "referrer-policy",
            value: &[Part::Text("strict-origin-when-cross-origin")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "server",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-powered-by",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-runtime",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-request-id",
            value: &[Part::RequestId],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("no-store")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-robots-tag",
            value: &[Part::Text("noindex, nofollow")],
            only: &[],
            except: &[],
        },
    ],
};

/// `access` of `vhost "app.example"`, site.kdl:56
static APP_EXAMPLE_ACCESS_: access::List<'static> = access::List {
    rules: &[
        access::Rule {
            verdict: access::Verdict::Allow,
            networks: Networks {
                v4: &[(0x0a00_0000, 0x0aff_ffff), (0xc000_0200, 0xc000_02ff)],
                v6: &[],
            },
        },
    ],
};

/// `route "/admin/*"`, site.kdl:121
fn admin(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(6).edited(&ADMIN_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS, APP_EXAMPLE_ACCESS_]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &REST_MISS_PROXY)
}

/// `when` of `route "/admin/jobs/*"`, site.kdl:123
fn admin_jobs_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    guard::query(head, "format", &["json", "ndjson"])
}

/// `request-headers` of `route "/admin/jobs/*"`, site.kdl:123
static ADMIN_JOBS_REQUEST_HEADERS: Edits<'static> = Edits {
    appended: b"",
    rules: &[
        Edit {
            action: EditAction::Set,
            name: "x-request-id",
            value: &[Part::RequestId],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-user-*",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "accept",
            value: &[Part::Text("application/json")],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/admin/jobs/*"`, site.kdl:123
fn admin_jobs(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(4).edited(&ADMIN_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS, APP_EXAMPLE_ACCESS_]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &ADMIN_JOBS_PROXY)
}
static ADMIN_JOBS_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &APP_UPSTREAM,
    policy: proxy::Policy {
        edits: &ADMIN_JOBS_REQUEST_HEADERS,
        ..proxy::Policy::NEW
    },
    upstream_edits: &Edits::NONE,
    timeouts: APP_TIMEOUTS,
};

/// `access` of `route "/admin/webhooks/payments"`, site.kdl:129
static ADMIN_WEBHOOKS_PAYMENTS_ACCESS: access::List<'static> = access::List {
    rules: &[
        access::Rule {
            verdict: access::Verdict::Allow,
            networks: Networks {
                v4: &[(0xc633_6400, 0xc633_64ff)],
                v6: &[],
            },
        },
    ],
};

/// `route "/admin/webhooks/payments"`, site.kdl:129
fn admin_webhooks_payments(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(5).edited(&ADMIN_HEADERS);
    if !access::allows(&exchange, &[ADMIN_WEBHOOKS_PAYMENTS_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(64 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &ADMIN_WEBHOOKS_PAYMENTS_PROXY)
}
static ADMIN_WEBHOOKS_PAYMENTS_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &APP_UPSTREAM,
    policy: proxy::Policy {
        edits: &APP_EXAMPLE_REQUEST_HEADERS,
        ..proxy::Policy::NEW
    },
    upstream_edits: &Edits::NONE,
    timeouts: upstream::Timeouts {
        total: Some(Duration::from_secs(10)),
        ..APP_TIMEOUTS
    },
};
const ADMIN_WEBHOOKS_PAYMENTS_METHODS: Methods = Methods::of(&[Method::POST]);

/// `route "/.env"`, site.kdl:138
fn env(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(2);
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::abort(exchange)
}

/// `route "/.git/*"`, site.kdl:138
fn git(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(3);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::abort(exchange)
}

/// `route "/config/*"`, site.kdl:138
fn config(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(14);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::abort(exchange)
}

/// `when` of `route "/*"`, site.kdl:139
fn rest_if_extension_php_asp_aspx_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    guard::extension(head, &["php", "asp", "aspx", "jsp", "cgi"])
}

/// `route "/*"`, site.kdl:139
fn rest_if_extension_php_asp_aspx(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.placed(21);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[APP_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(2 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 404)
}
