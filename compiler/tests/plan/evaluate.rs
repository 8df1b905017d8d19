//! The evaluator on `language.md`'s table "Semantics by example", as far as its words exist, and on what the table leaves open.

use kiln::evaluate::{Fault, Outcome, PassedOver, Request};
use semantics::{head::HeadFault, negotiate::Coding};

use crate::site::{Built, HEAD, values};

#[test]
fn literal_segment_beats_parameter() {
    let site = Built::vhost(
        "evaluate_literal",
        "route \"/{lang}/about\" { respond 200 \"parameter\" }\n route \"/en/*\" { respond 200 \"literal\" }",
    );
    assert_eq!(site.answer("GET", "/en/about", &[]).body, b"literal");
    assert_eq!(site.answer("GET", "/de/about", &[]).body, b"parameter");
}

#[test]
fn guard_that_refuses_leaves_pattern_to_others() {
    let words = "route \"/*\" { respond 200 \"all\" }\n route \"/*\" { when { path \"/x/*\" }; respond 200 \"x\" }";
    let site = Built::vhost("evaluate_guard", words);
    assert_eq!(site.answer("GET", "/x/a", &[]).body, b"x");
    let evaluation = site.evaluate(&Request::new("GET", "shop.example", "/y"));
    assert_eq!(evaluation.matched.route, Some(0));
    assert_eq!(evaluation.matched.tried.len(), 1);
    assert_eq!((evaluation.matched.tried[0].route, evaluation.matched.tried[0].reason), (1, PassedOver::Guard));
}

#[test]
fn guard_that_refuses_everywhere_leaves_request_to_next_pattern() {
    let words = "route \"/a\" { when { header \"x-a\" \"1\" }; respond 200 \"guarded\" }\n route \"/*\" { respond 200 \"rest\" }";
    let site = Built::vhost("evaluate_fall_through", words);
    assert_eq!(site.answer("GET", "/a", &[("x-a", "0"), ("x-a", "1")]).body, b"guarded");
    assert_eq!(site.answer("GET", "/a", &[("x-a", "0")]).body, b"rest");
}

#[test]
fn method_that_no_route_takes_is_405_with_the_union() {
    let words = "route \"/a\" { methods \"POST\"; respond 200 }\n route \"/a\" { methods \"GET\"; respond 200 \"a\" }\n route \"/*\" { respond 200 \"rest\" }";
    let site = Built::vhost("evaluate_methods", words);
    let answer = site.answer("DELETE", "/a", &[]);
    assert_eq!((answer.status, values(&answer, "allow")), (405, vec!["GET, HEAD, POST"]));
    assert_eq!(answer.body, b"405 Method Not Allowed\n");
    assert_eq!(site.status("HEAD", "/a"), 200);
    assert_eq!(site.status("BREW", "/a"), 405);
    assert_eq!(site.status("BREW", "/b"), 200);
}

#[test]
fn methods_never_fall_through_to_worse_pattern() {
    let site = Built::vhost(
        "evaluate_upload",
        "route \"/api/*\" { respond 200 \"api\" }\n route \"/api/upload\" { methods \"POST\"; respond 201 }",
    );
    assert_eq!(site.status("GET", "/api/upload"), 405);
    assert_eq!(site.status("POST", "/api/upload"), 201);
}

#[test]
fn bare_prefix_of_files_is_redirected_with_its_query() {
    let kdl = format!("{HEAD}vhost \"shop.example\" {{ route \"/docs/*\" {{ files \"docs\" {{ embed }} }} }}\n");
    let site = Built::site("evaluate_bare", &kdl, &[("docs/index.html", b"index"), ("docs/sub/index.html", b"sub")]);
    let answer = site.answer("GET", "/docs?x=1", &[]);
    assert_eq!((answer.status, values(&answer, "location")), (308, vec!["/docs/?x=1"]));
    assert_eq!(site.answer("GET", "/docs/", &[]).body, b"index");
    let answer = site.answer("GET", "//docs/./sub?y", &[]);
    assert_eq!((answer.status, values(&answer, "location")), (308, vec!["/docs/sub/?y"]));
    assert_eq!(site.status("GET", "/docs/none/"), 404);
    assert_eq!(site.status("GET", "/docs/a%2Fb"), 400);
    assert_eq!(site.status("GET", "/docs/a%5Cb"), 404);
    assert_eq!(site.status("POST", "/docs/"), 405);
}

