//! `vhost "*.tenants.example"`, vhosts/customers.kdl:2

use runtime::{
    Answer, Edit, EditAction, Edits, Exchange, Method, Methods, Networks, Part, Rules,
    Step, access, embed, guard, proxy, redirect, respond, split,
};
use crate::error_pages::SITE_ERRORS;
use crate::late_values::REGION;
use crate::maps::{NAME_MAP, PLAN_MAP, THEME_MAP, UPLOADS_MAP};
use crate::upstreams::{
    NEXT_SHOP_TIMEOUTS, NEXT_SHOP_UPSTREAM, SHOP_TIMEOUTS, SHOP_UPSTREAM, STORE_TIMEOUTS,
    STORE_UPSTREAM,
};

/// `headers` of `vhost "*.tenants.example"`, vhosts/customers.kdl:2
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
            name: "x-region",
            value: &[Part::Late(&REGION)],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-tenant",
            value: &[Part::Map(&NAME_MAP)],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-plan",
            value: &[Part::Map(&PLAN_MAP)],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Default,
            name: "cache-control",
            value: &[Part::Text("private, max-age=60")],
            only: &[],
            except: &[],
        },
    ],
};

/// `vhost "*.tenants.example"`, vhosts/customers.kdl:2
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange
        .placed(1)
        .edited(&ANY_TENANTS_EXAMPLE_HEADERS)
        .with_errors(&SITE_ERRORS);
    match exchange.path() {
        "/" => {
            if root_if_mapped_and_preview_when(&exchange) {
                return root_if_mapped_and_preview(exchange);
            }
            if root_if_mapped_when(&exchange) {
                return root_if_mapped(exchange);
            }
        }
        "/events" => {
            if events_if_mapped_and_h2_h3_when(&exchange) {
                return events_if_mapped_and_h2_h3(exchange);
            }
            if events_if_mapped_when(&exchange) {
                return events_if_mapped(exchange);
            }
        }
        "/landing" => {
            if landing_if_mapped_and_visitor_when(&exchange) {
                return landing_if_mapped_and_visitor(exchange);
            }
            if landing_if_mapped_when(&exchange) {
                return landing_if_mapped(exchange);
            }
        }
        "/landing/b" => {
            if landing_b_when(&exchange) {
                return landing_b(exchange);
            }
        }
        "/style.css" => {
            let mut methods = Methods::NONE;
            if style_css_when(&exchange) {
                if exchange.is(Methods::GET_HEAD) {
                    return style_css(exchange);
                }
                methods = methods.union(Methods::GET_HEAD);
            }
            if !methods.is_empty() {
                return respond::method_not_allowed(exchange, methods);
            }
        }
        _ => {}
    }
    if exchange.matches("/about/{page}") {
        if about_page_when(&exchange) {
            return about_page(exchange);
        }
    }
    if exchange.matches("/admin/hooks/{hook}") {
        let mut methods = Methods::NONE;
        if admin_hooks_hook_when(&exchange) {
            if exchange.is(ADMIN_HOOKS_HOOK_METHODS) {
                return admin_hooks_hook(exchange);
            }
            methods = methods.union(ADMIN_HOOKS_HOOK_METHODS);
        }
        if !methods.is_empty() {
            return respond::method_not_allowed(exchange, methods);
        }
    }
    if exchange.matches("/admin/invoices/*") {
        if admin_invoices_when(&exchange) {
            return admin_invoices(exchange);
        }
    }
    if exchange.matches("/admin/*") {
        if admin_when(&exchange) {
            return admin(exchange);
        }
    }
    if exchange.matches("/files/large/{name}") {
        if files_large_name_when(&exchange) {
            return files_large_name(exchange);
        }
    }
    if exchange.matches("/files/{rest*}") {
        if files_if_mapped_and_post_put_when(&exchange) {
            return files_if_mapped_and_post_put(exchange);
        }
        if files_rest_when(&exchange) {
            return files_rest(exchange);
        }
        if files_if_mapped_when(&exchange) {
            return files_if_mapped(exchange);
        }
    }
    if exchange.matches("/shop/*") {
        if shop_when(&exchange) {
            return shop(exchange);
        }
    }
    if exchange.matches("/*") {
        return rest(exchange);
    }
    respond::not_found(exchange)
}

