//! `kiln emit`: the generated package as files, or whether the files that are there are still the right ones.

use std::path::PathBuf;

use super::{Console, Failure, Outcome, SiteFile, console::counted};
use crate::{build, dump};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Write nothing; list the files that are not as they would be written, and fail if there are any.
    #[arg(long)]
    check: bool,
    /// Directory of the package [default: generated/NAME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    site: SiteFile,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let checked = super::check(&arguments.site, console)?;
    let directory = arguments.out.clone().unwrap_or_else(|| PathBuf::from("generated").join(&checked.plan.site));
    let (dump, sources) = (dump::text(&checked.plan), checked.sources_hash());
    let package = build::package(&checked.plan, &dump, &sources, &arguments.site.name(), &checked.cache);
    let package = package.map_err(|fault| console.fault(fault))?;
    if !arguments.check {
        let written = package.write(&directory).map_err(|fault| console.fault(fault))?;
        console.stage("emit", &format!("{}, {} changed  ->  {}", counted(written.files, "file"), written.changed, directory.display()));
        return Ok(());
    }
    let stale = package.stale(&directory).map_err(|fault| console.fault(fault))?;
    if stale.is_empty() {
        return Ok(());
    }
    let lines = stale.iter().map(|path| format!("{}\n", directory.join(path).display()));
    console.result(&lines.collect::<String>())?;
    console.summary(&format!("kiln: {} of {} stale: run `kiln emit`", counted(stale.len(), "file"), directory.display()));
    Err(Failure::Site)
}
