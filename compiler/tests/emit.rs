//! Emitted Rust of small plans made by hand: one snapshot for each thing that has a shape of its own.

use std::{net::SocketAddr, time::Duration};

use kiln::{
    emit::{Form, emit},
    model::{Defaulted, EncodedSlash, Limits, Timeouts, Workers},
    package::Package,
    plan::{Action, Address, Edit, Edits, EditsId, Guard, Hosts, Listener, Part, Pattern, Plan, Route, Shape, Value, Vhost},
    source::Provenance,
};
use semantics::method::{Method, Methods};

fn defaulted<T>(value: T) -> Defaulted<T> {
    Defaulted { value, is_default: true }
}

fn at(line: u32) -> Provenance {
    Provenance { file: "site.kdl".to_owned(), line }
}

fn plan(vhosts: Vec<Vhost>) -> Plan {
    let names = vhosts.iter().enumerate().flat_map(|(index, vhost)| vhost.hosts.iter().map(move |host| (host.clone(), index as u16)));
    let address = SocketAddr::from(([0, 0, 0, 0], 8080));
    let seconds = |count| defaulted(Duration::from_secs(count));
    Plan {
        site: "shop".to_owned(),
        language: 1,
        listeners: vec![Listener { name: "public".to_owned(), address: Address::Known(address), provenance: at(2) }],
        workers: defaulted(Workers::PerCore),
        limits: Limits {
            connections: defaulted(16_384),
            head: defaulted(32 * 1024),
            fields: defaulted(100),
            body: defaulted(16 * 1024 * 1024),
        },
        timeouts: Timeouts { head: seconds(10), body: seconds(30), idle: seconds(75), write: seconds(30), drain: seconds(300) },
        trusted_proxies: None,
        hosts: vec![Hosts { seed: 7, slots: vec![0, 1, 2, 0], names: names.collect(), default: None }],
        listener_hosts: vec![0],
        vhosts,
        edits: vec![Edits::default()],
        site_edits: EditsId(0),
        site_errors: None,
        access: Vec::new(),
        cors: Vec::new(),
        errors: Vec::new(),
        maps: Vec::new(),
        regexes: Vec::new(),
        lates: Vec::new(),
        embeds: Vec::new(),
        features: vec!["redirect", "respond"],
    }
}

/// A vhost whose patterns are those of its routes, in order.
fn vhost(host: &str, routes: Vec<Route>) -> Vhost {
    let mut patterns: Vec<Pattern> = Vec::new();
    for (index, route) in routes.iter().enumerate() {
        match patterns.iter_mut().find(|pattern| pattern.text == route.pattern) {
            Some(pattern) => pattern.routes.push(index as u32),
            None => patterns.push(Pattern { text: route.pattern.clone(), routes: vec![index as u32] }),
        }
    }
    let name = host.replace('.', "_");
    Vhost {
        name,
        hosts: vec![host.to_owned()],
        is_default: false,
        on: vec![0],
        canonical_host: None,
        provenance: at(12),
        edits: EditsId(0),
        errors: None,
        patterns,
        routes,
        shape: Shape::Code,
    }
}

fn route(name: &str, pattern: &str, action: Action) -> Route {
    let parameters = vec![None; pattern.matches('{').count() + usize::from(pattern.ends_with('*'))];
    Route {
        name: name.to_owned(),
        pattern: pattern.to_owned(),
        pattern_parameters: parameters.len(),
        parameters,
        methods: Methods::ANY,
        guard: None,
        encoded_slash: EncodedSlash::Refuse,
        edits: EditsId(0),
        request_edits: EditsId(0),
        errors: None,
        cors: None,
        access: Vec::new(),
        body_limit: defaulted(16 * 1024 * 1024),
        action,
        provenance: at(48),
    }
}

fn respond(body: &str) -> Action {
    Action::Respond { status: 200, body: vec![Part::Text(body.to_owned())], content_type: None }
}

fn package(plan: &Plan) -> Package {
    let form = Form {
        package: "site-shop".to_owned(),
        binary: "shop".to_owned(),
        runtime: "../../runtime",
        entry: "site.kdl",
        dump: "the plan\n",
        manifest: "site shop\n",
        assets: None,
    };
    emit(plan, &form)
}

fn text(package: &Package, path: &str) -> String {
    String::from_utf8_lossy(&package.files()[path]).into_owned()
}

/// Vhost `shop.example` of one plan with these routes.
fn emitted(routes: Vec<Route>) -> String {
    text(&package(&plan(vec![vhost("shop.example", routes)])), "src/shop_example.rs")
}

#[test]
fn main_of_two_vhosts_matches_them() {
    let plan = plan(vec![vhost("shop.example", Vec::new()), vhost("blog.example", Vec::new())]);
    let package = package(&plan);
    insta::assert_snapshot!(text(&package, "src/main.rs"));
    insta::assert_snapshot!("cargo_toml", text(&package, "Cargo.toml"));
}

