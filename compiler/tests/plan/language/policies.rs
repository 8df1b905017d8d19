//! Policies: access, CORS, error pages, body limits, the canonical host, listeners, trusted proxies.

use kiln::{
    evaluate::{Answer, Fault, Outcome, Request, Stop},
    model::{CanonicalHost, Defaulted, Listener, Spanned, TrustedProxies},
};
use semantics::client::ForwardingFields;

use super::{access, cors, nowhere, page, prefix, route};
use crate::site::{Built, HEAD, values};

fn answer(site: &Built, request: &Request) -> Answer {
    match site.evaluate(request).outcome {
        Outcome::Answer(answer) => answer,
        other => panic!("{request:?}: {other:?}"),
    }
}

fn get(target: &str) -> Request {
    Request::new("GET", "shop.example", target)
}

#[test]
fn access_refuses_unless_every_list_allows() {
    let site = Built::changed("language_access", "route \"/a\" { respond 200 }\n route \"/b\" { respond 200 }", |site| {
        let span = nowhere(site);
        let outer = access(span, &["-10.0.0.1", "+10.0.0.0/8"]);
        route(site, 0).access = vec![outer.clone(), access(span, &["+10.1.0.0/16"])];
        route(site, 1).access = vec![outer];
    });
    let status = |target: &str, client: &str| answer(&site, &get(target).from(client.parse().unwrap())).status;
    assert_eq!((status("/a", "10.1.0.1"), status("/a", "10.2.0.1"), status("/a", "192.0.2.1")), (200, 403, 403));
    assert_eq!((status("/b", "10.2.0.1"), status("/b", "10.0.0.1"), status("/b", "::ffff:10.9.9.9")), (200, 403, 200));
    assert_eq!(site.plan.access.len(), 2, "equal lists are one");
    let refused = site.evaluate(&get("/a").from("10.2.0.1".parse().unwrap()));
    assert_eq!(refused.matched.stop, Some(Stop::Access(site.plan.vhosts[0].routes[0].access[1])));
    assert_eq!(site.plan.features, ["access", "respond"]);
}

#[test]
fn preflight_finds_its_route_and_is_answered_before_access() {
    let words = "headers { set \"x-a\" \"1\" }\n route \"/f\" { methods \"PUT\"; respond 200 \"f\" }\n route \"/g\" { methods \"PUT\"; respond 200 }";
    let site = Built::changed("language_cors", words, |site| {
        let span = nowhere(site);
        route(site, 0).cors = Some(cors(span, &["https://partner.example"], &["PUT"]));
        route(site, 0).access = vec![access(span, &["+10.0.0.0/8"])];
    });
    let preflight = |target: &str, method: &str, origin: &str| {
        let request = Request::new("OPTIONS", "shop.example", target).with("origin", origin);
        site.evaluate(&request.with("access-control-request-method", method))
    };
    let evaluation = preflight("/f", "PUT", "https://partner.example");
    assert_eq!(evaluation.matched.stop, Some(Stop::Preflight));
    let Outcome::Answer(answered) = evaluation.outcome else { panic!("an answer") };
    let names: Vec<_> = answered.fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(answered.status, 204);
    assert_eq!(
        names,
        [
            "vary: origin",
            "access-control-allow-origin: https://partner.example",
            "access-control-allow-methods: PUT",
            "access-control-max-age: 3600",
            "x-a: 1",
        ]
    );
    let status = |evaluation: kiln::evaluate::Evaluation| match evaluation.outcome {
        Outcome::Answer(answer) => (answer.status, values(&answer, "access-control-allow-origin").len()),
        other => panic!("{other:?}"),
    };
    assert_eq!(status(preflight("/f", "PUT", "https://other.example")), (204, 0));
    assert_eq!(status(preflight("/f", "DELETE", "https://partner.example")), (405, 0));
    assert_eq!(status(preflight("/g", "PUT", "https://partner.example")), (405, 0));
    let actual = Request::new("PUT", "shop.example", "/f").with("origin", "https://partner.example");
    let refused = answer(&site, &actual);
    assert_eq!((refused.status, values(&refused, "access-control-allow-origin")), (403, vec!["https://partner.example"]));
    let taken = answer(&site, &actual.from("10.0.0.1".parse().unwrap()));
    assert_eq!((taken.status, values(&taken, "vary"), values(&taken, "x-a")), (200, vec!["origin"], vec!["1"]));
}

#[test]
fn error_page_stands_for_own_answers_and_not_for_respond() {
    let words = "route \"/own\" { refuse 404 }\n route \"/respond\" { respond 404 \"mine\" }\n route \"/post\" { methods \"POST\"; respond 200 }\n route \"/inner\" { refuse 404 }";
    let site = Built::changed("language_errors", words, |site| {
        let span = nowhere(site);
        let (outer, methods) = (page(span, 404, "<outer>"), page(span, 405, "<methods>"));
        site.errors = vec![page(span, 421, "<site>"), page(span, 400, "<bad>")];
        site.vhosts[0].errors = vec![outer.clone(), methods.clone()];
        for route in &mut site.vhosts[0].routes {
            route.errors = vec![outer.clone(), methods.clone()];
        }
        route(site, 3).errors = vec![methods, page(span, 404, "<inner>")];
    });
    let body = |request: &Request| {
        let answer = answer(&site, request);
        format!("{} {}", answer.status, String::from_utf8_lossy(&answer.body))
    };
    assert_eq!(body(&get("/own")), "404 <outer>");
    assert_eq!(body(&get("/none")), "404 <outer>");
    assert_eq!(body(&get("/respond")), "404 mine");
    assert_eq!(body(&get("/inner")), "404 <inner>");
    assert_eq!(body(&Request::new("GET", "other.example", "/")), "421 <site>");
    assert_eq!(body(&get("/%")), "400 <bad>");
    let methods = answer(&site, &get("/post"));
    assert_eq!(methods.body, b"<methods>");
    let fields: Vec<_> = methods.fields.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(fields, ["content-type: text/html; charset=utf-8", "content-length: 9", "allow: POST"]);
    let head = answer(&site, &Request::new("HEAD", "shop.example", "/own"));
    assert_eq!((head.body.len(), values(&head, "content-length")), (0, vec!["7"]));
    assert_eq!(site.plan.errors.len(), 3);
}

