//! Header rules of the scope that was chosen, applied to the fields of its answer.

use kiln::model::HeaderRule;
use semantics::edits::Action;

use crate::{Answer, Seen, template};

/// Removals, then defaults and sets, then additions, each in the order of the rules.
pub fn edited(rules: &[HeaderRule], mut answer: Answer, seen: &Seen<'_>) -> Answer {
    let applies = |rule: &&HeaderRule| rule.only.is_empty() || rule.only.contains(&answer.status);
    let rules: Vec<&HeaderRule> = rules.iter().filter(applies).collect();
    for phase in [&[Action::Remove][..], &[Action::Default, Action::Set], &[Action::Add]] {
        for rule in rules.iter().filter(|rule| phase.contains(&rule.action)) {
            apply(rule, &mut answer, seen);
        }
    }
    answer
}

fn apply(rule: &HeaderRule, answer: &mut Answer, seen: &Seen<'_>) {
    let is_named = |name: &str| match rule.name.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == rule.name,
    };
    let is_there = answer.fields.iter().any(|(name, _)| is_named(name));
    if rule.action == Action::Remove || rule.action == Action::Set {
        answer.fields.retain(|(name, _)| name == "content-length" || !is_named(name));
    }
    if rule.action == Action::Remove || (rule.action == Action::Default && is_there) {
        return;
    }
    let value = template::rendered(&rule.value, seen, answer.status, false);
    if value.iter().all(|byte| !byte.is_ascii_control() || *byte == b'\t') {
        answer.fields.push((rule.name.clone(), String::from_utf8_lossy(&value).into_owned()));
    }
}
