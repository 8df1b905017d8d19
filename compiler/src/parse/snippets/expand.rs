//! The words of snippets in the place of each `use`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Snippet, Values, filled, late, parted, twice};
use crate::{
    ast::Node,
    diagnostic::{
        Code, Diagnostic, Diagnostics,
        uses::{Marks, Use},
    },
    parse::{
        check,
        raw::{RawEntry, RawNode, RawTree, RawValue},
    },
    schema::{self, Block, Scope, nearest::nearest},
    source::Span,
};

/// Snippets in snippets.
const LEVELS_MAX: usize = 16;

/// Nodes that all uses of a site may come to: thirty words in each route of a large site. Two uses of a snippet that has two uses of another grow fast.
const NODES_MAX: usize = 1 << 20;

/// What was written, as far as a `use` needs it.
#[derive(Debug, Default)]
pub(in crate::parse) struct Written {
    pub snippets: Vec<Snippet>,
    /// The properties of each `use`, by the span of its head.
    pub uses: BTreeMap<Span, Vec<RawEntry>>,
    /// For blocks with a `use`, by the span of the node: the number of nodes in it that were not understood.
    pub lost: BTreeMap<Span, usize>,
}

/// Replaces every `use` below `nodes` and checks the blocks they stand in. Gives where each snippet was used.
pub(in crate::parse) fn expand(nodes: &mut [Node], written: &Written, diagnostics: &mut Diagnostics) -> Vec<Use> {
    let mut expander = Expander {
        written,
        by_name: BTreeMap::new(),
        open: Vec::new(),
        uses: Vec::new(),
        nodes: 0,
        is_full: false,
        marks: Marks::default(),
        diagnostics,
    };
    for snippet in &written.snippets {
        expander.define(snippet);
    }
    expander.report_circles();
    if !written.uses.is_empty() {
        for node in nodes {
            expander.node(node);
        }
    }
    expander.uses
}

