//! `kiln reference`: the documents that are written from the schema, for this repository.

use std::{fs, path::PathBuf};

use super::{Console, Outcome};
use crate::reference;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The directory of documents.
    #[arg(value_name = "DIR", default_value = "docs")]
    directory: PathBuf,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    for (name, text) in reference::files() {
        let path = arguments.directory.join(name);
        fs::write(&path, text).map_err(|error| console.fault(format!("{}: {error}", path.display())))?;
        console.note("write", &path.display().to_string());
    }
    Ok(())
}
