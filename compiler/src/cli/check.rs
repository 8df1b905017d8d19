//! `kiln check`: all that is wrong with a site, at once; on a machine's request as a document on standard output.

use super::{Console, Failure, Outcome, SiteFile, report};
use crate::diagnostic::render;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    site: SiteFile,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let (compilation, _) = super::compiled(&arguments.site, console)?;
    match report::document(&arguments.site, &compilation) {
        Some(document) => console.result(&format!("{document:#}\n"))?,
        None => {
            console.diagnostics(&render::render(&compilation.diagnostics, &compilation.sources, console.style()));
            console.summary(&render::summary(&compilation.diagnostics, &compilation.sources));
        }
    }
    if compilation.plan.is_none() { Err(Failure::Site) } else { Ok(()) }
}
