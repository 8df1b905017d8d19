//! The analyzer on data that this test writes: complete and sealed data is judged, all other data refused.

use std::{fs, path::PathBuf};

use kiln_bench::{
    analyze::analyze,
    plan::Plan,
    results::{ENVIRONMENT, PLAN, Results, SCHEDULE},
    rules::Invalid,
    sample::Sample,
    schedule::{Entry, schedule},
    site,
};
use serde_json::json;

fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("analysis").join(name);
    // It is not there in the first run.
    drop(fs::remove_dir_all(&path));
    path
}

/// Writes a run of `respond-12`; `figure` says what each sample came to, `None` leaves it out.
fn write(name: &str, pairs: usize, figure: impl Fn(&Entry) -> Option<f64>) -> PathBuf {
    let directory = scratch(name);
    let mut results = Results::create(&directory).expect("data that this test writes");
    let plan = Plan::read(&site::package().join(PLAN)).expect("data that this test writes");
    let entries = schedule(&plan.select(&["respond-12".to_owned()]).expect("data that this test writes"), pairs);
    results.write(PLAN, &fs::read(site::package().join(PLAN)).expect("data that this test writes")).expect("data that this test writes");
    results
        .write_json(ENVIRONMENT, &json!({ "commit": "0123", "dirty": { "patch_bytes": 0 }, "kernel": "6" }))
        .expect("data that this test writes");
    let list: Vec<_> = entries.iter().map(Entry::to_json).collect();
    results.write_json(SCHEDULE, &json!({ "pairs": pairs, "is_contended": false, "entries": list })).expect("data that this test writes");
    for entry in &entries {
        let Some(figure) = figure(entry) else { continue };
        let mut sample = Sample { entry: entry.clone(), attempt: 0, began: 1, figures: [].into(), failure: None };
        sample.set("cpu_us", figure);
        if figure.is_sign_negative() {
            sample.failure = Some("an answer was wrong".to_owned());
        }
        results.push(&sample).expect("data that this test writes");
        if entry.repetition == 0 {
            results.push_invalid(&sample, &Invalid::Identity).expect("data that this test writes");
        }
    }
    results.seal().expect("data that this test writes");
    directory
}

/// nginx takes 8 us; kiln that much more in each repetition.
fn ours(step: f64) -> impl Fn(&Entry) -> Option<f64> {
    move |entry| Some(if entry.variant == "kiln" { 4.0 + step * entry.repetition as f64 } else { 8.0 })
}

#[test]
fn gate_passes_by_the_median_of_pairs() {
    // Ratios 0.5 to 0.9: median 0.7, upper quartile 0.8.
    let directory = write("passes", 9, ours(0.4));
    let report = analyze(&directory).unwrap();
    assert!(!report.has_failed && report.text.contains("passed"), "{}", report.text);
    assert!(report.text.contains("0.700") && report.text.contains("2 invalid ones kept apart"), "{}", report.text);
    let pairs = fs::read_to_string(directory.join("paired-ratios.csv")).unwrap();
    assert_eq!(pairs.lines().count(), 10);
    assert_eq!(pairs.lines().nth(2), Some("respond-12,cpu_us,nginx,1,false,4.4000,8.0000,0.5500"));
    let variants = fs::read_to_string(directory.join("variants.csv")).unwrap();
    assert!(variants.contains("respond-12,kiln,cpu_us,9,1,5.6000,4.0000,7.2000,"), "{variants}");
    let comparisons = fs::read_to_string(directory.join("comparisons.csv")).unwrap();
    assert_eq!(comparisons.lines().count(), 2);
    let columns = comparisons.lines().map(|line| line.split(',').count());
    assert_eq!(columns.collect::<Vec<_>>(), [17, 17], "{comparisons}");
}

#[test]
fn gate_fails_above_its_ratio() {
    let report = analyze(&write("fails", 9, ours(1.0))).unwrap();
    assert!(report.has_failed && report.text.contains("FAILED"), "{}", report.text);
}

#[test]
fn gate_is_not_passed_with_too_few_pairs() {
    let report = analyze(&write("few", 3, ours(0.0))).unwrap();
    assert!(!report.has_failed && report.text.contains("too few pairs"), "{}", report.text);
}

#[test]
fn wrong_answer_fails_its_cell() {
    let report = analyze(&write("wrong", 9, |entry| Some(if entry.repetition == 4 { -1.0 } else { 4.0 }))).unwrap();
    assert!(report.has_failed && report.text.contains("WRONG ANSWERS"), "{}", report.text);
}

#[test]
fn incomplete_data_is_refused() {
    let fault = analyze(&write("incomplete", 9, |entry| (entry.repetition != 8).then_some(4.0))).unwrap_err();
    assert!(fault.to_string().contains("incomplete: 16 samples, 18 in the schedule"), "{fault}");
}

#[test]
fn unsealed_data_is_refused() {
    let directory = write("unsealed", 9, ours(0.0));
    fs::remove_file(directory.join("SHA256SUMS")).unwrap();
    assert!(analyze(&directory).unwrap_err().to_string().contains("it is not sealed"));
}
