//! Upstreams, and the handlers of proxied routes.

use std::time::Duration;

use kiln::plan::{
    Action, Balance, Continuation, Defaulted, Edits, EditsId, Eject, Endpoint, EndpointAddress, HostPolicy, Intercept, Intercepted,
    Intercepting, Page, Part, Plan, Pool, Proxy, Retry, RetryOn, Route, Shape, Target, Upstream, UpstreamId, UpstreamTimeouts, Value,
    Vhost,
};

use crate::made::{at, defaulted, package, plan, respond, route, text, vhost};

fn timeouts() -> UpstreamTimeouts {
    let seconds = |count| defaulted(Duration::from_secs(count));
    UpstreamTimeouts {
        connect: seconds(2),
        first_byte: seconds(30),
        between_bytes: seconds(60),
        total: defaulted(None),
        tunnel_idle: seconds(3600),
    }
}

fn upstream(name: &str, title: &str, endpoints: Vec<Endpoint>) -> Upstream {
    Upstream {
        name: name.to_owned(),
        title: title.to_owned(),
        is_anonymous: title.contains("://"),
        endpoints,
        balance: defaulted(Balance::RoundRobin),
        pool: Pool {
            idle_connections: defaulted(64),
            idle_timeout: defaulted(Duration::from_secs(30)),
            requests_per_connection: defaulted(25_000),
            connection_age: defaulted(Duration::from_secs(3600)),
        },
        timeouts: timeouts(),
        eject: None,
        retry: None,
        provenance: at(4),
    }
}

fn endpoint(address: EndpointAddress) -> Endpoint {
    Endpoint { address, weight: defaulted(1), is_backup: false }
}

fn proxy(target: Target, intercepts: Vec<Intercept>) -> Action {
    Action::Proxy(Box::new(Proxy {
        upstream: UpstreamId(0),
        target,
        host: defaulted(HostPolicy::Preserve),
        upgrades: Vec::new(),
        timeouts: timeouts(),
        intercepts,
    }))
}

fn proxied(routes: Vec<Route>) -> Plan {
    let mut plan = plan(vec![vhost("shop.example", routes)]);
    let known = |text: &str| endpoint(EndpointAddress::Known(text.parse().expect("an address")));
    let backup = Endpoint { is_backup: true, ..endpoint(EndpointAddress::Unix("/run/app.sock".to_owned())) };
    let mut app =
        upstream("app", "app", vec![Endpoint { weight: Defaulted::written(2), ..known("10.0.0.5:3000") }, known("[fd00::5]:3000"), backup]);
    app.eject = Some(Eject { after: defaulted(5), time: defaulted(Duration::from_secs(30)) });
    let on = RetryOn { connect: true, reset: true, statuses: vec![502, 503], ..RetryOn::default() };
    app.retry = Some(Retry { times: Defaulted::written(2), budget_percent: defaulted(20), on: Defaulted::written(on) });
    plan.upstreams = vec![app, upstream("to_10_0_2_9_3000", "http://10.0.2.9:3000", vec![known("10.0.2.9:3000")])];
    plan.edits.push(Edits { appended: b"x-tenant: shop\r\n".to_vec(), ..Edits::default() });
    plan
}

#[test]
fn upstreams_are_statics_of_their_own_module() {
    let package = package(&proxied(vec![route("rest", "/*", proxy(Target::Same, Vec::new()))]));
    insta::assert_snapshot!(text(&package, "src/upstreams.rs"));
    let main = text(&package, "src/main.rs");
    assert!(main.contains("upstreams: &[&upstreams::APP_UPSTREAM, &upstreams::TO_10_0_2_9_3000_UPSTREAM],"), "{main}");
}

#[test]
fn proxied_routes_name_what_they_send_on() {
    let target = Target::Template(vec![Part::Text("/v2/".to_owned()), Part::Parameter(0)]);
    let edited = Route { request_edits: EditsId(1), ..route("api", "/api/*", proxy(Target::Strip("/api".to_owned()), Vec::new())) };
    insta::assert_snapshot!(text(
        &package(&proxied(vec![edited, route("users", "/users/{id}", proxy(target, Vec::new()))])),
        "src/shop_example.rs"
    ));
}

#[test]
fn intercepts_are_a_list_of_handlers_and_pages() {
    let on = |statuses: &[u16], then| Intercept { when: Intercepting::Statuses(statuses.to_vec()), then };
    let page = Page {
        file: "public/down.html".to_owned(),
        content_type: "text/html; charset=utf-8".to_owned(),
        body: b"down\n".as_slice().into(),
    };
    let action = Continuation { name: "rest_on_404".to_owned(), action: respond("none\n") };
    let intercepts = vec![
        Intercept {
            when: Intercepting::Header("x-accel-redirect".to_owned()),
            then: Intercepted::Accel { root: Value::Text("/srv/files".to_owned()) },
        },
        on(&[502, 504], Intercepted::Page(page)),
        on(&[404], Intercepted::Action(Box::new(action))),
    ];
    let package = package(&proxied(vec![route("rest", "/*", proxy(Target::Same, intercepts))]));
    insta::assert_snapshot!(text(&package, "src/shop_example.rs"));
    assert_eq!(text(&package, "pages/down.html"), "down\n");
}

#[test]
fn records_that_send_the_same_on_share_it() {
    let api = |name: &str| Route { request_edits: EditsId(1), ..route(name, &format!("/{name}"), proxy(Target::Same, Vec::new())) };
    let mut plan = proxied(vec![api("a"), api("b"), route("c", "/c", proxy(Target::Same, Vec::new()))]);
    for vhost in &mut plan.vhosts {
        *vhost = Vhost { shape: Shape::Records { tree: b"tree".to_vec() }, ..vhost.clone() };
    }
    let routes = text(&package(&plan), "src/routes.rs");
    assert!(routes.contains("static PROXIES: [proxy::Proxy; 2] = ["), "{routes}");
    assert!(routes.contains("proxy::forward(exchange, &PROXIES[record.tree()])"), "{routes}");
    assert!(routes.contains("/// `route \"/a\"`, site.kdl:"), "{routes}");
}
