//! What exchanges are logged and counted by, and the settings behind it.

use kiln::{
    model::{Defaulted, Delivery, Metrics},
    plan::{AccessLog, LogFormat, LogPart, Part, Places, Plan, Route, Shape, Value, Vhost},
};

use crate::made::{defaulted, package, plan, respond, route, text, vhost};

/// A vhost of three routes: the second is not logged; then one that is not, whose route is.
fn logged(shape: &Shape) -> Plan {
    let shop = vec![
        route("home", "/", respond("home")),
        Route { is_logged: false, ..route("healthz", "/healthz", respond("ok")) },
        route("rest", "/*", respond("rest")),
    ];
    let quiet = Vhost { is_logged: false, ..vhost("quiet.example", vec![route("home", "/", respond("home"))]) };
    let with_shape = |vhost| Vhost { shape: shape.clone(), ..vhost };
    let mut plan = plan([vhost("shop.example", shop), quiet].map(with_shape).into());
    let format = Defaulted { value: LogFormat::Json, is_default: true };
    plan.access_log = Some(AccessLog { file: Value::Text("stdout".to_owned()), format, redacted: Vec::new() });
    plan
}

#[test]
fn handlers_say_their_place_and_whether_they_are_logged() {
    let package = package(&logged(&Shape::Code));
    let of = |name: &str| text(&package, &format!("src/{name}.rs"));
    insta::assert_snapshot!("places_shop", of("shop_example"));
    insta::assert_snapshot!("places_quiet", of("quiet_example"));
    assert_eq!(text(&package, "places.txt"), Places::of(&logged(&Shape::Code)).expect("the site has a log").lines());
    let main = of("main");
    for line in
        ["access_log: Some(&ACCESS_LOG),", "parts: log::JSON,", "redacted: log::REDACTED,", "places: include_str!(\"../places.txt\"),"]
    {
        assert!(main.contains(line), "{line}: {main}");
    }
}

#[test]
fn records_hold_their_place_and_whether_they_are_logged() {
    let package = package(&logged(&Shape::Records { tree: b"tree".to_vec() }));
    insta::assert_snapshot!("places_of_records", text(&package, "src/routes.rs"));
}

#[test]
fn counters_for_vhosts_alone_leave_routes_with_their_place() {
    let mut plan = plan(vec![vhost("shop.example", vec![route("home", "/", respond("home"))])]);
    plan.metrics = Some(Metrics { per_vhost: defaulted(true), per_route: Defaulted::written(false) });
    let shop = text(&package(&plan), "src/shop_example.rs");
    assert_eq!(shop.matches(".placed(1)").count(), 1, "{shop}");
}

#[test]
fn site_that_writes_nothing_down_names_no_place() {
    let package = package(&plan(vec![vhost("shop.example", vec![route("home", "/", respond("home"))])]));
    let (shop, main) = (text(&package, "src/shop_example.rs"), text(&package, "src/main.rs"));
    assert!(!shop.contains("placed") && !shop.contains("unlogged") && main.contains("places: \"\",") && main.contains("access_log: None,"));
    assert!(!package.files().contains_key("places.txt"));
}

#[test]
fn template_of_a_log_is_printed_part_by_part() {
    let mut plan = logged(&Shape::Code);
    let text_of = |text: &str| LogPart::Template(Part::Text(text.to_owned()));
    let parts = vec![LogPart::Time, text_of(" "), LogPart::Template(Part::Header("x-a".to_owned())), text_of("\t"), LogPart::WrittenTarget];
    plan.access_log = Some(AccessLog {
        file: Value::Text("/var/log/shop.log".to_owned()),
        format: Defaulted::written(LogFormat::Template(parts)),
        redacted: vec!["voucher".to_owned()],
    });
    plan.site_is_logged = false;
    plan.delivery = Defaulted::written(Delivery::Immediate);
    plan.error_log = Some(Value::Text("errors.log".to_owned()));
    plan.limits.connections_per_client = Some(256);
    plan.limits.memory = Some(512 << 20);
    insta::assert_snapshot!("main_of_all_settings", text(&package(&plan), "src/main.rs"));
}
