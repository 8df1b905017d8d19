//! Policies and what answers before or instead of an action: error pages, canonical hosts, CORS, access, body limits, splits, rewrites, listeners.

use std::{net::SocketAddr, sync::Arc};

use kiln::plan::{
    Access, AccessId, AccessRule, Action, Address, Allowed, CanonicalHost, Cors, CorsId, Defaulted, Edits, EditsId, Encoding, EncodingId,
    ErrorPage, Errors, ErrorsId, Hosts, Late, LateId, LateSource, Listener, ListenerOptions, Origins, Part, Plan, Route, Rules, Shape,
    Share, TrustedProxies, Value, Vhost,
};
use semantics::{access::Verdict, cidr::Prefix, client::ForwardingFields, method::Methods, negotiate::Coding};

use crate::made::{at, defaulted, package, plan, respond, route, text, vhost};

fn networks(texts: &[&str]) -> Vec<Prefix> {
    texts.iter().map(|text| Prefix::parse(text).expect("a prefix")).collect()
}

fn page(status: u16, file: &str, body: &str) -> ErrorPage {
    let content_type = "text/html; charset=utf-8".to_owned();
    ErrorPage { status, file: file.to_owned(), content_type, body: Arc::from(body.as_bytes()) }
}

/// A plan with two sets of pages, two access lists and a CORS policy, which its vhosts may name.
fn with_policies(vhosts: Vec<Vhost>) -> Plan {
    let mut plan = plan(vhosts);
    let pages = vec![page(404, "pages/404.html", "<p>not here"), page(502, "down.html", "<p>down")];
    plan.errors =
        vec![Errors { pages: pages.clone() }, Errors { pages: [&pages[1..], &[page(503, "other/down.html", "<p>other")]].concat() }];
    let rule = |verdict, texts: &[&str]| AccessRule { verdict, networks: networks(texts) };
    plan.access = vec![
        Access { rules: vec![rule(Verdict::Allow, &["10.0.0.0/8"])] },
        Access { rules: vec![rule(Verdict::Refuse, &["10.1.0.0/16"]), rule(Verdict::Allow, &["10.0.0.0/8", "::1"])] },
    ];
    plan.cors = vec![Cors {
        origins: Origins::Listed { origins: vec!["https://partner.example".to_owned()], has_credentials: true },
        methods: Allowed::Listed(vec!["PUT".to_owned()]),
        headers: Allowed::Any,
        exposed: Allowed::Listed(Vec::new()),
        max_age_s: Some(3600),
    }];
    plan
}

#[test]
fn checks_stand_in_the_order_of_the_language() {
    let mut fonts = route("fonts", "/fonts/*", Action::Refuse { status: Defaulted::written(410) });
    (fonts.cors, fonts.access) = (Some(CorsId(0)), vec![AccessId(0), AccessId(1)]);
    (fonts.methods, fonts.body_limit, fonts.edits) = (Methods::GET_HEAD, defaulted(64 * 1024), EditsId(1));
    let root = Route { access: vec![AccessId(0)], ..route("root", "/", Action::Abort) };
    let mut plan = with_policies(vec![vhost("shop.example", vec![fonts, root])]);
    plan.edits.push(Edits { appended: b"x-own: 1\r\n".to_vec(), ..Edits::default() });
    insta::assert_snapshot!(text(&package(&plan), "src/shop_example.rs"));
}

#[test]
fn pages_and_canonical_host_come_before_the_routes() {
    let root = |errors| Route { errors: Some(errors), ..route("root", "/", Action::Abort) };
    let own = Route { name: "own".to_owned(), pattern: "/own".to_owned(), ..root(ErrorsId(1)) };
    let mut shop = vhost("shop.example", vec![root(ErrorsId(0)), own]);
    shop.errors = Some(ErrorsId(0));
    shop.canonical_host = Some(CanonicalHost { host: "shop.example".to_owned(), status: Defaulted::written(308) });
    let package = package(&with_policies(vec![shop]));
    insta::assert_snapshot!(text(&package, "src/shop_example.rs"));
    assert_eq!(package.files()["pages/down.html"], b"<p>down");
    assert_eq!(package.files()["pages/other_down.html"], b"<p>other");
}

#[test]
fn policies_of_several_vhosts_are_shared() {
    let of = |host: &str| {
        let mut api = route("api", "/api/*", respond("api"));
        (api.cors, api.access, api.errors) = (Some(CorsId(0)), vec![AccessId(0)], Some(ErrorsId(0)));
        Vhost { errors: Some(ErrorsId(0)), ..vhost(host, vec![api]) }
    };
    let mut plan = with_policies(vec![of("shop.example"), of("blog.example")]);
    plan.site_errors = Some(ErrorsId(0));
    let package = package(&plan);
    let paths: Vec<_> = package.files().keys().map(String::as_str).filter(|path| path.starts_with("src/")).collect();
    let expected = ["access_lists", "blog_example", "cors_policies", "error_pages", "main", "shop_example"];
    assert_eq!(paths, expected.map(|module| format!("src/{module}.rs")));
    let (main, shop) = (text(&package, "src/main.rs"), text(&package, "src/shop_example.rs"));
    assert!(main.contains("_ => respond::misdirected(exchange.with_errors(&SITE_ERRORS)),"), "{main}");
    assert!(main.contains("errors: Some(&SITE_ERRORS),"), "{main}");
    assert!(
        shop.contains("use crate::access_lists::API_ACCESS;\nuse crate::cors_policies::API_CORS;\nuse crate::error_pages::SITE_ERRORS;\n"),
        "{shop}"
    );
}

