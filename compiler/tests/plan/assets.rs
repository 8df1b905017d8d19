//! Reading trees and packing them.

use std::{fs, os::unix::fs::symlink};

use kiln::{
    assets::{self, FaultKind, blob},
    model::Action,
    source::tree::{self, LeftOutReason},
};
use semantics::negotiate::Coding;

use crate::site::{Built, HEAD, scratch, values};

fn site(name: &str, files: &[(&str, &[u8])]) -> Built {
    Built::site(name, &format!("{HEAD}vhost \"shop.example\" {{ route \"/*\" {{ files \"public\" {{ embed }} }} }}\n"), files)
}

#[test]
fn tree_is_sorted_without_dotfiles_and_backups() {
    let files: [(&str, &[u8]); 7] = [
        ("public/z.txt", b"z"),
        ("public/a/index.html", b"a"),
        ("public/.git/config", b"secret"),
        ("public/.well-known/x", b"known"),
        ("public/a.html~", b"backup"),
        ("public/b.bak", b"backup"),
        ("public/A.TXT", b"A"),
    ];
    let site = site("assets_sorted", &files);
    let paths: Vec<_> = site.plan.embeds[0].assets.iter().map(|asset| asset.path.as_str()).collect();
    assert_eq!(paths, [".well-known/x", "A.TXT", "a/index.html", "z.txt"]);
}

#[test]
fn text_is_compressed_where_it_gets_smaller() {
    let text = b"the same words again and again. ".repeat(100);
    let site = site("assets_compressed", &[("public/a.txt", &text), ("public/b.png", &text), ("public/c.txt", b"x")]);
    let codings: Vec<Vec<_>> =
        site.plan.embeds[0].assets.iter().map(|asset| asset.codings.iter().map(|(coding, _)| *coding).collect()).collect();
    assert_eq!(codings, [vec![Coding::Zstd, Coding::Brotli, Coding::Gzip], vec![], vec![]]);
}

#[test]
fn blob_is_the_same_from_a_warm_and_from_a_cold_cache() {
    let text = b"some words, some words. ".repeat(50);
    let site = site("assets_cold", &[("public/a.txt", &text), ("public/b.txt", b"b")]);
    let cold = scratch("assets_cold_cache");
    assert_eq!(blob(&site.plan, &cold).unwrap(), site.blob);
    assert_eq!(blob(&site.plan, &cold).unwrap(), site.blob);
    assert!(fs::read_dir(&cold).unwrap().all(|entry| !entry.unwrap().file_name().to_string_lossy().starts_with("unfinished")));
}

#[test]
fn file_that_changes_before_it_is_packed_is_a_fault() {
    let site = site("assets_changed", &[("public/a.txt", b"before")]);
    fs::write(&site.plan.embeds[0].assets[0].source, b"after").unwrap();
    let faults = blob(&site.plan, &scratch("assets_changed_cache")).unwrap_err();
    assert_eq!(faults[0].kind, FaultKind::Changed);
    assert_eq!(faults[0].path, "public/a.txt");
}

#[test]
fn links_are_followed_inside_the_tree_only() {
    let directory = scratch("assets_links_tree");
    fs::create_dir_all(directory.join("public/sub")).unwrap();
    fs::write(directory.join("outside.txt"), b"outside").unwrap();
    fs::write(directory.join("public/sub/in.txt"), b"in").unwrap();
    symlink("../../outside.txt", directory.join("public/sub/out.txt")).unwrap();
    symlink("nowhere", directory.join("public/dangling")).unwrap();
    symlink("..", directory.join("public/sub/loop")).unwrap();
    symlink("sub/in.txt", directory.join("public/linked.txt")).unwrap();
    let entry = directory.join("site.kdl");
    fs::write(&entry, format!("{HEAD}vhost \"shop.example\" {{ route \"/*\" {{ files \"public\" {{ embed }} }} }}\n")).unwrap();
    let mut diagnostics = kiln::diagnostic::Diagnostics::default();
    let (sources, config) = kiln::parse::parse(&entry, &mut diagnostics);
    let model = kiln::resolve::resolve(&config.unwrap(), &sources, &mut diagnostics).unwrap();
    let trees = assets::read(&model, &scratch("assets_links_cache")).unwrap();
    let left_out = tree::walk(&directory.join("public"), false).unwrap().left_out;
    let left_out: Vec<_> = left_out.iter().map(|left_out| (left_out.path.as_str(), left_out.reason)).collect();
    let reasons = [LeftOutReason::DanglingLink, LeftOutReason::LeadsUp, LeftOutReason::LeavesTree];
    assert_eq!(left_out, [("dangling", reasons[0]), ("sub/loop", reasons[1]), ("sub/out.txt", reasons[2])]);
    assert_eq!(diagnostics.warnings(), 1, "the first of them is told");
    let Action::Files(files) = &model.vhosts[0].routes[0].action else { panic!("files") };
    let paths: Vec<_> = trees.assets(files).unwrap().iter().map(|asset| asset.path.as_str()).collect();
    assert_eq!(paths, ["linked.txt", "sub/in.txt"]);
}

