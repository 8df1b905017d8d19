//! Guards and templates beyond the head of a request's own words: maps, regexes, late values, and the smaller guard words.

use kiln::{
    evaluate::{Outcome, Request},
    model::{Defaulted, Files, Guard, Part, Site, Text},
    plan::{MapForm, RegexForm},
};
use semantics::{guard::Protocol, method::Methods};

use super::{header, map, nowhere, prefix, regex, route, template, variable};
use crate::site::{Built, values};

/// The first route's guard is one that the test replaces.
const GUARDED: &str = "route \"/*\" { when { header \"none\" }; respond 200 \"guarded\" }\n route \"/*\" { respond 200 \"else\" }";

fn guarded(name: &str, guard: Guard) -> Built {
    Built::changed(name, GUARDED, |site| route(site, 0).guard = Some(guard))
}

fn holds(site: &Built, request: &Request) -> bool {
    let Outcome::Answer(answer) = site.evaluate(request).outcome else { panic!("an answer") };
    answer.body == b"guarded"
}

fn get(target: &str) -> Request {
    Request::new("GET", "shop.example", target)
}

#[test]
fn each_guard_word_asks_its_question() {
    let known = |text: &str| vec![Text::Known(text.to_owned())];
    let cases = [
        ("client", Guard::ClientIp(vec![prefix("10.0.0.0/8")]), get("/").from("10.9.9.9".parse().unwrap()), get("/")),
        (
            "cookie",
            Guard::Cookie { name: "s".to_owned(), values: known("1") },
            get("/").with("cookie", "a=b; s=1"),
            get("/").with("cookie", "s=2"),
        ),
        ("cookie_any", Guard::Cookie { name: "s".to_owned(), values: Vec::new() }, get("/").with("cookie", "s="), get("/")),
        ("extension", Guard::Extension(vec!["php".to_owned()]), get("/a/x.PHP"), get("/a.php/x")),
        ("method", Guard::Method(Methods::GET_HEAD), get("/"), Request::new("POST", "shop.example", "/")),
        ("protocol", Guard::Protocol(vec![Protocol::H1]), get("/"), get("*")),
        ("query", Guard::Query { name: "q".to_owned(), values: known("a b") }, get("/?q=a+b"), get("/?q=a%2Bb")),
    ];
    for (name, guard, held, refused) in cases {
        let site = guarded(&format!("language_guard_{name}"), guard);
        assert!(holds(&site, &held), "{name}");
        if refused.target != "*" {
            assert!(!holds(&site, &refused), "{name}");
        }
    }
    let not_h2 = guarded("language_guard_h2", Guard::Protocol(vec![Protocol::H2, Protocol::H3]));
    assert!(!holds(&not_h2, &get("/")));
}

#[test]
fn map_holds_by_row_and_renders_with_its_default() {
    let words = "route \"/*\" { when { header \"none\" }; redirect \"/\" query=\"drop\" }\n route \"/*\" { headers { set \"x-map\" \"{host}\" }; respond 200 }";
    let site = Built::changed("language_map", words, |site| {
        let span = nowhere(site);
        site.maps = vec![map(span, Part::Path, &[("/b", "/two"), ("/a", "/one")], Some("/none"))];
        let moved = || Part::Map("moved".to_owned());
        route(site, 0).guard = Some(Guard::Map("moved".to_owned()));
        route(site, 0).action = kiln::model::Action::Redirect {
            target: template(&[moved(), Part::Text("?x".to_owned())]),
            status: Defaulted::written(301),
            drops_query: false,
        };
        route(site, 1).headers[0].value = template(&[moved()]);
    });
    let answer = site.answer("GET", "/a?q", &[]);
    assert_eq!((answer.status, values(&answer, "location")), (301, vec!["/one?x"]));
    let answer = site.answer("GET", "/c", &[]);
    assert_eq!((answer.status, values(&answer, "x-map")), (200, vec!["/none"]));
    assert_eq!(site.plan.maps.len(), 1);
    assert_eq!(site.plan.maps[0].form, MapForm::Inline);
    assert_eq!(site.plan.features, ["headers", "redirect", "respond"]);
}

#[test]
fn large_map_becomes_a_blob_and_an_unused_one_nothing() {
    let rows: Vec<_> = (0..1_000).map(|row| (format!("/old/{row}"), format!("/new/{row}"))).collect();
    let change = |is_used: bool| {
        move |site: &mut Site| {
            let rows: Vec<_> = rows.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
            site.maps = vec![map(nowhere(site), Part::Path, &rows, None)];
            if is_used {
                route(site, 0).guard = Some(Guard::Map("moved".to_owned()));
            }
        }
    };
    let used = Built::changed("language_map_blob", GUARDED, change.clone()(true));
    assert!(matches!(used.plan.maps[0].form, MapForm::Blob(_)) && used.plain.maps[0].form == MapForm::Inline);
    for (target, expected) in [("/old/7", true), ("/old/999", true), ("/old/1000", false)] {
        assert_eq!(holds(&used, &get(target)), expected, "{target}");
        let plain = kiln::evaluate::evaluate(&used.plain, &get(target), b"");
        assert_eq!(plain, used.evaluate(&get(target)), "{target}");
    }
    let unused = Built::changed("language_map_unused", GUARDED, change(false));
    assert!(unused.plan.maps.is_empty());
}

