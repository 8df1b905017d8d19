//! What the words that put scopes, names and tables together mean after `resolve`: snippets, groups, policies, guards, maps, late values.

use std::path::Path;

use kiln::{
    diagnostic::{
        Diagnostics,
        render::{Style, render},
    },
    model::{Action, Address, Guard, LateKind, Part, Route, Site, Target, Template, Text},
    parse::parse_text,
    resolve::resolve,
};

fn checked(text: &str) -> Result<Site, String> {
    let mut diagnostics = Diagnostics::default();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples/site.kdl");
    let (sources, config) = parse_text(&path, text.to_owned(), &mut diagnostics);
    let site = config.and_then(|config| resolve(&config, &sources, &mut diagnostics));
    site.ok_or_else(|| render(&diagnostics, &sources, Style::Plain))
}

fn site(text: &str) -> Site {
    checked(&format!("site \"demo\" language=1 {{ listen \"127.0.0.1:8080\" }}\n{text}")).unwrap_or_else(|shown| panic!("{shown}"))
}

/// The routes of one vhost.
fn routes(vhost: &str) -> Vec<Route> {
    site(&format!("vhost \"shop.example\" {{\n{vhost}\n}}")).vhosts.remove(0).routes
}

fn route(words: &str) -> Route {
    routes(&format!("route \"/a/*\" {{\n{words}\n}}")).remove(0)
}

fn patterns(routes: &[Route]) -> Vec<&str> {
    routes.iter().flat_map(|route| &route.patterns).map(|pattern| pattern.value.text.as_str()).collect()
}

fn header(route: &Route, name: &str) -> String {
    let text = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        other => format!("<{other:?}>"),
    };
    let rule = route.headers.iter().find(|rule| rule.name == name);
    rule.map_or_else(String::new, |rule| rule.value.parts.iter().map(text).collect())
}

#[test]
fn snippet_stands_for_its_words_with_parameters_filled_in() {
    let text = "snippet \"cached\" age=\"60\" status=404 limit=#null {\n\
                use \"inner\" kind=\"public, max-age=$age\"\nlimit-body \"$limit\"\n}\n\
                snippet \"inner\" kind=\"\" { headers { set \"cache-control\" \"$kind; $5\" } }\n\
                vhost \"a.example\" { route \"/a\" { use \"cached\" limit=\"1MiB\"; respond 200 }\n\
                route \"/b\" { use \"cached\" age=\"5\" limit=\"2MiB\"; headers { set \"x\" \"y\" }; respond 200 } }\n\
                snippet \"gone\" status=410 { route \"/gone\" { respond \"$status\" \"is $status\" } }\n\
                vhost \"b.example\" { use \"gone\" }";
    let site = site(&text.replace("status=404 ", ""));
    let routes = &site.vhosts[0].routes;
    assert_eq!(header(&routes[0], "cache-control"), "public, max-age=60; $5");
    assert_eq!(header(&routes[1], "cache-control"), "public, max-age=5; $5");
    assert_eq!((header(&routes[1], "x").as_str(), routes[1].body_limit.value), ("y", 2 << 20));
    let Action::Respond { status, body, .. } = &site.vhosts[1].routes[0].action else { panic!("an answer") };
    assert_eq!((status.value, body), (410, &Template { parts: vec![Part::Text("is 410".to_owned())] }));
}

#[test]
fn snippet_used_many_times_is_reported_once() {
    let uses = (0..50).map(|number| format!("vhost \"h{number}.example\" {{ use \"bad\"; route \"/*\" {{ respond 200 }} }}\n"));
    let text = format!(
        "site \"demo\" language=1 {{ listen \"127.0.0.1:8080\" }}\nsnippet \"bad\" {{ headers {{ set \"a b\" \"1\" }} }}\n{}",
        uses.collect::<String>()
    );
    let shown = checked(&text).unwrap_err();
    assert_eq!(shown.matches("error[K0310]").count(), 1, "{shown}");
    assert!(shown.contains("used here"), "{shown}");
}

