//! `vhost "blog.example"`, vhosts/blog.kdl:1

use runtime::{
    Answer, Edit, EditAction, Edits, Exchange, Methods, Part, Rules, Step, embed,
    redirect, respond,
};

/// `headers` of `vhost "blog.example"`, vhosts/blog.kdl:1
static BLOG_EXAMPLE_HEADERS: Edits<'static> = Edits {
    appended: b"x-powered-by: kiln\r\n",
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
            name: "x-robots-tag",
            value: &[Part::Text("noindex")],
            only: &[404],
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

/// `vhost "blog.example"`, vhosts/blog.kdl:1
pub fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&BLOG_EXAMPLE_HEADERS);
    match exchange.path() {
        "/" => return root(exchange),
        "/comments" => return comments(exchange),
        "/posts/feed" => return posts_feed(exchange),
        _ => {}
    }
    if exchange.matches("/drafts/*") {
        return drafts(exchange);
    }
    if exchange.matches("/pages/*") {
        if exchange.is(Methods::GET_HEAD) {
            return pages(exchange);
        }
        return respond::method_not_allowed(exchange, Methods::GET_HEAD);
    }
    if exchange.matches("/posts/{slug}") {
        return posts_slug(exchange);
    }
    if exchange.matches("/wiki/{page}") {
        return wiki_page(exchange);
    }
    if exchange.matches("/{year}/{month}/{slug}") {
        return year_month_slug(exchange);
    }
    respond::not_found(exchange)
}

/// `route "/"`, vhosts/blog.kdl:4
fn root(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &ROOT)
}
static ROOT: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 6\r\n",
    body: b"posts\n",
};

/// `route "/posts/{slug}"`, vhosts/blog.kdl:5
fn posts_slug(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &POSTS_SLUG)
}
static POSTS_SLUG: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::Text("post "), Part::Parameter(0), Part::Text("\n")],
};

/// `route "/posts/feed"`, vhosts/blog.kdl:6
fn posts_feed(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &POSTS_FEED)
}
static POSTS_FEED: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: application/atom+xml\r\ncontent-length: 44\r\n",
    body: b"<feed xmlns=\"http://www.w3.org/2005/Atom\"/>\n",
};

/// `route "/{year}/{month}/{slug}"`, vhosts/blog.kdl:9
fn year_month_slug(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    redirect::to(exchange, &YEAR_MONTH_SLUG)
}
static YEAR_MONTH_SLUG: redirect::Target = redirect::Target {
    status: 301,
    parts: &[Part::Text("/posts/"), Part::Parameter(2)],
    drops_query: false,
};

/// `headers` of `route "/drafts/*"`, vhosts/blog.kdl:10
static DRAFTS_HEADERS: Edits<'static> = Edits {
    appended: b"x-robots-tag: noindex\r\n",
    rules: &[],
};

/// `route "/drafts/*"`, vhosts/blog.kdl:10
fn drafts(exchange: Exchange<'_>) -> Step<'_> {
    let exchange = exchange.edited(&DRAFTS_HEADERS);
    if exchange.has_encoded_separator() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::prebuilt(exchange, &DRAFTS)
}
static DRAFTS: Answer = Answer {
    status: 200,
    head: b"HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 6\r\n",
    body: b"draft\n",
};

/// `route "/wiki/{page}"`, vhosts/blog.kdl:15
fn wiki_page(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::template(exchange, &WIKI_PAGE)
}
static WIKI_PAGE: respond::Template = respond::Template {
    status: 200,
    content_type: "text/plain; charset=utf-8",
    body: &[Part::Text("page "), Part::Parameter(0), Part::Text("\n")],
};

/// `../pages`
static PAGES_TREE: embed::Tree = embed::Tree::new(assets::BLOB, 0, Rules::NEW);

/// `route "/pages/*"`, vhosts/blog.kdl:19
fn pages(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.has_encoded_slash() {
        return respond::bad_request(exchange);
    }
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    embed::file(exchange, &PAGES_TREE, embed::At::Capture(0))
}

/// `route "/comments"`, vhosts/blog.kdl:23
fn comments(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.exceeds_body(1024 * 1024) {
        return respond::refused(exchange, 413);
    }
    respond::refused(exchange, 410)
}
