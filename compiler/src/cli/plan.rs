//! `kiln plan`: what the site does, as text or JSON.

use super::{Console, Outcome, SiteFile};
use crate::dump;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// Every embedded file with its forms and what they save, instead of the plan.
    #[arg(long, conflicts_with = "json")]
    assets: bool,
    #[command(flatten)]
    site: SiteFile,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let checked = super::check(&arguments.site, console)?;
    if arguments.json {
        return console.result(&format!("{:#}\n", dump::json(&checked.plan)));
    }
    if arguments.assets {
        return console.result(&dump::assets(&checked.plan));
    }
    console.result(&dump::text(&checked.plan))
}