/// `route "/*"`, vhosts/customers.kdl:10
fn rest(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 404)
}

/// `when` of `route "/"`, vhosts/customers.kdl:17
fn root_if_mapped_and_preview_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    exchange.has_row(&NAME_MAP) && guard::query(head, "preview", &["1", "true"])
        && guard::cookie(head, "role", &["author", "editor"])
}

/// `headers` of `route "/"`, vhosts/customers.kdl:17
static ROOT_IF_MAPPED_AND_PREVIEW_HEADERS: Edits<'static> = Edits {
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
            name: "x-region",
            value: &[Part::Late(&REGION)],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-tenant",
            value: &[Part::Map(&NAME_MAP)],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-plan",
            value: &[Part::Map(&PLAN_MAP)],
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

/// `route "/"`, vhosts/customers.kdl:17
fn root_if_mapped_and_preview(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&ROOT_IF_MAPPED_AND_PREVIEW_HEADERS);
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &ROOT_IF_MAPPED_AND_PREVIEW)
}
static ROOT_IF_MAPPED_AND_PREVIEW: respond::Template = respond::Template {
    status: 200,
    content_type: "text/html; charset=utf-8",
    body: &[
        Part::Text("<!doctype html><title>"),
        Part::Map(&NAME_MAP),
        Part::Text(" (preview)</title>\n"),
    ],
};

/// `when` of `route "/"`, vhosts/customers.kdl:22
fn root_if_mapped_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP)
}

/// `route "/"`, vhosts/customers.kdl:22
fn root_if_mapped(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &ROOT_IF_MAPPED)
}
static ROOT_IF_MAPPED: respond::Template = respond::Template {
    status: 200,
    content_type: "text/html; charset=utf-8",
    body: &[
        Part::Text("<!doctype html><html class=\""),
        Part::Map(&THEME_MAP),
        Part::Text("\"><title>"),
        Part::Map(&NAME_MAP),
        Part::Text("</title>\n"),
    ],
};

/// `when` of `route "/about/{page}"`, vhosts/customers.kdl:25
fn about_page_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP)
}

/// `route "/about/{page}"`, vhosts/customers.kdl:25
fn about_page(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &ABOUT_PAGE)
}
static ABOUT_PAGE: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[
        Part::Map(&NAME_MAP),
        Part::Text(": about "),
        Part::Parameter(0),
        Part::Text("\n"),
    ],
};

/// `when` of `route "/style.css"`, vhosts/customers.kdl:26
fn style_css_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP)
}

/// `headers` of `route "/style.css"`, vhosts/customers.kdl:26
static STYLE_CSS_HEADERS: Edits<'static> = Edits {
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
            name: "x-region",
            value: &[Part::Late(&REGION)],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-tenant",
            value: &[Part::Map(&NAME_MAP)],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-plan",
            value: &[Part::Map(&PLAN_MAP)],
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

/// `../public`
static PUBLIC: embed::Tree = embed::Tree::new(assets::BLOB, 0, Rules::NEW);

/// `route "/style.css"`, vhosts/customers.kdl:26
fn style_css(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&STYLE_CSS_HEADERS);
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PUBLIC, embed::At::Path)
}

/// `when` of `route "/shop/*"`, vhosts/customers.kdl:32
fn shop_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP)
}

/// `route "/shop/*"`, vhosts/customers.kdl:32
fn shop(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    match split::pick(&exchange, &SHOP_) {
        0 => shop_90(exchange),
        _ => shop_10(exchange),
    }
}
static SHOP_: split::Split = split::Split {
    by: &[Part::Host],
    salt: "*.tenants.example /shop/*",
    weights: &[90, 10],
};

/// `request-headers` of `vhost "*.tenants.example"`, vhosts/customers.kdl:2
static ANY_TENANTS_EXAMPLE_REQUEST_HEADERS: Edits<'static> = Edits {
    appended: b"",
    rules: &[
        Edit {
            action: EditAction::Set,
            name: "x-tenant",
            value: &[Part::Map(&NAME_MAP)],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-plan",
            value: &[Part::Map(&PLAN_MAP)],
            only: &[],
            except: &[],
        },
    ],
};

