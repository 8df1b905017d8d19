//! A request as a plan's routes see it: its head, and the texts that only the host knows.

use std::collections::BTreeMap;

use semantics::{
    head::{Framing, Head},
    late::{self, Late},
    pattern::Captures,
    template::Subject,
};

use super::{Evaluator, Reply};
use crate::plan::{LateId, LateSource, Plan};

/// Stands for what the server calls a request: as long, and none that it would give.
const REQUEST_ID: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What routes, guards and templates read.
#[derive(Clone, Copy)]
pub(super) struct Seen<'h, 'p> {
    pub(super) evaluator: &'h Evaluator<'p>,
    pub(super) lates: &'h Lates<'p>,
    pub(super) head: &'h Head<'h>,
    pub(super) framing: Framing,
    pub(super) expects_continue: bool,
    /// What endpoints reply that will be asked.
    pub(super) replies: &'h [Reply],
}

impl<'p> Seen<'_, 'p> {
    pub(super) fn subject<'s>(&'s self, captures: &'s Captures, status: u16) -> Subject<'s> {
        Subject { head: self.head, captures, status, request_id: &REQUEST_ID }
    }

    pub(super) fn plan(&self) -> &'p Plan {
        self.evaluator.plan
    }
}

/// The late values of a plan, as far as they are known.
pub(super) struct Lates<'p> {
    values: Vec<Late<'p>>,
    /// What stands for each one that is not.
    shown: Vec<String>,
}

impl<'p> Lates<'p> {
    /// `known` has the values by the names of variables and the paths of files.
    pub(super) fn new(plan: &'p Plan, known: &BTreeMap<String, String>) -> Self {
        let value = |source: &'p LateSource| {
            let (late, name, default) = match source {
                LateSource::Env { name, default } => (Late::env(name, default.as_deref()), name, default.as_ref()),
                LateSource::File { path } => (Late::file(path), path, None),
            };
            let found = known.get(name).or(default);
            // What the start of the server would refuse stays unknown here.
            let _ = late.set(found.map(|text| text.clone().into_bytes()));
            late
        };
        Self {
            values: plan.lates.iter().map(|late| value(&late.source)).collect(),
            shown: plan.lates.iter().map(|late| late.source.to_string()).collect(),
        }
    }

    /// As a guard compares with it: one that is not known equals nothing.
    pub(super) fn value(&self, id: LateId) -> late::Value<'_> {
        late::Value::Late(&self.values[id.0 as usize])
    }

    /// Its text; what it is called where it is not known.
    pub(super) fn text(&self, id: LateId) -> &str {
        let value = &self.values[id.0 as usize];
        if value.is_set() { value.text() } else { &self.shown[id.0 as usize] }
    }

    /// The value itself, if it is known.
    pub(super) fn known(&self, id: LateId) -> Option<&Late<'p>> {
        self.values.get(id.0 as usize).filter(|value| value.is_set())
    }
}
