//! `kiln run`: builds a site and becomes its binary, so that every signal reaches the server itself.

use std::{os::unix::process::CommandExt, path::Path, process::Command};

use super::{
    Console, Outcome, SiteFile,
    build::{self, Profile},
};
use crate::{
    fingerprint,
    plan::{Address, Plan},
};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[arg(long, value_enum, default_value_t = Profile::Dev)]
    profile: Profile,
    #[command(flatten)]
    site: SiteFile,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let checked = super::check(&arguments.site, console)?;
    let out = checked.cache.join("run").join(binary_name(&arguments.site.path, &checked.plan.site));
    let artifact = build::build(&checked, &arguments.site, arguments.profile, (&out, false), console)?;
    for url in urls(&checked.plan) {
        console.note("serve", &url);
    }
    let error = Command::new(&artifact.path).exec();
    Err(console.fault(format!("{} cannot be run: {error}", artifact.path.display())))
}

/// One binary for each site file, so that two sites can run side by side.
fn binary_name(site: &Path, name: &str) -> String {
    let path = std::path::absolute(site).unwrap_or_else(|_| site.to_owned());
    let hash = fingerprint::sha256(path.as_os_str().as_encoded_bytes());
    format!("{name}-{}", &hash[..8])
}

/// Where to look: an unspecified address is reached by `localhost`.
fn urls(plan: &Plan) -> impl Iterator<Item = String> {
    plan.listeners.iter().map(|listener| match listener.address {
        Address::Known(address) if address.ip().is_unspecified() => format!("http://localhost:{}/", address.port()),
        Address::Known(address) => format!("http://{address}/"),
        Address::Late(id) => format!("the address in {}", plan.lates[id.0 as usize].source),
    })
}
