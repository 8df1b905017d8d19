//! The words of a `files` block: what they make of an embedded tree, and what is said of a root.

use std::{fs, time::Duration};

use kiln::{
    dump,
    evaluate::{Branch, Outcome, Request},
    explain::explain,
};

use crate::site::{Built, HEAD, values};

const FILES: [(&str, &[u8]); 9] = [
    ("public/index.html", b"<p>home</p>"),
    ("public/about.html", b"<p>about</p>"),
    ("public/docs/index.html", b"<p>docs</p>"),
    ("public/assets/app-1f.js", b"app()"),
    ("public/assets/app-1f.js.br", b"brotli"),
    ("public/assets/app-1f.js.gz", b"gzip"),
    ("public/empty/x.txt", b"x"),
    ("public/.env", b"secret"),
    ("other/nope.txt", b"other"),
];

fn site(name: &str, words: &str) -> Built {
    let route = format!("route \"/*\" {{ files \"public\" {{ embed; {words} }} }}");
    Built::site(name, &format!("{HEAD}vhost \"shop.example\" {{ {route}\nroute \"/other\" {{ respond 200 \"rewritten\" }} }}\n"), &FILES)
}

fn body(site: &Built, method: &str, target: &str) -> String {
    let answer = site.answer(method, target, &[]);
    format!("{} {}", answer.status, String::from_utf8_lossy(&answer.body))
}

#[test]
fn tried_names_come_behind_the_own_one() {
    let site = site("files_try", "try \"{path}.html\" \"{path}/index.html\"");
    let explained = explain(&site.plan, &Request::new("GET", "shop.example", "/about"), &site.blob);
    assert!(explained.contains("\nfile      about.html\n"), "{explained}");
    for (target, expected) in [
        ("/about", "200 <p>about</p>"),
        ("/about.html", "200 <p>about</p>"),
        ("/docs", "200 <p>docs</p>"),
        ("/docs/", "200 <p>docs</p>"),
        ("/about/", "404 404 Not Found\n"),
        ("/empty", "404 404 Not Found\n"),
    ] {
        assert_eq!(body(&site, "GET", target), expected, "{target}");
    }
}

#[test]
fn directory_without_index_is_no_file() {
    let site = site("files_directory", "index \"index.html\"");
    assert_eq!(values(&site.answer("GET", "/docs?x=1", &[]), "location"), ["/docs/?x=1"]);
    for target in ["/empty", "/empty/", "/assets"] {
        assert_eq!(site.status("GET", target), 404, "{target}");
    }
}

#[test]
fn page_of_an_application_answers_its_places_only() {
    let site = site("files_spa", "spa \"index.html\"");
    for (target, status) in [("/users/john.doe", 200), ("/empty/", 200), ("/x.html", 200), ("/x.js", 404), ("/.git", 404), ("/docs", 308)] {
        assert_eq!(site.status("GET", target), status, "{target}");
    }
    assert_eq!(body(&site, "GET", "/users/7"), "200 <p>home</p>");
    assert_eq!(site.status("POST", "/users/7"), 405);
}

#[test]
fn miss_takes_what_has_no_file_and_other_methods() {
    let site = site("files_miss", "miss { respond 410 \"gone\" }");
    for (method, target, expected) in [
        ("GET", "/about.html", "200 <p>about</p>"),
        ("GET", "/nope", "410 gone"),
        ("GET", "/.env", "410 gone"),
        ("GET", "/empty/", "410 gone"),
        ("POST", "/about.html", "410 gone"),
    ] {
        assert_eq!(body(&site, method, target), expected, "{method} {target}");
    }
    assert_eq!(site.evaluate(&Request::new("GET", "shop.example", "/")).matched.file.as_deref(), Some("index.html"));
    let missed = site.evaluate(&Request::new("GET", "shop.example", "/nope"));
    assert_eq!(missed.matched.taken, [Branch::Miss]);
    assert!(site.evaluate(&Request::new("GET", "shop.example", "/")).matched.taken.is_empty());
}

