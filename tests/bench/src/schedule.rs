//! The order of samples: all variants of a cell in each repetition, forwards and backwards in turn; the cells change their places.

use serde_json::{Value, json};

use crate::plan::Cell;

/// One sample that is to be taken.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Entry {
    pub cell: String,
    /// From 0.
    pub repetition: usize,
    /// Place among the variants of this repetition, from 0.
    pub position: usize,
    pub variant: String,
}

/// All samples in their order. `pairs` is the number of repetitions; a cell that needs fewer takes fewer.
pub fn schedule(cells: &[&Cell], pairs: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    for repetition in 0..pairs {
        let start = if cells.is_empty() { 0 } else { repetition % cells.len() };
        let rotated = cells[start..].iter().chain(&cells[..start]);
        for cell in rotated.filter(|cell| cell.pairs.is_none_or(|own| repetition < own)) {
            let mut variants: Vec<&str> = cell.variants.iter().map(|variant| variant.name.as_str()).collect();
            if repetition % 2 == 1 {
                variants.reverse();
            }
            entries.extend(variants.iter().enumerate().map(|(position, variant)| Entry {
                cell: cell.name.clone(),
                repetition,
                position,
                variant: (*variant).to_owned(),
            }));
        }
    }
    entries
}

impl Entry {
    /// As it stands in `schedule.json`.
    pub fn to_json(&self) -> Value {
        json!({ "cell": self.cell, "repetition": self.repetition, "position": self.position, "variant": self.variant })
    }

    /// `None`: a part is missing.
    pub fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            cell: value["cell"].as_str()?.to_owned(),
            repetition: usize::try_from(value["repetition"].as_u64()?).ok()?,
            position: usize::try_from(value["position"].as_u64()?).ok()?,
            variant: value["variant"].as_str()?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::plan::Plan;

    #[test]
    fn two_variants_stand_in_abba_order() {
        let plan = Plan::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("plan.kdl")).unwrap();
        let cells = plan.select(&["respond-12".to_owned()]).unwrap();
        let order: Vec<String> = schedule(&cells, 4).into_iter().map(|entry| entry.variant).collect();
        assert_eq!(order, ["kiln", "nginx", "nginx", "kiln", "kiln", "nginx", "nginx", "kiln"]);
    }

    #[test]
    fn cells_rotate_and_take_no_more_than_they_need() {
        let plan = Plan::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("plan.kdl")).unwrap();
        let cells = plan.select(&["respond-12".to_owned(), "idle-10000".to_owned()]).unwrap();
        let entries = schedule(&cells, 9);
        assert_eq!(entries.len(), (9 + 3) * 2);
        assert_eq!((entries[0].cell.as_str(), entries[4].cell.as_str()), ("respond-12", "idle-10000"));
        assert_eq!(Entry::from_json(&entries[5].to_json()), Some(entries[5].clone()));
    }
}