#[test]
fn groups_are_flattened_with_their_conditions_and_policies() {
    let routes = routes(
        "headers { set \"x\" \"vhost\" }
         limit-body \"8MiB\"
         route \"/a\" { respond 200 }
         group \"/api/*\" {
             when { protocol \"h1\" }
             methods \"GET\"
             path \"keep\"
             limit-body \"1MiB\"
             headers { set \"x\" \"group\" }
             route \"/api/a\" { respond 200 }
             group \"/api/b/*\" \"/api/c\" {
                 when { extension \"php\"; cookie \"s\" }
                 route \"/api/b/{id}\" \"/api/c\" { when { query \"q\" }; methods \"POST\"; limit-body \"2MiB\"; headers { set \"x\" \"route\" }; respond 200 }
             }
         }
         route \"/z\" { respond 200 }",
    );
    assert_eq!(patterns(&routes), ["/a", "/api/a", "/api/b/{id}", "/api/c", "/z"]);
    let limits: Vec<u64> = routes.iter().map(|route| route.body_limit.value >> 20).collect();
    assert_eq!(limits, [8, 1, 2, 8]);
    let headers: Vec<String> = routes.iter().map(|route| header(route, "x")).collect();
    assert_eq!(headers, ["vhost", "group", "route", "vhost"]);
    let methods: Vec<String> =
        routes.iter().map(|route| format!("{:?}", route.methods.as_ref().map(|methods| methods.value.iter().count()))).collect();
    assert_eq!(methods, ["None", "Some(1)", "Some(1)", "None"]);
    let Some(Guard::All(guards)) = &routes[2].guard else { panic!("four conditions: {:?}", routes[2].guard) };
    let kinds: Vec<bool> = vec![
        matches!(guards[0], Guard::Protocol(_)),
        matches!(guards[1], Guard::Extension(_)),
        matches!(guards[2], Guard::Cookie { .. }),
        matches!(guards[3], Guard::Query { .. }),
    ];
    assert_eq!((guards.len(), kinds), (4, vec![true; 4]));
}

#[test]
fn access_of_scopes_adds_up_until_it_is_replaced() {
    let routes = routes(
        "access { allow \"10.0.0.0/8\" }
         route \"/a\" { respond 200 }
         route \"/b\" { access { refuse \"10.1.0.0/16\" \"::1\"; allow \"10.0.0.0/9\" }; respond 200 }
         route \"/c\" { access { replace; refuse \"192.0.2.1\" }; respond 200 }
         route \"/d\" { access { replace }; respond 200 }",
    );
    let lists: Vec<Vec<usize>> = routes
        .iter()
        .map(|route| route.access.iter().map(|list| list.rules.iter().map(|rule| rule.networks.len()).sum()).collect())
        .collect();
    assert_eq!(lists, [vec![1], vec![1, 3], vec![1], vec![]]);
}

#[test]
fn pages_of_scopes_are_merged_by_status() {
    let routes = routes(
        "errors { page 404 500 file=\"public/index.html\" }
         route \"/a\" { errors { page 500 503 file=\"vhosts/blog.kdl\" }; respond 200 }",
    );
    let pages: Vec<(u16, &str)> = routes[0].errors.iter().map(|page| (page.status, page.content_type.as_str())).collect();
    assert_eq!(pages, [(404, "text/html; charset=utf-8"), (500, "text/plain; charset=utf-8"), (503, "text/plain; charset=utf-8")]);
}

#[test]
fn captures_of_regexes_are_parameters_behind_those_of_the_pattern() {
    let site = site(
        "match \"dated\" { regex \"^/a/(?<year>[0-9]{4})/\" }
         vhost \"shop.example\" {
             route \"/a/{rest*}\" { when { match \"dated\"; not { regex \"^/a/1\" } }; redirect \"/{year}/{rest}\" }
             route \"/b/*\" { when { regex \"(x)(y)\" \"(.*)(.*)\" }; refuse }
         }",
    );
    let Action::Redirect { target, .. } = &site.vhosts[0].routes[0].action else { panic!("a redirect") };
    assert!(target.parts.contains(&Part::Parameter("year".to_owned())) && target.parts.contains(&Part::Parameter("rest".to_owned())));
    assert_eq!(site.regexes.len(), 4);
    assert!(matches!(site.vhosts[0].routes[1].guard, Some(Guard::Any(_))));
}

#[test]
fn late_values_stand_in_addresses_headers_guards_and_roots() {
    let text = "site \"demo\" language=1 { listen (env)\"LISTEN\" default=\"127.0.0.1:80\" }\n\
                vhost \"shop.example\" { headers { set \"x-key\" (file)\"/run/key\" }\n\
                route \"/*\" { when { header \"x\" (env)\"X\" \"y\" }; files (env)\"ROOT\" } }";
    let site = checked(text).unwrap();
    let Address::Late(address) = &site.listeners[0].address else { panic!("a late address") };
    assert_eq!(address.kind, LateKind::Env { name: "LISTEN".to_owned(), default: Some("127.0.0.1:80".to_owned()) });
    let route = &site.vhosts[0].routes[0];
    assert!(matches!(route.headers[0].value.parts.as_slice(), [Part::Late(_)]));
    let Some(Guard::Header { values, .. }) = &route.guard else { panic!("a header") };
    assert!(matches!(values.as_slice(), [Text::Late(_), Text::Known(_)]));
    let Action::Files(files) = &route.action else { panic!("files") };
    assert!(files.late.is_some() && !files.is_embedded);
}

