//! One timed run of one variant: what was counted, and whether anything went wrong in it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::schedule::Entry;

/// A line of `runs.jsonl`.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub entry: Entry,
    /// From 0; higher where earlier ones were invalid.
    pub attempt: usize,
    /// Seconds since 1970.
    pub began: u64,
    /// Each figure under its name, with its unit last.
    pub figures: BTreeMap<String, f64>,
    /// Wrong or missing answers: the sample counts, and its cell fails.
    pub failure: Option<String>,
}

impl Sample {
    /// Enters a figure.
    pub fn set(&mut self, name: &str, figure: f64) {
        self.figures.insert(name.to_owned(), figure);
    }

    /// As one line.
    pub fn to_json(&self) -> Value {
        let mut value = self.entry.to_json();
        value["attempt"] = self.attempt.into();
        value["began"] = self.began.into();
        value["figures"] = json!(self.figures);
        value["failure"] = json!(self.failure);
        value
    }

    /// `None`: a part is missing.
    pub fn from_json(value: &Value) -> Option<Self> {
        let figures = value["figures"].as_object()?.iter();
        Some(Self {
            entry: Entry::from_json(value)?,
            attempt: usize::try_from(value["attempt"].as_u64()?).ok()?,
            began: value["began"].as_u64()?,
            figures: figures.map(|(name, figure)| Some((name.clone(), figure.as_f64()?))).collect::<Option<_>>()?,
            failure: value.get("failure")?.as_str().map(str::to_owned),
        })
    }
}
