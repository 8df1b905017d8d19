//! One short run from the plan to the table, with nginx: skipped, and counted, where there is none.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

use kiln_tests::{site::cache, tools};

const ROWS: &str = "respond-12,respond-12-pipeline,respond-12-connections";

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kiln-bench"))
        .args(arguments)
        .env("KILN_CACHE_DIR", cache())
        .output()
        .expect("the binary of this package")
}

#[track_caller]
fn told(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    assert!(output.status.code().is_some(), "{text}");
    text
}

#[test]
fn short_run_is_sealed_analyzed_and_refused_when_changed() {
    if kiln_bench::peer::Peer::Nginx.program().is_none() {
        return tools::skip("nginx is missing");
    }
    if !kiln_bench::pin::has_both() {
        return tools::skip("a server and its generator need cores 0 and 1");
    }
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("smoke");
    // It is not there in the first run.
    drop(fs::remove_dir_all(&out));
    let directory = out.to_str().unwrap();
    let run = ["run", "--out", directory, "--rows", ROWS, "--pairs", "1", "--seconds", "0.1", "--settle", "0", "--contended"];
    let first = bench(&run);
    assert!(first.status.success(), "{}", told(&first));

    let again = bench(&run);
    assert!(told(&again).contains("results are never written over"), "{}", told(&again));

    for _ in 0..2 {
        let analyzed = bench(&["analyze", directory]);
        let text = told(&analyzed);
        assert!(analyzed.status.success(), "{text}");
        assert!(text.contains("respond-12-pipeline") && text.contains("ratio >= 3") && text.contains("not judged"), "{text}");
        assert!(text.contains("CONTENDED") && !text.contains("WRONG"), "{text}");
    }
    let runs = out.join("runs.jsonl");
    let lines = fs::read_to_string(&runs).unwrap();
    assert_eq!(lines.lines().count(), 6);
    fs::write(&runs, lines.replace("\"attempt\":0", "\"attempt\":1")).unwrap();
    let refused = bench(&["analyze", directory]);
    assert!(told(&refused).contains("runs.jsonl has changed since it was sealed"), "{}", told(&refused));
    assert_eq!(refused.status.code(), Some(2));
}