#[test]
fn disguised_paths_meet_the_route_they_mean() {
    let site = Built::vhost("evaluate_normal", "route \"/admin/*\" { refuse }\n route \"/*\" { respond 200 \"open\" }");
    for target in ["//admin/x", "/a/../admin/x", "/%61dmin/x"] {
        assert_eq!(site.status("GET", target), 403, "{target}");
    }
    for target in ["/admin%2fx", "/a/..%2fadmin/x", "/\\admin", "/a/%2e%2e/admin", "/../x", "/%", "/%00", "/a b"] {
        assert_eq!(site.status("GET", target), 400, "{target}");
    }
}

#[test]
fn redirect_keeps_escapes_and_query() {
    let site = Built::vhost(
        "evaluate_redirect",
        "route \"/old/{rest*}\" { redirect \"/new/{rest}\" status=308 }\n route \"/x\" { redirect \"/y?z\" }",
    );
    let answer = site.answer("GET", "/old/a%20b?x=1", &[]);
    assert_eq!((answer.status, values(&answer, "location")), (308, vec!["/new/a%20b?x=1"]));
    assert_eq!((values(&answer, "content-length"), answer.body.len()), (vec!["0"], 0));
    let answer = site.answer("GET", "/x?q=1", &[]);
    assert_eq!((answer.status, values(&answer, "location")), (302, vec!["/y?z"]));
}

#[test]
fn headers_of_scopes_add_up_also_on_errors() {
    let kdl = format!(
        "{HEAD}vhost \"shop.example\" {{ headers {{ set \"x\" \"1\"; add \"link\" \"a\" }}\n route \"/f/*\" {{ headers {{ set \"y\" \"2\"; add \"link\" \"b\" }}; files \"docs\" {{ embed }} }} }}\n"
    );
    let site = Built::site("evaluate_headers", &kdl, &[("docs/index.html", b"index")]);
    for target in ["/f/", "/f/none", "/f"] {
        let answer = site.answer("GET", target, &[]);
        assert_eq!(
            (values(&answer, "x"), values(&answer, "y"), values(&answer, "link")),
            (vec!["1"], vec!["2"], vec!["a", "b"]),
            "{target}"
        );
    }
    let answer = site.answer("GET", "/", &[]);
    assert_eq!((answer.status, values(&answer, "x"), values(&answer, "y")), (404, vec!["1"], vec![]));
}

#[test]
fn header_value_with_control_byte_is_not_sent() {
    let site = Built::vhost("evaluate_unsent", "route \"/a\" { headers { set \"x\" \"{query.q}\" }; respond 200 \"a\" }");
    assert_eq!(values(&site.answer("GET", "/a?q=1%2B1", &[]), "x"), ["1+1"]);
    let answer = site.answer("GET", "/a?q=1%0D%0Ax:y", &[]);
    assert_eq!((values(&answer, "x"), answer.unsent_edits), (vec![], 1));
}

#[test]
fn hosts_are_exact_then_wildcard_then_none() {
    let kdl = format!(
        "{}vhost \"*.example\" {{ route \"/*\" {{ respond 200 \"any\" }} }}\nvhost \"b.example\" {{ route \"/*\" {{ respond 200 \"b\" }} }}\n",
        HEAD.replace(" }\n", "; headers { set \"x-site\" \"1\" } }\n")
    );
    let site = Built::site("evaluate_hosts", &kdl, &[]);
    let outcome = |host: &str| match site.evaluate(&Request::new("GET", host, "/")).outcome {
        Outcome::Answer(answer) => (answer.status, String::from_utf8(answer.body.clone()).unwrap(), values(&answer, "x-site").len()),
        other => panic!("{host}: {other:?}"),
    };
    assert_eq!(outcome("a.b.example:8080"), (200, "any".to_owned(), 1));
    assert_eq!(outcome("B.Example."), (200, "b".to_owned(), 1));
    assert_eq!(outcome("example"), (421, "421 Misdirected Request\n".to_owned(), 1));
}

#[test]
fn faults_of_the_head_are_answered_before_any_vhost() {
    let site = Built::vhost("evaluate_faults", "route \"/*\" { respond 200 \"all\" }");
    let fault = |request: &Request| site.evaluate(request).fault;
    assert_eq!(fault(&Request::new("GET", "a b", "/")), Some(Fault::Head(HeadFault::BadRequest)));
    assert_eq!(fault(&Request::new("CONNECT", "shop.example", "/")).map(Fault::status), Some(501));
    let long = Request::new("GET", "shop.example", &format!("/{}", "x".repeat(40_000)));
    assert_eq!(fault(&long).map(Fault::status), Some(414));
    assert_eq!(site.status("GET", "/%zz"), 400);
}