#[test]
fn embedded_file_is_answered_in_the_best_coding() {
    let text = b"<p>the same words again and again</p>\n".repeat(100);
    let site = site("assets_answer", &[("public/docs/index.html", &text), ("public/logo.png", b"png")]);
    let plain = site.answer("GET", "/docs/", &[]);
    assert_eq!((plain.status, plain.body.as_slice()), (200, text.as_slice()));
    let names: Vec<_> = plain.fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["content-type", "content-length", "accept-ranges", "etag", "vary"]);
    let coded = site.answer("GET", "/docs/", &[("accept-encoding", "gzip, br")]);
    assert_eq!(values(&coded, "content-encoding"), ["br"]);
    assert_ne!(values(&coded, "etag"), values(&plain, "etag"));
    assert_eq!(values(&coded, "content-length"), [coded.body.len().to_string()]);
    let head = site.answer("HEAD", "/docs/", &[("accept-encoding", "br")]);
    assert_eq!((head.fields, head.body), (coded.fields, Vec::new()));
    let image = site.answer("GET", "/logo.png", &[("accept-encoding", "br")]);
    assert_eq!(
        image.fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["content-type", "content-length", "accept-ranges", "etag"]
    );
}

#[test]
fn embedded_file_honours_conditions() {
    let site = site("assets_conditions", &[("public/a.png", b"png")]);
    let answer = site.answer("GET", "/a.png", &[]);
    let etag = values(&answer, "etag")[0];
    let unchanged = site.answer("GET", "/a.png", &[("if-none-match", etag)]);
    assert_eq!((unchanged.status, unchanged.body.len()), (304, 0));
    assert_eq!(unchanged.fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["etag"]);
    assert_eq!(site.answer("GET", "/a.png", &[("if-match", "\"other\"")]).status, 412);
}

#[test]
fn embedded_file_honours_ranges() {
    let site = site("assets_ranges", &[("public/a.png", b"0123456789")]);
    let part = site.answer("GET", "/a.png", &[("range", "bytes=-3")]);
    assert_eq!((part.status, part.body.as_slice(), values(&part, "content-range")), (206, &b"789"[..], vec!["bytes 7-9/10"]));
    let parts = site.answer("GET", "/a.png", &[("range", "bytes=0-1,8-")]);
    assert!(values(&parts, "content-type")[0].starts_with("multipart/byteranges; boundary="));
    assert_eq!((parts.status, values(&parts, "content-length")), (206, vec![parts.body.len().to_string().as_str()]));
    let text = String::from_utf8(parts.body).unwrap();
    assert!(text.contains("content-range: bytes 0-1/10\r\n\r\n01\r\n--") && text.contains("content-range: bytes 8-9/10\r\n\r\n89\r\n--"));
    let none = site.answer("GET", "/a.png", &[("range", "bytes=10-")]);
    assert_eq!((none.status, values(&none, "content-range")), (416, vec!["bytes */10"]));
    assert_eq!(site.answer("HEAD", "/a.png", &[("range", "bytes=10-")]).status, 200);
}
