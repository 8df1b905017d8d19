//! Embedded trees.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::plan::Asset;

/// What was read of each directory.
#[derive(Clone, Debug, Default)]
pub struct Trees(BTreeMap<PathBuf, Vec<Asset>>);

impl Trees {
    /// The files of a directory that was read, sorted by path.
    pub fn assets(&self, directory: &Path) -> Option<&[Asset]> {
        self.0.get(directory).map(Vec::as_slice)
    }
}