/// `share 90` of `route "/shop/*"`, vhosts/customers.kdl:32
fn shop_90(exchange: Exchange<'_>) -> Step<'_> {
    proxy::forward(exchange, &SHOP_90_PROXY)
}
static SHOP_90_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &SHOP_UPSTREAM,
    policy: proxy::Policy {
        target: proxy::Target::Strip("/shop"),
        edits: &ANY_TENANTS_EXAMPLE_REQUEST_HEADERS,
        ..proxy::Policy::NEW
    },
    upstream_edits: &Edits::NONE,
    timeouts: SHOP_TIMEOUTS,
};

/// `share 10` of `route "/shop/*"`, vhosts/customers.kdl:32
fn shop_10(exchange: Exchange<'_>) -> Step<'_> {
    proxy::forward(exchange, &SHOP_10_PROXY)
}
static SHOP_10_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &NEXT_SHOP_UPSTREAM,
    policy: proxy::Policy {
        target: proxy::Target::Strip("/shop"),
        edits: &ANY_TENANTS_EXAMPLE_REQUEST_HEADERS,
        ..proxy::Policy::NEW
    },
    upstream_edits: &Edits::NONE,
    timeouts: NEXT_SHOP_TIMEOUTS,
};

/// `when` of `route "/landing"`, vhosts/customers.kdl:39
fn landing_if_mapped_and_visitor_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    exchange.has_row(&NAME_MAP) && guard::cookie(head, "visitor", &[])
}

/// `route "/landing"`, vhosts/customers.kdl:39
fn landing_if_mapped_and_visitor(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    match split::pick(&exchange, &LANDING_IF_MAPPED_AND_VISITOR) {
        0 => landing_if_mapped_and_visitor_1(exchange),
        _ => landing_if_mapped_and_visitor_1_2(exchange),
    }
}
static LANDING_IF_MAPPED_AND_VISITOR: split::Split = split::Split {
    by: &[Part::Cookie("visitor")],
    salt: "*.tenants.example /landing",
    weights: &[1, 1],
};

/// `share 1` of `route "/landing"`, vhosts/customers.kdl:39
fn landing_if_mapped_and_visitor_1(exchange: Exchange<'_>) -> Step<'_> {
    respond::prebuilt(exchange, &LANDING_IF_MAPPED_AND_VISITOR_1)
}
static LANDING_IF_MAPPED_AND_VISITOR_1: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 10\r\n",
    body: b"landing a\n",
};

/// `share 1` of `route "/landing"`, vhosts/customers.kdl:39
fn landing_if_mapped_and_visitor_1_2(exchange: Exchange<'_>) -> Step<'_> {
    redirect::to(exchange, &LANDING_IF_MAPPED_AND_VISITOR_1_2)
}
static LANDING_IF_MAPPED_AND_VISITOR_1_2: redirect::Target = redirect::Target {
    status: 302,
    parts: &[Part::Text("/landing/b")],
    drops_query: false,
};

/// `when` of `route "/landing"`, vhosts/customers.kdl:46
fn landing_if_mapped_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP)
}

/// `route "/landing"`, vhosts/customers.kdl:46
fn landing_if_mapped(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &LANDING_IF_MAPPED)
}
static LANDING_IF_MAPPED: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 10\r\n",
    body: b"landing a\n",
};

/// `when` of `route "/landing/b"`, vhosts/customers.kdl:47
fn landing_b_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP)
}

/// `route "/landing/b"`, vhosts/customers.kdl:47
fn landing_b(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &LANDING_B)
}
static LANDING_B: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 10\r\n",
    body: b"landing b\n",
};

/// `when` of `route "/files/large/{name}"`, vhosts/customers.kdl:53
fn files_large_name_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP) && exchange.is(Methods::of(&[Method::PUT]))
        && exchange.has_row(&UPLOADS_MAP)
}

