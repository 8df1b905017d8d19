//! Keeps equal header edits once and drops those that nothing uses; numbers follow the first use: site, then vhosts, then their routes.

use std::collections::BTreeMap;

use crate::plan::{Edits, EditsId, Plan};

pub(super) fn run(plan: &mut Plan) {
    let mut sharing = Sharing { old: std::mem::take(&mut plan.edits), kept: Vec::new(), known: BTreeMap::new() };
    sharing.keep(Edits::default());
    sharing.renumber(&mut plan.site_edits);
    for vhost in &mut plan.vhosts {
        sharing.renumber(&mut vhost.edits);
        for route in &mut vhost.routes {
            sharing.renumber(&mut route.edits);
            sharing.renumber(&mut route.request_edits);
            sharing.renumber(&mut route.upstream_edits);
        }
    }
    plan.edits = sharing.kept;
}

struct Sharing {
    old: Vec<Edits>,
    kept: Vec<Edits>,
    /// By their written form, which tells any two different ones apart.
    known: BTreeMap<String, EditsId>,
}

impl Sharing {
    fn renumber(&mut self, id: &mut EditsId) {
        *id = self.keep(self.old[id.0 as usize].clone());
    }

    fn keep(&mut self, edits: Edits) -> EditsId {
        let next = EditsId(u32::try_from(self.kept.len()).expect("there are no more edits than before"));
        let id = *self.known.entry(format!("{edits:?}")).or_insert(next);
        if id == next {
            self.kept.push(edits);
        }
        id
    }
}
