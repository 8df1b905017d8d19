//! The tree as written becomes the site as meant: names resolved, scopes merged, defaults filled in, every value parsed to what it means.
//!
//! The tree has the shape and the types that the schema promises; here every question about meaning is asked, and every error reported before
//! the stage stops at its border. Lints are collected and silenced by `allow-lint` at the end.

mod access;
mod action;
mod bypass;
mod cors;
mod encode;
mod endpoint;
mod errors;
mod files;
mod group;
mod guard;
mod headers;
mod hosts;
pub mod inherit;
mod intercept;
mod late;
mod lint;
mod listen;
mod log;
mod map;
mod matcher;
mod network;
mod outside;
mod policy;
mod proxy;
mod raw;
mod reach;
mod redirect;
mod regex;
mod rewrite;
mod route;
mod site;
mod split;
mod template;
mod upstream;
mod vhost;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    rc::Rc,
};

use semantics::{method::Method, pattern::Pattern};

use self::{
    errors::Pages,
    map::Tables,
    matcher::Matchers,
    policy::Policies,
    regex::Regexes,
    template::{Names, Place},
    upstream::Upstreams,
};
use crate::{
    ast::{Config, Node, Value},
    diagnostic::{Code, Diagnostic, Diagnostics, uses::Marks},
    model::{self, Site, Spanned},
    schema::nearest::nearest,
    source::{SourceMap, Span, tree::Walked},
};

/// Resolves a whole site; `None` where there were errors.
pub fn resolve(config: &Config, sources: &SourceMap, diagnostics: &mut Diagnostics) -> Option<Site> {
    let mut resolver = Resolver {
        config,
        sources,
        diagnostics,
        guarded: Vec::new(),
        intercepting: None,
        walked: BTreeMap::new(),
        lints: lint::Lints::new(&config.uses),
        marks: Marks::default(),
        matchers: Matchers::default(),
        pages: Pages::new(),
        regexes: Regexes::new(),
        tables: Tables::default(),
        upstreams: Upstreams::default(),
    };
    let site = resolver.site();
    let Resolver { lints, .. } = resolver;
    lints.report(diagnostics);
    if diagnostics.has_errors() { None } else { site }
}

/// What every part of the stage reads and writes.
struct Resolver<'a> {
    config: &'a Config,
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
    /// Groups with `access` in the vhost that is being read.
    guarded: Vec<outside::Guarded>,
    /// The `intercept` that is being read.
    intercepting: Option<Span>,
    /// What lies in each directory that is embedded, with or without what is hidden.
    walked: BTreeMap<(PathBuf, bool), Rc<Walked>>,
    lints: lint::Lints,
    marks: Marks,
    matchers: Matchers<'a>,
    pages: Pages,
    regexes: Regexes,
    tables: Tables<'a>,
    upstreams: Upstreams<'a>,
}

impl<'a> Resolver<'a> {
    fn site(&mut self) -> Option<Site> {
        let node = self.config.nodes.iter().find(|node| node.is("site"))?;
        self.lints.allow_in_files(self.config, self.diagnostics);
        self.map_names();
        self.matchers();
        self.upstreams();
        let from = self.diagnostics.kept();
        let head = self.site_head(node);
        let names = Names { patterns: &[], captures: &[], place: Place::HeaderValue };
        let policies = self.policies(node, &Policies::new(head.limits.body), names);
        self.mark_uses(from, node);
        let vhosts = self.config.nodes.iter().filter(|node| node.is("vhost"));
        let vhosts: Vec<model::Vhost> = vhosts.map(|node| self.vhost(node, &policies, &head.listeners)).collect();
        hosts::check_count(&vhosts, self.diagnostics);
        hosts::check(&vhosts, head.listeners.len(), self.diagnostics);
        let Policies { headers, encoding, errors, is_logged, .. } = policies;
        let maps = self.maps();
        let upstreams = self.used_upstreams();
        let regexes = std::mem::take(&mut self.regexes).into_iter().filter_map(|(text, built)| Some((text, built?))).collect();
        Some(Site { headers, encoding, errors, is_logged, vhosts, maps, upstreams, regexes, allowed_lints: self.lints.allowed(), ..head })
    }

    /// Says of what was found in a snippet since `from` where in `block` it was used.
    fn mark_uses(&mut self, from: usize, block: &Node) {
        self.marks.mark(self.diagnostics, from, &self.config.uses, Some(block.extent));
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<Box<str>>, label: impl Into<Box<str>>) {
        self.diagnostics.push(Diagnostic::new(code, span, message).label(label));
    }

    /// Reports a value that stands twice in a list.
    fn repeated<T: Ord>(&mut self, seen: &mut BTreeSet<T>, key: T, value: &Value) -> bool {
        if seen.insert(key) {
            return false;
        }
        let shown = match value.late() {
            Some(late) => late.to_string(),
            None => format!("\"{}\"", value.text().escape_debug()),
        };
        self.error(Code::RepeatedValue, value.span, format!("`{shown}` stands twice in this list"), "remove one of them");
        true
    }

    /// The methods that the arguments of `methods` and `method` name.
    fn methods(&mut self, node: &Node) -> Vec<Method> {
        let mut seen = BTreeSet::new();
        let mut methods = Vec::new();
        for value in node.values() {
            let method = Method::parse(value.text().as_bytes());
            if method == Method::OTHER {
                self.unknown_method(value);
            } else if method == Method::CONNECT {
                self.error(Code::MethodsNotTaken, value.span, "CONNECT never reaches a route", "answered with 501 before routes are asked");
            } else if !self.repeated(&mut seen, method, value) {
                methods.push(method);
            }
        }
        methods
    }

    fn unknown_method(&mut self, value: &Value) {
        let diagnostic = Diagnostic::new(Code::BadMethod, value.span, format!("`{}` is not a method", value.text().escape_debug()));
        let upper = value.text().to_uppercase();
        let near = nearest_method(&upper);
        let diagnostic = match near {
            Some(near) if near == upper => diagnostic.label(format!("methods are upper case: `\"{near}\"`")),
            Some(near) => diagnostic.label(format!("did you mean `\"{near}\"`?")),
            None => diagnostic.label("not a registered method"),
        };
        self.diagnostics.push(diagnostic);
    }

    /// The patterns of a route or of a `path` guard.
    fn patterns(&mut self, node: &Node) -> Vec<Spanned<Pattern>> {
        let mut patterns: Vec<Spanned<Pattern>> = Vec::new();
        let mut seen = BTreeSet::new();
        for value in node.values() {
            match semantics::pattern::parse(value.text()) {
                Ok(pattern) => {
                    if !seen.insert(reach::ByOrder(pattern.text.clone())) {
                        self.error(
                            Code::RepeatedValue,
                            value.span,
                            format!("`\"{}\"` stands twice in this list", value.text()),
                            "takes the same paths as one before it",
                        );
                    } else {
                        patterns.push(Spanned { value: pattern, span: value.span });
                    }
                }
                Err(fault) => {
                    let diagnostic = route::pattern_fault(value, &fault, self.sources);
                    self.diagnostics.push(diagnostic);
                }
            }
        }
        patterns
    }
}

/// The registered method that is nearest to an upper-case text.
fn nearest_method(upper: &str) -> Option<&'static str> {
    let names = Method::names();
    if let Some(exact) = names.iter().find(|name| **name == upper) {
        return Some(exact);
    }
    let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let near = nearest(upper, lower.iter().map(String::as_str))?;
    names.iter().find(|name| name.eq_ignore_ascii_case(near)).copied()
}
