//! `vhost "blog.example"`, site.kdl:23

use runtime::{
    Answer, Edit, EditAction, Edits, Errors, Exchange, Methods, Part, Rules, Step, embed,
    redirect, respond,
};
use crate::headers::SITE_HEADERS;
use crate::maps::{MOVED_MAP, POST_BY_NUMBER_MAP};
use crate::regexes::YEAR_MONTH_SLUG_IF_REGEX_REGEX;

/// `errors` of `vhost "blog.example"`, site.kdl:23
static BLOG_EXAMPLE_ERRORS: Errors = Errors {
    pages: &[
        Answer {
            status: 400,
            head: b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 317\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
        Answer {
            status: 404,
            head: b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 316\r\n",
            body: include_bytes!("../pages/404.html"),
        },
        Answer {
            status: 405,
            head: b"HTTP/1.1 405 Method Not Allowed\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 317\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
        Answer {
            status: 410,
            head: b"HTTP/1.1 410 Gone\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 275\r\n",
            body: include_bytes!("../pages/410.html"),
        },
        Answer {
            status: 413,
            head: b"HTTP/1.1 413 Content Too Large\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 317\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
        Answer {
            status: 421,
            head: b"HTTP/1.1 421 Misdirected Request\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 317\r\n",
            body: include_bytes!("../pages/refused.html"),
        },
    ],
};

/// `vhost "blog.example"`, site.kdl:23
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&SITE_HEADERS).with_errors(&BLOG_EXAMPLE_ERRORS);
    if exchange.host() != "blog.example" {
        return redirect::canonical(exchange, &BLOG_EXAMPLE_CANONICAL);
    }
    match exchange.path() {
        "/" => {
            if root_when(&exchange) {
                return root(exchange);
            }
        }
        "/atom.xml" => return atom_xml(exchange),
        "/feed" => return feed(exchange),
        "/feed/" => return feed_slash(exchange),
        "/feed.xml" => {
            if exchange.is(Methods::GET_HEAD) {
                return feed_xml(exchange);
            }
            return respond::method_not_allowed(exchange, Methods::GET_HEAD);
        }
        "/index.php" => {
            if index_php_when(&exchange) {
                return index_php(exchange);
            }
        }
        "/index.xml" => return index_xml(exchange),
        "/rss" => return rss(exchange),
        "/rss.xml" => return rss_xml(exchange),
        "/wp-login.php" => return wp_login_php(exchange),
        "/xmlrpc.php" => return xmlrpc_php(exchange),
        _ => {}
    }
    if exchange.matches("/assets/*") {
        if exchange.is(Methods::GET_HEAD) {
            return assets_route(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/category/{tag}") {
        return category_tag(exchange);
    }
    if exchange.matches("/posts/retracted/*") {
        return posts_retracted(exchange);
    }
    if exchange.matches("/tag/{tag}") {
        return tag_tag(exchange);
    }
    if exchange.matches("/tag/{tag}/") {
        return tag_tag_each_slash(exchange);
    }
    if exchange.matches("/tag/{tag}/feed/") {
        return tag_tag_feed(exchange);
    }
    if exchange.matches("/tags/{tag}/feed") {
        return tags_tag_feed(exchange);
    }
    if exchange.matches("/wp-admin/*") {
        return wp_admin(exchange);
    }
    if exchange.matches("/wp-content/*") {
        return wp_content(exchange);
    }
    if exchange.matches("/{year}/{month}/{slug}") {
        if year_month_slug_if_regex_when(&exchange) {
            return year_month_slug_if_regex(exchange);
        }
    }
    if exchange.matches("/{year}/{month}/{slug}/") {
        if year_month_slug_each_slash_when(&exchange) {
            return year_month_slug_each_slash(exchange);
        }
    }
    if exchange.matches("/*") {
        if rest_if_mapped_when(&exchange) {
            return rest_if_mapped(exchange);
        }
        if exchange.is(Methods::GET_HEAD) {
            return rest(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    respond::not_found(exchange)
}
static BLOG_EXAMPLE_CANONICAL: redirect::Canonical = redirect::Canonical {
    host: "blog.example",
    status: 301,
};

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
            name: "x-frame-options",
            value: &[Part::Text("DENY")],
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
            name: "content-security-policy",
            value: &[
                Part::Text("default-src 'self'; img-src 'self' data:; style-src 'self'"),
            ],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("max-age=600")],
            only: &[],
            except: &[404],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("no-store")],
            only: &[404],
            except: &[],
        },
    ],
};

/// `public`
static PUBLIC: embed::Tree = embed::Tree::new(assets::BLOB, 0, Rules::NEW);

/// `route "/*"`, site.kdl:33
fn rest(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&REST_HEADERS);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PUBLIC, embed::At::Capture(0))
}

