//! The text of `kiln explain`.

use kiln::{evaluate::Request, explain::explain};

use crate::site::Built;

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
}