#[test]
fn body_over_the_limit_of_its_route_is_refused() {
    let site = Built::changed("language_body", "route \"/small\" { respond 200 }\n route \"/large\" { respond 200 }", |site| {
        route(site, 0).body_limit = Defaulted { value: 10, is_default: false };
        route(site, 1).body_limit = Defaulted { value: 100, is_default: false };
    });
    let evaluate = |target: &str, length: &str| site.evaluate(&Request::new("POST", "shop.example", target).with("content-length", length));
    assert_eq!(evaluate("/small", "10").matched.stop, None);
    assert_eq!(evaluate("/small", "11").matched.stop, Some(Stop::BodyTooLarge));
    assert_eq!(evaluate("/large", "100").matched.stop, None);
    assert_eq!(evaluate("/large", "101").matched.stop, Some(Stop::BodyTooLarge));
    assert_eq!(site.plan.largest_body(), 100);
}

#[test]
fn other_hosts_are_sent_to_the_canonical_one() {
    let kdl =
        format!("{HEAD}vhost \"shop.example\" \"*.shop.example\" {{ headers {{ set \"x\" \"1\" }}; route \"/a\" {{ respond 200 }} }}\n");
    let site = Built::changed_site("language_canonical", &kdl, |site| {
        let span = nowhere(site);
        site.vhosts[0].canonical_host = Some(CanonicalHost { host: "shop.example".to_owned(), status: Defaulted::written(308), span });
    });
    let sent = |host: &str, target: &str| {
        let evaluation = site.evaluate(&Request::new("GET", host, target));
        let Outcome::Answer(answer) = evaluation.outcome else { panic!("an answer") };
        assert_eq!(values(&answer, "x"), ["1"]);
        (answer.status, values(&answer, "location").join(" "), evaluation.is_sent_to_canonical_host)
    };
    assert_eq!(sent("shop.example:8080", "/a"), (200, String::new(), false));
    assert_eq!(sent("www.shop.example", "/x//y?q=1"), (308, "http://shop.example/x/y?q=1".to_owned(), true));
    assert_eq!(sent("www.shop.example:8080", "/a"), (308, "http://shop.example:8080/a".to_owned(), true));
    assert_eq!(site.plan.features, ["headers", "redirect", "respond"]);
}

#[test]
fn vhost_is_on_its_listeners_alone() {
    let kdl = format!(
        "{HEAD}vhost \"a.example\" {{ route \"/*\" {{ respond 200 \"a\" }} }}\nvhost default=#true {{ route \"/*\" {{ respond 200 \"other\" }} }}\n"
    );
    let site = Built::changed_site("language_listeners", &kdl, |site| {
        let second = Listener { name: Some("inner".to_owned()), ..site.listeners[0].clone() };
        let third = Listener { name: Some("third".to_owned()), ..site.listeners[0].clone() };
        site.listeners.extend([second, third]);
        site.vhosts[0].on = Some(vec![0, 2]);
        site.vhosts[1].on = Some(vec![1]);
    });
    assert_eq!((site.plan.hosts.len(), site.plan.listener_hosts.as_slice()), (2, &[0, 1, 0][..]));
    let body = |listener: usize, host: &str| {
        let answer = answer(&site, &Request { listener, ..Request::new("GET", host, "/") });
        format!("{} {}", answer.status, String::from_utf8_lossy(&answer.body).trim_end())
    };
    assert_eq!((body(0, "a.example"), body(1, "a.example"), body(2, "a.example")), ("200 a".into(), "200 other".into(), "200 a".into()));
    assert_eq!(body(0, "b.example"), "421 421 Misdirected Request");
}

#[test]
fn equal_views_of_listeners_share_one_table() {
    let site = Built::changed("language_one_table", "route \"/\" { respond 200 }", |site| {
        let second = Listener { name: Some("inner".to_owned()), ..site.listeners[0].clone() };
        site.listeners.push(second);
    });
    assert_eq!((site.plan.hosts.len(), site.plan.listener_hosts.as_slice()), (1, &[0, 0][..]));
}

#[test]
fn trusted_proxy_names_the_client() {
    let site = Built::changed("language_trusted", "route \"/a\" { respond 200 \"{client-ip}\" template=#true }", |site| {
        let span = nowhere(site);
        site.trusted_proxies = Some(TrustedProxies {
            networks: vec![Spanned { value: prefix("10.0.0.0/8"), span }],
            fields: Defaulted { value: ForwardingFields::Either, is_default: true },
            span,
        });
        route(site, 0).access = vec![access(span, &["+203.0.113.0/24"])];
    });
    let forwarded = get("/a").with("x-forwarded-for", "198.51.100.1, 203.0.113.9");
    let through = |peer: &str| answer(&site, &forwarded.clone().from(peer.parse().unwrap()));
    assert_eq!(through("10.0.0.1").body, b"203.0.113.9");
    assert_eq!(through("192.0.2.1").status, 403);
    let forged = forwarded.clone().with("forwarded", "for=192.0.2.7").from("10.0.0.1".parse().unwrap());
    assert_eq!(site.evaluate(&forged).fault, Some(Fault::ForwardingContradiction));
    assert_eq!(site.plan.features, ["access", "respond", "trusted-proxies"]);
}
