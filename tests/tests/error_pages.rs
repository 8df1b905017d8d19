//! What is said in place of a file: the site's page for each status of `files`, with the fields of its scopes, for GET as for HEAD.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use kiln_tests::{
    answer::Answer,
    client::Client,
    docroot::HUNDRED,
    files::{start_at_home, start_bound},
    server::Shared,
    site::scratch,
};

static SERVER: Shared = Shared::new(start_at_home);

const HOST: &str = "errors.test";
/// Where the document root lies on the host and in the binary.
const PREFIXES: [&str; 2] = ["/root", "/embedded"];

/// Asks with a method, then with HEAD where that was GET; the answer is the page of `status` both times.
#[track_caller]
fn is_page(client: &mut Client, method: &str, target: &str, lines: &str, status: u16) -> Answer {
    let mut ask = |method: &str| client.ask(format!("{method} {target} HTTP/1.1\r\nhost: {HOST}\r\n{lines}\r\n"));
    let answer = ask(method);
    let page = format!("<!doctype html><title>{status}</title><p>our page of {status}\n");
    assert_eq!((answer.status, &*answer.text()), (status, &*page), "{method} {target} {lines}");
    assert_eq!(answer.field("content-type"), Some("text/html; charset=utf-8"), "{method} {target}");
    for absent in ["etag", "last-modified", "accept-ranges", "content-encoding"] {
        assert_eq!(answer.field(absent), None, "{method} {target}: {absent}");
    }
    assert_eq!(answer.field("x-scope"), Some("vhost"), "{method} {target}");
    if method == "GET" && status != 416 {
        let head = ask("HEAD");
        assert_eq!((head.status, head.stable_fields()), (status, answer.stable_fields()), "HEAD {target} {lines}");
    }
    answer
}

#[test]
fn page_answers_for_a_file_that_is_not_there() {
    let mut client = SERVER.client();
    for prefix in PREFIXES {
        let route = &prefix[1..];
        for name in ["nothing.txt", "bare/", "a.txt/x", ".hidden", "page.html~", "link-out.txt", "fifo", "%FF", "nothing/"] {
            let answer = is_page(&mut client, "GET", &format!("{prefix}/{name}"), "", 404);
            assert_eq!(answer.all("x-scope").collect::<Vec<_>>(), ["vhost", route], "{prefix}/{name}");
        }
        // A condition or a range is of a file, and there is none.
        for lines in ["range: bytes=0-1\r\n", "if-none-match: *\r\n", "if-modified-since: Fri, 31 Dec 9999 23:59:59 GMT\r\n"] {
            is_page(&mut client, "GET", &format!("{prefix}/nothing.txt"), lines, 404);
        }
    }
    // The innermost page of a status wins; other statuses have the outer one.
    let inner = client.get(HOST, "/inner/nothing.txt", "");
    assert_eq!((inner.status, &*inner.text()), (404, "<!doctype html><title>404</title><p>the page of a route\n"));
    is_page(&mut client, "GET", "/inner/a.txt", "if-match: \"x\"\r\n", 412);
}

#[test]
fn page_answers_for_what_a_file_does_not_take() {
    for prefix in PREFIXES {
        let mut client = SERVER.client();
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
            for name in ["a.txt", "nothing.txt", ""] {
                let answer = is_page(&mut client, method, &format!("{prefix}/{name}"), "content-length: 0\r\n", 405);
                assert_eq!(answer.field("allow"), Some("GET, HEAD"), "{method} {prefix}/{name}");
            }
        }
        for lines in ["if-match: \"x\"\r\n", "if-match: \"x\"\r\nrange: bytes=0-1\r\n", "if-match: W/\"x\"\r\nif-none-match: *\r\n"] {
            is_page(&mut client, "GET", &format!("{prefix}/a.txt"), lines, 412);
        }
        let unsatisfied = is_page(&mut client, "GET", &format!("{prefix}/a.txt"), "range: bytes=100-\r\n", 416);
        assert_eq!(unsatisfied.field("content-range"), Some("bytes */100"), "{prefix}");
        is_page(&mut client, "GET", &format!("{prefix}/dir%2Fx.txt"), "", 400);
    }
}

#[test]
fn scopes_edit_every_answer_of_files() {
    let mut client = SERVER.client();
    for prefix in PREFIXES {
        let route = &prefix[1..];
        let tag = client.get(HOST, &format!("{prefix}/a.txt"), "").field("etag").expect("a tag").to_owned();
        let cases = [
            ("a.txt", String::new(), 200),
            ("big.bin", String::new(), 200),
            ("a.txt", format!("if-none-match: {tag}\r\n"), 304),
            ("a.txt", "range: bytes=0-1\r\n".to_owned(), 206),
            ("a.txt", "range: bytes=0-1,5-6\r\n".to_owned(), 206),
            ("dir", String::new(), 308),
        ];
        for (name, lines, status) in cases {
            let answer = client.get(HOST, &format!("{prefix}/{name}"), &lines);
            assert_eq!((answer.status, answer.all("x-scope").collect()), (status, vec!["vhost", route]), "{prefix}/{name} {lines}");
        }
    }
}

