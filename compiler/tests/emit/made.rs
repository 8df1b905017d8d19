//! Small plans made by hand, and what is emitted of them.

use std::{net::SocketAddr, time::Duration};

use kiln::{
    emit::{Form, emit},
    model::{Defaulted, Delivery, EncodedSlash, Limits, Timeouts, Workers},
    package::Package,
    plan::{Action, Address, Edits, EditsId, Hosts, Listener, ListenerOptions, Part, Pattern, Plan, Route, Shape, Vhost},
    source::Provenance,
};
use semantics::method::Methods;

pub(crate) fn defaulted<T>(value: T) -> Defaulted<T> {
    Defaulted { value, is_default: true }
}

pub(crate) fn at(line: u32) -> Provenance {
    Provenance { file: "site.kdl".to_owned(), line }
}

pub(crate) fn plan(vhosts: Vec<Vhost>) -> Plan {
    let names = vhosts.iter().enumerate().flat_map(|(index, vhost)| vhost.hosts.iter().map(move |host| (host.clone(), index as u16)));
    let address = SocketAddr::from(([0, 0, 0, 0], 8080));
    let seconds = |count| defaulted(Duration::from_secs(count));
    Plan {
        site: "shop".to_owned(),
        language: 1,
        listeners: vec![Listener {
            name: "public".to_owned(),
            address: Address::Known(address),
            options: ListenerOptions::default(),
            provenance: at(2),
        }],
        workers: defaulted(Workers::PerCore),
        limits: Limits {
            connections: defaulted(16_384),
            connections_per_client: None,
            requests: defaulted(65_536),
            memory: None,
            head: defaulted(32 * 1024),
            fields: defaulted(100),
            body: defaulted(16 * 1024 * 1024),
        },
        timeouts: Timeouts { head: seconds(10), body: seconds(30), idle: seconds(75), write: seconds(30), drain: seconds(300) },
        delivery: defaulted(Delivery::Coalesce),
        access_log: None,
        error_log: None,
        metrics: None,
        trusted_proxies: None,
        hosts: vec![Hosts { seed: 7, slots: vec![0, 1, 2, 0], names: names.collect(), default: None }],
        listener_hosts: vec![0],
        vhosts,
        edits: vec![Edits::default()],
        site_edits: EditsId(0),
        site_encoding: None,
        site_errors: None,
        site_is_logged: true,
        access: Vec::new(),
        cors: Vec::new(),
        encodings: Vec::new(),
        errors: Vec::new(),
        maps: Vec::new(),
        upstreams: Vec::new(),
        regexes: Vec::new(),
        lates: Vec::new(),
        embeds: Vec::new(),
        features: vec!["redirect", "respond"],
    }
}

/// A vhost whose patterns are those of its routes, in order.
pub(crate) fn vhost(host: &str, routes: Vec<Route>) -> Vhost {
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
        encoding: None,
        errors: None,
        is_logged: true,
        patterns,
        routes,
        shape: Shape::Code,
    }
}

pub(crate) fn route(name: &str, pattern: &str, action: Action) -> Route {
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
        upstream_edits: EditsId::default(),
        request_edits: EditsId(0),
        encoding: None,
        errors: None,
        cors: None,
        access: Vec::new(),
        body_limit: defaulted(16 * 1024 * 1024),
        is_logged: true,
        action,
        provenance: at(48),
    }
}

pub(crate) fn respond(body: &str) -> Action {
    Action::Respond { status: Defaulted::written(200), body: vec![Part::Text(body.to_owned())], content_type: None }
}

pub(crate) fn package(plan: &Plan) -> Package {
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

pub(crate) fn text(package: &Package, path: &str) -> String {
    String::from_utf8_lossy(&package.files()[path]).into_owned()
}

/// Vhost `shop.example` of one plan with these routes.
pub(crate) fn emitted(routes: Vec<Route>) -> String {
    text(&package(&plan(vec![vhost("shop.example", routes)])), "src/shop_example.rs")
}