/// `headers` of `route "/assets/*"`, site.kdl:38
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
            name: "x-frame-options",
            value: &[Part::Text("DENY")],
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
            name: "content-security-policy",
            value: &[
                Part::Text("default-src 'self'; img-src 'self' data:; style-src 'self'"),
            ],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("max-age=31536000, immutable")],
            only: &[],
            except: &[404],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("no-store")],
            only: &[404],
            except: &[],
        },
    ],
};

/// `public/assets`
static PUBLIC_ASSETS: embed::Tree = embed::Tree::new(assets::BLOB, 1, Rules::NEW);

/// `route "/assets/*"`, site.kdl:38
fn assets_route(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&ASSETS_ROUTE_HEADERS);
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PUBLIC_ASSETS, embed::At::Capture(0))
}

/// `headers` of `route "/feed.xml"`, site.kdl:44
static FEED_XML_HEADERS: Edits<'static> = Edits {
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
            action: EditAction::Set,
            name: "referrer-policy",
            value: &[Part::Text("strict-origin-when-cross-origin")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "content-security-policy",
            value: &[
                Part::Text("default-src 'self'; img-src 'self' data:; style-src 'self'"),
            ],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "content-type",
            value: &[Part::Text("application/atom+xml; charset=utf-8")],
            only: &[],
            except: &[],
        },
        Edit {
            action: EditAction::Set,
            name: "cache-control",
            value: &[Part::Text("max-age=1800")],
            only: &[],
            except: &[],
        },
    ],
};

/// `route "/feed.xml"`, site.kdl:44
fn feed_xml(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&FEED_XML_HEADERS);
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PUBLIC, embed::At::Path)
}

/// `route "/feed"`, site.kdl:51
fn feed(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::prebuilt(exchange, &FEED)
}
static FEED: Answer = Answer {
    status: 301,
    head: b"HTTP/1.1 301 Moved Permanently\r\ncontent-length: 0\r\nlocation: /feed.xml\r\n",
    body: b"",
};

/// `route "/feed/"`, site.kdl:51
fn feed_slash(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::prebuilt(exchange, &FEED_SLASH)
}
static FEED_SLASH: Answer = Answer {
    status: 301,
    head: b"HTTP/1.1 301 Moved Permanently\r\ncontent-length: 0\r\nlocation: /feed.xml\r\n",
    body: b"",
};

/// `route "/rss"`, site.kdl:51
fn rss(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::prebuilt(exchange, &RSS)
}
static RSS: Answer = Answer {
    status: 301,
    head: b"HTTP/1.1 301 Moved Permanently\r\ncontent-length: 0\r\nlocation: /feed.xml\r\n",
    body: b"",
};

/// `route "/rss.xml"`, site.kdl:51
fn rss_xml(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::prebuilt(exchange, &RSS_XML)
}
static RSS_XML: Answer = Answer {
    status: 301,
    head: b"HTTP/1.1 301 Moved Permanently\r\ncontent-length: 0\r\nlocation: /feed.xml\r\n",
    body: b"",
};

/// `route "/atom.xml"`, site.kdl:51
fn atom_xml(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::prebuilt(exchange, &ATOM_XML)
}
static ATOM_XML: Answer = Answer {
    status: 301,
    head: b"HTTP/1.1 301 Moved Permanently\r\ncontent-length: 0\r\nlocation: /feed.xml\r\n",
    body: b"",
};

/// `route "/index.xml"`, site.kdl:51
fn index_xml(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::prebuilt(exchange, &INDEX_XML)
}
static INDEX_XML: Answer = Answer {
    status: 301,
    head: b"HTTP/1.1 301 Moved Permanently\r\ncontent-length: 0\r\nlocation: /feed.xml\r\n",
    body: b"",
};

