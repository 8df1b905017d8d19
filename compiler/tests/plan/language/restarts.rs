//! Actions that lead on: `rewrite` and `split`.

use kiln::{
    evaluate::{Outcome, Request, Stop},
    model::{Action, Defaulted, Part, Share, Site, Template},
};

use super::{nowhere, page, route, template};
use crate::site::{Built, values};

fn rewrite(site: &mut Site, number: usize, parts: &[Part]) {
    route(site, number).action = Action::Rewrite { target: template(parts) };
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

fn respond(body: &str) -> Action {
    Action::Respond { status: Defaulted::written(200), body: Template { parts: vec![text(body)] }, content_type: None }
}

#[test]
fn rewrite_matches_once_more_under_the_second_route_alone() {
    let words = r#"route "/blog/{slug}" { headers { set "x-first" "1" }; respond 200 }
        route "/posts/{id}" { headers { set "x-second" "{id} {path}" }; respond 200 "{id} {query} {target}" template=#true }"#;
    let site = Built::changed("language_rewrite", words, |site| rewrite(site, 0, &[text("/posts//"), Part::Parameter("slug".to_owned())]));
    let answer = site.answer("GET", "/blog/a%20b?x=1", &[]);
    assert_eq!(String::from_utf8_lossy(&answer.body), "a%20b x=1 /posts/a%20b?x=1");
    assert_eq!((values(&answer, "x-first").len(), values(&answer, "x-second")), (0, vec!["a%20b /posts/a%20b"]));
    let evaluation = site.evaluate(&Request::new("GET", "shop.example", "/blog/a"));
    let first = evaluation.rewritten.unwrap();
    assert_eq!((first.path.as_deref(), first.route, first.parameters), (Some("/blog/a"), Some(0), vec!["a".to_owned()]));
    assert_eq!((evaluation.matched.path.as_deref(), evaluation.matched.route), (Some("/posts/a"), Some(1)));
    assert_eq!(site.plan.features, ["headers", "respond", "rewrite"]);
}

#[test]
fn second_rewrite_and_bad_target_are_refused_under_their_route() {
    let words = "route \"/a\" { respond 200 }\n route \"/b\" { headers { set \"x-b\" \"1\" }; respond 200 }\n route \"/q\" { respond 200 }";
    let site = Built::changed("language_rewrite_twice", words, |site| {
        rewrite(site, 0, &[text("/b")]);
        rewrite(site, 1, &[text("/none")]);
        rewrite(site, 2, &[text("/x/"), Part::QueryValue("p".to_owned())]);
        let own = page(nowhere(site), 500, "<again>");
        route(site, 1).errors = vec![own];
    });
    let answer = site.answer("GET", "/a", &[]);
    assert_eq!((answer.status, answer.body.as_slice(), values(&answer, "x-b")), (500, &b"<again>"[..], vec!["1"]));
    assert_eq!(site.status("GET", "/b"), 404);
    assert_eq!(site.status("GET", "/q?p=../../.."), 400);
    let evaluation = site.evaluate(&Request::new("GET", "shop.example", "/q?p=%00"));
    assert_eq!((evaluation.matched.stop, evaluation.rewritten), (Some(Stop::Rewrite), None));
    assert_eq!(site.status("GET", "/q?p=a"), 404);
}

#[test]
fn split_gives_a_key_its_share() {
    let words = "route \"/try/*\" { respond 200 }\n route \"/three\" { respond 200 \"three\" }";
    let site = Built::changed("language_split", words, |site| {
        let span = nowhere(site);
        let share = |weight, action| Share { weight, action, span };
        let inner = Action::Split {
            by: template(&[Part::ClientIp]),
            shares: vec![share(1, respond("two")), share(1, Action::Rewrite { target: template(&[text("/three")]) })],
        };
        route(site, 0).action =
            Action::Split { by: template(&[Part::QueryValue("k".to_owned())]), shares: vec![share(3, respond("one")), share(1, inner)] };
    });
    let mut seen = std::collections::BTreeMap::new();
    for key in 0..400 {
        let request = Request::new("GET", "shop.example", &format!("/try/x?k={key}")).from(std::net::Ipv4Addr::from(key).into());
        let evaluation = site.evaluate(&request);
        assert_eq!(evaluation, site.evaluate(&request));
        let Outcome::Answer(answer) = evaluation.outcome else { panic!("an answer") };
        *seen.entry(String::from_utf8(answer.body).unwrap()).or_insert(0) += 1;
    }
    assert_eq!(seen.keys().collect::<Vec<_>>(), ["one", "three", "two"]);
    assert!((250..350).contains(&seen["one"]), "{seen:?}");
    let kiln::plan::Action::Split { salt, shares, .. } = &site.plan.vhosts[0].routes[0].action else { panic!("a split") };
    assert_eq!(salt, "shop.example /try/*");
    assert_eq!(shares.iter().map(|share| share.name.as_str()).collect::<Vec<_>>(), ["try_3", "try_1"]);
    assert_eq!(site.plan.features, ["respond", "rewrite", "split"]);
}
