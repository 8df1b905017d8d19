//! What finds a route beside its pattern: maps, regexes and their groups, splits, and the second start of a rewrite.

use std::cell::Cell;

use runtime::{
    Capturing, Exchange, Map, MapLookup, Methods, Part, Regex, Routes, Rows, Step, respond, rewrite,
    settings::Embedded,
    split::{self, Split},
    table::{self, Route, Table},
};
use semantics::{regexes, routes};

use crate::handled::{get, handle, with_exchange};

/// Says host, path, query and the first two parameters.
static SEEN: respond::Template = respond::Template {
    status: 200,
    content_type: "",
    body: &[Part::Path, Part::Text(" "), Part::Query, Part::Text(" "), Part::Parameter(0), Part::Text(" "), Part::Parameter(1)],
};

fn ask<T>(target: &str, use_it: impl FnOnce(Exchange<'_>) -> T) -> T {
    with_exchange(&format!("GET {target} HTTP/1.1\r\nhost: a.example\r\n\r\n"), use_it)
}

fn capturing(pattern: &'static str) -> &'static Capturing<'static> {
    let built = regexes::build_capturing(pattern).expect("a regex");
    Box::leak(Box::new(Capturing::new(built.forward.leak(), built.reverse.leak(), pattern)))
}

#[test]
fn row_of_a_map_is_found_by_the_rendered_key() {
    let from: &[Part<'_>] = &[Part::Text("id "), Part::Parameter(0)];
    let lookup = MapLookup { from, map: Map { rows: Rows::Inline(&[("id 7", "seven")]), default: Some("none") } };
    for (target, has_row) in [("/p/7", true), ("/p/8", false)] {
        ask(target, |exchange| {
            assert!(exchange.matches("/p/{id}"));
            assert_eq!(exchange.has_row(&lookup), has_row, "{target}");
        });
    }
}

#[test]
fn regex_is_searched_in_the_normal_form() {
    let regex = Regex::new(regexes::build(r"\.(png|jpg)$").expect("a regex").leak());
    assert!(regex.is_whole() && !Regex::new(b"damaged").is_whole());
    for (target, is_match) in [("/a/%62.png?x", true), ("/a.PNG", false), ("/a.png/", false), ("/a//.jpg", true)] {
        ask(target, |exchange| assert_eq!(exchange.matches_regex(&regex), is_match, "{target}"));
    }
}

#[test]
fn groups_follow_the_pattern_s_parameters() {
    let regex = capturing("-(?P<id>[0-9]+)$");
    assert!(regex.is_whole() && !Capturing::new(b"", b"", "(?P<a>x)").is_whole());
    let answered = get("/p/hat-7", |exchange| {
        assert!(exchange.matches("/p/{slug}") && exchange.captures_regex(regex, 1));
        respond::template(exchange, &SEEN)
    });
    assert_eq!(answered.body, "/p/hat-7  hat-7 7");
}

#[test]
fn groups_of_a_refused_guard_are_left_behind() {
    let (first, second) = (capturing("-(?P<id>[0-9]+)$"), capturing("/(?P<word>[a-z]+)-"));
    let answered = get("/p/hat-7", |exchange| {
        assert!(exchange.matches("/p/{slug}"));
        let is_refused = !(exchange.captures_regex(first, 1) && exchange.has_encoded_slash());
        assert!(is_refused && exchange.captures_regex(second, 1));
        respond::template(exchange, &SEEN)
    });
    assert_eq!(answered.body, "/p/hat-7  hat-7 hat");
}

#[test]
fn groups_keep_a_bare_prefix_in_mind() {
    static ROOT: runtime::files::Root = runtime::files::Root {
        directory: runtime::Value::Text(env!("CARGO_MANIFEST_DIR")),
        rules: runtime::Rules { index: "Cargo.toml", ..runtime::Rules::NEW },
    };
    let regex = capturing("(?P<all>.+)");
    let answered = get("/docs", |exchange| {
        assert!(exchange.matches("/docs/*") && exchange.captures_regex(regex, 1));
        runtime::files::file(exchange, &ROOT, runtime::files::At::Capture(0))
    });
    assert_eq!((answered.status, answered.field("location")), (308, Some("/docs/")));
}

thread_local! {
    static REGEX: Cell<Option<&'static Capturing<'static>>> = const { Cell::new(None) };
}

#[test]
fn table_gives_guards_the_parameters_and_handlers_the_groups() {
    fn seen(exchange: Exchange<'_>) -> Step<'_> {
        respond::template(exchange, &SEEN)
    }
    fn refuses(exchange: &Exchange<'_>) -> bool {
        accepts(exchange) && exchange.has_encoded_slash()
    }
    fn accepts(exchange: &Exchange<'_>) -> bool {
        REGEX.get().is_some_and(|regex| exchange.captures_regex(regex, 1))
    }
    const GET: Methods = Methods::GET_HEAD;
    static PATTERNS: &[&[Route]] = &[&[
        Route { methods: GET, guard: Some(refuses), handler: seen },
        Route { methods: GET, guard: Some(accepts), handler: seen },
        Route { methods: GET, guard: None, handler: seen },
    ]];
    REGEX.set(Some(capturing("-(?P<id>[0-9]+)$")));
    let blob = routes::encode(&["/p/{slug}"]).leak();
    let table: &'static Table = Box::leak(Box::new(Table { routes: Routes::new(blob), patterns: PATTERNS }));
    assert_eq!(get("/p/hat-7", |exchange| table::decide(exchange, table)).body, "/p/hat-7  hat-7 7");
    assert_eq!(get("/p/hat", |exchange| table::decide(exchange, table)).body, "/p/hat  hat ");
}

#[test]
fn share_is_that_of_the_rendered_key() {
    static SPLIT: Split = Split { by: &[Part::QueryValue("k")], salt: "t", weights: &[1, 1] };
    let pick = |key: &str| ask(&format!("/?k={key}"), |exchange| split::pick(&exchange, &SPLIT));
    let picks: Vec<usize> = (0..64).map(|key| pick(&key.to_string())).collect();
    assert!(picks.contains(&0) && picks.contains(&1) && picks.iter().all(|pick| *pick < 2));
    let shares = semantics::shares::Shares { salt: "t", weights: &[1, 1] };
    assert!((0..64).all(|key| picks[key] == shares.pick(key.to_string().as_bytes())));
}

static POSTS: [Part<'static>; 2] = [Part::Text("/posts/"), Part::Parameter(0)];
static AGAIN: [Part<'static>; 1] = [Part::Text("/again")];
static NOWHERE: [Part<'static>; 2] = [Part::Text("/"), Part::QueryValue("to")];

fn vhost(exchange: Exchange<'_>) -> Step<'_> {
    if exchange.path() == "/again" {
        return rewrite::restart(exchange, &AGAIN, vhost);
    }
    if exchange.path() == "/nowhere" {
        return rewrite::restart(exchange, &NOWHERE, vhost);
    }
    if exchange.matches("/blog/{slug}") {
        return rewrite::restart(exchange, &POSTS, vhost);
    }
    if exchange.matches("/posts/{slug}") {
        return respond::template(exchange, &SEEN);
    }
    respond::not_found(exchange)
}

#[test]
fn rewrite_matches_once_more_with_the_query_kept() {
    let answered = get("/blog/a%20b?x=1", vhost);
    assert!(answered.is_later);
    assert_eq!(answered.body, "/posts/a%20b x=1 a%20b ");
    assert_eq!(get("/posts/a", vhost).body, "/posts/a  a ");
}

#[test]
fn second_rewrite_is_500() {
    assert_eq!(get("/again", vhost).status, 500);
}

#[test]
fn rewrite_to_no_path_is_400() {
    assert_eq!(get("/nowhere?to=../..", vhost).status, 400);
    assert_eq!(get("/nowhere?to=posts/b", vhost).body, "/posts/b to=posts/b b ");
    assert_eq!(handle("GET /nowhere?to=%00 HTTP/1.1\r\nhost: a\r\n\r\n", vhost).status, 400);
}