/// `route "/tags/{tag}/feed"`, site.kdl:52
fn tags_tag_feed(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &TAGS_TAG_FEED)
}
static TAGS_TAG_FEED: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Text("/feed.xml?tag="), Part::Parameter(0)],
    drops_query: false,
};

/// `route "/tag/{tag}/feed/"`, site.kdl:52
fn tag_tag_feed(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &TAG_TAG_FEED)
}
static TAG_TAG_FEED: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Text("/feed.xml?tag="), Part::Parameter(0)],
    drops_query: false,
};

/// `when` of `route "/*"`, site.kdl:55
fn rest_if_mapped_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&MOVED_MAP)
}

/// `route "/*"`, site.kdl:55
fn rest_if_mapped(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &REST_IF_MAPPED)
}
static REST_IF_MAPPED: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Map(&MOVED_MAP)],
    drops_query: false,
};

/// `when` of `route "/"`, site.kdl:60
fn root_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&POST_BY_NUMBER_MAP)
}

/// `route "/"`, site.kdl:60
fn root(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &ROOT)
}
static ROOT: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Map(&POST_BY_NUMBER_MAP)],
    drops_query: true,
};

/// `when` of `route "/index.php"`, site.kdl:60
fn index_php_when(exchange: &Exchange<'_>) -> bool {
    exchange.has_row(&POST_BY_NUMBER_MAP)
}

/// `route "/index.php"`, site.kdl:60
fn index_php(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &INDEX_PHP)
}
static INDEX_PHP: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Map(&POST_BY_NUMBER_MAP)],
    drops_query: true,
};

/// `when` of `route "/{year}/{month}/{slug}"`, site.kdl:65
fn year_month_slug_if_regex_when(exchange: &Exchange<'_>) -> bool {
    exchange.matches_regex(&YEAR_MONTH_SLUG_IF_REGEX_REGEX)
}

/// `route "/{year}/{month}/{slug}"`, site.kdl:65
fn year_month_slug_if_regex(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &YEAR_MONTH_SLUG_IF_REGEX)
}
static YEAR_MONTH_SLUG_IF_REGEX: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Text("/posts/"), Part::Parameter(2), Part::Text("/")],
    drops_query: false,
};

/// `when` of `route "/{year}/{month}/{slug}/"`, site.kdl:65
fn year_month_slug_each_slash_when(exchange: &Exchange<'_>) -> bool {
    exchange.matches_regex(&YEAR_MONTH_SLUG_IF_REGEX_REGEX)
}

/// `route "/{year}/{month}/{slug}/"`, site.kdl:65
fn year_month_slug_each_slash(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &YEAR_MONTH_SLUG_EACH_SLASH)
}
static YEAR_MONTH_SLUG_EACH_SLASH: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Text("/posts/"), Part::Parameter(2), Part::Text("/")],
    drops_query: false,
};

/// `route "/tag/{tag}"`, site.kdl:69
fn tag_tag(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &TAG_TAG)
}
static TAG_TAG: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Text("/tags/"), Part::Parameter(0), Part::Text("/")],
    drops_query: false,
};

/// `route "/tag/{tag}/"`, site.kdl:69
fn tag_tag_each_slash(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &TAG_TAG_EACH_SLASH)
}
static TAG_TAG_EACH_SLASH: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Text("/tags/"), Part::Parameter(0), Part::Text("/")],
    drops_query: false,
};

/// `route "/category/{tag}"`, site.kdl:69
fn category_tag(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &CATEGORY_TAG)
}
static CATEGORY_TAG: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Text("/tags/"), Part::Parameter(0), Part::Text("/")],
    drops_query: false,
};

/// `route "/wp-login.php"`, site.kdl:72
fn wp_login_php(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 410)
}

/// `route "/xmlrpc.php"`, site.kdl:72
fn xmlrpc_php(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 410)
}

/// `route "/wp-admin/*"`, site.kdl:72
fn wp_admin(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 410)
}

/// `route "/wp-content/*"`, site.kdl:72
fn wp_content(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 410)
}

/// `route "/posts/retracted/*"`, site.kdl:75
fn posts_retracted(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(4 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 410)
}
