//! Which cargo features of the runtime a site needs: exactly those whose functions its generated code calls.

use crate::plan::{Action, EditsId, Plan};

/// Names as in `runtime/Cargo.toml`, sorted. Answers of kiln itself (404, 405, 421, refusals, aborts) need none.
pub(super) fn needed(plan: &Plan) -> Vec<&'static str> {
    let routes = || plan.vhosts.iter().flat_map(|vhost| &vhost.routes);
    let mut features: Vec<_> = routes().filter_map(|route| of_action(&route.action)).collect();
    let has_edits = |edits: EditsId| edits != EditsId::default();
    if has_edits(plan.site_edits) || plan.vhosts.iter().any(|vhost| has_edits(vhost.edits)) || routes().any(|route| has_edits(route.edits))
    {
        features.push("headers");
    }
    features.sort_unstable();
    features.dedup();
    features
}

const fn of_action(action: &Action) -> Option<&'static str> {
    match action {
        Action::Abort | Action::Refuse { .. } => None,
        Action::Embed { .. } => Some("embed"),
        Action::Redirect { .. } => Some("redirect"),
        Action::Respond { .. } => Some("respond"),
        Action::Root { .. } => Some("files"),
    }
}