#[test]
fn miss_may_be_files_or_a_rewrite() {
    let site_of_two = site("files_miss_files", "miss { files \"other\" { embed; miss { rewrite \"/other\" } } }");
    assert_eq!(body(&site_of_two, "GET", "/nope.txt"), "200 other");
    assert_eq!(body(&site_of_two, "GET", "/neither"), "200 rewritten");
    assert_eq!(body(&site_of_two, "PUT", "/about.html"), "200 rewritten");
    let only = site("files_miss_methods", "miss { files \"other\" { embed } }");
    assert_eq!(only.status("PUT", "/about.html"), 405);
}

#[test]
fn immutable_files_say_so_in_every_answer() {
    let site = site("files_immutable", "immutable \"assets/*.js\" \"x.*\"");
    let forever = ["public, max-age=31536000, immutable"];
    let whole = site.answer("GET", "/assets/app-1f.js", &[]);
    assert_eq!(values(&whole, "cache-control"), forever);
    let etag = values(&whole, "etag")[0].to_owned();
    let not_modified = site.answer("GET", "/assets/app-1f.js", &[("if-none-match", &etag)]);
    assert_eq!((not_modified.status, values(&not_modified, "cache-control")), (304, forever.to_vec()));
    let part = site.answer("GET", "/assets/app-1f.js", &[("range", "bytes=0-1")]);
    assert_eq!((part.status, values(&part, "cache-control")), (206, forever.to_vec()));
    assert_eq!(values(&site.answer("GET", "/empty/x.txt", &[]), "cache-control"), forever);
    for target in ["/about.html", "/assets/app-1f.js.br", "/assets/nope.js"] {
        assert!(values(&site.answer("GET", target, &[]), "cache-control").is_empty(), "{target}");
    }
}

#[test]
fn siblings_are_forms_with_validators_of_their_own() {
    let site = site("files_precompressed", "precompressed \"br\"");
    let answer = |accepted| site.answer("GET", "/assets/app-1f.js", &[("accept-encoding", accepted)]);
    let (plain, brotli) = (answer("identity"), answer("br, gzip"));
    assert_eq!((brotli.body.as_slice(), values(&brotli, "content-encoding")), (&b"brotli"[..], vec!["br"]));
    assert_eq!(values(&brotli, "content-type"), ["text/javascript; charset=utf-8"]);
    assert_eq!((values(&plain, "vary"), values(&brotli, "vary")), (vec!["accept-encoding"], vec!["accept-encoding"]));
    assert!(values(&brotli, "etag")[0].ends_with("-br\"") && values(&brotli, "etag") != values(&plain, "etag"));
    // gzip is not named, so its sibling is a file like any other.
    assert_eq!(answer("gzip").body, b"app()");
    assert_eq!(site.answer("GET", "/assets/app-1f.js.gz", &[]).body, b"gzip");
}

#[test]
fn sibling_that_changes_before_it_is_packed_is_a_fault() {
    let site = site("files_sibling_changed", "precompressed");
    let asset = site.plan.embeds[0].assets.iter().find(|asset| !asset.siblings.is_empty()).unwrap();
    fs::write(&asset.siblings[0].source, b"after").unwrap();
    let faults = kiln::assets::blob(&site.plan, &crate::site::scratch("files_sibling_cache")).unwrap_err();
    assert_eq!(faults[0].kind, kiln::assets::FaultKind::Changed);
}

#[test]
fn hidden_files_are_embedded_where_the_block_says_so() {
    assert_eq!(body(&site("files_hidden", "hidden"), "GET", "/.env"), "200 secret");
    assert_eq!(site("files_not_hidden", "index \"index.html\"").status("GET", "/.env"), 404);
}

