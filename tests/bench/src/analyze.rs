//! Judges a sealed run: reads it whole or refuses it, compares within repetitions only, prints each gate with what was measured.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::Value;

use crate::{
    fault::Fault,
    plan::{Cell, Plan},
    results::{ENVIRONMENT, PLAN, RUNS, SCHEDULE},
    sample::Sample,
    schedule::Entry,
    seal,
};

mod comparison;
mod tables;

pub use self::comparison::{Compared, Verdict};

/// Files that an analysis adds to a sealed run.
const ADDED: [&str; 3] = ["comparisons.csv", "paired-ratios.csv", "variants.csv"];

/// What an analysis came to.
#[derive(Clone, Debug)]
pub struct Report {
    /// For people.
    pub text: String,
    pub has_failed: bool,
}

/// A sealed run, complete.
#[derive(Debug)]
struct Run {
    plan: Plan,
    environment: Value,
    is_contended: bool,
    pairs: usize,
    /// In the order of the schedule.
    samples: Vec<Sample>,
    /// By cell and variant.
    invalid: BTreeMap<(String, String), usize>,
}

/// Reads, compares, writes the tables beside the data. Tables that are there must be the same.
pub fn analyze(directory: &Path) -> Result<Report, Fault> {
    let run = read(directory)?;
    let mut compared = Vec::new();
    for cell in run.cells() {
        for comparison in &cell.comparisons {
            compared.push(comparison::compare(cell, comparison, &run));
        }
    }
    let contents = [tables::comparisons(&compared), tables::paired_ratios(&compared), tables::variants(&run)];
    for (name, contents) in ADDED.iter().zip(contents) {
        add(&directory.join(name), &contents)?;
    }
    let has_failed = compared.iter().any(|compared| matches!(compared.verdict, Verdict::Failed | Verdict::Wrong));
    Ok(Report { text: tables::text(&run, &compared), has_failed })
}

impl Run {
    /// The cells that were measured, in the plan's order.
    fn cells(&self) -> impl Iterator<Item = &Cell> {
        let measured: BTreeSet<&str> = self.samples.iter().map(|sample| sample.entry.cell.as_str()).collect();
        self.plan.cells.iter().filter(move |cell| measured.contains(cell.name.as_str()))
    }

    /// Samples of one variant, in order of repetition.
    fn samples_of<'r>(&'r self, cell: &'r str, variant: &'r str) -> impl Iterator<Item = &'r Sample> {
        self.samples.iter().filter(move |sample| sample.entry.cell == cell && sample.entry.variant == variant)
    }
}

fn read(directory: &Path) -> Result<Run, Fault> {
    seal::check(directory, &ADDED)?;
    let refuse = |what: &str| Fault::Refused(format!("{}: {what}", directory.display()));
    let schedule = json(&directory.join(SCHEDULE))?;
    let entries = schedule["entries"].as_array().ok_or_else(|| refuse("the schedule has no entries"))?;
    let entries: Option<Vec<Entry>> = entries.iter().map(Entry::from_json).collect();
    let entries = entries.ok_or_else(|| refuse("an entry of the schedule is not whole"))?;
    let path = directory.join(RUNS);
    let lines = fs::read_to_string(&path).map_err(Fault::file(&path))?;
    let sample = |line: &str| serde_json::from_str(line).ok().and_then(|value: Value| Sample::from_json(&value));
    let samples: Option<Vec<Sample>> = lines.lines().map(sample).collect();
    let samples = samples.ok_or_else(|| refuse("a sample is not whole"))?;
    // Each that was to be taken, in its place, and no other.
    if !samples.iter().map(|sample| &sample.entry).eq(&entries) {
        return Err(refuse(&format!("incomplete: {} samples, {} in the schedule", samples.len(), entries.len())));
    }
    let is_contended = schedule["is_contended"].as_bool().ok_or_else(|| refuse("the schedule does not say whether it is contended"))?;
    let pairs = schedule["pairs"].as_u64().and_then(|pairs| usize::try_from(pairs).ok());
    Ok(Run {
        plan: Plan::read(&directory.join(PLAN))?,
        environment: json(&directory.join(ENVIRONMENT))?,
        is_contended,
        pairs: pairs.ok_or_else(|| refuse("the schedule has no number of pairs"))?,
        samples,
        invalid: invalid(&directory.join("invalid"))?,
    })
}

fn invalid(directory: &Path) -> Result<BTreeMap<(String, String), usize>, Fault> {
    let mut counts = BTreeMap::new();
    if directory.is_dir() {
        for path in crate::hash::files(directory)? {
            let value = json(&path)?;
            let entry = Entry::from_json(&value).ok_or_else(|| Fault::Refused(format!("{}: not whole", path.display())))?;
            *counts.entry((entry.cell, entry.variant)).or_insert(0) += 1;
        }
    }
    Ok(counts)
}

fn json(path: &Path) -> Result<Value, Fault> {
    let text = fs::read_to_string(path).map_err(Fault::file(path))?;
    serde_json::from_str(&text).map_err(|error| Fault::Refused(format!("{}: {error}", path.display())))
}

fn add(path: &Path, contents: &str) -> Result<(), Fault> {
    match fs::read_to_string(path) {
        Ok(there) if there == contents => Ok(()),
        Ok(_) => Err(Fault::Refused(format!("{} is there and says something else: results are never written over", path.display()))),
        Err(_) => fs::write(path, contents).map_err(Fault::file(path)),
    }
}
