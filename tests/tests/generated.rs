//! The samples' generated crates: fresh, buildable alone, and serving what their sites say. A workspace build would hide a missing feature.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use kiln_tests::{
    answer::Answer,
    client::Client,
    server::Server,
    site::{cache, kiln, repository},
    tools::run,
};

const SAMPLES: &[&str] = &["app", "blog", "docs", "hello", "multi", "spa", "static", "tenants"];

#[test]
fn every_sample_has_a_generated_crate_and_the_other_way_round() {
    let names = |directory: &str| -> BTreeSet<String> {
        let entries = fs::read_dir(repository().join(directory)).expect("a readable directory");
        let directories = entries.map(|entry| entry.expect("an entry")).filter(|entry| entry.path().is_dir());
        let names = directories.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name != "target" && !name.starts_with('.')).collect()
    };
    let samples: BTreeSet<String> = SAMPLES.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(names("configs"), samples);
    assert_eq!(names("generated"), samples);
}

#[test]
fn generated_crates_are_fresh() {
    for name in SAMPLES {
        run(kiln().args(["emit", "--check"]).arg(format!("configs/{name}/site.kdl")));
    }
}

#[test]
fn samples_have_no_warning() {
    for name in SAMPLES {
        let output = run(kiln().args(["--color", "never", "check"]).arg(format!("configs/{name}/site.kdl")));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("warning"), "{said}");
    }
}

/// One after the other: all samples listen on the same port.
#[test]
fn generated_crates_build_alone_and_answer() {
    check("hello", |client| {
        assert_eq!(get(client, "any.example", "/").text(), "hello\n");
        assert_eq!(get(client, "any.example", "/hello/you").text(), "hello, you\n");
        assert_eq!(get(client, "any.example", "/hello/").status, 404);
    });
    check("static", |client| {
        let index = get(client, "www.static.example", "/");
        assert!(index.text().contains("Pages that live in the binary"));
        assert_eq!((index.field("cache-control"), index.field("x-content-type-options")), (Some("max-age=300"), Some("nosniff")));
        assert_eq!(get(client, "localhost", "/docs").field("location"), Some("/docs/"));
        assert_eq!(get(client, "localhost", "/assets/site.css").field("cache-control"), Some("public, max-age=31536000, immutable"));
        assert!(get(client, "localhost", "/about").text().contains("<h1>About</h1>"));
        assert_eq!(get(client, "localhost", "/favicon.ico").field("location"), Some("/favicon.svg"));
        let download = get(client, "localhost", "/downloads/release-1.0.txt");
        assert_eq!((download.status, download.field("content-disposition")), (200, Some("attachment")));
        assert!(get(client, "localhost", "/.well-known/security.txt").text().starts_with("Contact:"));
        assert_eq!(get(client, "other.example", "/").status, 421);
    });
    check("multi", |client| {
        assert_eq!(get(client, "shop.example", "/products/7").text(), "{\"product\":\"7\"}");
        assert_eq!(get(client, "www.shop.example", "/elsewhere?x=1").field("location"), Some("http://shop.example/elsewhere?x=1"));
        assert_eq!(get(client, "shop.example", "/staff/desk").field("x-reason"), Some("a staff key is needed"));
        assert!(client.get("shop.example", "/staff/desk", "x-staff-key: blue\r\n").text().starts_with("hello, blue staff"));
        assert_eq!(get(client, "shop.example", "/absent").field("x-robots-tag"), Some("noindex"));
        assert_eq!(get(client, "blog.example", "/2020/01/first").field("location"), Some("/posts/first"));
        assert_eq!(get(client, "blog.example", "/wiki/a%2fb").text(), "page a%2Fb\n");
        assert!(get(client, "blog.example", "/pages/").text().contains("Written by hand"));
        assert_eq!(get(client, "one.tenants.example", "/").text(), "welcome to one.tenants.example\n");
        assert_eq!(get(client, "status.tenants.example", "/x").text(), "all systems are up\n");
        assert_eq!(get(client, "unknown.example", "/healthz").text(), "ok\n");
        assert_eq!(get(client, "unknown.example", "/x").status, 421);
        client.send("GET /.env HTTP/1.1\r\nhost: unknown.example\r\n\r\n").end();
    });
}

/// What these answer is told by `tests/cases/site-*.md`; here: no warning, and no feature of the runtime that only a workspace build would have.
#[test]
fn other_generated_crates_build_alone() {
    for name in ["app", "blog", "docs", "spa", "tenants"] {
        build_alone(name);
    }
}

fn get(client: &mut Client, host: &str, target: &str) -> Answer {
    client.get(host, target, "")
}

/// Builds one crate without the others and lets `requests` talk to it, started where its site lies.
fn check(name: &str, requests: fn(&mut Client)) {
    let server = Server::start(&build_alone(name), &repository().join("configs").join(name));
    requests(&mut server.client());
}

fn build_alone(name: &str) -> PathBuf {
    let target = cache().join("generated");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(repository().join("generated")).args(["build", "--quiet", "--locked", "--package"]).arg(format!("site-{name}"));
    run(cargo.env("CARGO_TARGET_DIR", &target).env("RUSTFLAGS", "-D warnings"));
    Path::new(&target).join("debug").join(name)
}
