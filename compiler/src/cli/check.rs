//! `kiln check`: all that is wrong with a site, at once.

use super::{Console, Outcome, SiteFile};
use crate::diagnostic::render;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    site: SiteFile,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let checked = super::check(&arguments.site, console)?;
    console.summary(&render::summary(&checked.compilation.diagnostics, &checked.compilation.sources));
    Ok(())
}
