//! `vhost "docs.example"`, vhosts/docs.kdl:1

use runtime::{
    Answer, Edit, EditAction, Edits, Errors, Exchange, Methods, Networks, Part, Rules,
    Step, Value, cors, embed, files, guard, redirect, respond, rewrite,
};
use crate::headers::SITE_HEADERS;
use crate::late_values::DOWNLOADS;
use crate::maps::{LANGUAGE_MAP, RENAMED_MAP};
use crate::regexes::{REST_IF_REGEX_REGEX, REST_REST_REGEX};

/// `errors` of `vhost "docs.example"`, vhosts/docs.kdl:1
static DOCS_EXAMPLE_ERRORS: Errors = Errors {
    pages: &[
        Answer {
            status: 404,
            head: b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 239\r\n",
            body: include_bytes!("../pages/404.en.html"),
        },
    ],
};

/// `vhost "docs.example"`, vhosts/docs.kdl:1
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&SITE_HEADERS).with_errors(&DOCS_EXAMPLE_ERRORS);
    if exchange.host() != "docs.example" {
        return redirect::canonical(exchange, &DOCS_EXAMPLE_CANONICAL);
    }
    match exchange.path() {
        "/" => {
            if root_if_q_when(&exchange) {
                return root_if_q(exchange);
            }
            return root(exchange);
        }
        "/de" => return de(exchange),
        "/de/" => return de_slash(exchange),
        "/de/search" => return de_search(exchange),
        "/en" => return en(exchange),
        "/en/" => return en_slash(exchange),
        "/en/search" => return en_search(exchange),
        _ => {}
    }
    if exchange.matches("/assets/*") {
        if exchange.is(Methods::GET_HEAD) || cors::asks_for(&exchange, Methods::GET_HEAD)
        {
            return assets_route(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/de/latest/{rest*}") {
        return de_latest(exchange);
    }
    if exchange.matches("/de/v1/{rest*}") {
        return de_v1(exchange);
    }
    if exchange.matches("/de/v2/{rest*}") {
        return de_v2(exchange);
    }
    if exchange.matches("/de/v3/*") {
        if de_v3_if_mapped_when(&exchange) {
            return de_v3_if_mapped(exchange);
        }
        if exchange.is(Methods::GET_HEAD) {
            return de_v3(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/de/*") {
        return de_rest(exchange);
    }
    if exchange.matches("/downloads/*") {
        if exchange.is(Methods::GET_HEAD) {
            return downloads(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/drafts/*") {
        if drafts_when(&exchange) {
            return drafts(exchange);
        }
    }
    if exchange.matches("/en/latest/{rest*}") {
        return en_latest(exchange);
    }
    if exchange.matches("/en/v1/*") {
        if exchange.is(Methods::GET_HEAD) {
            return en_v1(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/en/v2/*") {
        if exchange.is(Methods::GET_HEAD) {
            return en_v2(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/en/v3/*") {
        if en_v3_if_mapped_when(&exchange) {
            return en_v3_if_mapped(exchange);
        }
        if exchange.is(Methods::GET_HEAD) {
            return en_v3(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/en/*") {
        return en_rest(exchange);
    }
    if exchange.matches("/*") {
        if rest_if_mapped_when(&exchange) {
            return rest_if_mapped(exchange);
        }
        if rest_if_regex_when(&exchange) {
            return rest_if_regex(exchange);
        }
        if rest_rest_when(&exchange) {
            return rest_rest(exchange);
        }
    }
    respond::not_found(exchange)
}
static DOCS_EXAMPLE_CANONICAL: redirect::Canonical = redirect::Canonical {
    host: "docs.example",
    status: 308,
};

/// `when` of `route "/"`, vhosts/docs.kdl:5
fn root_if_q_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    guard::query(head, "q", &[])
}

/// `headers` of `route "/"`, vhosts/docs.kdl:5
static ROOT_IF_Q_HEADERS: Edits<'static> = Edits {
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
            action: EditAction::Set,
            name: "vary",
            value: &[Part::Text("cookie")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("private, max-age=60")],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/"`, vhosts/docs.kdl:5
fn root_if_q(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&ROOT_IF_Q_HEADERS);
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &ROOT_IF_Q)
}
static ROOT_IF_Q: redirect::Target = redirect::Target {
    status: 302,
    parts: &[Part::Text("/"), Part::Map(&LANGUAGE_MAP), Part::Text("/search")],
    drops_query: false,
};

/// `route "/"`, vhosts/docs.kdl:10
fn root(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&ROOT_IF_Q_HEADERS);
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &ROOT)
}
static ROOT: redirect::Target = redirect::Target {
    status: 302,
    parts: &[Part::Text("/"), Part::Map(&LANGUAGE_MAP), Part::Text("/latest/")],
    drops_query: false,
};

/// `when` of `route "/*"`, vhosts/docs.kdl:16
fn rest_if_mapped_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&RENAMED_MAP)
}

/// `route "/*"`, vhosts/docs.kdl:16
fn rest_if_mapped(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &REST_IF_MAPPED)
}
static REST_IF_MAPPED: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Map(&RENAMED_MAP)],
    drops_query: false,
};

/// `when` of `route "/en/v3/*"`, vhosts/docs.kdl:16
fn en_v3_if_mapped_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&RENAMED_MAP)
}

/// `route "/en/v3/*"`, vhosts/docs.kdl:16
fn en_v3_if_mapped(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &EN_V3_IF_MAPPED)
}
static EN_V3_IF_MAPPED: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Map(&RENAMED_MAP)],
    drops_query: false,
};

/// `when` of `route "/de/v3/*"`, vhosts/docs.kdl:16
fn de_v3_if_mapped_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&RENAMED_MAP)
}

/// `route "/de/v3/*"`, vhosts/docs.kdl:16
fn de_v3_if_mapped(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &DE_V3_IF_MAPPED)
}
static DE_V3_IF_MAPPED: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Map(&RENAMED_MAP)],
    drops_query: false,
};

/// `when` of `route "/*"`, vhosts/docs.kdl:21
fn rest_if_regex_when(exchange: &Exchange<'_>) -> bool {
    exchange.captures_regex(&REST_IF_REGEX_REGEX, 1)
}

/// `route "/*"`, vhosts/docs.kdl:21
fn rest_if_regex(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &REST_IF_REGEX)
}
static REST_IF_REGEX: redirect::Target = redirect::Target {
    status: 301,
    parts: &[
        Part::Text("/"),
        Part::Parameter(2),
        Part::Text("/v"),
        Part::Parameter(1),
        Part::Text("/"),
        Part::Parameter(3),
        Part::Text(".html"),
    ],
    drops_query: false,
};

/// `when` of `route "/*"`, vhosts/docs.kdl:26
fn rest_rest_when(exchange: &Exchange<'_>) -> bool {
    exchange.captures_regex(&REST_REST_REGEX, 1)
}

/// `route "/*"`, vhosts/docs.kdl:26
fn rest_rest(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &REST_REST)
}
static REST_REST: redirect::Target = redirect::Target {
    status: 301,
    parts: &[
        Part::Text("/en/v"),
        Part::Parameter(1),
        Part::Text("/"),
        Part::Parameter(2),
        Part::Text(".html"),
    ],
    drops_query: false,
};

/// `headers` of `route "/en"`, vhosts/docs.kdl:34
static EN_HEADERS: Edits<'static> = Edits {
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
            action: EditAction::Set,
            name: "content-language",
            value: &[Part::Text("en")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Default,
            name: "cache-control",
            value: &[Part::Text("max-age=600")],
            only: &[],
            except: &[],
        },
    ],
};

/// `errors` of `route "/en"`, vhosts/docs.kdl:34
static EN_ERRORS: Errors = Errors {
    pages: &[
        Answer {
            status: 404,
            head: b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 239\r\n",
            body: include_bytes!("../pages/errors_404.en.html"),
        },
    ],
};

/// `route "/en"`, vhosts/docs.kdl:34
fn en(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&EN_HEADERS).with_errors(&EN_ERRORS);
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &EN)
}
static EN: redirect::Target = redirect::Target {
    status: 302,
    parts: &[Part::Text("/en/latest/")],
    drops_query: false,
};

/// `route "/en/"`, vhosts/docs.kdl:34
fn en_slash(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&EN_HEADERS).with_errors(&EN_ERRORS);
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &EN_SLASH)
}
static EN_SLASH: redirect::Target = redirect::Target {
    status: 302,
    parts: &[Part::Text("/en/latest/")],
    drops_query: false,
};

/// `route "/en/latest/{rest*}"`, vhosts/docs.kdl:35
fn en_latest(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&EN_HEADERS).with_errors(&EN_ERRORS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    rewrite::restart(exchange, &EN_LATEST_REWRITE, vhost)
}
static EN_LATEST_REWRITE: [Part<'static>; 2] = [
    Part::Text("/en/v3/"),
    Part::Parameter(0),
];

/// `../pages/en/v3`
static PAGES_EN_V3: embed::Tree = embed::Tree::new(assets::BLOB, 0, Rules::NEW);

/// `route "/en/v3/*"`, vhosts/docs.kdl:36
fn en_v3(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&EN_HEADERS).with_errors(&EN_ERRORS);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PAGES_EN_V3, embed::At::Capture(0))
}

/// `headers` of `route "/en/v2/*"`, vhosts/docs.kdl:37
static EN_V2_HEADERS: Edits<'static> = Edits {
    appended: b"x-documentation-version: 2\r\nlink: </en/latest/>; rel=\"latest-version\"\r\n",
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
            name: "content-language",
            value: &[Part::Text("en")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-robots-tag",
            value: &[Part::Text("noindex")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("max-age=86400")],
            only: &[],
            except: &[],
        },
    ],
};

/// `../pages/en/v2`
static PAGES_EN_V2: embed::Tree = embed::Tree::new(assets::BLOB, 1, Rules::NEW);

/// `route "/en/v2/*"`, vhosts/docs.kdl:37
fn en_v2(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&EN_V2_HEADERS).with_errors(&EN_ERRORS);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PAGES_EN_V2, embed::At::Capture(0))
}

/// `headers` of `route "/en/v1/*"`, vhosts/docs.kdl:41
static EN_V1_HEADERS: Edits<'static> = Edits {
    appended: b"x-documentation-version: 1\r\nlink: </en/latest/>; rel=\"latest-version\"\r\n",
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
            name: "content-language",
            value: &[Part::Text("en")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "x-robots-tag",
            value: &[Part::Text("noindex")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("max-age=86400")],
            only: &[],
            except: &[],
        },
    ],
};

/// `../pages/en/v1`
static PAGES_EN_V1: embed::Tree = embed::Tree::new(assets::BLOB, 2, Rules::NEW);

/// `route "/en/v1/*"`, vhosts/docs.kdl:41
fn en_v1(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&EN_V1_HEADERS).with_errors(&EN_ERRORS);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PAGES_EN_V1, embed::At::Capture(0))
}

/// `headers` of `route "/en/search"`, vhosts/docs.kdl:45
static EN_SEARCH_HEADERS: Edits<'static> = Edits {
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
            action: EditAction::Set,
            name: "content-language",
            value: &[Part::Text("en")],
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

/// `route "/en/search"`, vhosts/docs.kdl:45
fn en_search(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&EN_SEARCH_HEADERS).with_errors(&EN_ERRORS);
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &EN_SEARCH)
}
static EN_SEARCH: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::Text("search: "), Part::QueryValue("q"), Part::Text("\n")],
};

/// `route "/en/*"`, vhosts/docs.kdl:49
fn en_rest(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&EN_HEADERS).with_errors(&EN_ERRORS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 404)
}

/// `headers` of `route "/de"`, vhosts/docs.kdl:55
static DE_HEADERS: Edits<'static> = Edits {
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
            action: EditAction::Set,
            name: "content-language",
            value: &[Part::Text("de")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Default,
            name: "cache-control",
            value: &[Part::Text("max-age=600")],
            only: &[],
            except: &[],
        },
    ],
};

/// `errors` of `route "/de"`, vhosts/docs.kdl:55
static DE_ERRORS: Errors = Errors {
    pages: &[
        Answer {
            status: 404,
            head: b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 262\r\n",
            body: include_bytes!("../pages/404.de.html"),
        },
    ],
};

/// `route "/de"`, vhosts/docs.kdl:55
fn de(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DE_HEADERS).with_errors(&DE_ERRORS);
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &DE)
}
static DE: redirect::Target = redirect::Target {
    status: 302,
    parts: &[Part::Text("/de/latest/")],
    drops_query: false,
};

/// `route "/de/"`, vhosts/docs.kdl:55
fn de_slash(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DE_HEADERS).with_errors(&DE_ERRORS);
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &DE_SLASH)
}
static DE_SLASH: redirect::Target = redirect::Target {
    status: 302,
    parts: &[Part::Text("/de/latest/")],
    drops_query: false,
};

/// `route "/de/latest/{rest*}"`, vhosts/docs.kdl:56
fn de_latest(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DE_HEADERS).with_errors(&DE_ERRORS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    rewrite::restart(exchange, &DE_LATEST_REWRITE, vhost)
}
static DE_LATEST_REWRITE: [Part<'static>; 2] = [
    Part::Text("/de/v3/"),
    Part::Parameter(0),
];

/// `../pages/de/v3`
static PAGES_DE_V3: embed::Tree = embed::Tree::new(assets::BLOB, 3, Rules::NEW);

/// `route "/de/v3/*"`, vhosts/docs.kdl:57
fn de_v3(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DE_HEADERS).with_errors(&DE_ERRORS);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PAGES_DE_V3, embed::At::Capture(0))
}

/// `route "/de/v2/{rest*}"`, vhosts/docs.kdl:59
fn de_v2(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DE_HEADERS).with_errors(&DE_ERRORS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &DE_V2)
}
static DE_V2: redirect::Target = redirect::Target {
    status: 302,
    parts: &[Part::Text("/en/v2/"), Part::Parameter(0)],
    drops_query: false,
};

/// `route "/de/v1/{rest*}"`, vhosts/docs.kdl:60
fn de_v1(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DE_HEADERS).with_errors(&DE_ERRORS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 410)
}

/// `headers` of `route "/de/search"`, vhosts/docs.kdl:61
static DE_SEARCH_HEADERS: Edits<'static> = Edits {
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
            action: EditAction::Set,
            name: "content-language",
            value: &[Part::Text("de")],
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

/// `route "/de/search"`, vhosts/docs.kdl:61
fn de_search(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DE_SEARCH_HEADERS).with_errors(&DE_ERRORS);
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &DE_SEARCH)
}
static DE_SEARCH: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::Text("Suche: "), Part::QueryValue("q"), Part::Text("\n")],
};

/// `route "/de/*"`, vhosts/docs.kdl:65
fn de_rest(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DE_HEADERS).with_errors(&DE_ERRORS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 404)
}

/// `headers` of `route "/assets/*"`, vhosts/docs.kdl:69
static ASSETS_ROUTE_HEADERS: Edits<'static> = Edits {
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
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("max-age=604800")],
            only: &[],
            except: &[],
        },
    ],
};

/// `cors` of `route "/assets/*"`, vhosts/docs.kdl:69
static ASSETS_ROUTE_CORS: cors::Policy<'static> = cors::Policy {
    origins: cors::Origins::Listed {
        origins: &["https://project.example", "https://www.project.example"],
        has_credentials: false,
    },
    methods: cors::Allowed::Listed(&[]),
    headers: cors::Allowed::Listed(&[]),
    exposed: cors::Allowed::Listed(&[]),
    max_age_s: Some(3600),
};

/// `../assets`
static ASSETS_TREE: embed::Tree = embed::Tree::new(assets::BLOB, 4, Rules::NEW);

/// `route "/assets/*"`, vhosts/docs.kdl:69
fn assets_route(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&ASSETS_ROUTE_HEADERS);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    let exchange = exchange.shared(&ASSETS_ROUTE_CORS);
    if cors::is_preflight(&exchange) {
        return cors::preflight(exchange, &ASSETS_ROUTE_CORS);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &ASSETS_TREE, embed::At::Capture(0))
}

/// `headers` of `route "/downloads/*"`, vhosts/docs.kdl:75
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
            value: &[Part::Text("max-age=3600")],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/downloads/*"`, vhosts/docs.kdl:75
fn downloads(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DOWNLOADS_HEADERS);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    files::file(exchange, &DOWNLOADS_, files::At::Capture(0))
}
static DOWNLOADS_: files::Root = files::Root {
    directory: Value::Late(&DOWNLOADS),
    rules: Rules::NEW,
};

/// `when` of `route "/drafts/*"`, vhosts/docs.kdl:80
fn drafts_when(exchange: &Exchange<'_>) -> bool {
    let head = exchange.head();
    guard::client_ip(head, &DRAFTS_CLIENTS)
}
static DRAFTS_CLIENTS: Networks<'static> = Networks {
    v4: &[(0xc000_0200, 0xc000_02ff)],
    v6: &[
        (
            0x2001_0db8_d0c5_0000_0000_0000_0000_0000,
            0x2001_0db8_d0c5_ffff_ffff_ffff_ffff_ffff,
        ),
    ],
};

/// `headers` of `route "/drafts/*"`, vhosts/docs.kdl:80
static DRAFTS_HEADERS: Edits<'static> = Edits {
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
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("no-store")],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/drafts/*"`, vhosts/docs.kdl:80
fn drafts(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DRAFTS_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &DRAFTS)
}
static DRAFTS: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::Text("draft "), Part::Path, Part::Text("\n")],
};