#[test]
fn vhosts_choose_their_listeners() {
    let text = "site \"demo\" language=1 { listen \"127.0.0.1:1\" name=\"a\"; listen \"127.0.0.1:2\" name=\"b\"; listen \"127.0.0.1:3\" name=\"c\" }\n\
                vhost \"x.example\" on=\"b\" { route \"/*\" { respond 200 } }\n\
                vhost \"x.example\" \"y.example\" { on \"c\" \"a\"; canonical-host \"x.example\"; route \"/*\" { respond 200 } }\n\
                vhost default=#true { route \"/*\" { respond 421 } }";
    let site = checked(text).unwrap();
    let on: Vec<Option<Vec<usize>>> = site.vhosts.iter().map(|vhost| vhost.on.clone()).collect();
    assert_eq!(on, [Some(vec![1]), Some(vec![0, 2]), None]);
    let canonical = site.vhosts[1].canonical_host.as_ref().unwrap();
    assert_eq!((canonical.host.as_str(), canonical.status.value), ("x.example", 308));
}

#[test]
fn splits_take_what_all_of_their_shares_take() {
    let split = |shares: &str| route(&format!("split by=\"{{client-ip}}\" {{ {shares} }}")).action;
    let Action::Split { shares, .. } = split("share 95 { respond 200 }; share 5 { rewrite \"/b\" }") else { panic!("a split") };
    assert_eq!(shares.iter().map(|share| share.weight).collect::<Vec<_>>(), [95, 5]);
    let methods = |shares: &str| split(shares).methods().iter().count();
    assert!(methods("share 1 { respond 200 }; share 1 { files \"/srv\" }") < methods("share 1 { respond 200 }; share 0 { refuse }"));
}

#[test]
fn cors_of_an_inner_scope_replaces_the_outer_one() {
    let routes = routes(
        "cors { origin \"https://a.example\"; methods \"PUT\"; credentials; max-age \"1h\" }
         route \"/a\" { respond 200 }
         route \"/b\" { cors { origin \"*\"; headers \"*\" }; respond 200 }",
    );
    let cors: Vec<String> =
        routes.iter().map(|route| format!("{:?}", route.cors.as_ref().map(|cors| (&cors.origins, cors.max_age_s)))).collect();
    assert_eq!(cors[0], "Some((Listed { origins: [\"https://a.example\"], has_credentials: true }, Some(3600)))");
    assert_eq!(cors[1], "Some((Any, None))");
}

