//! What a site means after `resolve`: defaults, inheritance of headers, templates, guards, places of files.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{fmt::Write, path::Path};

use kiln::{
    diagnostic::{
        Diagnostics,
        render::{Style, render},
    },
    model::{Action, Guard, HeaderRule, Part, Site, Template},
    parse::{parse, parse_text},
    resolve::resolve,
};

fn site(text: &str) -> Site {
    let mut diagnostics = Diagnostics::default();
    let (sources, config) = parse_text(Path::new("site.kdl"), text.to_owned(), &mut diagnostics);
    let site = config.and_then(|config| resolve(&config, &sources, &mut diagnostics));
    site.unwrap_or_else(|| panic!("{}", render(&diagnostics, &sources, Style::Plain)))
}

/// A site with words in `site`, in its vhost and in the vhost's route.
fn scopes(site_words: &str, vhost: &str, route: &str) -> Site {
    let head = format!("site \"demo\" language=1 {{\nlisten \"127.0.0.1:8080\"\n{site_words}\n}}\n");
    site(&format!("{head}vhost \"shop.example\" {{\n{vhost}\nroute \"/a/{{id}}/{{rest*}}\" {{\n{route}\n}}\n}}\n"))
}

fn template(template: &Template) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        other => format!("<{other:?}>"),
    };
    template.parts.iter().map(part).collect()
}

fn rules(rules: &[HeaderRule]) -> String {
    let mut out = String::new();
    for rule in rules {
        let only = if rule.only.is_empty() { String::new() } else { format!(" only {:?}", rule.only) };
        let except = if rule.except.is_empty() { String::new() } else { format!(" except {:?}", rule.except) };
        writeln!(out, "{:?} {} = {}{only}{except}", rule.action, rule.name, template(&rule.value)).unwrap();
    }
    out
}

fn route_rules(site_words: &str, vhost: &str, route: &str) -> String {
    let site = scopes(site_words, vhost, &format!("{route}\nrespond 200"));
    rules(&site.vhosts[0].routes[0].headers)
}