#[test]
fn map_may_ask_another() {
    let words = "route \"/*\" { headers { set \"x-map\" \"{host}\" }; respond 200 }";
    let site = Built::changed("language_map_chain", words, |site| {
        let span = nowhere(site);
        let mut outer = map(span, Part::Map("moved".to_owned()), &[("inner", "outer")], None);
        outer.name = "last".to_owned();
        site.maps = vec![outer, map(span, Part::QueryValue("q".to_owned()), &[("a b", "inner")], None)];
        route(site, 0).headers[0].value = template(&[Part::Map("last".to_owned())]);
    });
    assert_eq!(values(&site.answer("GET", "/?q=a+b", &[]), "x-map"), ["outer"]);
    assert_eq!(values(&site.answer("GET", "/?q=b", &[]), "x-map"), [""]);
}

#[test]
fn groups_of_regexes_are_parameters_behind_those_of_the_pattern() {
    let words = "route \"/{first}/*\" { respond 200 }\n route \"/*\" { respond 200 \"else\" }";
    let site = Built::changed("language_regex", words, |site| {
        let guard = Guard::All(vec![
            regex(site, "(?<id>[0-9]+)$"),
            regex(site, "^/[a-z]"),
            header("x-a", Text::Known("1".to_owned())),
            regex(site, "/(?<word>[a-z]+)-"),
        ]);
        let parts: Vec<_> =
            ["first", "id", "word"].into_iter().flat_map(|name| [Part::Parameter(name.to_owned()), Part::Text("|".to_owned())]).collect();
        let body = template(&parts);
        route(site, 0).action = kiln::model::Action::Respond { status: Defaulted::written(200), body, content_type: None };
        route(site, 0).guard = Some(guard);
    });
    let body = |target: &str| String::from_utf8(site.answer("GET", target, &[("x-a", "1")]).body).unwrap();
    assert_eq!(body("/shop/shoe-17"), "shop|17|shoe|");
    assert_eq!(body("/shop/17"), "else");
    assert_eq!(body("/1shop/shoe-17"), "else");
    let route = &site.plan.vhosts[0].routes[0];
    assert_eq!((route.pattern_parameters, route.rest(), route.parameters.len()), (2, Some(1), 4));
    assert!(matches!(site.plan.regexes[1].form, RegexForm::Matching { .. }));
    assert_eq!(site.plan.regexes[0].name, "first_regex");
    assert_eq!(site.plan.features, ["regex", "regex-captures", "respond"]);
}

#[test]
fn files_find_their_rest_in_front_of_groups() {
    let site = Built::changed("language_regex_files", "route \"/f/*\" { files \"/srv\" }", |site| {
        let guard = regex(site, "(?<name>[a-z]+)$");
        route(site, 0).guard = Some(guard);
    });
    let Outcome::Root(search) = site.evaluate(&get("/f/x/name")).outcome else { panic!("a root") };
    assert_eq!((search.directory.as_str(), search.names()), ("/srv", vec!["x/name".to_owned()]));
}

#[test]
fn late_values_are_given_by_the_caller() {
    let words = "route \"/*\" { when { header \"none\" }; headers { set \"x-late\" \"{host}\" }; respond 200 \"guarded\" }\n route \"/*\" { headers { set \"x-late\" \"{host}\" }; respond 200 \"else\" }";
    let site = Built::changed("language_late", words, |site| {
        let span = nowhere(site);
        route(site, 0).guard = Some(header("x-key", Text::Late(variable(span, "STAFF_KEY", None))));
        for number in 0..2 {
            route(site, number).headers[0].value =
                template(&[Part::Text("v".to_owned()), Part::Late(variable(span, "RELEASE", (number == 0).then_some("none")))]);
        }
    });
    let late = |request: Request| {
        let Outcome::Answer(answer) = site.evaluate(&request).outcome else { panic!("an answer") };
        format!("{} {}", String::from_utf8_lossy(&answer.body), values(&answer, "x-late").join(" "))
    };
    let keyed = get("/").with("x-key", "secret");
    assert_eq!(late(keyed.clone()), "else v(env)RELEASE");
    assert_eq!(late(keyed.clone().with_late("STAFF_KEY", "secret")), "guarded vnone");
    assert_eq!(late(keyed.with_late("STAFF_KEY", "secret").with_late("RELEASE", "7")), "guarded v7");
    assert_eq!(late(get("/").with("x-key", "(env)STAFF_KEY")), "else v(env)RELEASE");
    assert_eq!(site.plan.lates.iter().map(|late| late.name.as_str()).collect::<Vec<_>>(), ["staff_key", "release", "env_release"]);
    assert_eq!(site.plan.features, ["headers", "late", "respond"]);
}

#[test]
fn late_root_is_named_or_known() {
    let site = Built::changed("language_late_root", "route \"/*\" { files \"/srv\" }", |site| {
        let value = variable(nowhere(site), "FILES", None);
        if let kiln::model::Action::Files(files) = &mut route(site, 0).action {
            *files = Files { late: Some(value), ..files.clone() };
        }
    });
    let root = |request: Request| match site.evaluate(&request).outcome {
        Outcome::Root(search) => search.directory,
        other => panic!("{other:?}"),
    };
    assert_eq!(root(get("/a")), "(env)FILES");
    assert_eq!(root(get("/a").with_late("FILES", "/data")), "/data");
}