#[test]
fn map_of_a_hundred_thousand_lines_is_read() {
    let directory = std::env::temp_dir().join(format!("kiln-map-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let rows: String = (0..100_000).map(|number| format!("/old/{number}\t/new/{number}\n")).collect();
    std::fs::write(directory.join("rows.tsv"), rows).unwrap();
    let text = "site \"demo\" language=1 { listen \"127.0.0.1:8080\" }\nmap \"moved\" from=\"{path}\" file=\"rows.tsv\"\n\
                vhost \"shop.example\" { route \"/*\" { when { map \"moved\" }; redirect \"{map.moved}\" status=301 } }\n";
    let mut diagnostics = Diagnostics::default();
    let (sources, config) = parse_text(&directory.join("site.kdl"), text.to_owned(), &mut diagnostics);
    let site = resolve(&config.unwrap(), &sources, &mut diagnostics);
    std::fs::remove_dir_all(&directory).unwrap();
    assert_eq!(site.unwrap().maps[0].rows.len(), 100_000);
}

/// A chain of named things, each of which asks twice for the next.
fn chain(length: usize, link: impl Fn(usize) -> String) -> String {
    let links: String = (0..length).map(link).collect();
    format!("site \"demo\" language=1 {{ listen \"127.0.0.1:8080\" }}\n{links}")
}

fn assert_too_deep(text: &str, expected: &str) {
    let start = std::time::Instant::now();
    let shown = checked(text).err().unwrap_or_default();
    assert!(shown.contains("error[K0004]") && shown.contains(expected), "{shown}");
    assert!(start.elapsed().as_secs() < 20, "an answer in bounded time");
}

#[test]
fn chains_of_snippets_matches_and_maps_are_bounded() {
    const END: &str = "vhost \"a.example\" { route \"/*\" { respond 200 } }\n";
    let snippet = |number| format!("snippet \"s{number}\" {{ use \"s{}\" }}\n", number + 1);
    let used = "snippet \"s5000\" { limit-body \"1MiB\" }\nvhost \"a.example\" { use \"s0\"; route \"/*\" { respond 200 } }\n";
    assert_too_deep(&(chain(5_000, snippet) + used), "more than 16 snippets in each other");
    let wide = |number| format!("snippet \"s{number}\" {{ {} }}\n", format!("use \"s{}\";", number + 1).repeat(4));
    let used = "snippet \"s15\" { limit-body \"1MiB\" }\nvhost \"a.example\" { use \"s0\"; route \"/*\" { respond 200 } }\n";
    assert_too_deep(&(chain(15, wide) + used), "come to more than 1048576 words");
    let matched = |number| format!("match \"m{number}\" {{ match \"m{}\" }}\n", number + 1);
    assert_too_deep(&(chain(5_000, matched) + "match \"m5000\" { protocol \"h1\" }\n" + END), "more than 16 matches in each other");
    let wide = |number| format!("match \"m{number}\" {{ {} }}\n", format!("match \"m{}\";", number + 1).repeat(4));
    assert_too_deep(&(chain(15, wide) + "match \"m15\" { protocol \"h1\" }\n" + END), "come to more than 1048576 conditions");
    let map = |number| format!("map \"n{number}\" from=\"{{map.n{}}}\" {{ case \"a\" \"b\" }}\n", number + 1);
    assert_too_deep(
        &(chain(5_000, map) + "map \"n5000\" from=\"{path}\" { case \"/\" \"b\" }\n" + END),
        "more than 8 maps are asked for one key",
    );
}

#[test]
fn lints_in_a_snippet_are_silenced_there_and_fire_once() {
    let text = |allow: &str| {
        format!(
            "site \"demo\" language=1 {{ listen \"127.0.0.1:8080\" }}\nsnippet \"back\" {{ {allow} route \"/a\" {{ redirect \"/a\" }} }}\n\
             vhost \"a.example\" {{ use \"back\" }}\nvhost \"b.example\" {{ use \"back\" }}\n"
        )
    };
    let shown = |allow: &str| {
        let mut diagnostics = Diagnostics::default();
        let (sources, config) = parse_text(Path::new("site.kdl"), text(allow), &mut diagnostics);
        config.and_then(|config| resolve(&config, &sources, &mut diagnostics));
        render(&diagnostics, &sources, Style::Plain)
    };
    assert_eq!(shown("").matches("warning[K0403]").count(), 1, "{}", shown(""));
    assert_eq!(shown("allow-lint \"K0403\" reason=\"a game\";"), "");
    assert_eq!(shown("allow-lint \"K0412\" reason=\"none\";").matches("warning[K0401]").count(), 1);
}

#[test]
fn proxy_in_snippets_and_groups_has_their_words() {
    let text = "snippet \"api\" upstream=\"app\" prefix=\"/api\" {\n\
                upstream-headers { remove \"server\" }\nrequest-headers { set \"x-a\" \"$prefix\" }\n\
                proxy \"$upstream\" { strip-prefix \"$prefix\"; timeouts { first-byte \"5s\" } }\n}\n\
                upstream \"app\" { endpoint \"10.0.0.5:3000\" }\nupstream \"old\" { endpoint \"10.0.0.6:3000\" }\n\
                vhost \"a.example\" {\nupstream-headers { remove \"via\" }\ngroup \"/*\" {\nupstream-headers { set \"x-g\" \"1\" }\n\
                route \"/api/*\" { use \"api\"; upstream-headers { set \"x-r\" \"2\" } }\n\
                route \"/old/*\" { use \"api\" upstream=\"old\" prefix=\"/old\" } } }";
    let site = site(text);
    let routes = &site.vhosts[0].routes;
    let names = |route: &Route| route.upstream_headers.iter().map(|rule| rule.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&routes[0]), ["via", "x-g", "server", "x-r"]);
    assert_eq!(names(&routes[1]), ["via", "x-g", "server"]);
    let proxied = |route: &Route| match &route.action {
        Action::Proxy(proxy) => {
            (site.upstreams[proxy.upstream].name.clone(), proxy.target.value.clone(), proxy.timeouts.first_byte.value.as_secs())
        }
        other => panic!("not a proxy: {other:?}"),
    };
    assert_eq!(proxied(&routes[0]), ("app".to_owned(), Target::Strip("/api".to_owned()), 5));
    assert_eq!(proxied(&routes[1]), ("old".to_owned(), Target::Strip("/old".to_owned()), 5));
}
