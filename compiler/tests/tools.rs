//! The commands around a site's life: `new`, `fmt`, `completion`, and diagnostics for machines.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};

const BAD: &str = "site \"bad\" language=1 { listen \"127.0.0.1:0\" }\n\nvhost \"a.example\" { /* é😀 */ route \"/\" { respnd 200 } }\nvhost \"a.example\" { route \"/\" { respond 200 } }\n";

/// An empty directory of its own.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tools").join(name);
    drop(fs::remove_dir_all(&directory));
    fs::create_dir_all(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    directory
}

fn command(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kiln"));
    command.args(arguments).current_dir(directory).env("KILN_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("tools-cache"));
    command
}

fn kiln(directory: &Path, arguments: &[&str]) -> Output {
    command(directory, arguments).output().expect("kiln was built with this test")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a check of [`BAD`], with the second host changed, finds.
fn document(name: &str, site: &str, format: &str) -> (Option<i32>, Value) {
    let directory = directory(name);
    fs::create_dir(directory.join("a site")).unwrap();
    fs::write(directory.join("a site/site.kdl"), site).unwrap();
    let output = kiln(&directory, &["check", "--format", format, "a site/site.kdl"]);
    assert_eq!(error(&output), "");
    (output.status.code(), serde_json::from_str(&out(&output)).unwrap())
}

#[test]
fn new_writes_a_site_without_findings_that_is_formatted() {
    let directory = directory("new");
    let output = kiln(&directory, &["new", "My Site"]);
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    let site = directory.join("My Site");
    let checked = kiln(&site, &["check"]);
    assert_eq!(checked.status.code(), Some(0), "{}", error(&checked));
    assert!(error(&checked).starts_with("kiln: 0 errors in 1 file"), "{}", error(&checked));
    assert!(out(&kiln(&site, &["plan"])).starts_with("site my-site"));
    assert_eq!(kiln(&site, &["fmt", "--check"]).status.code(), Some(0));
    assert!(site.join(".gitignore").is_file() && site.join("public/index.html").is_file());
}

#[test]
fn new_overwrites_nothing() {
    let directory = directory("new-taken");
    fs::write(directory.join(".gitignore"), "mine\n").unwrap();
    let output = kiln(&directory, &["new"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(error(&output).contains(".gitignore"), "{}", error(&output));
    assert!(!directory.join("site.kdl").exists());
    assert_eq!(fs::read_to_string(directory.join(".gitignore")).unwrap(), "mine\n");
}

#[test]
fn fmt_formats_the_site_file_and_its_includes() {
    let directory = directory("fmt");
    fs::write(directory.join("site.kdl"), "site \"a\" {}\ninclude   \"b/*.kdl\"\n").unwrap();
    fs::create_dir(directory.join("b")).unwrap();
    fs::write(directory.join("b/c.kdl"), "vhost   \"c\"\n").unwrap();
    fs::write(directory.join("other.kdl"), "x   1\n").unwrap();
    let check = kiln(&directory, &["fmt", "--check"]);
    assert_eq!((check.status.code(), out(&check).as_str()), (Some(1), "site.kdl\nb/c.kdl\n"), "{}", error(&check));
    assert_eq!(kiln(&directory, &["fmt"]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(directory.join("b/c.kdl")).unwrap(), "vhost \"c\"\n");
    assert_eq!(kiln(&directory, &["fmt", "--check"]).status.code(), Some(0));
    let named = kiln(&directory, &["fmt", "--check", "other.kdl"]);
    assert_eq!((named.status.code(), out(&named).as_str()), (Some(1), "other.kdl\n"));
}

#[test]
fn fmt_leaves_a_file_with_a_syntax_error_alone() {
    let directory = directory("fmt-bad");
    fs::write(directory.join("a.kdl"), "a   {\n").unwrap();
    fs::write(directory.join("b.kdl"), "b   1\n").unwrap();
    let output = kiln(&directory, &["fmt", "a.kdl", "b.kdl"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error(&output).starts_with("error[K0010]: this block is never closed\n --> a.kdl:1:5"), "{}", error(&output));
    assert_eq!(fs::read_to_string(directory.join("a.kdl")).unwrap(), "a   {\n");
    assert_eq!(fs::read_to_string(directory.join("b.kdl")).unwrap(), "b 1\n");
}

#[test]
fn fmt_of_standard_input_goes_to_standard_output() {
    let mut child = command(&directory("fmt-input"), &["fmt", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"a   1;b").unwrap();
    assert_eq!(out(&child.wait_with_output().unwrap()), "a 1\nb\n");
}

#[test]
fn completion_scripts_name_the_commands() {
    let directory = directory("completion");
    for shell in ["bash", "fish", "zsh"] {
        let output = kiln(&directory, &["completion", shell]);
        assert!(output.status.success() && out(&output).contains("explain"), "{shell}");
    }
    assert_eq!(kiln(&directory, &["completion", "tcsh"]).status.code(), Some(2));
}

#[test]
fn json_has_every_finding_with_its_places() {
    let (code, document) = document("json", BAD, "json");
    assert_eq!(code, Some(1));
    assert_eq!(
        document,
        json!({
            "version": 1,
            "kiln": env!("CARGO_PKG_VERSION"),
            "files": ["site.kdl"],
            "errors": 1,
            "warnings": 0,
            "hidden": 0,
            "diagnostics": [{
                "code": "K0107",
                "severity": "error",
                "message": "unknown word `respnd` in `route`",
                "label": "did you mean `respond`?",
                "region": {
                    "file": "site.kdl",
                    "start": { "line": 3, "column": 42, "byte": 93 },
                    "end": { "line": 3, "column": 48, "byte": 99 },
                },
                "related": [],
                "note": null,
                "help": null,
            }],
        })
    );
}

#[test]
fn sarif_has_rules_regions_and_related_places() {
    let (code, document) = document("sarif", &BAD.replace("respnd", "respond"), "sarif");
    assert_eq!(code, Some(1));
    let run = &document["runs"][0];
    assert_eq!((&document["version"], &run["columnKind"]), (&json!("2.1.0"), &json!("utf16CodeUnits")));
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "K0202");
    let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
    assert_eq!((&rule["id"], &rule["defaultConfiguration"]["level"]), (&json!("K0202"), &json!("error")));
    let place = |result: &Value| result["physicalLocation"].clone();
    let expected = |line: u32| {
        json!({
            "artifactLocation": { "uri": "a%20site/site.kdl", "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": line, "startColumn": 7, "endLine": line, "endColumn": 18 },
        })
    };
    assert_eq!(place(&result["locations"][0]), expected(4));
    assert_eq!(place(&result["relatedLocations"][0]), expected(3));
    assert!(result["relatedLocations"][0]["message"]["text"].is_string());
}

#[test]
fn sarif_counts_columns_in_utf_16_units() {
    let (_, document) = document("sarif-columns", BAD, "sarif");
    let region = &document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region, &json!({ "startLine": 3, "startColumn": 43, "endLine": 3, "endColumn": 49 }));
}

#[test]
fn sarif_of_a_site_without_findings_or_without_a_file_is_whole() {
    let (code, good) =
        document("sarif-good", "site \"a\" language=1 { listen \"127.0.0.1:0\" }\nvhost \"a\" { route \"/\" { respond 200 } }\n", "sarif");
    assert_eq!((code, &good["runs"][0]["results"]), (Some(0), &json!([])));
    let absent = kiln(&directory("sarif-absent"), &["check", "--format", "sarif", "no.kdl"]);
    let absent: Value = serde_json::from_str(&out(&absent)).unwrap();
    let location = &absent["runs"][0]["results"][0]["locations"][0];
    assert_eq!(location, &json!({ "physicalLocation": { "artifactLocation": { "uri": "no.kdl", "uriBaseId": "%SRCROOT%" } } }));
}

#[test]
fn findings_of_other_commands_are_one_line_of_standard_error() {
    let directory = directory("json-plan");
    fs::write(directory.join("site.kdl"), BAD).unwrap();
    let output = kiln(&directory, &["plan", "--format", "json"]);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(1), ""));
    let document: Value = serde_json::from_str(error(&output).trim_end()).unwrap();
    assert_eq!(document["errors"], 1);
}

#[test]
fn plan_lists_embedded_files_and_dates_them_not_after_the_agreed_time() {
    let directory = directory("dates");
    fs::create_dir(directory.join("public")).unwrap();
    fs::write(directory.join("public/a.txt"), "a").unwrap();
    let site = |embed: &str| {
        format!(
            "site \"dated\" language=1 {{ listen \"127.0.0.1:0\" }}\nvhost \"a.example\" {{ route \"/*\" {{ files \"public\" {{ {embed} }} }} }}\n"
        )
    };
    let modified = |epoch: &str| {
        let output = command(&directory, &["plan", "--json"]).env("SOURCE_DATE_EPOCH", epoch).output().unwrap();
        let plan: Value = serde_json::from_str(&out(&output)).unwrap_or_else(|_| panic!("{}", error(&output)));
        plan["trees"][0]["files"][0]["modified"].clone()
    };
    fs::write(directory.join("site.kdl"), site("embed last-modified=#true")).unwrap();
    assert_eq!(modified("784111777"), json!(784_111_777));
    // Nothing is dated after the build, whatever was agreed.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    assert!(modified("99999999999").as_u64().is_some_and(|seconds| seconds <= now + 1 && seconds > 784_111_777));
    fs::write(directory.join("site.kdl"), site("embed")).unwrap();
    assert_eq!(modified("784111777"), json!(null));
    let listed = out(&kiln(&directory, &["plan", "--assets"]));
    assert!(listed.starts_with("tree public  1 file  1B -> 1B  saved 0B") && listed.ends_with("  1B\n"), "{listed}");
}
