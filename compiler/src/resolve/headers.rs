//! `headers`: the rules of a block, and how the rules of scopes become one list.
//!
//! Scopes run outer to inner. `set`, `default` and `remove` drop the outer rules of their names, `add` never does, `reset` drops all that is inherited. A
//! rule with `only` drops them for its statuses: an outer rule for all of them then holds for all but these.

use std::collections::BTreeMap;

use semantics::{
    edits::{self, Action},
    forward,
};

use super::{Resolver, template::Names};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{HeaderRule, Part, Template},
    source::{SourceMap, Span},
};

/// Rules that may hold in a scope, those of the scopes around it among them: each of its routes has all of them.
const RULES_MAX: usize = 256;

/// What one `headers` block says.
#[derive(Default)]
struct Block {
    resets: bool,
    /// Of `request-headers`.
    is_request: bool,
    rules: Vec<HeaderRule>,
    /// Where each name and status has its one `set`, `default` or `remove`.
    names: BTreeMap<(String, Vec<u16>), Span>,
}

/// The rules of an outer scope and of the block inside it, in the order they apply. Inside its block `only` is a scope of its own.
fn merged(outer: &[HeaderRule], block: &Block) -> Vec<HeaderRule> {
    let mut rules = if block.resets { Vec::new() } else { outer.to_vec() };
    rules.retain_mut(|outer| block.rules.iter().all(|inner| is_left(outer, inner)));
    let mut own = block.rules.clone();
    for rule in own.iter_mut().filter(|rule| rule.only.is_empty()) {
        for inner in block.rules.iter().filter(|inner| !inner.only.is_empty()) {
            is_left(rule, inner);
        }
    }
    rules.append(&mut own);
    rules
}

/// Takes the statuses of an inner rule away from an outer one of its name; `false` where none is left.
fn is_left(outer: &mut HeaderRule, inner: &HeaderRule) -> bool {
    let covers_name = match inner.name.strip_suffix('*') {
        Some(prefix) => outer.name.starts_with(prefix),
        None => inner.name == outer.name,
    };
    if inner.action == Action::Add || !covers_name {
        return true;
    }
    if inner.only.is_empty() {
        return false;
    }
    if outer.only.is_empty() {
        outer.except.extend(&inner.only);
        outer.except.sort_unstable();
        outer.except.dedup();
        return true;
    }
    outer.only.retain(|status| !inner.only.contains(status));
    !outer.only.is_empty()
}

/// A header name in lower case.
pub(super) fn header_name(value: &Value, sources: &SourceMap) -> Result<String, Diagnostic> {
    let text = value.text();
    let fault = |span| Diagnostic::new(Code::BadHeaderName, span, format!("`{}` is not a header name", text.escape_debug()));
    if text.is_empty() {
        return Err(fault(value.span).label("the name is empty"));
    }
    // RFC 9110 §5.6.2, tchar.
    let is_token = |byte: char| byte.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(byte);
    match text.char_indices().find(|(_, letter)| !is_token(*letter)) {
        None => Ok(text.to_ascii_lowercase()),
        Some((at, ':')) if at + 1 == text.len() => Err(fault(value.part(sources, at, 1)).label("the colon is not part of the name")),
        Some((at, letter)) => Err(fault(value.part(sources, at, letter.len_utf8())).label("this character can't be part of it")),
    }
}

