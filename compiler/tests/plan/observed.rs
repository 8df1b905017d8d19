//! What the server writes down and counts, its listeners and limits: as the plan shows them, the features that they need, and the places of routes.

use kiln::{
    dump, explain,
    plan::{Places, Plan},
};

use crate::site::{Built, HEAD};

/// A site with these words in `site`, and these in its one vhost.
fn plan(name: &str, site: &str, vhost: &str) -> Plan {
    let kdl = format!("site \"test\" language=1 {{\n{site}\n}}\nvhost \"shop.example\" {{\n{vhost}\n}}\n");
    Built::site(name, &kdl, &[]).plan
}

const LISTEN: &str = "listen \"127.0.0.1:8080\"\n";

#[test]
fn text_and_json_show_all_words_of_the_site() {
    let words = r#"
    listen "[::]:8080" name="public" dual-stack=#true { congestion "bbr" }
    listen "unix:/run/kiln/shop.sock" mode="0600"
    access-log "/var/log/shop.log" template="{time} {client-ip} {{{route}}} {header.x-a}" { redact "Voucher" "token" }
    error-log (env)"ERRORS" default="errors.log"
    metrics per-vhost=#true
    delivery "16KiB"
    limits { connections-per-client 256; requests 1000; memory "512MiB" }
    log #false"#;
    let plan = plan("observed_words", words, "log #true\nroute \"/healthz\" { log #false; respond 200 }");
    let text = dump::text(&plan).lines().filter(|line| !line.starts_with("not linked")).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(text);
    let json = dump::json(&plan);
    let parts =
        ["listeners", "limits", "delivery", "access_log", "error_log", "metrics", "log"].map(|name| format!("{name} {}", json[name]));
    insta::assert_snapshot!("json_of_all_words", parts.join("\n"));
}

#[test]
fn features_are_those_of_the_words() {
    let respond = "route \"/*\" { respond 200 }";
    for (site, vhost, feature) in [
        ("access-log \"stdout\"", respond, "access-log"),
        ("metrics", respond, "metrics"),
        ("limits { connections-per-client 5 }", respond, "client-limit"),
        ("limits { memory \"1MiB\" }", respond, "memory"),
        ("listen \"unix:/run/a\"", respond, "unix"),
        ("listen (env)\"A\" mode=\"0600\"", respond, "unix"),
        ("listen (env)\"A\" default=\"unix:/run/a\"", respond, "unix"),
        ("access-log \"stdout\" template=\"{request-id}\"", respond, "request-id"),
        ("headers { set \"x-id\" \"{request-id}\" }", respond, "request-id"),
        ("", "route \"/*\" { redirect \"/?id={request-id}\" }", "request-id"),
        ("", "route \"/*\" { split by=\"{request-id}\" { share 1 { respond 200 }; share 1 { refuse } } }", "request-id"),
        ("", "route \"/*\" { respond 200 \"{request-id}\" template=#true }", "request-id"),
    ] {
        let plan = plan("observed_features", &format!("{LISTEN}{site}"), vhost);
        assert!(plan.features.contains(&feature), "{site} {vhost}: {:?}", plan.features);
    }
    let words = "listen (env)\"A\"\naccess-log \"stdout\"\ndelivery \"immediate\"\nlimits { requests 5 }\nrequest-headers { set \"x-id\" \"{request-id}\" }";
    assert_eq!(plan("observed_features", words, respond).features, ["access-log", "late", "respond"]);
}

#[test]
fn places_are_numbered_as_the_plan_shows_routes() {
    let routes = "route \"/*\" { respond 200 }\nroute \"/b\" \"/c/{x}\" { respond 200 }";
    let lines = |name: &str, words: &str| {
        let places = Places::of(&plan(name, &format!("{LISTEN}{words}"), routes)).expect("the site has places");
        let numbers: Vec<_> = std::iter::once(places.vhost(0)).chain((0..3).map(|route| places.route(0, route))).collect();
        (places.lines().replace("shop.example", "s"), numbers)
    };
    let all = "\t\ns\t\ns\t/b\ns\t/c/{x}\ns\t/*\n".to_owned();
    assert_eq!(lines("observed_places", "access-log \"stdout\""), (all.clone(), vec![1, 4, 2, 3]));
    assert_eq!(lines("observed_places", "metrics"), (all, vec![1, 4, 2, 3]));
    assert_eq!(lines("observed_places", "metrics per-route=#false"), ("\t\ns\t\n".to_owned(), vec![1, 1, 1, 1]));
    assert_eq!(lines("observed_places", "metrics per-vhost=#false"), ("\t\ns\t/b\ns\t/c/{x}\ns\t/*\n".to_owned(), vec![0, 3, 1, 2]));
    assert!(Places::of(&plan("observed_places", LISTEN, routes)).is_none());
}

#[test]
fn log_of_an_inner_scope_replaces_the_outer_one() {
    let vhost = "log #false\nroute \"/a\" { respond 200 }\ngroup \"/b/*\" { log #true; route \"/b/c\" { respond 200 }; route \"/b/d\" { log #false; respond 200 } }";
    let plan = plan("observed_log", &format!("{LISTEN}access-log \"stdout\""), vhost);
    let vhost = &plan.vhosts[0];
    let routes: Vec<_> = vhost.routes.iter().map(|route| route.is_logged).collect();
    assert_eq!((plan.site_is_logged, vhost.is_logged, routes), (true, false, vec![false, true, false]));
    let explained = |path: &str| {
        let request = kiln::evaluate::Request::from_url("GET", &format!("http://shop.example{path}"), &[], None).unwrap();
        explain::explain(&plan, &request, &[])
    };
    assert!(explained("/a").contains("kept from the access log") && explained("/x").contains("kept from the access log"));
    assert!(!explained("/b/c").contains("access log"));
    let silent =
        Built::site("observed_log", &format!("{HEAD}vhost \"shop.example\" {{ route \"/a\" {{ log #false; respond 200 }} }}\n"), &[]).plan;
    assert!(silent.vhosts[0].routes[0].is_logged && silent.access_log.is_none(), "there is nothing to keep it from");
}
