//! A real documentation tree of more than 1,000 files, embedded and from a root: every file in every coding that is offered, byte for byte, and its
//! conditions and parts.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use kiln_tests::{
    answer::Answer,
    client::Client,
    server::Server,
    site::{Profile, build, write},
    tools::{note, skip},
};
use semantics::path::encode;

/// What a tree must have to be worth the test.
const FILES_MIN: usize = 1_000;
const CODINGS: &[&str] = &["identity", "gzip", "br", "zstd"];

#[test]
fn every_file_in_every_coding_is_the_file() {
    let Some(tree) = tree() else {
        skip("no documentation tree of 1,000 files (Debian's python3-doc) is missing");
        return;
    };
    let files = files(&tree);
    let embedded = tree.display().to_string();
    let text = format!(
        "site \"documentation\" language=1 {{\n    listen \"127.0.0.1:0\"\n}}\nvhost default=#true {{\n    route \"/embedded/*\" {{ files {embedded:?} {{ embed }} }}\n    route \"/root/*\" {{ files {embedded:?} }}\n}}\n"
    );
    let server = Server::start(&build(write("documentation-tree", &[("site.kdl", &text)]), Profile::Dev, &[]), Path::new("/"));
    let mut client = server.client();
    let (mut faults, mut fetched, mut offered) = (Vec::new(), 0, BTreeMap::<&str, usize>::new());
    for (name, path) in &files {
        let bytes = fs::read(path).expect("a readable file");
        for (prefix, coding) in CODINGS.iter().map(|coding| ("/embedded/", *coding)).chain([("/root/", "identity")]) {
            let target = format!("{prefix}{}", encode(name, false).expect("a name that is a path"));
            let lines = format!("accept-encoding: {coding}\r\n");
            let answer = client.get("any.test", &target, &lines);
            let got = answer.field("content-encoding").unwrap_or("identity").to_owned();
            fetched += 1;
            if answer.status != 200 || answer.decoded_body().as_deref() != Ok(&bytes[..]) {
                faults.push(format!("{target} as {coding}: {} {got}, {} bytes", answer.status, answer.body.len()));
            } else if got == coding && prefix == "/embedded/" {
                *offered.entry(coding).or_default() += 1;
            } else if got != "identity" {
                faults.push(format!("{target}: asked for {coding}, got {got}"));
            }
            faults.extend(wrong_conditions(&mut client, &target, &lines, &answer));
        }
    }
    note(&format!("documentation: {} files, {fetched} answers compared, offered {offered:?}", files.len()));
    assert!(faults.is_empty(), "{} faults; the first of them: {:#?}", faults.len(), &faults[..faults.len().min(10)]);
    // Text compresses: most files must be offered in every coding.
    assert!(CODINGS.iter().all(|coding| offered.get(coding).is_some_and(|count| count * 2 > files.len())), "{offered:?}");
}

/// What is wrong with answers to who knows the file already, and to who wants a part of it.
fn wrong_conditions(client: &mut Client, target: &str, lines: &str, whole: &Answer) -> Option<String> {
    let tag = whole.field("etag").unwrap_or_default();
    let known = client.get("any.test", target, &format!("{lines}if-none-match: \"other\", {tag}\r\n"));
    if (known.status, known.field("etag"), known.field("vary")) != (304, Some(tag), whole.field("vary")) {
        return Some(format!("{target} {lines:?}: {} for a known tag", known.status));
    }
    if whole.body.len() < 2 {
        return None;
    }
    let middle = whole.body.len() / 2;
    let part = client.get("any.test", target, &format!("{lines}if-range: {tag}\r\nrange: bytes={middle}-\r\n"));
    let is_part =
        part.status == 206 && part.body == whole.body[middle..] && part.field("content-encoding") == whole.field("content-encoding");
    (!is_part).then(|| format!("{target} {lines:?}: {} for a part", part.status))
}

/// Where a package has put its pages: asked of the package manager, then looked for where distributions put them.
fn tree() -> Option<PathBuf> {
    let listed = ["python3.11-doc", "python3.12-doc", "python3.13-doc", "python3-doc"].into_iter().flat_map(|package| {
        let output = Command::new("dpkg").args(["-L", package]).output().map(|output| output.stdout).unwrap_or_default();
        let lines = String::from_utf8_lossy(&output).into_owned();
        lines.lines().filter(|line| line.ends_with("/html")).map(PathBuf::from).collect::<Vec<_>>()
    });
    let usual = ["/usr/share/doc/python3/html", "/usr/share/doc/python/html", "/usr/share/doc/rust-doc/html"].map(PathBuf::from);
    let mut candidates = listed.chain(usual).filter_map(|path| path.canonicalize().ok());
    candidates.find(|path| path.is_dir() && files(path).len() >= FILES_MIN)
}

/// Files below a directory by their relative names; links that lead out of it and hidden names are not served, so they are not fetched.
fn files(tree: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let mut open = vec![tree.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().filter_map(Result::ok) {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let is_inside = path.canonicalize().is_ok_and(|target| target.starts_with(tree));
            if name.starts_with('.') || name.ends_with('~') || !is_inside {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.strip_prefix(tree).expect("a path below").to_string_lossy().into_owned(), path);
            }
        }
    }
    found
}
