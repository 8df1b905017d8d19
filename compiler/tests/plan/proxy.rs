//! Upstreams and `proxy`: what a site comes to in the plan, and how the plan shows it.

use std::time::Duration;

use kiln::{
    dump,
    plan::{Action, EditsId, EndpointAddress, HostPolicy, Intercepted, Intercepting, Plan, Proxy, Route, Target, Vhost},
};
use semantics::edits;

use crate::site::{Built, HEAD};

const SITE: &str = r#"
upstream "app" {
    endpoint "10.0.0.5:3000" weight=2
    endpoint "[fd00::5]:3000"
    endpoint (env)"FALLBACK" default="unix:/run/app.sock" backup=#true
    pool { idle-connections 128; requests-per-connection 1000 }
    timeouts { first-byte "10s"; total "5m" }
    eject after=3
    retry 2 budget="10%" { on "503" "connect" "502" }
}
upstream "lone" { endpoint "unix:/run/lone.sock" }
vhost "shop.example" {
    request-headers { set "x-client" "{client-ip}" }
    upstream-headers { remove "x-powered-by"; only status=404 { remove "set-cookie" } }
    route "/api/*" { proxy "app" { strip-prefix "/api" } }
    route "/ws" { proxy "lone" { upgrade "websocket" "IRC"; timeouts { tunnel-idle "10m" } } }
    route "/users/{id}" { upstream-headers { reset }; proxy "app" { target "/v2/user?id={id}"; host "app.internal:8080"; timeouts { total "off" } } }
    route "/downloads/*" {
        limit-body "1KiB"
        proxy "http://10.0.2.9" {
            host "endpoint"
            intercept {
                page 502 504 file="public/down.html"
                on 404 410 { proxy "lone" }
                accel root="/srv/files"
                on header="X-Fallback" { files "public" { embed; miss { proxy "http://10.0.2.9:80" } } }
            }
        }
    }
    route "/try/*" { split by="{client-ip}" { share 95 { proxy "app" }; share 5 { proxy "http://10.0.2.9:81" } } }
    route "/*" { files "public" { embed; miss { proxy "app" } } }
}
"#;

const FILES: [(&str, &[u8]); 2] = [("public/down.html", b"<p>down\n"), ("public/index.html", b"<p>home\n")];

fn built(name: &str) -> Built {
    Built::site(name, &format!("{HEAD}{SITE}"), &FILES)
}

/// One upstream with these words, which a route names.
fn upstream(name: &str, words: &str) -> Plan {
    Built::site(name, &format!("{HEAD}upstream \"app\" {{\n{words}\n}}\nvhost \"a.example\" {{ route \"/*\" {{ proxy \"app\" }} }}\n"), &[])
        .plan
}

fn route<'p>(vhost: &'p Vhost, pattern: &str) -> &'p Route {
    vhost.routes.iter().find(|route| route.pattern == pattern).unwrap()
}

fn proxy(action: &Action) -> &Proxy {
    let Action::Proxy(proxy) = action else { panic!("not a proxy: {action:?}") };
    proxy
}

#[test]
fn text_shows_upstreams_and_what_is_sent_on() {
    insta::assert_snapshot!(dump::text(&built("proxy_text").plan));
}

#[test]
fn json_says_the_same() {
    let json = dump::json(&built("proxy_json").plan);
    insta::assert_snapshot!("proxy_upstreams_json", serde_json::to_string_pretty(&json["upstreams"][0]).unwrap());
    let of_pattern = |pattern: &str| {
        let routes = json["vhosts"][0]["routes"].as_array().unwrap();
        serde_json::to_string_pretty(&routes.iter().find(|route| route["pattern"] == pattern).unwrap()["action"]).unwrap()
    };
    insta::assert_snapshot!("proxy_target_json", of_pattern("/users/{id}"));
    insta::assert_snapshot!("proxy_intercept_json", of_pattern("/downloads/*"));
}

#[test]
fn upstreams_are_those_that_are_named_in_written_order_then_urls() {
    let site = Built::site(
        "proxy_order",
        &format!(
            "{HEAD}upstream \"unused\" {{ endpoint \"10.0.0.1:1\" }}\nupstream \"b\" {{ endpoint \"10.0.0.1:2\" }}\nupstream \"a\" {{ endpoint \"10.0.0.1:3\" }}\n\
             vhost \"a.example\" {{\nroute \"/1\" {{ proxy \"http://10.0.0.9\" }}\nroute \"/2\" {{ proxy \"a\" }}\n\
             route \"/3\" {{ proxy \"http://10.0.0.8:80\" }}\nroute \"/4\" {{ proxy \"http://10.0.0.9:80\" }}\nroute \"/5\" {{ proxy \"b\" }}\n}}\n"
        ),
        &[],
    );
    let titles: Vec<_> = site.plan.upstreams.iter().map(|upstream| (upstream.title.as_str(), upstream.name.as_str())).collect();
    assert_eq!(
        titles,
        [("b", "b"), ("a", "a"), ("http://10.0.0.9", "to_10_0_0_9"), ("http://10.0.0.8:80", "to_10_0_0_8_80")],
        "equal addresses are one upstream"
    );
    let numbers: Vec<_> = site.plan.vhosts[0].routes.iter().map(|route| proxy(&route.action).upstream.0).collect();
    assert_eq!(numbers, [2, 1, 3, 2, 0]);
}

