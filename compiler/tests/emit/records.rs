//! Routes of a large site: a handler for each shape, and functions of their own for what no shape says.

use kiln::plan::{Action, Defaulted, Edits, EditsId, Guard, Part, Plan, Route, Shape, Share, Value, Vhost};

use crate::made::{package, plan, respond, route, text, vhost};

fn header(value: &str) -> Option<Guard> {
    Some(Guard::Header { name: "x-beta".to_owned(), values: vec![Value::Text(value.to_owned())] })
}

/// Two vhosts with routes of the same shapes, the second with a split, a rewrite and a guard of no shape.
fn records() -> Plan {
    let routes = |name: &str| {
        vec![
            route("healthz", "/healthz", respond(name)),
            Route { guard: header(name), ..route("beta", "/beta", respond("beta")) },
            Route { edits: EditsId(1), ..route("admin", "/admin/*", Action::Refuse { status: Defaulted::written(403) }) },
        ]
    };
    let mut more = routes("blog");
    let share = |weight| Share { name: format!("try_{weight}"), weight, action: respond("shared") };
    let split = Action::Split { by: vec![Part::ClientIp], salt: "blog.example /try".to_owned(), shares: vec![share(9), share(1)] };
    more.push(route("try_route", "/try", split));
    more.push(route("old", "/old", Action::Rewrite { target: vec![Part::Text("/try".to_owned())] }));
    let guard = Guard::Not(Box::new(header("1").expect("a guard")));
    more.push(Route { guard: Some(guard), ..route("guarded", "/guarded", respond("guarded")) });
    let records = |vhost| Vhost { shape: Shape::Records { tree: b"tree".to_vec() }, ..vhost };
    let mut plan = plan(vec![records(vhost("shop.example", routes("shop"))), records(vhost("blog.example", more))]);
    plan.edits.push(Edits { appended: b"x-own: 1\r\n".to_vec(), ..Edits::default() });
    plan
}

#[test]
fn routes_of_one_shape_share_a_handler() {
    let package = package(&records());
    let routes = text(&package, "src/routes.rs");
    insta::assert_snapshot!("routes", routes);
    let main = text(&package, "src/main.rs");
    assert!(main.contains("Some(vhost) => routes::vhost(exchange, vhost),"), "{main}");
    assert!(!main.contains("VHOSTS") && !main.contains("mod shop_example;"), "{main}");
    assert!(package.files().contains_key("assets/routes.bin"));
}

#[test]
fn what_no_shape_says_has_a_function_of_its_own() {
    insta::assert_snapshot!("own", text(&package(&records()), "src/blog_example.rs"));
}
