//! `kiln plan`: what the site does, as text or JSON.

use super::{Console, Outcome, SiteFile};
use crate::dump;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    site: SiteFile,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let checked = super::check(&arguments.site, console)?;
    if arguments.json {
        return console.result(&format!("{:#}\n", dump::json(&checked.plan)));
    }
    console.result(&dump::text(&checked.plan))
}