#[test]
fn endpoints_have_their_addresses_weights_and_places() {
    let plan = built("proxy_endpoints").plan;
    let endpoints: Vec<_> = plan.upstreams[0].endpoints.iter().map(|endpoint| (endpoint.weight.value, endpoint.is_backup)).collect();
    assert_eq!(endpoints, [(2, false), (1, false), (1, true)]);
    assert!(matches!(&plan.upstreams[0].endpoints[2].address, EndpointAddress::Late(id) if plan.lates[id.0 as usize].name == "fallback"));
    assert_eq!(plan.upstreams[1].endpoints[0].address, EndpointAddress::Unix("/run/lone.sock".to_owned()));
    assert_eq!(plan.upstreams[2].endpoints[0].address, EndpointAddress::Known("10.0.2.9:80".parse().unwrap()), "a URL without a port");
}

#[test]
fn several_endpoints_eject_and_retry_unless_switched_off() {
    let one = "endpoint \"10.0.0.5:3000\"";
    let two = "endpoint \"10.0.0.5:3000\"; endpoint \"10.0.0.6:3000\"";
    for (words, is_ejected, times) in [
        (one.to_owned(), false, None),
        (two.to_owned(), true, Some(1)),
        (format!("{two}; eject #false; retry 0"), false, None),
        (format!("{two}; eject #true; retry 3"), true, Some(3)),
        (format!("{one}; eject; retry 1"), true, Some(1)),
    ] {
        let plan = upstream("proxy_defaults", &words);
        let written = &plan.upstreams[0];
        assert_eq!(written.eject.is_some(), is_ejected, "{words}");
        assert_eq!(written.retry.as_ref().map(|retry| retry.times.value), times, "{words}");
    }
}

#[test]
fn retry_sorts_what_it_is_for() {
    let plan = upstream("proxy_retry", "endpoint \"10.0.0.5:3000\"\nretry 2 { on \"504\" \"first-byte-timeout\" \"502\" \"connect\" }");
    let on = &plan.upstreams[0].retry.as_ref().unwrap().on.value;
    assert_eq!((on.connect, on.first_byte_timeout, on.reset, on.statuses.as_slice()), (true, true, false, &[502, 504][..]));
}

#[test]
fn timeouts_of_an_action_take_the_place_of_the_upstreams() {
    let plan = built("proxy_timeouts").plan;
    let timeouts = |pattern: &str| &proxy(&route(&plan.vhosts[0], pattern).action).timeouts;
    assert_eq!(timeouts("/api/*").total.value, Some(Duration::from_secs(300)));
    assert_eq!((timeouts("/users/{id}").total.value, timeouts("/users/{id}").total.is_default), (None, false));
    assert_eq!(timeouts("/users/{id}").first_byte.value, Duration::from_secs(10));
    assert_eq!(timeouts("/ws").tunnel_idle.value, Duration::from_secs(600));
    assert!(timeouts("/ws").connect.is_default);
}

#[test]
fn proxy_says_target_host_and_upgrades() {
    let plan = built("proxy_words").plan;
    let of = |pattern: &str| proxy(&route(&plan.vhosts[0], pattern).action);
    assert_eq!(of("/api/*").target, Target::Strip("/api".to_owned()));
    assert_eq!(of("/ws").target, Target::Same);
    assert!(matches!(&of("/users/{id}").target, Target::Template(parts) if parts.len() == 2));
    assert_eq!(of("/api/*").host.value, HostPolicy::Preserve);
    assert_eq!(of("/users/{id}").host.value, HostPolicy::Literal("app.internal:8080".to_owned()));
    assert_eq!(of("/downloads/*").host.value, HostPolicy::Endpoint);
    assert_eq!(of("/ws").upgrades, ["websocket", "irc"]);
}

