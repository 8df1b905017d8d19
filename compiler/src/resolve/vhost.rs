//! `vhost`: its hosts, the listeners it is reached on, and its routes.

use std::collections::BTreeSet;

use super::{
    Resolver,
    group::Around,
    hosts::host,
    inherit,
    policy::Policies,
    reach, rewrite,
    template::{Names, Place},
};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{self, CanonicalHost, Listener, Spanned},
    schema::nearest::nearest,
};

/// Statuses that send a client to the same path elsewhere (RFC 9110 §15.4); 300 has no one place.
const REDIRECTS: [i64; 5] = [301, 302, 303, 307, 308];

impl Resolver<'_> {
    pub(super) fn vhost(&mut self, node: &Node, outer: &Policies, listeners: &[Listener]) -> model::Vhost {
        let from = self.diagnostics.kept();
        self.lints.allow(node, node.extent, self.diagnostics);
        let hosts = self.hosts(node);
        let on = self.on(node, listeners);
        let canonical_host = node.child("canonical-host").and_then(|canonical| self.canonical_host(canonical, node, &hosts));
        let names = Names { patterns: &[], captures: &[], place: Place::HeaderValue };
        let policies = self.policies(node, outer, names);
        self.mark_uses(from, node);
        let access = policies.access.clone();
        let Policies { headers, encoding, errors, is_logged, .. } = policies.clone();
        let routes = self.routes(node, &Around::vhost(policies));
        let from = self.diagnostics.kept();
        reach::check(&routes, self.diagnostics);
        rewrite::check(&routes, self.diagnostics);
        self.check_outside(&routes, &access);
        self.lint_raw(&routes);
        self.lint_bypass(&routes);
        if node.child("route").is_none() && node.child("group").is_none() {
            let diagnostic = Diagnostic::new(Code::EmptyVhost, node.span, "this vhost has no route");
            self.lints.push(diagnostic.label("every request is answered with 404"));
        }
        self.mark_uses(from, node);
        model::Vhost {
            hosts,
            is_default: node.is_set("default"),
            on,
            canonical_host,
            span: node.span,
            routes,
            headers,
            encoding,
            errors,
            is_logged,
        }
    }

    /// The listeners that `on=` or `on` name; `None`: all of them.
    fn on(&mut self, node: &Node, listeners: &[Listener]) -> Option<Vec<usize>> {
        let (property, word) = (node.property("on"), node.child("on"));
        if let (Some(property), Some(word)) = (property, word) {
            let diagnostic = Diagnostic::new(Code::DuplicateWord, word.span, "`on` stands twice").label("for the second time");
            self.diagnostics.push(diagnostic.secondary(property.span, "for the first time"));
        }
        if property.is_none() && word.is_none() {
            return None;
        }
        let mut chosen = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for value in property.into_iter().chain(word.into_iter().flat_map(Node::values)) {
            match listeners.iter().position(|listener| listener.name.as_deref() == Some(value.text())) {
                Some(_) if self.repeated(&mut seen, value.text(), value) => {}
                Some(index) => drop(chosen.insert(index)),
                None => self.unknown_listener(value, listeners),
            }
        }
        Some(chosen.into_iter().collect())
    }

    fn unknown_listener(&mut self, value: &Value, listeners: &[Listener]) {
        let names: Vec<&str> = listeners.iter().filter_map(|listener| listener.name.as_deref()).collect();
        let message = format!("there is no listener `{}`", value.text().escape_debug());
        let diagnostic = Diagnostic::new(Code::UnknownName, value.span, message);
        self.diagnostics.push(match (nearest(value.text(), names.iter().copied()), names.as_slice()) {
            (Some(near), _) => diagnostic.label(format!("did you mean `\"{near}\"`?")),
            (None, []) => diagnostic.label("no listener has a name").help("name one: `listen \"0.0.0.0:8080\" name=\"public\"`"),
            (None, names) => diagnostic.label(format!("expected one of {}", names.join(", "))),
        });
    }

    fn canonical_host(&mut self, node: &Node, vhost: &Node, hosts: &[Spanned<String>]) -> Option<CanonicalHost> {
        let value = node.argument("host")?;
        let expected = "`canonical-host` takes 301, 302, 303, 307 and 308";
        let status = self.status(node.property("status"), inherit::CANONICAL_STATUS, expected, |status| REDIRECTS.contains(&status));
        let host = match host(value) {
            Ok(host) if host.starts_with('*') => {
                self.error(Code::BadHost, value.span, format!("`{host}` is not one host"), "requests are sent to one name");
                return None;
            }
            Ok(host) => host,
            Err(diagnostic) => {
                self.diagnostics.push(diagnostic);
                return None;
            }
        };
        let is_below = |pattern: &str| pattern.strip_prefix('*').is_some_and(|suffix| host.len() > suffix.len() && host.ends_with(suffix));
        if !vhost.is_set("default") && !hosts.iter().any(|known| known.value == host || is_below(&known.value)) {
            let message = format!("`{host}` is not a host of this vhost");
            let diagnostic = Diagnostic::new(Code::ForeignCanonicalHost, value.span, message);
            let diagnostic = diagnostic.label("every request would be sent away").secondary(vhost.span, "the vhost");
            let help = format!("add it to the vhost's hosts, or write `route \"/*\" {{ redirect \"https://{host}{{target}}\" }}`");
            self.diagnostics.push(diagnostic.help(help));
        }
        Some(CanonicalHost { host, status, span: node.span })
    }
}
