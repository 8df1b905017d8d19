//! Listings on the wire: of a root and of an embedded tree, as pages and as JSON, with names that mean something elsewhere.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink, net::UnixListener},
    path::Path,
};

use kiln_tests::{
    answer::Answer,
    client::Client,
    listed::{HOSTILE, fill_with_hostile_names},
    server::{Server, Shared},
    site::{Profile, build, scratch, write},
};
use serde_json::Value;

const SITE: &str = r#"
site "listing" language=1 { listen "127.0.0.1:0" }
vhost default=#true {
    errors { page 404 file="404.html" }
    route "/files/*" { files "tree" { listing } }
    route "/hidden/*" { files "tree" { listing; hidden } }
    route "/links/*" { files "tree" { listing; symlinks } }
    route "/plain/*" { files "tree" }
    route "/coded/*" { encode "gzip" "br"; files "tree" { listing } }
    route "/{name}/embedded/*" { files "pages" { embed; listing } }
}
"#;

/// One server for all tests of this file; the tree of its root lies in the directory that it is started in.
static SERVER: Shared = Shared::new(|| {
    let directory = scratch("listing");
    drop(fs::remove_dir_all(&directory));
    fill(&directory.join("tree"));
    let entry = write(
        "listing",
        &[
            ("site.kdl", SITE),
            ("404.html", "nothing here\n"),
            ("pages/indexed/index.html", "the index\n"),
            ("pages/plain/deep/a.txt", "deep\n"),
        ],
    );
    for name in HOSTILE.iter().filter(|name| str::from_utf8(name).is_ok()) {
        fs::write(entry.with_file_name("pages").join(std::ffi::OsStr::from_bytes(name)), name).expect("a writable directory");
    }
    Server::start(&build(entry, Profile::Dev, &[]), &directory)
});

fn fill(tree: &Path) {
    for directory in ["hostile", "kinds/directory", "indexed", "empty"] {
        fs::create_dir_all(tree.join(directory)).expect("a writable directory");
    }
    fill_with_hostile_names(&tree.join("hostile"));
    fs::write(tree.join("indexed/index.html"), "the index\n").expect("a writable directory");
    let kinds = tree.join("kinds");
    for name in ["file", ".env", "backup~", "10.txt", "9.txt"] {
        fs::write(kinds.join(name), name).expect("a writable directory");
    }
    for (link, to) in [("inside", "../indexed"), ("to file", "file"), ("outside", "/etc"), ("up", "../../.."), ("dangling", "nowhere")] {
        symlink(to, kinds.join(link)).expect("a link");
    }
    rustix::fs::mkfifoat(rustix::fs::CWD, kinds.join("fifo"), rustix::fs::Mode::RWXU).expect("a FIFO");
    drop(UnixListener::bind(kinds.join("socket")).expect("a socket"));
}

/// A connection; as long as a test holds one it is one server, and one tree, that it asks.
fn client() -> Client {
    SERVER.client()
}

fn get(target: &str, lines: &str) -> Answer {
    client().get("listing.test", target, lines)
}

fn object(target: &str) -> Value {
    let answer = get(target, "accept: application/json\r\n");
    assert_eq!((answer.status, answer.field("content-type")), (200, Some("application/json")), "{target}");
    serde_json::from_slice(&answer.body).expect("JSON")
}

/// Names and kinds in the order of the listing.
fn names(target: &str) -> Vec<String> {
    let text = |entry: &Value, key: &str| entry[key].as_str().expect("text").to_owned();
    let object = object(target);
    object["entries"].as_array().expect("entries").iter().map(|entry| format!("{} {}", text(entry, "kind"), text(entry, "name"))).collect()
}

