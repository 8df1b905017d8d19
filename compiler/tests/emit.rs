//! Emitted Rust of small plans made by hand: one snapshot for each thing that has a shape of its own.

use kiln::plan::{Action, Continuation, Defaulted, Edit, Edits, EditsId, Guard, Part, Rules, Shape, Tried, Value};
use semantics::{
    method::{Method, Methods},
    negotiate::{Coding, Codings},
};

use self::made::{emitted, package, plan, respond, route, text, vhost};

#[path = "emit/guards.rs"]
mod guards;
#[path = "emit/made.rs"]
mod made;
#[path = "emit/observed.rs"]
mod observed;
#[path = "emit/policies.rs"]
mod policies;
#[path = "emit/proxied.rs"]
mod proxied;
#[path = "emit/records.rs"]
mod records;

#[test]
fn main_of_two_vhosts_matches_them() {
    let plan = plan(vec![vhost("shop.example", Vec::new()), vhost("blog.example", Vec::new())]);
    let package = package(&plan);
    insta::assert_snapshot!(text(&package, "src/main.rs"));
    insta::assert_snapshot!("cargo_toml", text(&package, "Cargo.toml"));
}

#[test]
fn routes_literal_and_parametric_are_decided_in_order() {
    let mut upload = route("upload", "/upload", Action::Refuse { status: Defaulted::written(503) });
    upload.methods = Methods::of(&[Method::POST, Method::PUT]);
    let product = vec![Part::Text("id ".to_owned()), Part::Parameter(0)];
    let product = Action::Respond { status: Defaulted::written(200), body: product, content_type: None };
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
    let target = |parts, drops_query| Action::Redirect { target: parts, status: Defaulted::written(308), drops_query };
    let rest = vec![Part::Text("/new/".to_owned()), Part::Parameter(0)];
    let routes =
        vec![route("home", "/home", target(vec![Part::Text("/".to_owned())], true)), route("old", "/old/{rest*}", target(rest, false))];
    insta::assert_snapshot!(emitted(routes));
}

#[test]
fn files_map_the_rest_or_the_whole_path() {
    let root = || Action::Root {
        directory: Value::Text("/srv/files".to_owned()),
        index_is_default: true,
        rules: Rules::new("index.html"),
        miss: None,
    };
    insta::assert_snapshot!(emitted(vec![route("robots", "/robots.txt", root()), route("downloads", "/{user}/downloads/*", root())]));
}

#[test]
fn files_have_their_rules_and_a_handler_for_each_miss() {
    let tried = |before: &str, behind: &str| Tried { before: before.to_owned(), behind: behind.to_owned() };
    let rules = Rules {
        tried: vec![tried("", ".html"), tried("old/", "")],
        immutable: vec!["*.css".to_owned()],
        serves_hidden: true,
        precompressed: Codings::of(&[Coding::Brotli, Coding::Gzip]),
        follows_links: true,
        ..Rules::new("main.html")
    };
    let root = |directory: &str, rules, miss| {
        let miss = Some(Box::new(Continuation { name: format!("{directory}_miss"), action: miss }));
        Action::Root { directory: Value::Text(directory.to_owned()), index_is_default: false, rules, miss }
    };
    let inner = root("old", Rules { spa: Some("app.html".to_owned()), lists: true, ..Rules::new("index.html") }, respond("none"));
    let routes = vec![route("site", "/*", root("new", rules, inner))];
    insta::assert_snapshot!(emitted(routes));
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
