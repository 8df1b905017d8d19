//! Makes large maps blobs, which cost neither rustc nor the loader anything, and leaves small ones a sorted slice in the code.

use semantics::maps::{self, INLINE_ROWS_MAX};

use crate::plan::{MapForm, Plan};

pub(super) fn run(plan: &mut Plan) {
    for map in plan.maps.iter_mut().filter(|map| map.rows.len() > INLINE_ROWS_MAX) {
        let rows: Vec<_> = map.rows.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        match maps::encode(&rows) {
            Ok(blob) => map.form = MapForm::Blob(blob),
            Err(fault) => panic!("bug in kiln: map `{}` passed `resolve`: {fault:?}, {}", map.name, map.provenance.full()),
        }
    }
}