#[test]
fn page_of_a_root_has_its_policy_and_no_validator() {
    let _kept = client();
    let page = get("/files/kinds/", "");
    assert_eq!((page.status, page.field("content-type")), (200, Some("text/html; charset=utf-8")));
    assert_eq!((page.field("vary"), page.field("cache-control")), (Some("accept"), Some("no-cache")));
    assert_eq!((page.field("x-content-type-options"), page.field("referrer-policy")), (Some("nosniff"), Some("same-origin")));
    assert_eq!((page.field("etag"), page.field("last-modified"), page.field("accept-ranges")), (None, None, None));
    let policy = page.field("content-security-policy").expect("a policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    let text = page.text();
    assert!(text.contains("<title>Index of /files/kinds/</title>") && text.contains("<a href=\"./directory/\">"), "{text}");
    let head = client().ask("HEAD /files/kinds/ HTTP/1.1\r\nhost: listing.test\r\n\r\n");
    assert_eq!(head.stable_fields(), page.stable_fields());
    let browser = get("/files/kinds/", "accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n");
    assert_eq!(browser.stable_fields(), page.stable_fields());
    assert_eq!(client().ask("POST /files/kinds/ HTTP/1.1\r\nhost: listing.test\r\ncontent-length: 0\r\n\r\n").status, 405);
}

#[test]
fn root_lists_what_a_request_can_get() {
    let _kept = client();
    assert_eq!(names("/files/kinds/"), ["directory directory", "file 9.txt", "file 10.txt", "file file"]);
    let hidden = ["directory directory", "file .env", "file 9.txt", "file 10.txt", "file backup~", "file file"];
    assert_eq!(names("/hidden/kinds/"), hidden);
    let followed = ["directory directory", "directory inside", "file 9.txt", "file 10.txt", "file file", "file to file"];
    assert_eq!(names("/links/kinds/"), followed);
    assert_eq!(names("/files/"), ["directory empty", "directory hostile", "directory indexed", "directory kinds"]);
    assert_eq!(names("/files/empty/"), Vec::<String>::new());
    for target in
        ["/files/kinds/outside/", "/links/kinds/outside/", "/links/kinds/up/", "/files/kinds/inside/", "/files/nothing/", "/plain/kinds/"]
    {
        let answer = get(target, "");
        assert_eq!((answer.status, answer.text().as_str()), (404, "nothing here\n"), "{target}");
    }
}

#[test]
fn directory_with_its_index_is_not_listed_and_one_without_slash_is_redirected() {
    let _kept = client();
    for (target, at) in [
        ("/files/indexed", "/files/indexed/"),
        ("/files/kinds?a=b", "/files/kinds/?a=b"),
        ("/files", "/files/"),
        ("/x/embedded/plain", "/x/embedded/plain/"),
    ] {
        let answer = get(target, "");
        assert_eq!((answer.status, answer.field("location")), (308, Some(at)), "{target}");
    }
    for target in ["/files/indexed/", "/x/embedded/indexed/"] {
        assert_eq!(get(target, "accept: application/json\r\n").text(), "the index\n", "{target}");
    }
    assert_eq!(get("/plain/kinds", "").status, 404);
}

#[test]
fn every_hostile_name_leads_to_its_file() {
    let _kept = client();
    for directory in ["/files/hostile/", "/x/embedded/"] {
        let mut wanted: BTreeMap<String, &[u8]> = HOSTILE.iter().map(|name| (String::from_utf8_lossy(name).into_owned(), *name)).collect();
        let object = object(directory);
        for entry in object["entries"].as_array().expect("entries").iter().filter(|entry| entry["kind"] == "file") {
            let name = entry["name"].as_str().expect("a name");
            let href = entry["href"].as_str().and_then(|href| href.strip_prefix("./")).expect("a relative link");
            let file = get(&format!("{directory}{href}"), "");
            let expected = wanted.remove(name).unwrap_or_else(|| panic!("{name:?} is listed twice, or is none of ours"));
            assert_eq!((file.status, file.body.as_slice()), (200, expected), "{name:?}");
            let page = get(directory, "").text();
            assert!(page.contains(&format!("<a href=\"./{href}\">")), "{href}");
        }
        // Only what is UTF-8 can be embedded.
        assert!(wanted.values().all(|name| directory != "/files/hostile/" && str::from_utf8(name).is_err()), "{wanted:?}");
    }
}

#[test]
fn listing_of_a_root_is_coded_where_the_route_says_so() {
    let _kept = client();
    let plain = get("/coded/hostile/", "");
    for (coding, accept) in [("gzip", "text/html"), ("br", "application/json")] {
        let whole = get("/coded/hostile/", &format!("accept: {accept}\r\n"));
        let coded = get("/coded/hostile/", &format!("accept: {accept}\r\naccept-encoding: {coding}\r\n"));
        assert_eq!((coded.status, coded.field("content-encoding")), (200, Some(coding)));
        assert_eq!(coded.decoded_body().map(|body| String::from_utf8_lossy(&body).into_owned()), Ok(whole.text()), "{coding}");
        for answer in [&plain, &whole, &coded] {
            assert_eq!(answer.all("vary").collect::<Vec<_>>().join(", "), "accept, accept-encoding");
        }
    }
}

#[test]
fn embedded_listing_has_codings_and_entity_tags() {
    let _kept = client();
    let page = get("/x/embedded/plain/", "");
    assert_eq!((page.status, page.field("content-type")), (200, Some("text/html; charset=utf-8")));
    assert_eq!((page.field("vary"), page.field("last-modified")), (Some("accept, accept-encoding"), None));
    assert!(page.text().contains("<a href=\"./deep/\">") && !page.text().contains("Modified"), "{}", page.text());
    assert!(page.field("content-security-policy").is_some());
    let coded = get("/x/embedded/plain/", "accept-encoding: br\r\n");
    assert_eq!((coded.field("content-encoding"), coded.decoded_body()), (Some("br"), Ok(page.body.clone())));
    let object = get("/x/embedded/plain/", "accept: application/json\r\n");
    let tags = [&page, &coded, &object].map(|answer| answer.field("etag").expect("a tag").to_owned());
    assert!(tags[0] != tags[1] && tags[0] != tags[2] && tags.iter().all(|tag| tag.starts_with('"')), "{tags:?}");
    let kept = get("/x/embedded/plain/", &format!("if-none-match: {}\r\n", tags[0]));
    assert_eq!((kept.status, kept.field("vary"), kept.field("etag")), (304, Some("accept, accept-encoding"), Some(tags[0].as_str())));
    let head = client().ask("HEAD /x/embedded/plain/ HTTP/1.1\r\nhost: listing.test\r\n\r\n");
    assert_eq!(head.stable_fields(), page.stable_fields());
    for target in ["/x/embedded/plain//html", "/x/embedded/plain/%2Fhtml", "/x/embedded/html", "/x/embedded//json"] {
        assert!([400, 404].contains(&get(target, "").status), "{target}");
    }
}
