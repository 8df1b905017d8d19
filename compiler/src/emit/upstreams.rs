//! `upstreams.rs`: where the site sends requests on to. One static for each upstream, as its connections and counts are shared by all routes.

use super::{
    abi,
    file::File,
    globals::Globals,
    names::{self, Scope},
};
use crate::plan::{Plan, Upstream, UpstreamId};

/// The module of upstreams.
pub(super) const UPSTREAMS: &str = "upstreams";

/// The file; empty where nothing is sent on.
pub(super) fn file(plan: &Plan, globals: &Globals) -> File {
    let mut file = File::new("Where requests are sent on to.".to_owned(), &Scope::default());
    for (number, (upstream, name)) in (0..).zip(plan.upstreams.iter().zip(globals.upstreams())) {
        let endpoints = file.scope.claim(&format!("{}_ENDPOINTS", names::constant(&upstream.name)));
        file.documented(&doc(upstream), abi::upstream(name, (number, upstream), &endpoints));
        file.beside(abi::endpoints(&endpoints, upstream, globals));
        let id = UpstreamId(u16::try_from(number).expect("fewer upstreams than numbers"));
        let (timeouts, spans) = globals.timeouts(id);
        file.beside(abi::timeouts_constant(timeouts, spans));
    }
    file
}

/// `` `upstream "app"`, site.kdl:22 ``.
fn doc(upstream: &Upstream) -> String {
    let word = if upstream.is_anonymous { "proxy" } else { "upstream" };
    format!("`{word} \"{}\"`, {}", upstream.title, upstream.provenance.full())
}