struct Expander<'a> {
    written: &'a Written,
    by_name: BTreeMap<&'a str, &'a Snippet>,
    /// The snippets that are being put somewhere, outermost first.
    open: Vec<&'a str>,
    uses: Vec<Use>,
    /// Nodes that came of snippets so far.
    nodes: usize,
    /// They are too many, which was reported.
    is_full: bool,
    marks: Marks,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Expander<'a> {
    fn define(&mut self, snippet: &'a Snippet) {
        if let Some(earlier) = self.by_name.get(snippet.name.text.as_str()) {
            let message = format!("two snippets are called `{}`", snippet.name.text.escape_debug());
            let diagnostic = Diagnostic::new(Code::NameTwice, snippet.name.span, message).label("the second one");
            self.diagnostics.push(diagnostic.secondary(earlier.name.span, "the first one"));
        } else {
            self.by_name.insert(&snippet.name.text, snippet);
        }
    }

    /// A snippet that uses itself, directly or through others, is reported once for each `use` that closes a circle.
    fn report_circles(&mut self) {
        let mut done = BTreeSet::new();
        for snippet in &self.written.snippets {
            self.walk(snippet, &mut Vec::new(), &mut done);
        }
    }

    fn walk(&mut self, snippet: &'a Snippet, path: &mut Vec<&'a str>, done: &mut BTreeSet<&'a str>) {
        // A circle of more levels than are allowed is too deep before it is one.
        if path.len() > LEVELS_MAX || !done.insert(snippet.name.text.as_str()) {
            return;
        }
        path.push(&snippet.name.text);
        let mut uses = Vec::new();
        for tree in &snippet.body {
            collect_uses(tree, &mut uses);
        }
        for (name, span) in uses {
            if path.contains(&name) {
                let diagnostic = Diagnostic::new(Code::Circle, span, format!("the snippet `{}` uses itself", name.escape_debug()));
                self.diagnostics.push(diagnostic.label("leads back to the snippet that is being put together"));
            } else if let Some(next) = self.by_name.get(name).copied() {
                self.walk(next, path, done);
            }
        }
        path.pop();
    }

    /// Replaces the uses below a node that was read from a file.
    fn node(&mut self, node: &mut Node) {
        let Some(scope) = inside(node) else { return };
        if !node.children.iter().any(|child| child.is("use")) {
            node.children.iter_mut().for_each(|child| self.node(child));
            return;
        }
        let mut written = node.children.len() + self.written.lost.get(&node.span).copied().unwrap_or_default();
        for mut child in std::mem::take(&mut node.children) {
            if child.is("use") {
                let (nodes, given) = self.used_in_file(&child, scope);
                written += given;
                written -= 1;
                node.children.extend(nodes);
            } else {
                self.node(&mut child);
                node.children.push(child);
            }
        }
        check::block(node, scope, written, self.diagnostics);
    }

    fn used_in_file(&mut self, node: &Node, scope: Scope) -> (Vec<Node>, usize) {
        let properties = self.written.uses.get(&node.span).map(Vec::as_slice).unwrap_or_default();
        let (from, first) = (self.diagnostics.kept(), self.uses.len());
        let found = self.used(node, properties, scope, node.span);
        self.marks.mark(self.diagnostics, from, &self.uses[first..], None);
        found
    }

    /// The nodes that stand for a `use`, and how many were written. `at` is the `use` in a file.
    fn used(&mut self, node: &Node, properties: &[RawEntry], scope: Scope, at: Span) -> (Vec<Node>, usize) {
        // Something that is missing elsewhere may be what this snippet says.
        const UNKNOWN: (Vec<Node>, usize) = (Vec::new(), 1);
        let Some(name) = node.argument("name") else { return UNKNOWN };
        let Some(snippet) = self.by_name.get(name.text()).copied() else {
            let diagnostic = Diagnostic::new(Code::UnknownName, name.span, format!("there is no snippet `{}`", name.text().escape_debug()));
            let label = match nearest(name.text(), self.by_name.keys().copied()) {
                Some(near) => format!("did you mean `\"{near}\"`?"),
                None => "no `snippet` has this name".to_owned(),
            };
            self.diagnostics.push(diagnostic.label(label));
            return UNKNOWN;
        };
        if self.open.contains(&snippet.name.text.as_str()) || self.is_too_much(node) {
            return UNKNOWN;
        }
        let Some(values) = self.values(node, snippet, properties) else { return UNKNOWN };
        self.uses.push(Use { snippet: snippet.extent, at });
        self.open.push(&snippet.name.text);
        let found = self.trees(&snippet.body, scope, &values, at);
        self.open.pop();
        found
    }

    /// Reports, for all uses of a site once, that they come to too much.
    fn is_too_much(&mut self, node: &Node) -> bool {
        let message = if self.open.len() >= LEVELS_MAX {
            format!("more than {LEVELS_MAX} snippets in each other")
        } else if self.nodes > NODES_MAX {
            format!("the snippets of this site come to more than {NODES_MAX} words")
        } else {
            return false;
        };
        if !std::mem::replace(&mut self.is_full, true) {
            let diagnostic = Diagnostic::new(Code::TooDeep, node.span, message).label("this one is too much");
            self.diagnostics.push(diagnostic);
        }
        true
    }

    fn values(&mut self, node: &Node, snippet: &'a Snippet, properties: &[RawEntry]) -> Option<Values> {
        let errors = self.diagnostics.errors();
        let defaults = snippet.parameters.iter();
        let mut values: Values = defaults.filter_map(|parameter| Some((parameter.name.text.clone(), parameter.default.clone()?))).collect();
        let mut given = BTreeMap::new();
        for entry in properties {
            let Some(name) = &entry.name else { continue };
            if let Some(annotation) = &entry.annotation {
                self.diagnostics.push(late(annotation));
            } else if let Some(earlier) = given.insert(name.text.as_str(), name.span) {
                self.diagnostics.push(twice(name, earlier));
            } else if snippet.parameters.iter().any(|parameter| parameter.name.text == name.text) {
                values.insert(name.text.clone(), entry.value.clone());
            } else {
                self.unknown_parameter(snippet, name);
            }
        }
        for parameter in snippet.parameters.iter().filter(|parameter| !values.contains_key(parameter.name.text.as_str())) {
            let name = &parameter.name.text;
            let diagnostic = Diagnostic::new(Code::MissingParameter, node.span, format!("`use` needs a value for `{name}=`"));
            let diagnostic = diagnostic.label(format!("expected `{name}=` here"));
            self.diagnostics.push(diagnostic.secondary(parameter.name.span, "declared here without a default"));
        }
        (self.diagnostics.errors() == errors).then_some(values)
    }

    fn unknown_parameter(&mut self, snippet: &Snippet, name: &super::Name) {
        let message = format!("the snippet `{}` has no parameter `{}`", snippet.name.text.escape_debug(), name.text.escape_debug());
        let diagnostic = Diagnostic::new(Code::UnknownParameter, name.span, message);
        let names: Vec<&str> = snippet.parameters.iter().map(|parameter| parameter.name.text.as_str()).collect();
        let label = match (nearest(&name.text, names.iter().copied()), names.as_slice()) {
            (Some(near), _) => format!("did you mean `{near}=`?"),
            (None, []) => "it has no parameters".to_owned(),
            (None, names) => format!("expected {}", names.iter().map(|name| format!("`{name}=`")).collect::<Vec<_>>().join(", ")),
        };
        self.diagnostics.push(diagnostic.label(label).secondary(snippet.name.span, "the snippet"));
    }

    fn trees(&mut self, trees: &'a [RawTree], scope: Scope, values: &Values, at: Span) -> (Vec<Node>, usize) {
        let mut nodes = Vec::new();
        let mut written = 0;
        self.nodes += trees.len();
        for tree in trees {
            let head = filled(&tree.head, values);
            if head.name.text == "use" && schema::find(scope, "use").is_some() {
                let (inner, count) = self.nested(tree, head, scope, at);
                nodes.extend(inner);
                written += count;
            } else {
                nodes.extend(self.tree(tree, head, scope, (values, at)));
                written += 1;
            }
        }
        (nodes, written)
    }

    /// A `use` in a snippet.
    fn nested(&mut self, tree: &'a RawTree, head: RawNode, scope: Scope, at: Span) -> (Vec<Node>, usize) {
        let (plain, properties) = parted(head);
        match check::head(plain, tree.block.is_some(), scope, self.diagnostics) {
            Some((node, _)) => self.used(&node, &properties, scope, at),
            None => (Vec::new(), 1),
        }
    }

    fn tree(&mut self, tree: &'a RawTree, head: RawNode, scope: Scope, (values, at): (&Values, Span)) -> Option<Node> {
        let (mut node, inside) = check::head(head, tree.block.is_some(), scope, self.diagnostics)?;
        node.extent.end = tree.end;
        if let Some(inside) = inside {
            let (children, written) = self.trees(tree.block.as_deref().unwrap_or_default(), inside, values, at);
            node.children = children;
            check::block(&node, inside, written, self.diagnostics);
        }
        Some(node)
    }
}

fn inside(node: &Node) -> Option<Scope> {
    match node.word.block {
        Block::No => None,
        Block::Optional(scope) | Block::Required(scope) => Some(scope),
    }
}

fn collect_uses<'a>(tree: &'a RawTree, uses: &mut Vec<(&'a str, Span)>) {
    let name = tree.head.entries.iter().find(|entry| entry.name.is_none());
    if tree.head.name.text == "use"
        && let Some(RawValue::Text(name)) = name.map(|entry| &entry.value)
    {
        uses.push((name, tree.head.span));
    }
    for child in tree.block.iter().flatten() {
        collect_uses(child, uses);
    }
}
