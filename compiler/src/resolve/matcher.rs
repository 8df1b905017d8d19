//! `match`: conditions with a name, resolved where they are first asked for.

use std::collections::BTreeMap;

use super::Resolver;
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::Guard,
    schema::nearest::nearest,
};

/// Matches in matches.
const LEVELS_MAX: usize = 16;

/// Conditions that all uses of matches may come to. Two uses of a match that has two uses of another grow fast.
const CONDITIONS_MAX: usize = 1 << 20;

/// The named conditions of a site.
#[derive(Default)]
pub(super) struct Matchers<'a> {
    nodes: BTreeMap<&'a str, &'a Node>,
    done: BTreeMap<&'a str, Guard>,
    /// Conditions that came of matches so far.
    conditions: usize,
    /// They are too many, which was reported.
    is_full: bool,
    /// Those that are being resolved, outermost first.
    open: Vec<&'a str>,
}

impl<'a> Resolver<'a> {
    /// Reads every `match` of the site, also those that nobody asks for.
    pub(super) fn matchers(&mut self) {
        for node in self.config.nodes.iter().filter(|node| node.is("match")) {
            let Some(name) = node.argument("name") else { continue };
            self.name(name, "match");
            if let Some(earlier) = self.matchers.nodes.insert(name.text(), node) {
                self.twice("match", name, earlier);
            }
        }
        let names: Vec<&'a str> = self.matchers.nodes.keys().copied().collect();
        for name in names {
            self.matcher(name);
        }
    }

    pub(super) fn twice(&mut self, noun: &str, name: &Value, earlier: &Node) {
        let message = format!("two of `{noun}` are called `{}`", name.text().escape_debug());
        let diagnostic = Diagnostic::new(Code::NameTwice, name.span, message).label("for the second time");
        self.diagnostics.push(diagnostic.secondary(earlier.span, "for the first time"));
    }

    /// The conditions of a name; `None` where it is unknown or being resolved.
    fn matcher(&mut self, name: &'a str) -> Option<Guard> {
        if let Some(guard) = self.matchers.done.get(name) {
            return Some(guard.clone());
        }
        let node = *self.matchers.nodes.get(name)?;
        self.matchers.open.push(name);
        let guard = self.guard(node, true);
        self.matchers.open.pop();
        self.matchers.done.insert(name, guard.clone());
        Some(guard)
    }

    /// Reports, for all uses of a site once, that they come to too much.
    fn is_too_much(&mut self, value: &Value) -> bool {
        let message = if self.matchers.open.len() >= LEVELS_MAX {
            format!("more than {LEVELS_MAX} matches in each other")
        } else if self.matchers.conditions > CONDITIONS_MAX {
            format!("the matches of this site come to more than {CONDITIONS_MAX} conditions")
        } else {
            return false;
        };
        if !std::mem::replace(&mut self.matchers.is_full, true) {
            self.error(Code::TooDeep, value.span, message, "this one is too much");
        }
        true
    }

    /// Several names of one node: any.
    pub(super) fn match_guard(&mut self, node: &Node, may_capture: bool) -> Guard {
        let may_capture = may_capture && node.arguments.len() == 1;
        let mut guards: Vec<Guard> = node.values().filter_map(|value| self.matched(value, may_capture)).collect();
        if guards.len() == 1 { guards.remove(0) } else { Guard::Any(guards) }
    }

    fn matched(&mut self, value: &Value, may_capture: bool) -> Option<Guard> {
        let text = value.text();
        let Some((&name, node)) = self.matchers.nodes.get_key_value(text) else {
            let diagnostic = Diagnostic::new(Code::UnknownName, value.span, format!("there is no match `{}`", text.escape_debug()));
            let near = nearest(text, self.matchers.nodes.keys().copied());
            let label = near.map_or_else(|| "no `match` has this name".to_owned(), |near| format!("did you mean `\"{near}\"`?"));
            self.diagnostics.push(diagnostic.label(label));
            return None;
        };
        let defined = node.span;
        if self.matchers.open.contains(&name) {
            let diagnostic = Diagnostic::new(Code::Circle, value.span, format!("the match `{name}` asks for itself"));
            let diagnostic = diagnostic.label("leads back to where it is being read");
            self.diagnostics.push(diagnostic.secondary(defined, "the match"));
            return None;
        }
        if self.is_too_much(value) {
            return None;
        }
        let guard = self.matcher(name)?;
        self.matchers.conditions += count(&guard);
        if let Some(group) = first_group(&guard).filter(|_| !may_capture) {
            let diagnostic = Diagnostic::new(Code::BadCapture, value.span, format!("the group `{group}` has no value in every request"));
            let diagnostic = diagnostic.label("one of several conditions, or below `not`");
            self.diagnostics.push(diagnostic.secondary(defined, "has a regex with a named group"));
        }
        Some(guard)
    }
}

/// Conditions without others in them, and those that have them.
fn count(guard: &Guard) -> usize {
    match guard {
        Guard::All(guards) | Guard::Any(guards) => 1 + guards.iter().map(count).sum::<usize>(),
        Guard::Not(inner) => 1 + count(inner),
        Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Header { .. }
        | Guard::Host(_)
        | Guard::Map(_)
        | Guard::Method(_)
        | Guard::Path(_)
        | Guard::Protocol(_)
        | Guard::Query { .. }
        | Guard::Regex(_) => 1,
    }
}

/// The first named group of the regexes that must hold.
fn first_group(guard: &Guard) -> Option<&str> {
    match guard {
        Guard::All(guards) => guards.iter().find_map(first_group),
        Guard::Regex(regex) => regex.groups.first().map(String::as_str),
        Guard::Any(_)
        | Guard::ClientIp(_)
        | Guard::Cookie { .. }
        | Guard::Extension(_)
        | Guard::Header { .. }
        | Guard::Host(_)
        | Guard::Map(_)
        | Guard::Method(_)
        | Guard::Not(_)
        | Guard::Path(_)
        | Guard::Protocol(_)
        | Guard::Query { .. } => None,
    }
}