#[test]
fn split_has_a_handler_for_each_share() {
    let share = |weight, action| Share { name: format!("try_{weight}"), weight, action };
    let by = || vec![Part::ClientIp];
    let inner =
        Action::Split { by: by(), salt: "shop.example /try".to_owned(), shares: vec![share(2, respond("2")), share(1, respond("1"))] };
    let shares = vec![share(95, respond("stable")), share(5, inner)];
    let mut route = route("try_route", "/try/{x}", Action::Split { by: by(), salt: "shop.example /try".to_owned(), shares });
    route.access = vec![AccessId(0)];
    insta::assert_snapshot!(text(&package(&with_policies(vec![vhost("shop.example", vec![route])])), "src/shop_example.rs"));
}

#[test]
fn rewrite_restarts_at_its_vhost() {
    let rewrite = Action::Rewrite { target: vec![Part::Text("/posts/".to_owned()), Part::Parameter(0)] };
    insta::assert_snapshot!(text(
        &package(&plan(vec![vhost("shop.example", vec![route("blog", "/blog/{slug}", rewrite)])])),
        "src/shop_example.rs"
    ));
}

#[test]
fn table_has_an_entry_for_preflights() {
    let mut put = route("put", "/put", respond("put"));
    (put.cors, put.methods) = (Some(CorsId(0)), Methods::GET_HEAD);
    let table = Vhost { shape: Shape::Table { blob: b"tree".to_vec() }, ..vhost("shop.example", vec![put]) };
    insta::assert_snapshot!(text(&package(&with_policies(vec![table])), "src/shop_example.rs"));
}

#[test]
fn listeners_with_other_vhosts_have_tables_of_their_own() {
    let mut plan = plan(vec![vhost("shop.example", Vec::new()), vhost("blog.example", Vec::new())]);
    let address = SocketAddr::from(([127, 0, 0, 1], 8081));
    let listener =
        |name: &str, address| Listener { name: name.to_owned(), address, options: ListenerOptions::default(), provenance: at(3) };
    plan.listeners.extend([listener("inner", Address::Known(address)), listener("outer", Address::Late(LateId(0)))]);
    plan.lates =
        vec![Late { name: "address".to_owned(), source: LateSource::Env { name: "ADDRESS".to_owned(), default: None }, provenance: at(4) }];
    plan.hosts.push(Hosts { seed: 1, slots: vec![1, 0], names: vec![("shop.example".to_owned(), 0)], default: Some(1) });
    plan.listener_hosts = vec![0, 1, 0];
    let fields = defaulted(ForwardingFields::Either);
    plan.trusted_proxies = Some(TrustedProxies { networks: networks(&["10.0.0.0/8", "10.0.0.1"]), fields });
    let main = text(&package(&plan), "src/main.rs");
    insta::assert_snapshot!(main.split_once("struct Shop;").expect("the site's type").1);
}

#[test]
fn root_known_on_the_host_only_is_late() {
    let root = Action::Root { directory: Value::Late(LateId(0)), index_is_default: true, rules: Rules::new("index.html"), miss: None };
    let mut plan = plan(vec![vhost("shop.example", vec![route("files", "/*", root)])]);
    plan.lates =
        vec![Late { name: "root".to_owned(), source: LateSource::Env { name: "ROOT".to_owned(), default: None }, provenance: at(4) }];
    let text = text(&package(&plan), "src/shop_example.rs");
    assert!(text.contains("directory: Value::Late(&ROOT),"), "{text}");
    assert!(text.contains("use crate::late_values::ROOT;"), "{text}");
}

#[test]
fn encodings_are_told_by_vhosts_and_by_routes_that_differ() {
    let root = |encoding| Route { encoding, ..route("root", "/", respond("a")) };
    let named = |name: &str, encoding| Route { name: name.to_owned(), pattern: format!("/{name}"), ..root(encoding) };
    let mut shop = vhost(
        "shop.example",
        vec![root(Some(EncodingId(0))), named("raw", None), named("own", Some(EncodingId(1))), named("too", Some(EncodingId(1)))],
    );
    shop.encoding = Some(EncodingId(0));
    let mut blog = vhost("blog.example", vec![root(Some(EncodingId(0)))]);
    blog.encoding = Some(EncodingId(0));
    let mut plan = plan(vec![shop, blog]);
    plan.site_encoding = Some(EncodingId(0));
    let encoding = |codings: &[Coding], bytes| Encoding { codings: codings.to_vec(), min_bytes: defaulted(bytes) };
    plan.encodings = vec![encoding(&[Coding::Zstd, Coding::Brotli, Coding::Gzip], 1024), encoding(&[Coding::Gzip], 0)];
    let package = package(&plan);
    insta::assert_snapshot!(text(&package, "src/encodings.rs"));
    insta::assert_snapshot!(text(&package, "src/shop_example.rs"));
    assert!(text(&package, "src/main.rs").contains("respond::misdirected(exchange.encoded(&SITE_ENCODE))"));
}