#[test]
fn templates_are_rendered_from_the_request() {
    let words =
        "route \"/p/{id}/{rest*}\" { respond 201 \"{id}|{rest}|{host}|{method}|{query}|{status}|{header.x-a}|{{}}\" template=#true }";
    let site = Built::vhost("evaluate_template", words);
    let answer = site.answer("PUT", "/p/7/a/b?c=d", &[("x-a", "v")]);
    assert_eq!(String::from_utf8_lossy(&answer.body), "7|a/b|shop.example|PUT|c=d|201|v|{}");
    assert_eq!(values(&answer, "content-type"), ["text/plain; charset=utf-8"]);
    let head = site.answer("HEAD", "/p/7/", &[]);
    assert_eq!((head.body.len(), values(&head, "content-length")), (0, vec!["29"]));
}

#[test]
fn abort_and_root_are_outcomes_of_their_own() {
    let site = Built::vhost(
        "evaluate_outcomes",
        "route \"/a\" { abort }\n route \"/f/*\" { files \"/srv/files\" }\n route \"/robots.txt\" { files \"/srv\" }",
    );
    let outcome = |target: &str| site.evaluate(&Request::new("GET", "shop.example", target)).outcome;
    let root = |target: &str| match outcome(target) {
        Outcome::Root(search) => format!("{} {}", search.directory, search.names().join(" ")),
        other => panic!("{other:?}"),
    };
    assert_eq!(outcome("/a"), Outcome::Abort);
    assert_eq!(root("/f/a%20b/"), "/srv/files a b/index.html");
    assert_eq!(root("/robots.txt"), "/srv robots.txt");
    assert_eq!(root("/f"), "/srv/files index.html");
    assert_eq!(site.status("GET", "/f/.env"), 404);
}

#[test]
fn route_that_keeps_separators_takes_them() {
    let site = Built::vhost(
        "evaluate_keep",
        "route \"/k/{x}\" { path \"keep\"; respond 200 \"{x}\" template=#true }\n route \"/r/{x}\" { respond 200 \"r\" }",
    );
    assert_eq!(site.answer("GET", "/k/a%2fb%5c", &[]).body, b"a%2Fb%5C");
    assert_eq!(site.status("GET", "/r/a%2fb"), 400);
    assert_eq!(site.status("GET", "/r/a%5cb"), 400);
}

#[test]
fn answer_is_coded_by_the_innermost_encode_and_its_head_says_so() {
    let text = "x".repeat(512);
    let words = format!(
        "encode \"br\" \"gzip\"\nheaders {{ set \"vary\" \"origin\" }}\nroute \"/a\" {{ respond 200 \"{text}\" }}\n\
         route \"/short\" {{ respond 200 \"short\" }}\nroute \"/raw\" {{ encode #false; respond 200 \"{text}\" }}\n\
         route \"/own\" {{ encode \"zstd\" min=\"4B\"; headers {{ set \"content-type\" \"image/png\" }}; respond 200 \"short\" }}"
    );
    let site = Built::vhost("evaluate_encode", &words);
    let coding = |target: &str, accepted: &str| {
        let answer = site.answer("GET", target, &[("accept-encoding", accepted)]);
        (answer.coding, values(&answer, "content-encoding").join(","), values(&answer, "vary").join(","))
    };
    let says = |coding: Coding, encoding: &str, vary: &str| (coding, encoding.to_owned(), vary.to_owned());
    assert_eq!(coding("/a", "gzip, br"), says(Coding::Brotli, "br", "origin, accept-encoding"));
    assert_eq!(coding("/a", "gzip, br;q=0.5"), says(Coding::Gzip, "gzip", "origin, accept-encoding"));
    assert_eq!(coding("/a", "zstd"), says(Coding::Identity, "", "origin, accept-encoding"));
    for target in ["/short", "/raw", "/own"] {
        assert_eq!(coding(target, "gzip, br, zstd"), says(Coding::Identity, "", "origin"), "{target}");
    }
    let head = site.answer("HEAD", "/a", &[("accept-encoding", "gzip")]);
    assert_eq!((head.coding, values(&head, "content-encoding")), (Coding::Gzip, vec!["gzip"]));
}

#[test]
fn embedded_file_keeps_the_form_that_was_chosen_at_build() {
    let kdl = format!("{HEAD}vhost \"shop.example\" {{ encode \"gzip\"; route \"/*\" {{ files \"public\" {{ embed }} }} }}\n");
    let text = "text ".repeat(1000);
    let site = Built::site("evaluate_encode_embedded", &kdl, &[("public/a.css", text.as_bytes()), ("public/b.css", b"short")]);
    for (target, accepted, encoding) in [("/a.css", "zstd", "zstd"), ("/a.css", "deflate", ""), ("/b.css", "gzip", "")] {
        let answer = site.answer("GET", target, &[("accept-encoding", accepted)]);
        assert_eq!((answer.coding, values(&answer, "content-encoding").join(",")), (Coding::Identity, encoding.to_owned()), "{target}");
    }
}
