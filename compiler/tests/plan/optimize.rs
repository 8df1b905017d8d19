//! The shaping passes never change an answer.

use kiln::{
    evaluate::{Request, evaluate},
    plan::{EditsId, Shape},
};
use proptest::prelude::{Just, ProptestConfig, Strategy, prop, prop_oneof, proptest};

use crate::site::{Built, values};

const RULES: [&str; 14] = [
    "set \"x-a\" \"1\"",
    "set \"x-b\" \"{path}\"",
    "default \"x-c\" \"2\"",
    "default \"content-type\" \"text/html\"",
    "set \"cache-control\" \"no-store\"",
    "add \"x-a\" \"3\"",
    "add \"x-d\" \"{status}\"",
    "add \"link\" \"l\"",
    "remove \"content-*\"",
    "remove \"x-e\"",
    "only status=404 { set \"x-f\" \"4\" }",
    "only status=200 { add \"link\" \"m\" }",
    "only status=404 { remove \"x-*\" }",
    "only status=404 { default \"x-a\" \"5\" }",
];

/// Segments of patterns and of paths, so that they meet.
fn segment() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("a"), Just("b"), Just("c")]
}

fn pattern() -> impl Strategy<Value = String> {
    let inner = prop_oneof![3 => segment().prop_map(str::to_owned), 1 => Just("{p}".to_owned())];
    let last = prop_oneof![Just(String::new()), Just("*".to_owned()), segment().prop_map(str::to_owned)];
    (prop::collection::vec(inner, 0..3), last).prop_map(|(inner, last)| {
        let mut named = 0;
        let inner: Vec<_> = inner
            .into_iter()
            .map(|segment| {
                named += 1;
                segment.replace("{p}", &format!("{{p{named}}}"))
            })
            .chain([last])
            .collect();
        format!("/{}", inner.join("/"))
    })
}

fn route() -> impl Strategy<Value = (String, String)> {
    let methods = prop_oneof![Just(""), Just("methods \"GET\"; "), Just("methods \"POST\" \"PUT\"; ")];
    let rules = prop::collection::btree_set(0..RULES.len(), 1..4);
    (pattern(), methods, rules).prop_map(|(pattern, methods, rules)| {
        let names: std::collections::BTreeSet<_> = rules.iter().map(|rule| RULES[*rule].split('"').nth(1)).collect();
        let rules: Vec<_> = if names.len() == rules.len() { rules.iter().map(|rule| RULES[*rule]).collect() } else { vec![RULES[0]] };
        (pattern, format!("{methods}headers {{ {} }}; respond 200 \"x\"", rules.join("; ")))
    })
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(prop_oneof![4 => segment(), 1 => Just("")], 0..4).prop_map(|segments| format!("/{}", segments.join("/")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn optimized_plan_answers_as_the_plain_one(
        routes in prop::collection::btree_map(pattern(), route(), 1..40),
        outer in 0..RULES.len(),
        requests in prop::collection::vec((prop_oneof![Just("GET"), Just("HEAD"), Just("POST")], path()), 20),
    ) {
        let unique: std::collections::BTreeMap<_, _> = routes.values().map(|(pattern, words)| (pattern.replace(char::is_numeric, ""), (pattern, words))).collect();
        let words: String = unique.values().map(|(pattern, words)| format!("    route \"{pattern}\" {{ {words} }}\n")).collect();
        let site = Built::vhost("optimize_property", &format!("    headers {{ {} }}\n{words}", RULES[outer]));
        for (method, path) in requests {
            let request = Request::new(method, "shop.example", &path);
            let (optimized, plain) = (evaluate(&site.plan, &request, b""), evaluate(&site.plain, &request, b""));
            assert_eq!(optimized, plain, "{method} {path}\n{words}");
        }
    }
}

#[test]
fn many_patterns_become_a_table_that_decides_the_same() {
    let words: String =
        (0..40).map(|number| format!("    route \"/a{number}\" \"/b{number}/{{id}}\" {{ respond 200 \"{number}\" }}\n")).collect();
    let site = Built::vhost("optimize_table", &words);
    assert!(matches!(site.plan.vhosts[0].shape, Shape::Table { .. }));
    assert_eq!(site.plain.vhosts[0].shape, Shape::Code);
    for target in ["/a7", "/b39/x", "/b39", "/b39/x/y", "/a40", "/"] {
        let request = Request::new("GET", "shop.example", target);
        assert_eq!(evaluate(&site.plan, &request, b""), evaluate(&site.plain, &request, b""), "{target}");
    }
}

#[test]
fn constant_rules_become_ready_lines_in_their_order() {
    let words =
        "headers { set \"x-a\" \"1\"; set \"x-b\" \"{path}\"; add \"x-c\" \"2\"; set \"x-d\" \"3\" }\n route \"/\" { respond 200 \"x\" }";
    let site = Built::vhost("optimize_append", words);
    let edits = &site.plan.edits[site.plan.vhosts[0].edits.0 as usize];
    assert_eq!(String::from_utf8_lossy(&edits.appended), "x-d: 3\r\nx-c: 2\r\n");
    assert_eq!(edits.rules.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>(), ["x-a", "x-b"]);
    let answer = site.answer("GET", "/", &[]);
    let names: Vec<_> = answer.fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["content-type", "content-length", "x-a", "x-b", "x-d", "x-c"]);
}

#[test]
fn rules_on_own_names_and_narrowed_ones_stay_rules() {
    let words = "headers { set \"cache-control\" \"1\"; only status=404 { add \"x-c\" \"2\" } }\n route \"/\" { respond 200 \"x\" }";
    let site = Built::vhost("optimize_own", words);
    let edits = &site.plan.edits[site.plan.vhosts[0].edits.0 as usize];
    assert!(edits.appended.is_empty());
    assert_eq!(edits.rules.len(), 2);
    assert!(values(&site.answer("GET", "/", &[]), "x-c").is_empty());
    assert_eq!(values(&site.answer("GET", "/none", &[]), "x-c"), ["2"]);
}

#[test]
fn equal_edits_are_kept_once() {
    let words = "route \"/a\" { headers { set \"x-a\" \"1\" }; respond 200 \"x\" }\n route \"/b\" { headers { set \"x-a\" \"1\" }; respond 200 \"y\" }";
    let site = Built::vhost("optimize_share", words);
    let routes = &site.plan.vhosts[0].routes;
    assert_eq!((routes[0].edits, routes[1].edits), (EditsId(1), EditsId(1)));
    assert_eq!(site.plan.edits.len(), 2);
}