/// `route "/files/large/{name}"`, vhosts/customers.kdl:53
fn files_large_name(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &FILES_LARGE_NAME_PROXY)
}
static FILES_LARGE_NAME_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &STORE_UPSTREAM,
    policy: proxy::Policy {
        target: proxy::Target::Template(
            &[Part::Text("/"), Part::Host, Part::Text("/large/"), Part::Parameter(0)],
        ),
        host: proxy::HostPolicy::Literal("store.internal"),
        edits: &ANY_TENANTS_EXAMPLE_REQUEST_HEADERS,
        ..proxy::Policy::NEW
    },
    upstream_edits: &Edits::NONE,
    timeouts: STORE_TIMEOUTS,
};

/// `when` of `route "/files/{rest*}"`, vhosts/customers.kdl:58
fn files_if_mapped_and_post_put_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP) && exchange.is(Methods::of(&[Method::POST, Method::PUT]))
        && exchange.has_row(&UPLOADS_MAP)
}

/// `route "/files/{rest*}"`, vhosts/customers.kdl:58
fn files_if_mapped_and_post_put(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(256 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::forward(exchange, &FILES_IF_MAPPED_AND_POST_PUT_PROXY)
}
static FILES_IF_MAPPED_AND_POST_PUT_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &STORE_UPSTREAM,
    policy: proxy::Policy {
        target: proxy::Target::Template(
            &[Part::Text("/"), Part::Host, Part::Text("/"), Part::Parameter(0)],
        ),
        host: proxy::HostPolicy::Literal("store.internal"),
        edits: &ANY_TENANTS_EXAMPLE_REQUEST_HEADERS,
        ..proxy::Policy::NEW
    },
    upstream_edits: &Edits::NONE,
    timeouts: STORE_TIMEOUTS,
};

/// `when` of `route "/files/{rest*}"`, vhosts/customers.kdl:62
fn files_rest_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP) && exchange.is(Methods::of(&[Method::POST, Method::PUT]))
}

/// `route "/files/{rest*}"`, vhosts/customers.kdl:62
fn files_rest(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(256 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 402)
}

/// `when` of `route "/files/{rest*}"`, vhosts/customers.kdl:66
fn files_if_mapped_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP)
}

/// `upstream-headers` of `route "/files/{rest*}"`, vhosts/customers.kdl:66
static FILES_IF_MAPPED_UPSTREAM_HEADERS: Edits<'static> = Edits {
    appended: b"",
    rules: &[
        Edit {
            action: EditAction::Remove,
            name: "set-cookie",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-amz-*",
            value: &[],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/files/{rest*}"`, vhosts/customers.kdl:66
fn files_if_mapped(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(256 * 1024) {
        return respond::refused(exchange, 413);
    }
    proxy::intercepted(exchange, &FILES_IF_MAPPED_PROXY, &FILES_IF_MAPPED_INTERCEPTS)
}
static FILES_IF_MAPPED_PROXY: proxy::Proxy = proxy::Proxy {
    upstream: &STORE_UPSTREAM,
    policy: proxy::Policy {
        target: proxy::Target::Template(
            &[Part::Text("/"), Part::Host, Part::Text("/"), Part::Parameter(0)],
        ),
        host: proxy::HostPolicy::Literal("store.internal"),
        edits: &ANY_TENANTS_EXAMPLE_REQUEST_HEADERS,
        ..proxy::Policy::NEW
    },
    upstream_edits: &FILES_IF_MAPPED_UPSTREAM_HEADERS,
    timeouts: STORE_TIMEOUTS,
};
static FILES_IF_MAPPED_INTERCEPTS: [proxy::Intercept; 1] = [
    proxy::Intercept {
        when: proxy::When::Statuses(&[404]),
        then: proxy::Then::Handler(files_if_mapped_on_404),
    },
];

/// `intercept` of `route "/files/{rest*}"`, vhosts/customers.kdl:66
fn files_if_mapped_on_404(exchange: Exchange<'_>) -> Step<'_> {
    respond::template(exchange, &FILES_IF_MAPPED_ON_404)
}
static FILES_IF_MAPPED_ON_404: respond::Template = respond::Template {
    status: 404,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::Map(&NAME_MAP), Part::Text(" has no such file\n")],
};

/// `when` of `route "/events"`, vhosts/customers.kdl:79
fn events_if_mapped_and_h2_h3_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    exchange.has_row(&NAME_MAP)
        && guard::protocol(head, &[guard::Protocol::H2, guard::Protocol::H3])
}

/// `route "/events"`, vhosts/customers.kdl:79
fn events_if_mapped_and_h2_h3(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &EVENTS_IF_MAPPED_AND_H2_H3)
}
static EVENTS_IF_MAPPED_AND_H2_H3: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 14\r\n",
    body: b"event: hello\n\n",
};

