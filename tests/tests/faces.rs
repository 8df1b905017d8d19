//! What people look at all day: the end of a build, the plan beside a change, the command in a directory of its own.

use std::{fs, path::Path, process::Output};

use kiln_tests::{
    site::{kiln, scratch, write},
    tools::run,
};
use sha2::{Digest, Sha256};

const SITE: &str = r#"site "faces" language=1 {
    listen "127.0.0.1:0"
}
vhost "faces.test" {
    headers { set "x-vhost" "1" }
    route "/first" { respond 200 "first\n" }
    route "/second" { respond 200 "second\n" }
    route "/third" { redirect "/first" }
}
"#;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn build_ends_with_size_hash_time_and_path() {
    let entry = write("faces-build", &[("site.kdl", SITE)]);
    let out = scratch("bin").join("faces");
    let Output { stdout, stderr, .. } = run(kiln().args(["build", "--profile", "dev", "--out"]).arg(&out).arg(&entry));
    let hash: String = Sha256::digest(fs::read(&out).expect("a binary")).iter().map(|byte| format!("{byte:02x}")).collect();
    let last = text(&stdout).lines().last().unwrap_or_default().to_owned();
    assert!(last.starts_with("faces  ") && last.contains("MiB") && last.contains(&format!("sha256 {hash}")), "{last}");
    assert!(last.contains(" s  ->  ") && last.ends_with(&out.display().to_string()), "{last}");
    // Not on a terminal: plain lines, no bar that moves.
    assert!(!text(&stderr).contains(['\r', '\u{1b}']), "{}", text(&stderr));
}

#[test]
fn plan_of_a_changed_route_differs_in_its_lines_only() {
    let plan = |name: &str, site: &str| text(&run(kiln().arg("plan").arg(write(name, &[("site.kdl", site)]))).stdout);
    let (before, after) = (plan("faces-before", SITE), plan("faces-after", &SITE.replace("\"second\\n\"", "\"changed\\n\"")));
    let changed: Vec<(&str, &str)> = before.lines().zip(after.lines()).filter(|(before, after)| before != after).collect();
    assert_eq!(before.lines().count(), after.lines().count());
    assert!(matches!(changed[..], [(before, after)] if before.contains("/second") && after.contains("\"changed\\n\"")), "{changed:#?}");
}

#[test]
fn site_file_of_the_directory_is_the_default() {
    let entry = write("faces-default", &[("site.kdl", SITE)]);
    let directory = entry.parent().expect("a directory");
    let explained = run(kiln().current_dir(directory).args(["explain", "GET", "http://faces.test//third"]));
    assert!(text(&explained.stdout).contains("/third"), "{}", text(&explained.stdout));
}

#[test]
fn error_is_shown_with_its_place_and_fails() {
    let entry = write("faces-error", &[("site.kdl", &SITE.replace("redirect", "proxy_pass"))]);
    let output = kiln().args(["--color", "never", "check"]).arg(&entry).output().expect("kiln runs");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("proxy_pass") && said.contains("site.kdl:8:") && said.contains("error[K"), "{said}");
}

#[test]
fn missing_site_file_is_said_and_fails() {
    let output = kiln().arg("check").arg(Path::new("absent/site.kdl")).output().expect("kiln runs");
    assert!(!output.status.success());
    let said = text(&output.stderr);
    assert!(said.contains("site.kdl` can't be read"), "{said}");
}