#[test]
fn intercepts_ask_for_headers_before_statuses() {
    let plan = built("proxy_intercepts").plan;
    let of = proxy(&route(&plan.vhosts[0], "/downloads/*").action);
    let when: Vec<_> = of.intercepts.iter().map(|intercept| intercept.when.clone()).collect();
    let header = |name: &str| Intercepting::Header(name.to_owned());
    let statuses = |statuses: &[u16]| Intercepting::Statuses(statuses.to_vec());
    assert_eq!(when, [header("x-accel-redirect"), header("x-fallback"), statuses(&[502, 504]), statuses(&[404, 410])]);
    assert!(matches!(&of.intercepts[0].then, Intercepted::Accel { .. }));
    assert!(
        matches!(&of.intercepts[2].then, Intercepted::Page(page) if page.content_type.starts_with("text/html") && &page.body[..] == b"<p>down\n")
    );
    let names: Vec<_> = of.continuations().map(|continuation| continuation.name.as_str()).collect();
    assert_eq!(names, ["downloads_on_x_fallback", "downloads_on_404_410"]);
    assert_eq!(plan.embeds.len(), 1, "files in an intercept are embedded as others");
}

#[test]
fn features_are_those_of_the_words() {
    let features = |name: &str, proxy: &str| {
        let words = format!("route \"/*\" {{ proxy \"http://10.0.0.5:3000\" {proxy} }}");
        Built::vhost(name, &words).plan.features
    };
    assert_eq!(features("proxy_feature", ""), ["proxy"]);
    assert_eq!(features("proxy_feature_upgrade", "{ upgrade \"websocket\" }"), ["proxy", "proxy-upgrade"]);
    assert_eq!(features("proxy_feature_on", "{ intercept { on 404 { refuse 404 } } }"), ["proxy", "proxy-intercept"]);
    assert_eq!(features("proxy_feature_accel", "{ intercept { accel root=\"/srv\" } }"), ["files", "proxy", "proxy-intercept"]);
    assert_eq!(features("proxy_feature_target", "{ target \"/{request-id}\" }"), ["proxy", "request-id"]);
}

#[test]
fn edits_of_foreign_answers_are_ready_lines_only_where_they_add() {
    let words = r#"
        headers { set "x-frame-options" "DENY"; add "link" "</a>" }
        route "/own" { respond 200 "own" }
        route "/app" { request-headers { set "x-a" "1"; add "x-b" "2" }; upstream-headers { set "x-c" "1" }; proxy "http://10.0.0.5:3000" }
        route "/files/*" { files "public" { miss { proxy "http://10.0.0.5:3000" } } }"#;
    let plan = Built::vhost("proxy_edits", words).plan;
    let vhost = &plan.vhosts[0];
    let edits = |id: EditsId| {
        let edits = &plan.edits[id.0 as usize];
        (edits.rules.iter().map(|rule| rule.action).collect::<Vec<_>>(), String::from_utf8(edits.appended.clone()).unwrap())
    };
    assert_eq!(edits(vhost.edits), (vec![], "x-frame-options: DENY\r\nlink: </a>\r\n".to_owned()));
    assert_eq!(route(vhost, "/own").edits, vhost.edits);
    let app = route(vhost, "/app");
    assert_eq!(edits(app.edits), (vec![edits::Action::Set], "link: </a>\r\n".to_owned()), "an upstream may say x-frame-options");
    assert_eq!(route(vhost, "/files/*").edits, app.edits);
    assert_eq!(edits(app.request_edits), (vec![edits::Action::Set], "x-b: 2\r\n".to_owned()));
    assert_eq!(edits(app.upstream_edits), (vec![edits::Action::Set], String::new()));
    let text = dump::text(&plan);
    assert_eq!(text.matches("x-frame-options").count(), 1, "shown once, though it is done in two ways:\n{text}");
}

#[test]
fn upstream_headers_of_scopes_add_up() {
    let plan = built("proxy_upstream_headers").plan;
    let names = |pattern: &str| {
        let id = route(&plan.vhosts[0], pattern).upstream_edits;
        plan.edits[id.0 as usize].in_order().iter().map(|rule| rule.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("/api/*"), ["x-powered-by", "set-cookie"]);
    assert!(names("/users/{id}").is_empty(), "reset");
}

#[test]
fn any_method_goes_on_unless_the_route_names_some() {
    let words = "route \"/a\" { proxy \"http://10.0.0.5:3000\" }\nroute \"/b\" { methods \"POST\"; proxy \"http://10.0.0.5:3000\" }\n\
                 route \"/c/*\" { files \"public\" { miss { proxy \"http://10.0.0.5:3000\" } } }";
    let plan = Built::vhost("proxy_methods", words).plan;
    let any: Vec<_> = plan.vhosts[0].routes.iter().map(|route| route.methods.is_any()).collect();
    assert_eq!(any, [true, false, true]);
}
