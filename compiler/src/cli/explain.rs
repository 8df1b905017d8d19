//! `kiln explain`: the way of one request through the plan.

use std::net::IpAddr;

use super::{Console, Outcome, SiteFile};
use crate::{assets, build::assets_cache, evaluate::Request};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The request's method, for instance GET.
    method: String,
    /// Its URL; path and query are taken as they are written.
    url: String,
    /// A field of its head, `name: value`; may be repeated.
    #[arg(short = 'H', long = "header", value_name = "FIELD")]
    headers: Vec<String>,
    /// The client's address.
    #[arg(long, value_name = "IP")]
    from: Option<IpAddr>,
    #[command(flatten)]
    site: SiteFile,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let Arguments { method, url, headers, from, site } = arguments;
    let request = Request::from_url(method, url, headers, *from).map_err(|fault| console.fault(fault))?;
    let checked = super::check(site, console)?;
    let blob = assets::blob(&checked.plan, &assets_cache(&checked.cache));
    let blob = blob.map_err(|faults| console.fault(crate::build::BuildFault::Assets(faults)))?;
    console.result(&crate::explain::explain(&checked.plan, &request, &blob))
}