#[test]
fn embedded_files_say_when_they_were_changed_where_the_block_says_so() {
    let kdl = format!("{HEAD}vhost \"shop.example\" {{ route \"/*\" {{ files \"public\" {{ embed last-modified=#true }} }} }}\n");
    let site = Built::site("files_dates", &kdl, &FILES);
    let source = site.plan.embeds[0].assets.iter().find(|asset| asset.path == "about.html").unwrap().source.clone();
    let times = fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH + Duration::from_secs(784_111_777));
    fs::File::options().append(true).open(&source).unwrap().set_times(times).unwrap();
    let site = Built::read(&source.ancestors().nth(2).unwrap().join("site.kdl"), &crate::site::scratch("files_dates_cache"));
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    let answer = |headers: &[(&str, &str)]| site.answer("GET", "/about.html", headers);
    assert_eq!(values(&answer(&[]), "last-modified"), [date]);
    for (headers, status) in [
        (&[("if-modified-since", date)][..], 304),
        (&[("if-modified-since", "Sun, 06 Nov 1994 08:49:36 GMT")], 200),
        (&[("if-unmodified-since", "Sun, 06 Nov 1994 08:49:36 GMT")], 412),
        (&[("range", "bytes=0-1"), ("if-range", date)], 206),
        (&[("range", "bytes=0-1"), ("if-range", "Sun, 06 Nov 1994 08:49:36 GMT")], 200),
    ] {
        assert_eq!(answer(headers).status, status, "{headers:?}");
    }
    assert_eq!(values(&answer(&[("if-modified-since", date)]), "last-modified"), [date]);
    let silent = self::site("files_no_dates", "index \"index.html\"").answer("GET", "/about.html", &[("if-modified-since", date)]);
    assert_eq!((silent.status, values(&silent, "last-modified").len()), (200, 0));
}

#[test]
fn trees_of_one_directory_are_shared_as_far_as_the_same_is_said_of_them() {
    let files = |words: &str| format!("files \"public\" {{ embed; {words} }}");
    let [plain, spa, hidden] = ["index \"index.html\"", "spa \"index.html\"", "hidden"].map(files);
    let kdl = format!(
        "{HEAD}vhost \"shop.example\" {{ route \"/a/*\" {{ {plain} }}\n route \"/b/*\" {{ {plain} }}\n route \"/c/*\" {{ {spa} }}\n route \"/d/*\" {{ {hidden} }} }}\n"
    );
    let site = Built::site("files_shared", &kdl, &FILES);
    // The page of an application is looked for when a request comes: it needs no bytes of its own.
    assert_eq!((site.plan.embeds.len(), site.plan.trees().count()), (3, 2));
    assert_eq!(site.status("GET", "/b/nope"), 404);
    assert_eq!(site.status("GET", "/c/nope"), 200);
    assert_eq!(site.status("GET", "/d/.env"), 200);
}

#[test]
fn trees_of_one_directory_are_named_by_the_words_of_their_blocks() {
    let route = |path: &str, words: &str| format!("route \"/{path}/*\" {{ files \"public\" {{ embed; {words} }} }}\n");
    let routes = [
        route("a", "index \"index.html\""),
        route("b", "spa \"index.html\"; hidden"),
        route("c", "listing"),
        route("d", "index \"about.html\""),
    ];
    let site = Built::site("files_named", &format!("{HEAD}vhost \"shop.example\" {{ {} }}\n", routes.concat()), &FILES);
    let names: Vec<_> = site.plan.embeds.iter().map(|embed| embed.name.as_str()).collect();
    assert_eq!(names, ["public", "public_spa_hidden", "public_listing", "public_tree"]);
}

const ROOT: &str = r#"    route "/*" {
        files "/srv/site" {
            index "main.html"
            try "{path}.html" "old/{path}"
            listing
            immutable "*.css" "assets/**"
            precompressed "br"
            symlinks
            hidden
            miss { files "/srv/old" { spa "app.html" } }
        }
    }"#;