fn action(route: &str) -> String {
    match &scopes("", "", route).vhosts[0].routes[0].action {
        Action::Respond { status, body, content_type } => format!("respond {} {:?} {content_type:?}", status.value, template(body)),
        Action::Redirect { target, status, drops_query } => format!("redirect {} {} {drops_query}", status.value, template(target)),
        Action::Files(files) => {
            format!("files {} {} {} {}", files.path.display(), files.is_embedded, files.rules.index, files.index_is_default)
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn headers_of_scopes_add_up() {
    insta::assert_snapshot!(
        route_rules("headers { set \"x\" \"1\"; add \"link\" \"a\" }", "headers { set \"y\" \"2\"; add \"link\" \"b\" }", "headers { add \"link\" \"c\" }"),
        @r"
    Set x = 1
    Add link = a
    Set y = 2
    Add link = b
    Add link = c
    "
    );
}

#[test]
fn headers_set_inside_drop_outer_rules_of_their_name() {
    insta::assert_snapshot!(
        route_rules("headers { add \"X-A\" \"1\"; set \"x-b\" \"2\"; set \"y\" \"3\" }", "headers { default \"x-a\" \"4\" }", "headers { remove \"x-*\"; set \"x-c\" \"5\" }"),
        @r"
    Set y = 3
    Remove x-* = 
    Set x-c = 5
    "
    );
}

#[test]
fn headers_reset_drops_all_inherited() {
    insta::assert_snapshot!(route_rules("headers { set \"x\" \"1\" }", "headers { set \"y\" \"2\" }", "headers { set \"z\" \"3\"; reset }"), @"Set z = 3");
}

#[test]
fn headers_only_drop_what_they_cover() {
    insta::assert_snapshot!(
        route_rules("headers { set \"x\" \"1\"; only status=404 { set \"y\" \"2\" } }", "headers { only status=404 { set \"x\" \"3\" }; set \"y\" \"4\" }", ""),
        @r"
    Set x = 1 except [404]
    Set x = 3 only [404]
    Set y = 4
    "
    );
}

#[test]
fn headers_only_take_their_statuses_away_from_outer_rules() {
    insta::assert_snapshot!(
        route_rules(
            "headers { set \"x-a\" \"1\"; add \"x-b\" \"2\"; only status=404 { set \"x-c\" \"3\" }; only status=410 { set \"x-c\" \"4\" } }",
            "headers { only status=404 { remove \"x-*\" } }",
            "headers { only status=500 { default \"x-a\" \"5\" } }"
        ),
        @r"
    Set x-a = 1 except [404, 500]
    Add x-b = 2 except [404]
    Set x-c = 4 only [410]
    Remove x-* =  only [404]
    Default x-a = 5 only [500]
    "
    );
}

#[test]
fn headers_only_are_a_scope_inside_their_block() {
    insta::assert_snapshot!(
        route_rules("headers { only status=404 { remove \"x\" }; set \"x\" \"1\"; add \"x\" \"2\" }", "", ""),
        @r"
    Remove x =  only [404]
    Set x = 1 except [404]
    Add x = 2 except [404]
    "
    );
}

#[test]
fn headers_of_site_and_vhost_stand_alone_too() {
    let site = scopes("headers { set \"x\" \"1\" }", "headers { set \"y\" \"2\" }", "headers { set \"z\" \"3\" }\nrespond 200");
    assert_eq!(rules(&site.headers), "Set x = 1\n");
    assert_eq!(rules(&site.vhosts[0].headers), "Set x = 1\nSet y = 2\n");
}

#[test]
fn actions_have_their_defaults() {
    assert_eq!(action("respond \"ok\""), "respond 200 \"ok\" None");
    assert_eq!(action("respond 404"), "respond 404 \"\" None");
    assert_eq!(action("respond 200 \"{x\" content-type=\"a/b\""), "respond 200 \"{x\" Some(\"a/b\")");
    assert_eq!(action("redirect \"/b\""), "redirect 302 /b false");
    assert_eq!(action("redirect \"/b\" status=308 query=\"drop\""), "redirect 308 /b true");
    assert_eq!(action("refuse"), "Refuse { status: Defaulted { value: 403, is_default: true } }");
    assert_eq!(action("abort"), "Abort");
    assert_eq!(action("files \"public\" { index \"a.html\" }"), "files public false a.html false");
    assert_eq!(action("files \"/srv/www\""), "files /srv/www false index.html true");
}

#[test]
fn templates_become_typed_parts() {
    assert_eq!(
        action("redirect \"{scheme}://{host}/{rest}?q={query.q}{{}}\""),
        "redirect 302 <Scheme>://<Host>/<Parameter(\"rest\")>?q=<QueryValue(\"q\")>{} false"
    );
    assert_eq!(
        action("respond 200 \"{header.X-Id} {client-ip} {status}\" template=#true"),
        "respond 200 \"<Header(\\\"x-id\\\")> <ClientIp> <Status>\" None"
    );
    assert_eq!(action("redirect \"/b{path}{query}{target}{method}\""), "redirect 302 /b<Path><Query><Target><Method> false");
}

#[test]
fn guards_become_trees() {
    let site = scopes(
        "",
        "",
        "when { host \"A.example\" \"*.b.example\"; not { method \"GET\"; header \"X-A\" }; any { path \"/c/*\"; header \"x\" \"1\" \"2\" } }\nrespond 200",
    );
    let Some(Guard::All(guards)) = &site.vhosts[0].routes[0].guard else { panic!("three conditions") };
    insta::assert_snapshot!(format!("{guards:#?}").replace("    ", " "), @r#"
    [
     Host(
      [
       "a.example",
       "*.b.example",
      ],
     ),
     Not(
      All(
       [
        Method(
         Methods(
          1,
         ),
        ),
        Header {
         name: "x-a",
         values: [],
        },
       ],
      ),
     ),
     Any(
      [
       Path(
        [
         "/c/*",
        ],
       ),
       Header {
        name: "x",
        values: [
         Known(
          "1",
         ),
         Known(
          "2",
         ),
        ],
       },
      ],
     ),
    ]
    "#);
}

#[test]
fn limits_and_timeouts_written_are_no_defaults() {
    let site = scopes("limits { head \"64KiB\" }\ntimeouts { idle \"5m\" }\nworkers 3", "", "abort");
    assert_eq!((site.limits.head.value, site.limits.head.is_default, site.limits.fields.is_default), (65_536, false, true));
    assert_eq!((site.timeouts.idle.value.as_secs(), site.timeouts.idle.is_default, site.timeouts.head.value.as_secs()), (300, false, 10));
    assert_eq!(format!("{:?}", site.workers.value), "Count(3)");
}

#[test]
fn includes_are_read_in_order_and_relative_to_their_file() {
    let entry = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/multi/site.kdl");
    let mut diagnostics = Diagnostics::default();
    let (sources, config) = parse(&entry, &mut diagnostics);
    let site = resolve(&config.unwrap(), &sources, &mut diagnostics).unwrap();
    let names: Vec<&str> = sources.sources().iter().map(|source| source.name.as_str()).collect();
    assert!(names.is_sorted_by_key(|name| (name.contains('/'), *name)), "{names:?}");
    let provenance = sources.provenance(site.vhosts[0].span);
    assert!(names.contains(&provenance.file.as_str()) && provenance.line > 0);
}

#[test]
fn samples_have_no_errors() {
    for sample in ["hello", "multi", "static"] {
        let entry = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/{sample}/site.kdl"));
        let mut diagnostics = Diagnostics::default();
        let (sources, config) = parse(&entry, &mut diagnostics);
        let site = config.and_then(|config| resolve(&config, &sources, &mut diagnostics));
        assert!(site.is_some() && !diagnostics.has_errors(), "{}", render(&diagnostics, &sources, Style::Plain));
    }
}

fn encodings(site: &Site) -> [String; 3] {
    let vhost = &site.vhosts[0];
    [&site.encoding, &vhost.encoding, &vhost.routes[0].encoding].map(|encoding| {
        encoding.as_ref().map_or_else(
            || "none".to_owned(),
            |encoding| {
                let names: Vec<_> = encoding.codings.iter().map(|coding| coding.name()).collect();
                format!("{} {}{}", names.join(" "), encoding.min_bytes.value, if encoding.min_bytes.is_default { "." } else { "" })
            },
        )
    })
}

#[test]
fn inner_encode_replaces_the_outer_one_whole() {
    let all = |site: &str, vhost: &str, route: &str| encodings(&scopes(site, vhost, &format!("{route}\nrespond 200 \"\"")));
    assert_eq!(all("", "", ""), ["none"; 3]);
    assert_eq!(all("encode \"br\" \"gzip\"", "", ""), ["br gzip 512."; 3]);
    assert_eq!(all("encode \"br\" min=\"2KiB\"", "encode \"zstd\"", ""), ["br 2048", "zstd 512.", "zstd 512."]);
    assert_eq!(all("encode \"br\"", "", "encode #false"), ["br 512.", "br 512.", "none"]);
    assert_eq!(all("", "encode #false", "encode \"gzip\" min=\"0B\""), ["none", "none", "gzip 0"]);
}
