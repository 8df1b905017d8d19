//! The command as people run it: exit codes, what goes where, and one whole build.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const SITE: &str = r#"site "tiny" language=1 {
    listen "127.0.0.1:0"
}

vhost "tiny.example" {
    route "/" { respond 200 "tiny\n" }
    route "/old" { redirect "/" query="drop" }
}
"#;

/// The cache that nested builds of all tests share, beside what cargo builds.
fn cache() -> PathBuf {
    std::env::var_os("KILN_CACHE_DIR").map_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("kiln-cache"), PathBuf::from)
}

/// A directory of its own with the site in it.
fn directory(name: &str, site: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(name);
    drop(fs::remove_dir_all(&directory));
    let written = fs::create_dir_all(&directory).and_then(|()| fs::write(directory.join("site.kdl"), site));
    written.unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    directory
}

fn kiln(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.args(arguments).current_dir(directory).env("KILN_CACHE_DIR", cache()).env_remove("KILN_KEEP_SYMBOLS");
    command.output().expect("kiln was built with this test")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn check_of_good_site_is_silent_on_standard_output() {
    let output = kiln(&directory("good", SITE), &["check"]);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(0), ""), "{}", error(&output));
    assert!(error(&output).starts_with("kiln: 0 errors in 1 file ("), "{}", error(&output));
}

#[test]
fn check_of_bad_site_exits_1_with_diagnostics_and_no_colour() {
    let output = kiln(&directory("bad", &SITE.replace("respond 200", "respnd 200")), &["check"]);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(1), ""));
    let said = error(&output);
    assert!(said.starts_with("error[K") && said.contains("kiln: ") && !said.contains('\x1b'), "{said}");
    let coloured = kiln(&directory("bad-colour", &SITE.replace("respond 200", "respnd 200")), &["--color", "always", "check"]);
    assert!(error(&coloured).contains("\x1b["));
}

#[test]
fn check_of_missing_site_exits_1() {
    let output = kiln(&directory("missing", SITE), &["check", "other.kdl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error(&output).contains("other.kdl"), "{}", error(&output));
}

#[test]
fn unknown_argument_exits_2() {
    assert_eq!(kiln(&directory("usage", SITE), &["check", "--nonsense"]).status.code(), Some(2));
}

#[test]
fn plan_is_text_or_json_on_standard_output() {
    let directory = directory("plan", SITE);
    assert!(out(&kiln(&directory, &["plan"])).starts_with("site tiny"));
    let json = out(&kiln(&directory, &["plan", "--json"]));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap()["site"], "tiny");
}

#[test]
fn explain_says_which_route_answers() {
    let output =
        kiln(&directory("explain", SITE), &["explain", "GET", "http://tiny.example/old", "-H", "accept: */*", "--from", "192.0.2.1"]);
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    assert!(out(&output).contains("/old"), "{}", out(&output));
    let bad = kiln(&directory("explain-bad", SITE), &["explain", "GET", "tiny.example/old"]);
    assert_eq!(bad.status.code(), Some(2));
}

#[test]
fn explain_finds_a_listener_by_name_and_by_address() {
    let directory = directory("explain-listener", &SITE.replace("127.0.0.1:0\"", "127.0.0.1:8080\" name=\"local\""));
    let explain = |listener| kiln(&directory, &["explain", "GET", "http://tiny.example/old", "--listener", listener]).status.success();
    assert!(explain("local") && explain("127.0.0.1:8080"));
    assert!(!explain("127.0.0.1:8081"));
}

#[test]
fn codes_explains_one_and_refuses_what_is_none() {
    let directory = directory("codes", SITE);
    assert!(out(&kiln(&directory, &["codes", "K0107"])).starts_with("error[K0107]"));
    assert!(out(&kiln(&directory, &["codes"])).lines().count() > 20);
    assert_eq!(kiln(&directory, &["codes", "K9999"]).status.code(), Some(2));
}

#[test]
fn emit_check_lists_stale_files_and_exits_1() {
    let directory = directory("emit", SITE);
    assert_eq!(kiln(&directory, &["emit"]).status.code(), Some(0));
    assert_eq!(kiln(&directory, &["emit", "--check"]).status.code(), Some(0));
    fs::write(directory.join("site.kdl"), SITE.replace("tiny\\n", "small\\n")).unwrap();
    let stale = kiln(&directory, &["emit", "--check"]);
    assert_eq!(stale.status.code(), Some(1));
    let expected = ["manifest.txt", "plan.txt", "src/tiny_example.rs"].map(|file| format!("generated/tiny/{file}\n"));
    assert_eq!(out(&stale), expected.concat());
}

#[test]
fn build_without_toolchain_says_what_to_install() {
    let directory = directory("no-toolchain", SITE);
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    let cache = directory.join("cache");
    let output = command.arg("build").current_dir(&directory).env("PATH", "").env("KILN_CACHE_DIR", cache).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = error(&output);
    assert!(said.contains("no `cargo` on the PATH") && said.contains("install Rust 1.95 or newer"), "{said}");
}

#[test]
fn version_names_the_hashes_of_what_is_inside() {
    let output = kiln(&directory("version", SITE), &["--version"]);
    let keys: Vec<_> = out(&output).lines().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect();
    assert_eq!(keys, ["kiln", "compiler", "runtime", "lockfile"]);
}

#[test]
fn build_gives_one_static_binary_that_names_its_sources() {
    let directory = directory("build", SITE);
    let output = kiln(&directory, &["build", "--profile", "dev"]);
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    let last = out(&output);
    assert!(last.starts_with("tiny  ") && last.trim_end().ends_with("->  dist/tiny"), "{last}");
    assert!(!error(&output).contains('\x1b') && error(&output).contains("  emit     "), "{}", error(&output));
    let binary = directory.join("dist/tiny");
    let version = String::from_utf8(Command::new(&binary).arg("--version").output().unwrap().stdout).unwrap();
    let keys: Vec<_> = version.lines().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(keys, ["site", "sources", "plan", "kiln", "compiler", "runtime", "lockfile", "rustc"]);
    let again = kiln(&directory, &["build", "--profile", "dev"]);
    assert!(error(&again).contains("nothing changed"), "{}", error(&again));
    assert_eq!(out(&again).split_whitespace().nth(4), last.split_whitespace().nth(4));
}
