//! Which cargo features of the runtime a site needs: exactly those whose functions its generated code calls.

use std::collections::BTreeSet;

use crate::plan::{Action, EditsId, Plan, RegexForm};

/// Names as in `runtime/Cargo.toml`, sorted. Answers of kiln itself (404, 405, 421, refusals, aborts), maps and guards need none.
pub(super) fn needed(plan: &Plan) -> Vec<&'static str> {
    let routes = || plan.vhosts.iter().flat_map(|vhost| &vhost.routes);
    let mut features = BTreeSet::new();
    for route in routes() {
        of_action(&route.action, &mut features);
    }
    let has_edits = |edits: EditsId| edits != EditsId::default();
    let edits = [plan.site_edits].into_iter().chain(plan.vhosts.iter().map(|vhost| vhost.edits)).chain(routes().map(|route| route.edits));
    let is_capturing = |form: &RegexForm| matches!(form, RegexForm::Capturing { .. });
    let others = [
        ("access", !plan.access.is_empty()),
        ("cors", !plan.cors.is_empty()),
        ("errors", !plan.errors.is_empty()),
        ("headers", edits.into_iter().any(has_edits)),
        ("late", !plan.lates.is_empty()),
        ("redirect", plan.vhosts.iter().any(|vhost| vhost.canonical_host.is_some())),
        ("regex", !plan.regexes.is_empty()),
        ("regex-captures", plan.regexes.iter().any(|regex| is_capturing(&regex.form))),
        ("trusted-proxies", plan.trusted_proxies.is_some()),
    ];
    features.extend(others.into_iter().filter(|(_, is_needed)| *is_needed).map(|(name, _)| name));
    features.into_iter().collect()
}

fn of_action(action: &Action, features: &mut BTreeSet<&'static str>) {
    match action {
        Action::Abort | Action::Refuse { .. } => {}
        Action::Embed { .. } => drop(features.insert("embed")),
        Action::Redirect { .. } => drop(features.insert("redirect")),
        Action::Respond { .. } => drop(features.insert("respond")),
        Action::Rewrite { .. } => drop(features.insert("rewrite")),
        Action::Root { .. } => drop(features.insert("files")),
        Action::Split { shares, .. } => {
            features.insert("split");
            for share in shares {
                of_action(&share.action, features);
            }
        }
    }
}
