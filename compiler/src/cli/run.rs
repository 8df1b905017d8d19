//! `kiln run`: builds a site and becomes its binary, so that every signal reaches the server itself; with `--watch` again at every change.

use std::{os::unix::process::CommandExt, path::PathBuf, process::Command};

use super::{
    Checked, Console, Outcome, SiteFile,
    build::{self, Profile},
    watch,
};
use crate::{
    fingerprint,
    plan::{Address, Plan},
};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[arg(long, value_enum, default_value_t = Profile::Dev)]
    profile: Profile,
    /// Build and swap at every change, without refusing a connection; the old site goes on while the new one is wrong.
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    site: SiteFile,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    if arguments.watch {
        return watch::run(&arguments.site, arguments.profile, console);
    }
    let checked = super::check(&arguments.site, console)?;
    let out = binary(&checked, &arguments.site);
    let artifact = build::build(&checked, &arguments.site, arguments.profile, (&out, false), console)?;
    for url in urls(&checked.plan) {
        console.note("serve", &url);
    }
    let error = Command::new(&artifact.path).exec();
    Err(console.fault(format!("{} cannot be run: {error}", artifact.path.display())))
}

/// One binary for each site file, so that two sites can run side by side.
pub(super) fn binary(checked: &Checked, site: &SiteFile) -> PathBuf {
    let path = std::path::absolute(&site.path).unwrap_or_else(|_| site.path.clone());
    let hash = fingerprint::sha256(path.as_os_str().as_encoded_bytes());
    checked.cache.join("run").join(format!("{}-{}", checked.plan.site, &hash[..8]))
}

/// Where to look: an unspecified address is reached by `localhost`.
pub(super) fn urls(plan: &Plan) -> impl Iterator<Item = String> {
    plan.listeners.iter().map(|listener| match &listener.address {
        Address::Known(address) if address.ip().is_unspecified() => format!("http://localhost:{}/", address.port()),
        Address::Known(address) => format!("http://{address}/"),
        Address::Late(id) => format!("the address in {}", plan.lates[id.0 as usize].source),
        Address::Unix(path) => format!("the socket {path}"),
    })
}
