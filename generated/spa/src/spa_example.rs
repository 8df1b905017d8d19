//! `vhost "spa.example"`, site.kdl:31

use runtime::{
    Answer, Edit, EditAction, Edits, Exchange, Method, Methods, Part, Rules, Step, cors,
    embed, guard, respond,
};
use crate::error_pages::SITE_ERRORS;
use crate::headers::SITE_HEADERS;
use crate::maps::ENVIRONMENT_MAP;

/// `vhost "spa.example"`, site.kdl:31
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&SITE_HEADERS).with_errors(&SITE_ERRORS);
    match exchange.path() {
        "/api/projects" => {
            if exchange.is(Methods::GET_HEAD)
                || cors::asks_for(&exchange, Methods::GET_HEAD)
            {
                return api_projects_get(exchange);
            }
            if exchange.is(API_PROJECTS_POST_METHODS)
                || cors::asks_for(&exchange, API_PROJECTS_POST_METHODS)
            {
                return api_projects_post(exchange);
            }
            return respond::method_not_allowed(
                exchange,
                Methods::GET_HEAD.union(API_PROJECTS_POST_METHODS),
            );
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
    if exchange.matches("/api/projects/{id}") {
        if exchange.is(API_PROJECTS_ID_GET_PUT_PATCH_METHODS)
            || cors::asks_for(&exchange, API_PROJECTS_ID_GET_PUT_PATCH_METHODS)
        {
            return api_projects_id_get_put_patch(exchange);
        }
        if exchange.is(API_PROJECTS_ID_DELETE_METHODS)
            || cors::asks_for(&exchange, API_PROJECTS_ID_DELETE_METHODS)
        {
            return api_projects_id_delete(exchange);
        }
        return respond::method_not_allowed(
            exchange,
            API_PROJECTS_ID_GET_PUT_PATCH_METHODS.union(API_PROJECTS_ID_DELETE_METHODS),
        );
    }
    if exchange.matches("/api/projects/{id}/files") {
        if exchange.is(API_PROJECTS_ID_FILES_METHODS)
            || cors::asks_for(&exchange, API_PROJECTS_ID_FILES_METHODS)
        {
            return api_projects_id_files(exchange);
        }
        return respond::method_not_allowed(exchange, API_PROJECTS_ID_FILES_METHODS);
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

/// `headers` of `route "/*"`, site.kdl:33
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

/// `route "/*"`, site.kdl:33
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

/// `when` of `route "/*"`, site.kdl:42
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

/// `headers` of `route "/*"`, site.kdl:42
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

/// `route "/*"`, site.kdl:42
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

/// `route "/assets/*"`, site.kdl:48
fn assets_route(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &DIST_ASSETS, embed::At::Capture(0))
}

/// `headers` of `route "/worker.js"`, site.kdl:52
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

/// `route "/worker.js"`, site.kdl:52
fn worker_js(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&WORKER_JS_HEADERS);
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &DIST_TREE, embed::At::Path)
}

/// `headers` of `route "/widget.js"`, site.kdl:58
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

/// `cors` of `route "/widget.js"`, site.kdl:58
static WIDGET_JS_CORS: cors::Policy<'static> = cors::Policy {
    origins: cors::Origins::Any,
    methods: cors::Allowed::Listed(&[]),
    headers: cors::Allowed::Listed(&[]),
    exposed: cors::Allowed::Listed(&[]),
    max_age_s: None,
};

/// `route "/widget.js"`, site.kdl:58
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

/// `headers` of `route "/api/projects"`, site.kdl:76
static API_PROJECTS_GET_HEADERS: Edits<'static> = Edits {
    appended: b"x-total-count: 2\r\n",
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

/// `cors` of `vhost "spa.example"`, site.kdl:31
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

/// `route "/api/projects"`, site.kdl:76
fn api_projects_get(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&API_PROJECTS_GET_HEADERS);
    let exchange = exchange.shared(&SPA_EXAMPLE_CORS);
    if cors::is_preflight(&exchange) {
        return cors::preflight(exchange, &SPA_EXAMPLE_CORS);
    }
    if exchange.exceeds_body(64 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &API_PROJECTS_GET)
}
static API_PROJECTS_GET: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 45\r\n",
    body: b"[{\"id\":1,\"name\":\"One\"},{\"id\":2,\"name\":\"Two\"}]",
};

/// `headers` of `route "/api/projects"`, site.kdl:81
static API_PROJECTS_POST_HEADERS: Edits<'static> = Edits {
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
        Edit {
            action: EditAction::Set,
            name: "location",
            value: &[Part::Text("/api/projects/3")],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/api/projects"`, site.kdl:81
fn api_projects_post(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&API_PROJECTS_POST_HEADERS);
    let exchange = exchange.shared(&SPA_EXAMPLE_CORS);
    if cors::is_preflight(&exchange) {
        return cors::preflight(exchange, &SPA_EXAMPLE_CORS);
    }
    if exchange.exceeds_body(64 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &API_PROJECTS_POST)
}
static API_PROJECTS_POST: Answer = Answer {
    status: 201,
    head: b"HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 8\r\n",
    body: b"{\"id\":3}",
};
const API_PROJECTS_POST_METHODS: Methods = Methods::of(&[Method::POST]);

/// `headers` of `route "/api/projects/{id}"`, site.kdl:86
static API_PROJECTS_ID_GET_PUT_PATCH_HEADERS: Edits<'static> = Edits {
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

/// `route "/api/projects/{id}"`, site.kdl:86
fn api_projects_id_get_put_patch(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&API_PROJECTS_ID_GET_PUT_PATCH_HEADERS);
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
    respond::template(exchange, &API_PROJECTS_ID_GET_PUT_PATCH)
}
static API_PROJECTS_ID_GET_PUT_PATCH: respond::Template = respond::Template {
    status: 200,
    content_type: "application/json",
    body: &[Part::Text("{\"id\":\""), Part::Parameter(0), Part::Text("\"}")],
};
const API_PROJECTS_ID_GET_PUT_PATCH_METHODS: Methods = Methods::of(
    &[Method::GET, Method::HEAD, Method::PUT, Method::PATCH],
);

/// `route "/api/projects/{id}"`, site.kdl:90
fn api_projects_id_delete(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&API_PROJECTS_ID_GET_PUT_PATCH_HEADERS);
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
    respond::prebuilt(exchange, &API_PROJECTS_ID_DELETE)
}
static API_PROJECTS_ID_DELETE: Answer = Answer {
    status: 204,
    head: b"HTTP/1.1 204 No Content\r\n",
    body: b"",
};
const API_PROJECTS_ID_DELETE_METHODS: Methods = Methods::of(&[Method::DELETE]);

/// `route "/api/projects/{id}/files"`, site.kdl:91
fn api_projects_id_files(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&API_PROJECTS_ID_GET_PUT_PATCH_HEADERS);
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
    respond::prebuilt(exchange, &API_PROJECTS_ID_FILES)
}
static API_PROJECTS_ID_FILES: Answer = Answer {
    status: 202,
    head: b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n",
    body: b"",
};
const API_PROJECTS_ID_FILES_METHODS: Methods = Methods::of(&[Method::PUT]);

/// `route "/api/*"`, site.kdl:97
fn api(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&API_PROJECTS_ID_GET_PUT_PATCH_HEADERS);
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
    respond::prebuilt(exchange, &API)
}
static API: Answer = Answer {
    status: 404,
    head: b"HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 28\r\n",
    body: b"{\"error\":\"no such resource\"}",
};

/// `route "/healthz"`, site.kdl:100
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