/// `when` of `route "/events"`, vhosts/customers.kdl:83
fn events_if_mapped_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP)
}

/// `route "/events"`, vhosts/customers.kdl:83
fn events_if_mapped(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &EVENTS_IF_MAPPED)
}
static EVENTS_IF_MAPPED: Answer = Answer {
    status: 426,
    head: b"HTTP/1.1 426 Upgrade Required\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 20\r\n",
    body: b"ask again by HTTP/2\n",
};

/// `when` of `route "/admin/*"`, vhosts/customers.kdl:90
fn admin_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP)
}

/// `access` of `vhost "*.tenants.example"`, vhosts/customers.kdl:2
static ANY_TENANTS_EXAMPLE_ACCESS: access::List<'static> = access::List {
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

/// `route "/admin/*"`, vhosts/customers.kdl:90
fn admin(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&ROOT_IF_MAPPED_AND_PREVIEW_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[ANY_TENANTS_EXAMPLE_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &ADMIN)
}
static ADMIN: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::Text("administration of "), Part::Map(&NAME_MAP), Part::Text("\n")],
};

/// `when` of `route "/admin/invoices/*"`, vhosts/customers.kdl:92
fn admin_invoices_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP)
}

/// `access` of `route "/admin/invoices/*"`, vhosts/customers.kdl:92
static ADMIN_INVOICES_ACCESS: access::List<'static> = access::List {
    rules: &[
        access::Rule {
            verdict: access::Verdict::Refuse,
            networks: Networks {
                v4: &[(0x0a42_0000, 0x0a42_ffff)],
                v6: &[],
            },
        },
        access::Rule {
            verdict: access::Verdict::Allow,
            networks: Networks {
                v4: &[(0x0a00_0000, 0x0aff_ffff)],
                v6: &[],
            },
        },
    ],
};

/// `route "/admin/invoices/*"`, vhosts/customers.kdl:92
fn admin_invoices(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&ROOT_IF_MAPPED_AND_PREVIEW_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[ANY_TENANTS_EXAMPLE_ACCESS, ADMIN_INVOICES_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &ADMIN_INVOICES)
}
static ADMIN_INVOICES: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::Text("invoices of "), Part::Map(&NAME_MAP), Part::Text("\n")],
};

/// `when` of `route "/admin/hooks/{hook}"`, vhosts/customers.kdl:97
fn admin_hooks_hook_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&NAME_MAP)
}

/// `access` of `route "/admin/hooks/{hook}"`, vhosts/customers.kdl:97
static ADMIN_HOOKS_HOOK_ACCESS: access::List<'static> = access::List {
    rules: &[
        access::Rule {
            verdict: access::Verdict::Refuse,
            networks: Networks {
                v4: &[(0xcb00_7100, 0xcb00_71ff)],
                v6: &[],
            },
        },
    ],
};

/// `route "/admin/hooks/{hook}"`, vhosts/customers.kdl:97
fn admin_hooks_hook(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&ROOT_IF_MAPPED_AND_PREVIEW_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if !access::allows(&exchange, &[ADMIN_HOOKS_HOOK_ACCESS]) {
        return respond::refused(exchange, 403);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &ADMIN_HOOKS_HOOK)
}
static ADMIN_HOOKS_HOOK: respond::Template = respond::Template {
    status: 202,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::Parameter(0), Part::Text("\n")],
};
const ADMIN_HOOKS_HOOK_METHODS: Methods = Methods::of(&[Method::POST]);