impl Resolver<'_> {
    /// The rules of an outer scope and of the blocks inside it, as many as a scope may have.
    pub(super) fn header_rules(&mut self, outer: &[HeaderRule], blocks: &[&Node], names: Names<'_>) -> Vec<HeaderRule> {
        let Some(first) = blocks.first() else { return outer.to_vec() };
        let mut rules = merged(outer, &self.headers(blocks, names));
        if rules.len() > RULES_MAX {
            let message = format!("more than {RULES_MAX} header rules hold here");
            self.error(Code::TooDeep, first.span, message, format!("{} are of the scopes around", outer.len()));
            rules.truncate(RULES_MAX);
        }
        rules
    }

    /// The rules of a scope's blocks (its own, and those of snippets), which are as one.
    fn headers(&mut self, nodes: &[&Node], names: Names<'_>) -> Block {
        let resets = nodes.iter().any(|node| node.child("reset").is_some());
        let is_request = nodes.iter().any(|node| node.is("request-headers"));
        let mut block = Block { resets, is_request, ..Block::default() };
        for child in nodes.iter().flat_map(|node| &node.children).filter(|child| !child.is("reset")) {
            if let Some(status) = child.property("status") {
                let only = self.only(status);
                for inner in &child.children {
                    self.rule(inner, &[only], names, &mut block);
                }
            } else {
                self.rule(child, &[], names, &mut block);
            }
        }
        block
    }

    fn only(&mut self, status: &Value) -> u16 {
        if !(200..=599).contains(&status.integer()) {
            self.error(Code::BadStatus, status.span, format!("{} is not a status of an answer", status.integer()), "expected 200 to 599");
        }
        status.integer() as u16
    }

    /// Appends the rules that one node says.
    fn rule(&mut self, node: &Node, only: &[u16], names: Names<'_>, block: &mut Block) {
        let action = match node.word.name {
            "add" => Action::Add,
            "default" => Action::Default,
            "remove" => Action::Remove,
            "set" => Action::Set,
            word => unreachable!("bug in kiln: the schema has a header rule `{word}` that resolve does not know"),
        };
        let value = node.argument("value").map(|value| self.rule_value(node, value, names)).unwrap_or_default();
        for written in node.arguments.iter().filter(|argument| argument.name.starts_with("name")).map(|argument| &argument.value) {
            let Some(name) = self.rule_name(written, action, block.is_request) else { continue };
            let rule = HeaderRule { action, name, value: value.clone(), only: only.to_vec(), except: Vec::new(), span: node.span };
            self.check_once(&rule, written.span, block);
            if block.is_request {
                self.lint_forged(&rule, written.span);
            }
            // One more than may be, which is reported where the scopes are merged.
            if block.rules.len() <= RULES_MAX {
                block.rules.push(rule);
            }
        }
    }

    /// A field that tells of the client, with what the client says of itself.
    fn lint_forged(&mut self, rule: &HeaderRule, span: Span) {
        let tells = rule.name.starts_with("x-forwarded-") || matches!(rule.name.as_str(), "forwarded" | "x-real-ip");
        if tells && rule.value.parts.iter().any(|part| matches!(part, Part::Header(_))) {
            let message = format!("`{}` tells the upstream what the client says of itself", rule.name);
            let diagnostic = Diagnostic::new(Code::ForgedForwarding, span, message).label("anybody can write the field that it copies");
            self.lints.push(diagnostic.note("`x-forwarded-for` and its kin are set from what is known of the client, without a rule"));
        }
    }

    fn check_once(&mut self, rule: &HeaderRule, span: Span, block: &mut Block) {
        if rule.action == Action::Add {
            return;
        }
        if let Some(earlier) = block.names.insert((rule.name.clone(), rule.only.clone()), span) {
            let diagnostic = Diagnostic::new(Code::HeaderTwice, span, format!("`{}` has two rules in this block", rule.name));
            let diagnostic = diagnostic.label("the second one").secondary(earlier, "the first one");
            self.diagnostics.push(diagnostic.help("a name has one of `set`, `default`, `remove`, and any number of `add`"));
        }
    }

    fn rule_value(&mut self, node: &Node, value: &Value, names: Names<'_>) -> Template {
        self.late_header_value(node, value);
        match self.late(node, value) {
            Some(late) => Template { parts: vec![Part::Late(late)] },
            None => self.template(value, names),
        }
    }

    /// Checks what is known of a header's value.
    pub(super) fn late_header_value(&mut self, node: &Node, value: &Value) {
        let known = if value.late().is_some() { node.property("default") } else { Some(value) };
        if let Some(known) = known {
            self.header_value(known.text(), known.span);
        }
    }

    fn rule_name(&mut self, value: &Value, action: Action, is_request: bool) -> Option<String> {
        let name = match header_name(value, self.sources) {
            Ok(name) => name,
            Err(diagnostic) => {
                self.diagnostics.push(diagnostic);
                return None;
            }
        };
        let star = name.find('*');
        let is_prefix = action == Action::Remove && star == Some(name.len() - 1) && name.len() > 1;
        if star.is_some() && !is_prefix {
            let diagnostic = Diagnostic::new(Code::BadHeaderName, value.span, format!("`{name}` is not a header name"));
            self.diagnostics.push(diagnostic.label("only `remove` takes the beginning of names, as in `\"x-*\"`"));
            return None;
        }
        if edits::is_reserved(&name) || (is_request && forward::is_reserved(&name)) {
            let diagnostic = Diagnostic::new(Code::ReservedHeader, value.span, format!("`{name}` is written by the engine"));
            let diagnostic = diagnostic.label("can't be edited");
            self.diagnostics.push(match name.as_str() {
                "host" if is_request => diagnostic.help("in the block of `proxy`: `host \"app.example\"`"),
                "connection" | "upgrade" if is_request => diagnostic.help("in the block of `proxy`: `upgrade \"websocket\"`"),
                _ => diagnostic,
            });
            return None;
        }
        Some(name)
    }
}
