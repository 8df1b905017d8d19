//! `vhost "spa.example"`, site.kdl:38

use runtime::{
    Answer, Edit, EditAction, Edits, Exchange, Method, Methods, Part, Rules, Step, cors,
    embed, guard, proxy, respond, upstream,
};
use crate::error_pages::SITE_ERRORS;
use crate::headers::SITE_HEADERS;
use crate::maps::ENVIRONMENT_MAP;
use crate::upstreams::{API_TIMEOUTS, API_UPSTREAM};

/// `vhost "spa.example"`, site.kdl:38
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&SITE_HEADERS).with_errors(&SITE_ERRORS);
    match exchange.path() {
        "/api/news" => {
            if exchange.is(Methods::GET_HEAD)
                || cors::asks_for(&exchange, Methods::GET_HEAD)
            {
                return api_news(exchange);
            }
            return respond::method_not_allowed(exchange, Methods::GET_HEAD);
        }
        "/healthz" => return healthz(exchange),
        "/widget.js" => {
            if exchange.is(Methods::GET_HEAD)
                || cors::asks_for(&exchange, Methods::GET_HEAD)
            {
                return widget_js(exchange);
            }
            return respond::method_not_allowed(exchange, Methods::GET_HEAD);
        }
        "/worker.js" => {
            if exchange.is(Methods::GET_HEAD) {
                return worker_js(exchange);
            }
            return respond::method_not_allowed(exchange, Methods::GET_HEAD);
        }
        _ => {}
    }
    if exchange.matches("/api/projects/{id}/files") {
        if exchange.is(API_PROJECTS_ID_FILES_METHODS)
            || cors::asks_for(&exchange, API_PROJECTS_ID_FILES_METHODS)
        {
            return api_projects_id_files(exchange);
        }
        return respond::method_not_allowed(exchange, API_PROJECTS_ID_FILES_METHODS);
    }
    if exchange.matches("/api/v0/project/{id}") {
        if exchange.is(Methods::GET_HEAD) || cors::asks_for(&exchange, Methods::GET_HEAD)
        {
            return api_v0_project_id(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/api/*") {
        return api(exchange);
    }
    if exchange.matches("/assets/*") {
        if exchange.is(Methods::GET_HEAD) {
            return assets_route(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/*") {
        let mut methods = Methods::NONE;
        if rest_if_extension_js_css_map_svg_when(&exchange) {
            if exchange.is(Methods::GET_HEAD) {
                return rest_if_extension_js_css_map_svg(exchange);
            }
            methods = methods.union(Methods::GET_HEAD);
        }
        if exchange.is(Methods::GET_HEAD) {
            return rest(exchange);
        }
        methods = methods.union(Methods::GET_HEAD);
        return respond::method_not_allowed(exchange, methods);
    }
    respond::not_found(exchange)
}

/// `headers` of `route "/*"`, site.kdl:40
static REST_HEADERS: Edits<'static> = Edits {
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
            name: "referrer-policy",
            value: &[Part::Text("no-referrer")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "content-security-policy",
            value: &[
                Part::Text(
                    "default-src 'self'; connect-src 'self' https://events.example; img-src 'self' data:",
                ),
            ],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cross-origin-opener-policy",
            value: &[Part::Text("same-origin")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("no-cache")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-environment",
            value: &[Part::Map(&ENVIRONMENT_MAP)],
            only: &[],
            except: &[],
        },
    ],
};

/// `dist`
static DIST: embed::Tree = embed::Tree::new(
    assets::BLOB,
    0,
    Rules {
        spa: Some("index.html"),
        ..Rules::NEW
    },
);

/// `route "/*"`, site.kdl:40
fn rest(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&REST_HEADERS);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &DIST, embed::At::Capture(0))
}

/// `when` of `route "/*"`, site.kdl:49
fn rest_if_extension_js_css_map_svg_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    guard::extension(
        head,
        &[
            "js",
            "css",
            "map",
            "svg",
            "png",
            "webp",
            "ico",
            "woff2",
            "webmanifest",
            "json",
            "txt",
        ],
    )
}

/// `headers` of `route "/*"`, site.kdl:49
static REST_IF_EXTENSION_JS_CSS_MAP_SVG_HEADERS: Edits<'static> = Edits {
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
            name: "referrer-policy",
            value: &[Part::Text("no-referrer")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("max-age=300")],
            only: &[],
            except: &[],
        },
    ],
};

/// `dist`
static DIST_TREE: embed::Tree = embed::Tree::new(assets::BLOB, 0, Rules::NEW);

/// `route "/*"`, site.kdl:49
fn rest_if_extension_js_css_map_svg(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&REST_IF_EXTENSION_JS_CSS_MAP_SVG_HEADERS);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &DIST_TREE, embed::At::Capture(0))
}

/// `dist/assets`
static DIST_ASSETS: embed::Tree = embed::Tree::new(
    assets::BLOB,
    1,
    Rules {
        immutable: &["*"],
        ..Rules::NEW
    },
);

/// `route "/assets/*"`, site.kdl:55
fn assets_route(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &DIST_ASSETS, embed::At::Capture(0))
}

/// `headers` of `route "/worker.js"`, site.kdl:59
static WORKER_JS_HEADERS: Edits<'static> = Edits {
    appended: b"service-worker-allowed: /\r\n",
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
            name: "referrer-policy",
            value: &[Part::Text("no-referrer")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("no-cache")],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/worker.js"`, site.kdl:59
fn worker_js(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&WORKER_JS_HEADERS);
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &DIST_TREE, embed::At::Path)
}

/// `headers` of `route "/widget.js"`, site.kdl:65
static WIDGET_JS_HEADERS: Edits<'static> = Edits {
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
            name: "referrer-policy",
            value: &[Part::Text("no-referrer")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("max-age=3600")],
            only: &[],
            except: &[],
        },
    ],
};

/// `cors` of `route "/widget.js"`, site.kdl:65
static WIDGET_JS_CORS: cors::Policy<'static> = cors::Policy {
    origins: cors::Origins::Any,
    methods: cors::Allowed::Listed(&[]),
    headers: cors::Allowed::Listed(&[]),
    exposed: cors::Allowed::Listed(&[]),
    max_age_s: None,
};

/// `route "/widget.js"`, site.kdl:65
fn widget_js(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&WIDGET_JS_HEADERS);
    let exchange = exchange.shared(&WIDGET_JS_CORS);
    if cors::is_preflight(&exchange) {
        return cors::preflight(exchange, &WIDGET_JS_CORS);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &DIST_TREE, embed::At::Path)
}

/// `headers` of `route "/api/*"`, site.kdl:86
static API_HEADERS: Edits<'static> = Edits {
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
            name: "referrer-policy",
            value: &[Part::Text("no-referrer")],
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
    ],
};

/// `cors` of `vhost "spa.example"`, site.kdl:38
static SPA_EXAMPLE_CORS: cors::Policy<'static> = cors::Policy {
    origins: cors::Origins::Listed {
        origins: &["https://partner.example", "http://localhost:5173"],
        has_credentials: true,
    },
    methods: cors::Allowed::Listed(&["GET", "PUT", "PATCH", "DELETE"]),
    headers: cors::Allowed::Listed(&["authorization", "content-type", "x-request-id"]),
    exposed: cors::Allowed::Listed(&["x-total-count", "location"]),
    max_age_s: Some(600),
};

/// `upstream-headers` of `vhost "spa.example"`, site.kdl:38
static SPA_EXAMPLE_UPSTREAM_HEADERS: Edits<'static> = Edits {
    appended: b"",
    rules: &[
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
            name: "set-cookie",
            value: &[],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/api/*"`, site.kdl:86
fn api(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&API_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    let exchange = exchange.shared(&SPA_EXAMPLE_CORS);
    if cors::is_preflight(&exchange) {
        return cors::preflight(exchange, &SPA_EXAMPLE_CORS);
    }
    if exchange.exceeds_body(64 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &API_PROXY)
}
static API_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &API_UPSTREAM,
    policy: proxy::Policy {
        target: proxy::Target::Strip("/api"),
        ..proxy::Policy::NEW
    },
    upstream_edits: &SPA_EXAMPLE_UPSTREAM_HEADERS,
    timeouts: API_TIMEOUTS,
};

/// `route "/api/projects/{id}/files"`, site.kdl:87
fn api_projects_id_files(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&API_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    let exchange = exchange.shared(&SPA_EXAMPLE_CORS);
    if cors::is_preflight(&exchange) {
        return cors::preflight(exchange, &SPA_EXAMPLE_CORS);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &API_PROXY)
}
const API_PROJECTS_ID_FILES_METHODS: Methods = Methods::of(&[Method::PUT]);

/// `route "/api/news"`, site.kdl:93
fn api_news(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&API_HEADERS);
    let exchange = exchange.shared(&SPA_EXAMPLE_CORS);
    if cors::is_preflight(&exchange) {
        return cors::preflight(exchange, &SPA_EXAMPLE_CORS);
    }
    if exchange.exceeds_body(64 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &API_NEWS_PROXY)
}
static API_NEWS_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &API_UPSTREAM,
    policy: proxy::Policy {
        target: proxy::Target::Strip("/api"),
        ..proxy::Policy::NEW
    },
    upstream_edits: &SPA_EXAMPLE_UPSTREAM_HEADERS,
    timeouts: upstream::Timeouts {
        total: None,
        ..API_TIMEOUTS
    },
};

/// `route "/api/v0/project/{id}"`, site.kdl:98
fn api_v0_project_id(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&API_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    let exchange = exchange.shared(&SPA_EXAMPLE_CORS);
    if cors::is_preflight(&exchange) {
        return cors::preflight(exchange, &SPA_EXAMPLE_CORS);
    }
    if exchange.exceeds_body(64 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::intercepted(exchange, &API_V0_PROJECT_ID_PROXY, &API_V0_PROJECT_ID_INTERCEPTS)
}
static API_V0_PROJECT_ID_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &API_UPSTREAM,
    policy: proxy::Policy {
        target: proxy::Target::Template(
            &[Part::Text("/projects/"), Part::Parameter(0), Part::Text("?fields=all")],
        ),
        ..proxy::Policy::NEW
    },
    upstream_edits: &SPA_EXAMPLE_UPSTREAM_HEADERS,
    timeouts: API_TIMEOUTS,
};
static API_V0_PROJECT_ID_INTERCEPTS: [proxy::Intercept; 1] = [
    proxy::Intercept {
        when: proxy::When::Statuses(&[404, 410]),
        then: proxy::Then::Handler(api_v0_project_id_on_404_410),
    },
];

/// `intercept` of `route "/api/v0/project/{id}"`, site.kdl:98
fn api_v0_project_id_on_404_410(exchange: Exchange<'_>) -> Step<'_> {
    respond::prebuilt(exchange, &API_V0_PROJECT_ID_ON_404_410)
}
static API_V0_PROJECT_ID_ON_404_410: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n",
    body: b"{}",
};

/// `route "/healthz"`, site.kdl:109
fn healthz(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&Edits::NONE);
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
