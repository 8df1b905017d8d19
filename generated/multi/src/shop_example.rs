//! `vhost "shop.example"`, vhosts/shop.kdl:1

use runtime::{
    Answer, Edit, EditAction, Edits, Exchange, Method, Methods, Part, Step, guard,
    redirect, respond,
};

/// `headers` of `vhost "shop.example"`, vhosts/shop.kdl:1
static SHOP_EXAMPLE_HEADERS: Edits<'static> = Edits {
    appended: b"link: </style.css>; rel=preload; as=style\r\n",
    rules: &[
        Edit {
            action: EditAction::Set,
            name: "x-content-type-options",
            value: &[Part::Text("nosniff")],
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
            name: "strict-transport-security",
            value: &[Part::Text("max-age=31536000")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-frame-options",
            value: &[],
            only: &[],
            except: &[],
        },
    ],
};

/// `vhost "shop.example"`, vhosts/shop.kdl:1
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&SHOP_EXAMPLE_HEADERS);
    match exchange.path() {
        "/" => return root(exchange),
        "/cart" => {
            if exchange.is(Methods::GET_HEAD) {
                return cart_get(exchange);
            }
            if exchange.is(CART_POST_PUT_DELETE_METHODS) {
                return cart_post_put_delete(exchange);
            }
            return respond::method_not_allowed(
                exchange,
                Methods::GET_HEAD.union(CART_POST_PUT_DELETE_METHODS),
            );
        }
        "/help" => return help(exchange),
        "/sale" => return sale(exchange),
        "/staff/status" => return staff_status(exchange),
        "/style.css" => return style_css(exchange),
        _ => {}
    }
    if exchange.matches("/catalogue/{rest*}") {
        return catalogue(exchange);
    }
    if exchange.matches("/katalog/{rest*}") {
        return katalog(exchange);
    }
    if exchange.matches("/products/{id}") {
        if exchange.is(Methods::GET_HEAD) {
            return products_id(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/products/{id}/{variant}") {
        if exchange.is(Methods::GET_HEAD) {
            return products_id_variant(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/staff/*") {
        if staff_if_x_staff_key_when(&exchange) {
            return staff_if_x_staff_key(exchange);
        }
        return staff(exchange);
    }
    if exchange.matches("/*") {
        if rest_when(&exchange) {
            return rest(exchange);
        }
    }
    respond::not_found(exchange)
}

/// `when` of `route "/*"`, vhosts/shop.kdl:9
fn rest_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    guard::host(head, &["www.shop.example"])
}

/// `route "/*"`, vhosts/shop.kdl:9
fn rest(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &REST)
}
static REST: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Text("http://shop.example"), Part::Path],
    drops_query: false,
};

/// `route "/"`, vhosts/shop.kdl:14
fn root(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &ROOT)
}
static ROOT: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 48\r\n",
    body: b"<!doctype html><title>shop</title><h1>shop</h1>\n",
};

/// `headers` of `route "/style.css"`, vhosts/shop.kdl:17
static STYLE_CSS_HEADERS: Edits<'static> = Edits {
    appended: b"link: </style.css>; rel=preload; as=style\r\n",
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
            name: "x-robots-tag",
            value: &[Part::Text("noindex")],
            only: &[404],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "strict-transport-security",
            value: &[Part::Text("max-age=31536000")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-frame-options",
            value: &[],
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

/// `route "/style.css"`, vhosts/shop.kdl:17
fn style_css(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&STYLE_CSS_HEADERS);
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &STYLE_CSS)
}
static STYLE_CSS: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/css; charset=utf-8\r\ncontent-length: 24\r\n",
    body: b"h1 { font: 2rem serif }\n",
};

/// `route "/products/{id}"`, vhosts/shop.kdl:21
fn products_id(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &PRODUCTS_ID)
}
static PRODUCTS_ID: respond::Template = respond::Template {
    status: 200,
    content_type: "application/json",
    body: &[Part::Text("{\"product\":\""), Part::Parameter(0), Part::Text("\"}")],
};

/// `headers` of `route "/products/{id}/{variant}"`, vhosts/shop.kdl:25
static PRODUCTS_ID_VARIANT_HEADERS: Edits<'static> = Edits {
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
            name: "strict-transport-security",
            value: &[Part::Text("max-age=31536000")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Add,
            name: "link",
            value: &[Part::Text("</style.css>; rel=preload; as=style")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-frame-options",
            value: &[],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Add,
            name: "link",
            value: &[
                Part::Text("</products/"),
                Part::Parameter(0),
                Part::Text(">; rel=canonical"),
            ],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/products/{id}/{variant}"`, vhosts/shop.kdl:25
fn products_id_variant(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&PRODUCTS_ID_VARIANT_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &PRODUCTS_ID_VARIANT)
}
static PRODUCTS_ID_VARIANT: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[
        Part::Text("product "),
        Part::Parameter(0),
        Part::Text(", variant "),
        Part::Parameter(1),
        Part::Text(", sorted by "),
        Part::QueryValue("sort"),
        Part::Text("\n"),
    ],
};

/// `headers` of `route "/cart"`, vhosts/shop.kdl:30
static CART_GET_HEADERS: Edits<'static> = Edits {
    appended: b"link: </style.css>; rel=preload; as=style\r\n",
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
            name: "x-robots-tag",
            value: &[Part::Text("noindex")],
            only: &[404],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "strict-transport-security",
            value: &[Part::Text("max-age=31536000")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-frame-options",
            value: &[],
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

/// `route "/cart"`, vhosts/shop.kdl:30
fn cart_get(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&CART_GET_HEADERS);
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &CART_GET)
}
static CART_GET: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 19\r\n",
    body: b"your cart is empty\n",
};

/// `route "/cart"`, vhosts/shop.kdl:35
fn cart_post_put_delete(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::prebuilt(exchange, &CART_POST_PUT_DELETE)
}
static CART_POST_PUT_DELETE: Answer = Answer {
    status: 303,
    head: b"HTTP/1.1 303 See Other\r\ncontent-length: 0\r\nlocation: /cart\r\n",
    body: b"",
};
const CART_POST_PUT_DELETE_METHODS: Methods = Methods::of(
    &[Method::POST, Method::PUT, Method::DELETE],
);

/// `route "/catalogue/{rest*}"`, vhosts/shop.kdl:41
fn catalogue(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &CATALOGUE)
}
static CATALOGUE: redirect::Target = redirect::Target {
    status: 308,
    parts: &[Part::Text("/products/"), Part::Parameter(0)],
    drops_query: false,
};

/// `route "/katalog/{rest*}"`, vhosts/shop.kdl:41
fn katalog(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &KATALOG)
}
static KATALOG: redirect::Target = redirect::Target {
    status: 308,
    parts: &[Part::Text("/products/"), Part::Parameter(0)],
    drops_query: false,
};

/// `route "/sale"`, vhosts/shop.kdl:42
fn sale(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &SALE)
}
static SALE: redirect::Target = redirect::Target {
    status: 302,
    parts: &[Part::Text("/products/sale?sort=price")],
    drops_query: false,
};

/// `route "/help"`, vhosts/shop.kdl:43
fn help(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &HELP)
}
static HELP: redirect::Target = redirect::Target {
    status: 307,
    parts: &[Part::Text("https://help.shop.example/start#contents")],
    drops_query: false,
};

/// `when` of `route "/staff/*"`, vhosts/shop.kdl:46
fn staff_if_x_staff_key_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    (guard::header(head, "x-staff-key", &["blue", "green"])
        || (guard::header(head, "x-internal", &[]) && exchange.is(Methods::GET_HEAD)))
        && !guard::path(head, &["/staff/status", "/staff/status/*"])
}

/// `route "/staff/*"`, vhosts/shop.kdl:46
fn staff_if_x_staff_key(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &STAFF_IF_X_STAFF_KEY)
}
static STAFF_IF_X_STAFF_KEY: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[
        Part::Text("hello, "),
        Part::Header("x-staff-key"),
        Part::Text(" staff: "),
        Part::Path,
        Part::Text("\n"),
    ],
};

/// `route "/staff/status"`, vhosts/shop.kdl:56
fn staff_status(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &STAFF_STATUS)
}
static STAFF_STATUS: Answer = Answer {
    status: 204,
    head: b"HTTP/1.1 204 No Content\r\n",
    body: b"",
};

/// `headers` of `route "/staff/*"`, vhosts/shop.kdl:57
static STAFF_HEADERS: Edits<'static> = Edits {
    appended: b"x-reason: a staff key is needed\r\nlink: </style.css>; rel=preload; as=style\r\n",
    rules: &[
        Edit {
            action: EditAction::Set,
            name: "x-content-type-options",
            value: &[Part::Text("nosniff")],
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
            name: "strict-transport-security",
            value: &[Part::Text("max-age=31536000")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Remove,
            name: "x-frame-options",
            value: &[],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/staff/*"`, vhosts/shop.kdl:57
fn staff(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&STAFF_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 403)
}
