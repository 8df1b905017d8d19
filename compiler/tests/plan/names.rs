//! Names of generated modules and handlers.

use kiln::plan::Vhost;

use crate::site::{Built, HEAD};

fn names(vhost: &Vhost) -> Vec<&str> {
    vhost.routes.iter().map(|route| route.name.as_str()).collect()
}

#[test]
fn handlers_are_named_after_patterns() {
    let words = "route \"/\" \"/products/{id}\" \"/docs/*\" \"/old/{rest*}\" \"/404\" \"/type\" \"/a.b-C\" \"/x/headers\" \"/*\" { respond 200 \"x\" }";
    let site = Built::vhost("names_patterns", words);
    let expected = ["root", "products_id", "docs", "old", "at_404", "type_route", "a_b_c", "x_headers_route", "rest"];
    assert_eq!(names(&site.plan.vhosts[0]), expected);
}

#[test]
fn handlers_of_one_pattern_are_told_apart_by_methods_and_guard() {
    let words = r#"
        route "/a" { when { header "x-a" "1" }; respond 200 "1" }
        route "/a" { when { header "x-b" }; methods "POST"; respond 200 "2" }
        route "/a" { methods "GET"; respond 200 "3" }
        route "/a" { methods "PUT" "DELETE"; respond 200 "4" }
        route "/a/*" { respond 200 "5" }
        route "/a-b" { respond 200 "6" }
        route "/a/b" { redirect "/" }"#;
    let site = Built::vhost("names_methods", words);
    let expected = ["a_if_x_a_1", "a_post", "a_get", "a_put_delete", "a", "a_b", "a_b_redirect"];
    assert_eq!(names(&site.plan.vhosts[0]), expected);
}

#[test]
fn vhosts_are_named_after_their_first_host() {
    let vhost = |hosts: &str| format!("vhost {hosts} {{ route \"/\" {{ respond 200 \"x\" }} }}\n");
    let hosts = [
        "\"shop.example\" \"www.shop.example\"",
        "\"*.blog.example\"",
        "\"a-b.example\"",
        "\"a.b.example\"",
        "\"runtime\"",
        "default=#true",
    ];
    let site = Built::site("names_vhosts", &format!("{HEAD}{}", hosts.map(vhost).concat()), &[]);
    let names: Vec<_> = site.plan.vhosts.iter().map(|vhost| vhost.name.as_str()).collect();
    assert_eq!(names, ["shop_example", "any_blog_example", "a_b_example", "a_b_example_2", "runtime_host", "default"]);
}

#[test]
fn handlers_of_long_guards_have_short_names() {
    let words = r#"
        route "/a" { when { any { header "x-staff-key"; header "x-internal" }; not { path "/a/status" "/a/status/*" } }; respond 200 "1" }
        route "/a" { when { any { header "x-staff-key"; header "x-internal-only" }; not { path "/a/*" } }; respond 200 "2" }
        route "/a" { respond 200 "3" }"#;
    let site = Built::vhost("names_guards", words);
    assert_eq!(names(&site.plan.vhosts[0]), ["a_if_x_staff_key", "a_if_x_staff_key_or_x_internal_only_and_not_a", "a"]);
}
