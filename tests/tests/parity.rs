//! The words of `files` mean the same for a root and for an embedded tree: every request gets the same answer from both, but for tags, dates and kiln's own compression.

use std::collections::BTreeSet;

use kiln_tests::{
    answer::Answer,
    docroot::{SIBLINGS, files},
    files::start_at_home,
    server::Server,
    tools::note,
};
use semantics::hash::hash;

const ROUTES: &[&str] = &["plain", "try", "spa", "miss", "both", "kept", "coded", "brotli", "hidden", "links", "other", "all"];
/// Routes that take the forms that lie beside a file.
const CODED: &[&str] = &["coded", "brotli", "all"];

/// Names that are there, names made of them, and what lies outside.
fn targets() -> BTreeSet<String> {
    let mut targets = BTreeSet::new();
    for (name, _) in files() {
        let name: String = name
            .bytes()
            .map(|byte| {
                if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            })
            .collect();
        let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem).to_owned();
        targets.extend([
            format!("{name}/"),
            format!("{name}x"),
            format!("{name}.gz"),
            format!("dir/{name}"),
            format!("nothing/{name}"),
            format!("{stem}.css"),
            stem.clone(),
            format!("{stem}/"),
        ]);
        targets.extend(name.match_indices('/').flat_map(|(at, _)| [name[..at].to_owned(), name[..=at].to_owned()]));
        targets.insert(name);
    }
    targets.extend(
        [
            "",
            ".hidden",
            ".git/config",
            ".git",
            ".git/",
            "page.html~",
            "page.html.bak",
            "link-in.txt",
            "link-out.txt",
            "link-dir-out",
            "link-dir-out/",
            "link-dir-out/secret.txt",
            "fifo",
            "fifo/",
            "style.css.gz/",
            "app.js.map",
            "assets/app.js",
            "users/john.doe",
            "users/1",
            "a/b/c.html",
            "a/b/c.xhtml",
            ".well-known/",
            ".well-known",
            ".well-known/acme",
            "%FF",
            "dir%5Cx.txt",
            "nothing.zst",
            "index.htm",
            "x.txt",
        ]
        .map(str::to_owned),
    );
    targets
}

/// What must be equal of two answers.
fn compared(answer: &Answer, route: &str, name: &str, has_forms: bool) -> Vec<String> {
    let is_coded_alike = CODED.contains(&route) && has_forms;
    let mut parts = vec![answer.status.to_string()];
    let mut names = vec!["location", "content-type", "cache-control", "allow"];
    if is_coded_alike {
        names.extend(["vary", "content-encoding", "content-length", "content-range"]);
        parts.push(format!("hash {:x}", hash(0, &answer.body)));
    }
    parts.extend(names.iter().map(|field| format!("{field}: {:?}", answer.field(field))));
    match (answer.status, answer.decoded_body()) {
        // Nothing was sent; parts are of what was sent, coding and all.
        _ if answer.body.is_empty() => {}
        (206 | 416, _) => {}
        (_, Ok(body)) => parts.push(format!("{} bytes: {}", body.len(), body[..body.len().min(60)].escape_ascii())),
        (_, Err(error)) => parts.push(format!("{name}: {error}")),
    }
    parts
}

/// Whether a form of the file that answers lies beside it.
fn has_forms(route: &str, target: &str) -> bool {
    let name = target.trim_start_matches("dir/");
    SIBLINGS.iter().any(|(known, _, coding)| (known.trim_start_matches("dir/") == name) && (route != "brotli" || *coding == "br"))
}

fn ask(server: &Server, kind: &str, targets: &[&String], (method, route, lines): (&str, &str, &str)) -> Vec<Answer> {
    let mut client = server.client();
    let mut answers = Vec::new();
    for target in targets {
        let answer = client.ask(format!("{method} /{route}/{target} HTTP/1.1\r\nhost: {kind}.parity.test\r\n{lines}\r\n"));
        if answer.field("connection") == Some("close") {
            client = server.client();
        }
        answers.push(answer);
    }
    answers
}

#[test]
fn root_answers_as_an_embedded_tree_does() {
    let server = start_at_home();
    let mut faults = Vec::new();
    let mut statuses = BTreeSet::new();
    let mut asked = 0;
    let all = targets();
    for route in ROUTES {
        for (turn, (method, lines)) in [
            ("GET", ""),
            ("GET", "accept-encoding: gzip\r\n"),
            ("GET", "accept-encoding: br\r\n"),
            ("GET", "accept-encoding: gzip, deflate, br, zstd\r\n"),
            ("GET", "if-none-match: *\r\n"),
            ("GET", "range: bytes=0-1\r\n"),
            ("GET", "accept-encoding: br, gzip\r\nrange: bytes=2-9\r\n"),
            ("HEAD", "accept-encoding: gzip\r\n"),
            ("POST", "content-length: 0\r\n"),
        ]
        .into_iter()
        .enumerate()
        {
            // All of them plainly, and a share of them in each other way.
            let targets: Vec<&String> =
                all.iter().enumerate().filter(|(number, _)| turn == 0 || number % 5 == turn % 5).map(|(_, target)| target).collect();
            let request = (method, *route, lines);
            let (root, embedded) = (ask(&server, "root", &targets, request), ask(&server, "embedded", &targets, request));
            for (target, (root, embedded)) in targets.into_iter().zip(root.iter().zip(&embedded)) {
                // An embedded tree has followed its links when it was made; a root follows them where it is told to.
                if target.contains("link-in") && *route != "links" {
                    continue;
                }
                let has_forms = has_forms(route, target);
                let (of_root, of_embedded) = (compared(root, route, target, has_forms), compared(embedded, route, target, has_forms));
                statuses.insert((*route, root.status));
                asked += 1;
                if of_root != of_embedded {
                    faults.push(format!("{method} /{route}/{target} {lines:?}\n     root {of_root:?}\n embedded {of_embedded:?}"));
                }
            }
        }
    }
    note(&format!("parity: {asked} requests of both"));
    assert!(faults.is_empty(), "{} faults, the first of them:\n{}", faults.len(), faults[..faults.len().min(12)].join("\n"));
    // Every word has decided something.
    for expected in [
        ("try", 200),
        ("spa", 200),
        ("spa", 404),
        ("miss", 203),
        ("miss", 304),
        ("both", 200),
        ("kept", 206),
        ("coded", 206),
        ("all", 200),
        ("hidden", 404),
        ("links", 404),
    ] {
        assert!(statuses.contains(&expected), "{expected:?} is in none of {statuses:?}");
    }
}