#[test]
fn names_of_files_blocks_stay_on_their_line_of_the_plan() {
    let words = "index \"in\\ndex.html\"; spa \"s\\npa.html\"; try \"{path}\\n.html\"; immutable \"\\n*\"";
    let routes = format!(
        "    route \"/a/*\" {{ files \"/srv/a\\nb\" {{ {words} }} }}\n    route \"/b/*\" {{ files \"pub\\nlic\" {{ embed; allow-lint \"K0409\" reason=\"the names are all that counts\" }} }}"
    );
    let site = Built::site("files_lines", &format!("{HEAD}vhost \"shop.example\" {{\n{routes}\n}}\n"), &[("pub\nlic/index.html", b"x")]);
    let plan = dump::text(&site.plan);
    assert!(plan.contains("files /srv/a\\nb  index in\\ndex.html  try \"{path}\\n.html\"  spa s\\npa.html  immutable \"\\n*\""), "{plan}");
    assert!(plan.contains("files embed pub\\nlic") && plan.contains("\ntree pub\\nlic  1 file"), "{plan}");
    assert!(dump::assets(&site.plan).starts_with("tree pub\\nlic  1 file"));
}

#[test]
fn names_of_other_files_stay_on_their_line_of_the_plan() {
    let kdl = format!(
        "{HEAD}vhost \"shop.example\" {{\n    errors {{ page 404 file=\"n\\none.html\" }}\n    route \"/*\" {{ files (file)\"/etc/ro\\not\" }}\n}}\n"
    );
    let plan = dump::text(&Built::site("files_others", &kdl, &[("n\none.html", b"x")]).plan);
    assert!(plan.contains("404 n\\none.html sha256"), "{plan}");
    assert!(plan.contains("files (file)/etc/ro\\not  index") && plan.contains("\nat start    (file)/etc/ro\\not"), "{plan}");
}

#[test]
fn names_that_a_root_is_asked_for_stay_on_their_line() {
    let site = Built::vhost("files_names", ROOT);
    let request = Request::new("GET", "shop.example", "/a%0Abody%1B%5B31m%C2%9B");
    let explained = explain(&site.plan, &request, &site.blob);
    assert!(!explained.contains(|character: char| character.is_control() && character != '\n'), "{explained:?}");
    assert!(explained.contains("the file a\\nbody\\u{1b}[31m\\u{9b} below /srv/site"), "{explained}");
}

#[test]
fn root_is_told_with_all_its_words() {
    let site = Built::vhost("files_root", ROOT);
    insta::assert_snapshot!("files_root_text", dump::text(&site.plan).split("\n\n").find(|part| part.starts_with("vhost")).unwrap());
    let action = dump::json(&site.plan)["vhosts"][0]["routes"][0]["action"].clone();
    insta::assert_snapshot!("files_root_json", serde_json::to_string_pretty(&action).unwrap());
    let request = Request::new("GET", "shop.example", "/a/b");
    insta::assert_snapshot!("files_root_explained", explain(&site.plan, &request, &site.blob));
    let Outcome::Root(search) = site.evaluate(&request).outcome else { panic!("a root") };
    assert_eq!(search.names(), ["a/b", "a/b.html", "old/a/b"]);
    let Outcome::Root(search) = *search.otherwise else { panic!("a root") };
    assert_eq!((search.directory.as_str(), search.names()), ("/srv/old", vec!["a/b".to_owned(), "app.html".to_owned()]));
}

#[test]
fn embedded_files_are_listed_with_their_forms_and_what_they_save() {
    let text = b"the same words again and again. ".repeat(100);
    let files = [("public/a.txt", &text[..]), ("public/b.js", b"app()"), ("public/b.js.br", b"br"), ("public/c\u{202e}.png", b"png")];
    let route = "route \"/*\" { files \"public\" { embed; immutable \"*.js\"; precompressed } }";
    let site = Built::site("files_listed", &format!("{HEAD}vhost \"shop.example\" {{ {route} }}\n"), &files);
    insta::assert_snapshot!("files_listed", dump::assets(&site.plan));
    let tree = &dump::json(&site.plan)["trees"][0];
    let asset = &site.plan.embeds[0].assets[0];
    let smallest = asset.codings.iter().map(|(_, bytes)| *bytes).min().unwrap();
    assert_eq!(tree["files"][0]["saved_bytes"], asset.bytes - smallest);
    assert_eq!(tree["saved_bytes"], asset.bytes - smallest + 3);
    assert_eq!((&tree["files"][1]["immutable"], &tree["files"][1]["codings"][0]["is_sibling"]), (&true.into(), &true.into()));
}