#[test]
fn routes_literal_and_parametric_are_decided_in_order() {
    let mut upload = route("upload", "/upload", Action::Refuse { status: 503 });
    upload.methods = Methods::of(&[Method::POST, Method::PUT]);
    let product = vec![Part::Text("id ".to_owned()), Part::Parameter(0)];
    let product = Action::Respond { status: 200, body: product, content_type: None };
    let routes = vec![
        route("healthz", "/healthz", respond("ok\n")),
        upload,
        route("products_id", "/products/{id}", product),
        route("gone", "/*", Action::Abort),
    ];
    insta::assert_snapshot!(emitted(routes));
}

#[test]
fn routes_guarded_fall_through_when_none_accepts() {
    let guard = |name: &str| Some(Guard::Header { name: name.to_owned(), values: vec![Value::Text("1".to_owned())] });
    let mut beta = route("x_beta", "/x", respond("beta"));
    (beta.guard, beta.methods) = (guard("x-beta"), Methods::GET_HEAD);
    let mut post = route("x_post", "/x", respond("posted"));
    (post.guard, post.methods) = (guard("x-post"), Methods::of(&[Method::POST]));
    let mut rest = route("rest", "/*", respond("rest"));
    rest.methods = Methods::GET_HEAD;
    insta::assert_snapshot!(emitted(vec![beta, post, rest]));
}

#[test]
fn redirects_constant_and_rendered_differ() {
    let target = |parts, drops_query| Action::Redirect { target: parts, status: 308, drops_query };
    let rest = vec![Part::Text("/new/".to_owned()), Part::Parameter(0)];
    let routes =
        vec![route("home", "/home", target(vec![Part::Text("/".to_owned())], true)), route("old", "/old/{rest*}", target(rest, false))];
    insta::assert_snapshot!(emitted(routes));
}

#[test]
fn files_map_the_rest_or_the_whole_path() {
    let root = || Action::Root { directory: Value::Text("/srv/files".to_owned()), index: defaulted("index.html".to_owned()) };
    insta::assert_snapshot!(emitted(vec![route("robots", "/robots.txt", root()), route("downloads", "/{user}/downloads/*", root())]));
}

#[test]
fn edits_of_several_vhosts_are_shared() {
    let edit = |name: &str| Edit {
        action: semantics::edits::Action::Set,
        name: name.to_owned(),
        value: vec![Part::Text("1".to_owned())],
        only: vec![404],
        except: Vec::new(),
    };
    let mut own = route("own", "/own", respond("own"));
    own.edits = EditsId(2);
    let (mut shop, mut blog) = (vhost("shop.example", vec![own]), vhost("blog.example", vec![route("plain", "/", respond("plain"))]));
    (shop.edits, blog.edits) = (EditsId(1), EditsId(1));
    let mut plan = plan(vec![shop, blog]);
    plan.edits.push(Edits { rules: vec![edit("x-site")], appended: b"x-more: 1\r\n".to_vec(), ..Edits::default() });
    plan.edits.push(Edits { rules: vec![edit("x-own")], ..Edits::default() });
    let package = package(&plan);
    insta::assert_snapshot!("edits_shared", text(&package, "src/headers.rs"));
    insta::assert_snapshot!("edits_own", text(&package, "src/shop_example.rs"));
}

#[test]
fn vhost_as_table_has_its_blob_beside_it() {
    let mut table = vhost("shop.example", vec![route("a", "/a", respond("a")), route("rest", "/*", Action::Abort)]);
    table.shape = Shape::Table { blob: b"tree".to_vec() };
    let package = package(&plan(vec![table]));
    assert_eq!(package.files()["src/shop_example.routes"], b"tree");
    insta::assert_snapshot!(text(&package, "src/shop_example.rs"));
}

#[test]
fn main_of_many_vhosts_has_tables() {
    let vhosts = (0..301).map(|number| vhost(&format!("v{number}.example"), vec![route("healthz", "/healthz", respond("ok"))]));
    let package = package(&plan(vhosts.collect()));
    let paths: Vec<_> = package.files().keys().map(String::as_str).collect();
    let expected =
        ["src/from_v0_example.rs", "src/from_v100_example.rs", "src/from_v200_example.rs", "src/from_v300_example.rs", "src/hosts.rs"];
    assert_eq!(paths[3..8], expected);
    let main = text(&package, "src/main.rs");
    assert!(main.contains("Some(vhost) => VHOSTS[usize::from(vhost)](exchange),"), "{main}");
    assert!(main.contains("from_v100_example::v142_example,"), "{main}");
}

#[test]
fn emit_same_plan_gives_same_bytes() {
    let plan = plan(vec![vhost("shop.example", vec![route("healthz", "/healthz", respond("ok"))])]);
    assert_eq!(package(&plan), package(&plan));
}
