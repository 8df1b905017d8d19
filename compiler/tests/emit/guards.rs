//! Guards, and what they name: networks, maps, regexes, values known on the host only.

use kiln::{
    package::Package,
    plan::{Action, Defaulted, Guard, Late, LateId, LateSource, Map, MapForm, MapId, Part, Plan, Regex, RegexForm, RegexId, Route, Value},
};
use semantics::{cidr::Prefix, guard::Protocol, method::Methods};

use crate::made::{at, package, plan, respond, route, text, vhost};

fn values(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| Value::Text((*text).to_owned())).collect()
}

fn guarded(name: &str, pattern: &str, guard: Guard) -> Route {
    Route { guard: Some(guard), ..route(name, pattern, respond(name)) }
}

/// Vhost `shop.example` with these routes, and a late value, two maps and two regexes.
fn emitted(routes: Vec<Route>) -> Package {
    let mut plan: Plan = plan(vec![vhost("shop.example", routes)]);
    plan.lates = vec![
        Late {
            name: "staff_key".to_owned(),
            source: LateSource::Env { name: "STAFF_KEY".to_owned(), default: Some("none".to_owned()) },
            provenance: at(5),
        },
        Late { name: "token".to_owned(), source: LateSource::File { path: "/run/secrets/token".to_owned() }, provenance: at(6) },
    ];
    let row = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let map = |name: &str, form| Map {
        name: name.to_owned(),
        from: vec![Part::Path],
        rows: vec![row("/a", "/b"), row("/c", "/d")],
        default: Some("/".to_owned()),
        form,
        is_file: false,
        provenance: at(7),
    };
    plan.maps = vec![map("moved", MapForm::Inline), map("old-urls", MapForm::Blob(b"rows".to_vec()))];
    let capturing = RegexForm::Capturing { forward: b"forward".to_vec(), reverse: b"reverse".to_vec(), groups: vec!["year".to_owned()] };
    plan.regexes = vec![
        Regex { name: "items_regex".to_owned(), text: "[0-9]+$".to_owned(), form: RegexForm::Matching { dfa: b"dfa".to_vec() } },
        Regex { name: "posts_regex".to_owned(), text: "(?<year>[0-9]{4})".to_owned(), form: capturing },
    ];
    package(&plan)
}

#[test]
fn guard_nested_keeps_its_parentheses() {
    let header = |name: &str| Guard::Header { name: name.to_owned(), values: values(&["1"]) };
    let either = Guard::Any(vec![Guard::Path(vec!["/x/*".to_owned()]), Guard::Method(Methods::GET_HEAD)]);
    let guard = Guard::All(vec![header("x-a"), Guard::Not(Box::new(either.clone())), either, header("x-b")]);
    let methods = Guard::Not(Box::new(Guard::Method(Methods::GET_HEAD)));
    let package = emitted(vec![guarded("x", "/x", guard), guarded("methods_alone", "/y", methods)]);
    insta::assert_snapshot!(text(&package, "src/shop_example.rs"));
}

#[test]
fn guard_leaves_are_the_runtimes() {
    let office = || Guard::ClientIp(["10.0.0.0/8", "2001:db8::/32"].map(|text| Prefix::parse(text).expect("a prefix")).to_vec());
    let key = vec![Value::Late(LateId(0)), Value::Text("x".to_owned())];
    let leaves = Guard::All(vec![
        Guard::Cookie { name: "beta".to_owned(), values: Vec::new() },
        Guard::Query { name: "page".to_owned(), values: values(&["1", "2"]) },
        Guard::Header { name: "x-key".to_owned(), values: key },
        Guard::Extension(vec!["png".to_owned()]),
        Guard::Protocol(vec![Protocol::H1, Protocol::H2]),
        office(),
    ]);
    let package = emitted(vec![guarded("all", "/all", leaves), guarded("office", "/office", office())]);
    insta::assert_snapshot!(text(&package, "src/shop_example.rs"));
}

#[test]
fn maps_and_regexes_have_files_of_their_own() {
    let guard = Guard::All(vec![Guard::Map(MapId(0)), Guard::Regex(RegexId(0)), Guard::Regex(RegexId(1)), Guard::Regex(RegexId(1))]);
    let target =
        Action::Redirect { target: vec![Part::Map(MapId(1)), Part::Parameter(1)], status: Defaulted::written(301), drops_query: true };
    let package = emitted(vec![Route { guard: Some(guard), ..route("moved", "/moved/{id}", target) }]);
    insta::assert_snapshot!("guards_of_maps_and_regexes", text(&package, "src/shop_example.rs"));
    insta::assert_snapshot!("maps", text(&package, "src/maps.rs"));
    insta::assert_snapshot!("regexes", text(&package, "src/regexes.rs"));
    insta::assert_snapshot!("late_values", text(&package, "src/late_values.rs"));
    insta::assert_snapshot!(text(&package, "assets/src/lib.rs"), @r#"
    //! The embedded files, large maps and records of the site, as blobs.
    #![forbid(unsafe_code)]

    pub static OLD_URLS_MAP: &[u8] = include_bytes!("../old_urls_map.bin");
    "#);
    assert_eq!(package.files()["assets/old_urls_map.bin"], b"rows");
    assert_eq!(package.files()["regexes/items_regex.dfa"], b"dfa");
    assert_eq!(package.files()["regexes/posts_regex.reverse.dfa"], b"reverse");
    let main = text(&package, "src/main.rs");
    assert!(main.contains("late: &[&late_values::STAFF_KEY, &late_values::TOKEN],"), "{main}");
    assert!(main.contains("regexes: &[&regexes::ITEMS_REGEX, &regexes::POSTS_REGEX],"), "{main}");
}

#[test]
fn comments_keep_to_their_line_whatever_they_quote() {
    let mut shop = vhost("shop.example", vec![route("root", "/", respond("home"))]);
    shop.provenance.file = "a\nb\r.kdl".to_owned();
    let mut plan = plan(vec![shop]);
    plan.regexes = vec![Regex {
        name: "odd_regex".to_owned(),
        text: "a\r?*/\n\u{202e}\"\\dé".to_owned(),
        form: RegexForm::Matching { dfa: b"dfa".to_vec() },
    }];
    let package = package(&plan);
    let (regexes, shop) = (text(&package, "src/regexes.rs"), text(&package, "src/shop_example.rs"));
    assert!(regexes.contains("/// `a\\r?*/\\n\\u{202e}\"\\dé`\n"), "{regexes}");
    assert!(shop.starts_with("//! `vhost \"shop.example\"`, a\\nb\\r.kdl:12\n"), "{shop}");
}
