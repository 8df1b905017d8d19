//! What is found in a snippet's text: the first `use` that led to it is shown, and the same finding of other uses is left out.

use std::collections::BTreeSet;

use super::{Code, Diagnostics, Label, Severity};
use crate::source::Span;

/// Where a snippet's words were put.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// All of the snippet.
    pub snippet: Span,
    /// The `use`; of a snippet in a snippet the outermost one.
    pub at: Span,
}

/// What has been found in snippets so far.
#[derive(Debug, Default)]
pub struct Marks {
    seen: BTreeSet<(Code, Span, Box<str>)>,
}

impl Marks {
    /// Marks what was found since there were `from` diagnostics; `within`: the block that was looked at, in which the `use` stands.
    pub fn mark(&mut self, diagnostics: &mut Diagnostics, from: usize, uses: &[Use], within: Option<Span>) {
        if uses.is_empty() || from >= diagnostics.kept.len() {
            return;
        }
        let mut found = diagnostics.kept.split_off(from);
        found.retain_mut(|diagnostic| {
            let Some(span) = diagnostic.span else { return true };
            let is_marked = diagnostic.secondary.iter().any(|label| label.text == LABEL);
            let is_within = |at| within.is_none_or(|within| within.contains(at));
            let Some(used) = uses.iter().find(|used| used.snippet.contains(span) && is_within(used.at)).filter(|_| !is_marked) else {
                return true;
            };
            if self.seen.insert((diagnostic.code, span, diagnostic.message.clone())) {
                diagnostic.secondary.push(Label { span: used.at, text: LABEL.to_owned() });
                return true;
            }
            match diagnostic.severity() {
                Severity::Error => diagnostics.errors -= 1,
                Severity::Warning => diagnostics.warnings -= 1,
            }
            false
        });
        diagnostics.kept.append(&mut found);
    }
}

/// What stands under the `use`.
const LABEL: &str = "used here";
