//! The text of `kiln explain`.

use kiln::{evaluate::Request, explain::explain};

use crate::{language, site::Built};

fn text(words: &str, name: &str, (method, url): (&str, &str), headers: &[&str]) -> String {
    let site = Built::vhost(name, words);
    let headers: Vec<_> = headers.iter().map(|header| (*header).to_owned()).collect();
    explain(&site.plan, &Request::from_url(method, url, &headers, None).unwrap(), &site.blob)
}

const API: &str = r#"    headers { set "x-frame-options" "DENY"; remove "server" }
    route "/api/upload" { methods "POST"; respond 201 }
    route "/api/{name}/{part}" { when { header "x-a" "1" }; respond 200 "guarded" }
    route "/api/*" { headers { set "x-part" "{*}" }; redirect "/v2/{*}" }
    route "/files/*" { files "/srv/files" }"#;

#[test]
fn explain_shows_each_step() {
    let api = API.replace("{*}", "{rest}").replace("/api/*", "/api/{rest*}");
    let explained = text(&api, "explain_steps", ("GET", "http://shop.example//API/../api/v1/items?x=1"), &["x-a: 0"]);
    insta::assert_snapshot!(explained);
}

#[test]
fn explain_says_why_nothing_was_chosen() {
    let api = API.replace("{*}", "{rest}").replace("/api/*", "/api/{rest*}");
    insta::assert_snapshot!("method", text(&api, "explain_method", ("GET", "http://shop.example/api/upload"), &[]));
    insta::assert_snapshot!("path", text(&api, "explain_path", ("GET", "http://shop.example/files2"), &[]));
    insta::assert_snapshot!("host", text(&api, "explain_host", ("GET", "http://other.example/"), &[]));
    insta::assert_snapshot!("fault", text(&api, "explain_fault", ("GET", "http://shop.example/a%"), &[]));
    insta::assert_snapshot!("root", text(&api, "explain_root", ("GET", "http://shop.example/files/a%20b/"), &[]));
    insta::assert_snapshot!("prefix", text(&api, "explain_prefix", ("GET", "http://shop.example/files"), &[]));
    let listed = r#"route "/*" { files "/srv" { listing; miss { respond 200 "none" } } }"#;
    insta::assert_snapshot!("listed", text(listed, "explain_listed", ("GET", "http://shop.example/a/"), &[]));
    insta::assert_snapshot!("missed", text(listed, "explain_missed", ("PUT", "http://shop.example/a/"), &[]));
}

#[test]
fn explain_shows_policies_shares_and_restarts() {
    let words = r#"    route "/a" { respond 200 "a" }
    route "/b" { when { header "x" }; respond 200 "b" }
    route "/blog/{slug}" { respond 200 }
    route "/try/*" { respond 200 }
    route "/files/*" { path "keep"; files "/srv" }"#;
    let site = Built::changed("explain_whole", words, language::whole);
    let explained = |method: &str, url: &str, headers: &[&str]| {
        let headers: Vec<_> = headers.iter().map(|header| (*header).to_owned()).collect();
        let request = Request::from_url(method, url, &headers, Some("10.1.0.1".parse().unwrap())).unwrap();
        explain(&site.plan, &request, &site.blob)
    };
    insta::assert_snapshot!("access", explained("GET", "http://shop.example/a", &["x-forwarded-for: 203.0.113.9"]));
    let asked = ["origin: https://partner.example", "access-control-request-method: PUT"];
    insta::assert_snapshot!("preflight", explained("OPTIONS", "http://shop.example/a", &asked));
    insta::assert_snapshot!("guard", explained("GET", "http://shop.example/b", &["x-key: 1"]));
    insta::assert_snapshot!("rewrite", explained("GET", "http://shop.example/blog/x", &[]));
    insta::assert_snapshot!("split", explained("GET", "http://shop.example/try/x", &["cookie: s=1"]));
    insta::assert_snapshot!("late", explained("GET", "http://shop.example/files/a%2Fb", &[]));
}

#[test]
fn explain_says_in_what_an_answer_is_coded() {
    let words = r#"encode "br" "gzip" min="4B"
    route "/a" { respond 200 "text" }
    route "/b" { encode #false; respond 200 "text" }"#;
    let asked = ["accept-encoding: gzip"];
    let coded = text(words, "explain_coded", ("GET", "http://shop.example/a"), &asked);
    insta::assert_snapshot!(coded);
    let plain = text(words, "explain_plain", ("GET", "http://shop.example/b"), &asked);
    assert!(!plain.contains("encod") && !plain.contains("coded"), "{plain}");
}

#[test]
fn explain_shows_what_an_upstream_gets() {
    let proxied = r#"    request-headers { set "x-tenant" "{host}" }
    upstream-headers { remove "server" }
    route "/api/*" {
        proxy "http://10.0.2.9:3000" {
            strip-prefix "/api"
            upgrade "websocket"
            intercept { on 404 { respond 404 "nothing there\n" } }
        }
    }
    route "/by/*" { proxy "http://10.0.2.9:3000" { target "/{header.x-to}" } }"#;
    let upgrade = ["connection: upgrade, x-mine", "upgrade: websocket", "x-mine: 1", "x-forwarded-for: 10.0.0.1"];
    insta::assert_snapshot!("proxied", text(proxied, "explain_proxied", ("GET", "http://shop.example/api//v1?x=1"), &upgrade));
    let unsendable = text(proxied, "explain_unsendable", ("GET", "http://shop.example/by/x"), &["x-to: ../a"]);
    assert!(unsendable.contains("no: what the upstream would be asked for"), "{unsendable}");
}