#[test]
fn other_origin_may_read_what_it_is_let_and_no_more() {
    let mut client = SERVER.client();
    let origin = "origin: https://a.example\r\n";
    for (name, lines, status) in [
        ("a.txt", "", 200),
        ("a.txt", "range: bytes=0-1\r\n", 206),
        ("nothing.txt", "", 404),
        ("a.txt", "range: bytes=100-\r\n", 416),
        ("dir", "", 308),
    ] {
        let answer = client.get(HOST, &format!("/shared/{name}"), &format!("{origin}{lines}"));
        assert_eq!((answer.status, answer.field("access-control-allow-origin")), (status, Some("https://a.example")), "{name} {lines}");
        assert!(answer.field("vary").is_some_and(|vary| vary.eq_ignore_ascii_case("origin")), "{name}: {:?}", answer.field("vary"));
    }
    let other = client.get(HOST, "/shared/a.txt", "origin: https://b.example\r\n");
    assert_eq!((other.status, other.field("access-control-allow-origin")), (200, None));
    let preflight = client.ask(format!(
        "OPTIONS /shared/a.txt HTTP/1.1\r\nhost: {HOST}\r\n{origin}access-control-request-method: GET\r\naccess-control-request-headers: range\r\n\r\n"
    ));
    assert_eq!((preflight.status, preflight.field("access-control-allow-headers")), (204, Some("range")));
}

#[test]
fn check_that_refuses_tells_nothing_of_files() {
    let mut client = SERVER.client();
    for name in ["a.txt", "nothing.txt", "dir", ".hidden", ""] {
        is_page(&mut client, "GET", &format!("/refused/{name}"), "", 403);
    }
    is_page(&mut client, "GET", "/refused/a.txt", "if-none-match: *\r\n", 403);
}

#[test]
fn body_over_the_limit_is_refused_and_one_within_is_read() {
    let mut client = SERVER.client();
    for _ in 0..2 {
        let answer = client.ask(format!("GET /small/a.txt HTTP/1.1\r\nhost: {HOST}\r\ncontent-length: 4\r\n\r\nbody"));
        assert_eq!((answer.status, &*answer.text()), (200, HUNDRED));
    }
    let answer = client.ask(format!("GET /small/a.txt HTTP/1.1\r\nhost: {HOST}\r\ncontent-length: 5\r\n\r\nbodyy"));
    assert_eq!((answer.status, &*answer.text()), (413, "<!doctype html><title>413</title><p>our page of 413\n"));
}

#[test]
fn file_that_may_not_be_read_is_forbidden() {
    let directory = scratch("error-pages");
    let tree = directory.join("tree");
    let closed = tree.join("closed");
    // What an earlier run has closed is opened before it is written anew.
    drop(fs::set_permissions(&closed, Permissions::from_mode(0o700)));
    fs::create_dir_all(&closed).expect("a writable directory");
    let paths = [("closed/a.txt", 0o600), ("unreadable.txt", 0o000), ("write-only.txt", 0o200), ("readable.txt", 0o400)];
    for (name, mode) in paths {
        drop(fs::remove_file(tree.join(name)));
        fs::write(tree.join(name), "content\n").expect("a writable directory");
        fs::set_permissions(tree.join(name), Permissions::from_mode(mode)).expect("a file of ours");
    }
    fs::set_permissions(&closed, Permissions::from_mode(0o000)).expect("a directory of ours");
    let Some(server) = start_bound(&directory) else { return };
    let mut client = server.client();
    for name in ["closed/a.txt", "closed/nothing.txt", "closed/", "unreadable.txt", "write-only.txt"] {
        is_page(&mut client, "GET", &format!("/tree/{name}"), "", 403);
    }
    // Whether it changed is not told to who may not read it.
    is_page(&mut client, "GET", "/tree/unreadable.txt", "if-none-match: *\r\n", 403);
    assert_eq!(client.get(HOST, "/tree/readable.txt", "").text(), "content\n");
    // Permissions count from the next request on.
    fs::set_permissions(tree.join("unreadable.txt"), Permissions::from_mode(0o400)).expect("a file of ours");
    assert_eq!(client.get(HOST, "/tree/unreadable.txt", "").text(), "content\n");
}
