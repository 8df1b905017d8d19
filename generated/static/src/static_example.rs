//! `vhost "static.example"`, site.kdl:14

use runtime::{
    Edit, EditAction, Edits, Exchange, Methods, Part, Rules, Step, Tried, Value, embed,
    files, redirect, respond,
};

/// `headers` of `vhost "static.example"`, site.kdl:14
static STATIC_EXAMPLE_HEADERS: Edits<'static> = Edits {
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
            value: &[Part::Text("strict-origin-when-cross-origin")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Default,
            name: "cache-control",
            value: &[Part::Text("max-age=300")],
            only: &[],
            except: &[],
        },
    ],
};

/// `vhost "static.example"`, site.kdl:14
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&STATIC_EXAMPLE_HEADERS);
    match exchange.path() {
        "/favicon.ico" => return favicon_ico(exchange),
        _ => {}
    }
    if exchange.matches("/assets/*") {
        if exchange.is(Methods::GET_HEAD) {
            return assets_route(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/downloads/*") {
        if exchange.is(Methods::GET_HEAD) {
            return downloads(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/*") {
        if exchange.is(Methods::GET_HEAD) {
            return rest(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    respond::not_found(exchange)
}

/// `public/assets`
static PUBLIC_ASSETS: embed::Tree = embed::Tree::new(
    assets::BLOB,
    0,
    Rules {
        immutable: &["*.css", "*.js"],
        ..Rules::NEW
    },
);

/// `route "/assets/*"`, site.kdl:18
fn assets_route(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(64 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PUBLIC_ASSETS, embed::At::Capture(0))
}

/// `headers` of `route "/downloads/*"`, site.kdl:22
static DOWNLOADS_HEADERS: Edits<'static> = Edits {
    appended: b"content-disposition: attachment\r\n",
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
            value: &[Part::Text("strict-origin-when-cross-origin")],
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

/// `route "/downloads/*"`, site.kdl:22
fn downloads(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DOWNLOADS_HEADERS);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(64 * 1024) {
        return respond::refused(exchange, 413);
    }
    files::file(exchange, &DOWNLOADS, files::At::Capture(0))
}
static DOWNLOADS: files::Root = files::Root {
    directory: Value::Text("downloads"),
    rules: Rules::NEW,
};

/// `route "/favicon.ico"`, site.kdl:29
fn favicon_ico(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(64 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &FAVICON_ICO)
}
static FAVICON_ICO: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Text("/favicon.svg")],
    drops_query: false,
};

/// `public`
static PUBLIC: embed::Tree = embed::Tree::new(
    assets::BLOB,
    1,
    Rules {
        tried: &[
            Tried {
                before: "",
                behind: ".html",
            },
        ],
        ..Rules::NEW
    },
);

/// `route "/*"`, site.kdl:31
fn rest(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(64 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PUBLIC, embed::At::Capture(0))
}
