//! `kiln explain`: the way of one request through the plan.

use std::{collections::BTreeMap, env, fmt, net::IpAddr};

use super::{Console, Outcome, SiteFile};
use crate::{
    assets,
    build::assets_cache,
    evaluate::Request,
    plan::{Address, LateSource, Plan},
};

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
    /// The listener that it comes by, by its name or address; the first one else.
    #[arg(long, value_name = "NAME")]
    listener: Option<String>,
    #[command(flatten)]
    site: SiteFile,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let Arguments { method, url, headers, from, listener, site } = arguments;
    let mut request = Request::from_url(method, url, headers, *from).map_err(|fault| console.fault(fault))?;
    let checked = super::check(site, console)?;
    if let Some(name) = listener {
        let listeners = &checked.plan.listeners;
        let is_at = |address: &Address| match address {
            Address::Known(address) => address.to_string() == *name,
            Address::Late(_) => false,
            Address::Unix(path) => name.strip_prefix("unix:") == Some(path),
        };
        let known = listeners.iter().position(|listener| listener.name == *name);
        let known = known.or_else(|| listeners.iter().position(|listener| is_at(&listener.address)));
        request.listener = known.ok_or_else(|| console.fault(UnknownListener(name)))?;
    }
    request.late = variables(&checked.plan);
    let blob = assets::blob(&checked.plan, &assets_cache(&checked.cache));
    let blob = blob.map_err(|faults| console.fault(crate::build::BuildFault::Assets(faults)))?;
    console.result(&crate::explain::explain(&checked.plan, &request, &blob))
}

/// What this machine has of the variables that the site reads at start; the others are shown by their names.
fn variables(plan: &Plan) -> BTreeMap<String, String> {
    let variable = |source: &LateSource| match source {
        LateSource::Env { name, .. } => Some((name.clone(), env::var(name).ok()?)),
        LateSource::File { .. } => None,
    };
    plan.lates.iter().filter_map(|late| variable(&late.source)).collect()
}

/// The site has no listener of that name.
struct UnknownListener<'n>(&'n str);

impl fmt::Display for UnknownListener<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the site has no listener `{}`", self.0)
    }
}
