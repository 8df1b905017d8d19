//! `plan.txt` and its JSON.

use kiln::dump;

use crate::{
    language,
    site::{Built, HEAD},
};

const SHOP: &str = r#"site "shop" language=1 {
    listen "0.0.0.0:8080" name="public"
    workers 2
    limits { head "64KiB" }
    timeouts { idle "2m" }
    headers { set "x-content-type-options" "nosniff" }
}

vhost "shop.example" "*.shop.example" {
    headers { add "link" "</a>; rel=preload"; remove "server" }
    route "/healthz" { respond 200 "{ok}\n" }
    route "/products/{id}" { respond 200 "product {id} of {host}\n" template=#true }
    route "/upload" { methods "POST" "PUT"; refuse 403 }
    route "/old/{rest*}" { redirect "/new/{rest}" status=308 }
    route "/gone" { redirect "https://b.example/" query="drop" }
    route "/*" {
        when { any { header "x-a" "1"; not { host "a.shop.example" } } }
        headers { only status=404 { set "cache-control" "no-store" } }
        abort
    }
    route "/*" { files "public" { embed } }
}

vhost default=#true { headers { reset }; route "/{file}" { path "keep"; respond 204 }; route "/dl/*" { files "downloads" { index "x.html" } } }
"#;

#[test]
fn text_shows_each_fact_on_a_line() {
    let site = Built::site("dump_text", SHOP, &[("public/index.html", &[b'a'; 5000]), ("public/a.png", &[1, 2, 3])]);
    insta::assert_snapshot!(dump::text(&site.plan));
}

#[test]
fn json_says_the_same() {
    let words = "route \"/a/{id}\" { methods \"GET\"; when { header \"x-a\" }; headers { set \"x-b\" \"{id}\" }; redirect \"/{id}\" }";
    let site = Built::vhost("dump_json", words);
    let json = dump::json(&site.plan);
    assert_eq!(json["limits"]["head_bytes"], serde_json::json!({ "value": 32768, "default": true }));
    assert_eq!(json["timeouts"]["idle_ms"], serde_json::json!({ "value": 75000, "default": true }));
    assert_eq!(json["features"], serde_json::json!(["headers", "redirect"]));
    insta::assert_snapshot!(serde_json::to_string_pretty(&json["vhosts"]).unwrap());
}

#[test]
fn text_of_changed_route_differs_in_its_lines_alone() {
    let site = |name: &str, pattern: &str| {
        let routes = format!(
            "    route \"/a\" {{ respond 200 \"a\" }}\n    route \"{pattern}\" {{ respond 200 \"b\" }}\n    route \"/c\" {{ respond 200 \"c\" }}"
        );
        dump::text(&Built::site(name, &format!("{HEAD}vhost \"shop.example\" {{\n{routes}\n}}\n"), &[]).plan)
    };
    let before = site("dump_before", "/b");
    let after = site("dump_after", "/b/with/a/very/long/pattern/that/reaches/beyond/its/column");
    let changed: Vec<_> = before.lines().zip(after.lines()).filter(|(before, after)| before != after).collect();
    assert_eq!(changed.len(), 1, "{changed:?}");
    assert_eq!(before.lines().count(), after.lines().count());
}

#[test]
fn text_is_the_same_for_the_plan_before_its_shaping_passes() {
    let site = Built::site("dump_plain", SHOP, &[("public/index.html", b"a")]);
    assert_eq!(dump::text(&site.plan), dump::text(&site.plain));
}

/// A site with every policy, guard and action that `SHOP` does not have.
fn whole() -> Built {
    let words = r#"    route "/a" { respond 200 "a" }
    route "/b" { when { header "x" }; respond 200 "b" }
    route "/blog/{slug}" { respond 200 }
    route "/try/*" { respond 200 }
    route "/files/*" { path "keep"; files "/srv" }"#;
    Built::changed("dump_whole", words, language::whole)
}

#[test]
fn text_shows_policies_and_actions() {
    insta::assert_snapshot!(dump::text(&whole().plan));
}

#[test]
fn json_shows_policies_and_actions() {
    let json = dump::json(&whole().plan);
    let routes = json["vhosts"][0]["routes"].as_array().unwrap();
    let of = |pattern: &str| routes.iter().find(|route| route["pattern"] == pattern).unwrap();
    insta::assert_snapshot!("json_route", serde_json::to_string_pretty(of("/a")).unwrap());
    insta::assert_snapshot!("json_guard", of("/b")["when"].to_string());
    insta::assert_snapshot!("json_split", of("/try/*")["action"].to_string());
    let site = ["trusted_proxies", "listeners", "hosts", "errors", "maps", "regexes", "late", "features"];
    let site: String = site.iter().map(|key| format!("{key} {}\n", json[key])).collect();
    insta::assert_snapshot!("json_site", site);
}

#[test]
fn text_of_changed_guard_differs_in_its_line_alone() {
    let changed = |name: &str, value: &str| {
        let words = format!("route \"/a\" {{ when {{ header \"x\" \"{value}\" }}; respond 200 }}\n route \"/b\" {{ respond 200 }}");
        dump::text(&Built::changed(name, &words, |site| site.vhosts[0].routes[1].body_limit.value = 5).plan)
    };
    let (before, after) = (changed("dump_guard_1", "1"), changed("dump_guard_2", "2"));
    let changed: Vec<_> = before.lines().zip(after.lines()).filter(|(before, after)| before != after).collect();
    assert_eq!((changed.len(), before.lines().count()), (1, after.lines().count()), "{changed:?}");
}

#[test]
fn encode_is_shown_where_it_is_another_than_around_it() {
    let kdl = r#"site "demo" language=1 { listen "127.0.0.1:8080"; encode "zstd" "br" "gzip" }
vhost "shop.example" {
    route "/" { respond 200 "as the site" }
    route "/raw" { encode #false; respond 200 "raw" }
    route "/own" { encode "gzip" min="2KiB"; respond 200 "own" }
    route "/dl/*" { files "downloads" }
}
vhost "plain.example" { encode #false; route "/" { respond 200 "plain" }; route "/own" { encode "gzip" min="2KiB"; respond 200 "shared" } }
"#;
    let site = Built::site("dump_encode", kdl, &[]);
    insta::assert_snapshot!(dump::text(&site.plan));
    let json = dump::json(&site.plan);
    assert_eq!(json["encode"]["codings"], serde_json::json!(["zstd", "br", "gzip"]));
    let routes = &json["vhosts"][0]["routes"];
    let encoded: Vec<_> = routes.as_array().unwrap().iter().map(|route| &route["encode"]["min_bytes"]["value"]).collect();
    assert!(encoded.contains(&&serde_json::json!(2048)) && encoded.contains(&&serde_json::Value::Null), "{encoded:?}");
    assert_eq!(site.plan.encodings.len(), 2);
    assert_eq!(json["features"], serde_json::json!(["encode-brotli", "encode-gzip", "encode-zstd", "files", "respond"]));
}
