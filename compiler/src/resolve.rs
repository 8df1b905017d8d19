//! The tree as written becomes the site as meant: names resolved, scopes merged, defaults filled in, every value parsed to what it means.
//!
//! The tree has the shape and the types that the schema promises; here every question about meaning is asked, and every error reported before
//! the stage stops at its border. Lints are collected and silenced by `allow-lint` at the end.

mod action;
mod files;
mod guard;
mod headers;
mod hosts;
pub mod inherit;
mod lint;
mod reach;
mod route;
mod site;
mod template;

use std::collections::BTreeSet;

use semantics::{method::Method, pattern::Pattern};

use crate::{
    ast::{Config, Node, Value},
    diagnostic::{Code, Diagnostic, Diagnostics},
    model::{self, Site, Spanned},
    schema::nearest::nearest,
    source::{SourceMap, Span},
};

/// Resolves a whole site; `None` where there were errors.
pub fn resolve(config: &Config, sources: &SourceMap, diagnostics: &mut Diagnostics) -> Option<Site> {
    let mut resolver = Resolver { sources, diagnostics, lints: lint::Lints::default() };
    let site = resolver.site(config);
    let Resolver { lints, .. } = resolver;
    lints.report(diagnostics);
    if diagnostics.has_errors() { None } else { site }
}

/// What every part of the stage reads and writes.
struct Resolver<'a> {
    sources: &'a SourceMap,
    diagnostics: &'a mut Diagnostics,
    lints: lint::Lints,
}

impl Resolver<'_> {
    fn site(&mut self, config: &Config) -> Option<Site> {
        let node = config.nodes.iter().find(|node| node.is("site"))?;
        self.lints.allow_in_files(config, self.diagnostics);
        let head = self.site_head(node);
        let block = node.child("headers").map(|block| self.headers(block, &[]));
        let headers = headers::merged(&[], block.as_ref());
        let vhosts: Vec<model::Vhost> =
            config.nodes.iter().filter(|node| node.is("vhost")).map(|node| self.vhost(node, &headers)).collect();
        hosts::check(&vhosts, self.diagnostics);
        Some(Site { headers, vhosts, allowed_lints: self.lints.allowed(), ..head })
    }

    fn vhost(&mut self, node: &Node, outer: &[model::HeaderRule]) -> model::Vhost {
        self.lints.allow(node, node.extent, self.diagnostics);
        let hosts = self.hosts(node);
        let block = node.child("headers").map(|block| self.headers(block, &[]));
        let headers = headers::merged(outer, block.as_ref());
        let routes: Vec<model::Route> = node.children_named("route").filter_map(|route| self.route(route, &headers)).collect();
        reach::check(&routes, self.diagnostics);
        if node.child("route").is_none() {
            let diagnostic = Diagnostic::new(Code::EmptyVhost, node.span, "this vhost has no route");
            self.lints.push(diagnostic.label("every request is answered with 404"));
        }
        model::Vhost {
            hosts,
            is_default: node.is_set("default"),
            on: None,
            canonical_host: None,
            span: node.span,
            routes,
            headers,
            errors: Vec::new(),
        }
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<Box<str>>, label: impl Into<Box<str>>) {
        self.diagnostics.push(Diagnostic::new(code, span, message).label(label));
    }

    /// Reports a value that stands twice in a list.
    fn repeated<T: Ord>(&mut self, seen: &mut BTreeSet<T>, key: T, value: &Value) -> bool {
        if seen.insert(key) {
            return false;
        }
        self.error(
            Code::RepeatedValue,
            value.span,
            format!("`\"{}\"` stands twice in this list", value.text().escape_debug()),
            "remove one of them",
        );
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
        for value in node.values() {
            match semantics::pattern::parse(value.text()) {
                Ok(pattern) => {
                    let is_repeated = patterns.iter().any(|known| semantics::pattern::order(&known.value.text, &pattern.text).is_eq());
                    if is_repeated {
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
