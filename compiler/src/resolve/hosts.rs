//! The hosts of vhosts: names and wildcards in normal form, each claimed once.

use std::collections::{BTreeMap, BTreeSet};

use semantics::hosts::HOSTS_MAX;

use super::Resolver;
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic, Diagnostics},
    model::{Spanned, Vhost},
    source::Span,
};

impl Resolver<'_> {
    pub(super) fn hosts(&mut self, node: &Node) -> Vec<Spanned<String>> {
        let hosts = self.host_list(node);
        if node.arguments.is_empty() && !node.is_set("default") {
            let diagnostic =
                Diagnostic::new(Code::HostlessVhost, node.span, "this vhost answers no host").label("expected hosts, or `default=#true`");
            self.diagnostics
                .push(diagnostic.help("write `vhost \"example.org\" { .. }`, or `vhost default=#true { .. }` for all other hosts"));
        }
        hosts
    }

    /// The arguments of `vhost` and of the guard word `host`.
    pub(super) fn host_list(&mut self, node: &Node) -> Vec<Spanned<String>> {
        let mut seen = BTreeSet::new();
        let mut hosts = Vec::new();
        for value in node.values() {
            match host(value) {
                Ok(host) if self.repeated(&mut seen, host.clone(), value) => {}
                Ok(host) => hosts.push(Spanned { value: host, span: value.span }),
                Err(diagnostic) => self.diagnostics.push(diagnostic),
            }
        }
        hosts
    }
}

/// The hosts of a site, one for each vhost that has none, are as many as a table of names may hold, and so are its vhosts.
pub(super) fn check_count(vhosts: &[Vhost], diagnostics: &mut Diagnostics) {
    let mut spans = vhosts.iter().flat_map(|vhost| {
        let alone = vhost.hosts.is_empty().then_some(vhost.span);
        vhost.hosts.iter().map(|host| host.span).chain(alone)
    });
    if let Some(span) = spans.nth(HOSTS_MAX) {
        let message = format!("the vhosts of this site have more than {HOSTS_MAX} hosts");
        let diagnostic = Diagnostic::new(Code::TooDeep, span, message).label("the first that is too much");
        diagnostics.push(diagnostic.help("a wildcard such as `*.example` takes all names below another, or make this two sites"));
    }
}

/// On each listener a host belongs to one vhost, and one vhost at most is the default.
pub(super) fn check(vhosts: &[Vhost], listeners: usize, diagnostics: &mut Diagnostics) {
    let mut claims: BTreeMap<(&str, usize), Span> = BTreeMap::new();
    let mut defaults: BTreeMap<usize, Span> = BTreeMap::new();
    for vhost in vhosts {
        let on = vhost.on.clone().unwrap_or_else(|| (0..listeners).collect());
        for host in &vhost.hosts {
            let earlier = on.iter().filter_map(|listener| claims.insert((&host.value, *listener), host.span)).min();
            if let Some(earlier) = earlier {
                let diagnostic = Diagnostic::new(Code::HostTwice, host.span, format!("`{}` belongs to two vhosts", host.value));
                diagnostics.push(
                    diagnostic
                        .label("claimed again")
                        .secondary(earlier, "claimed here first")
                        .help("merge the two vhosts, take the host out of one, or choose listeners for each with `on=`"),
                );
            }
        }
        if vhost.is_default {
            let earlier = on.iter().filter_map(|listener| defaults.insert(*listener, vhost.span)).min();
            if let Some(earlier) = earlier {
                let diagnostic = Diagnostic::new(Code::DefaultTwice, vhost.span, "two vhosts are the default");
                diagnostics.push(diagnostic.label("a second default").secondary(earlier, "the first one"));
            }
        }
    }
}

/// A host in normal form: lower case, a wildcard with its `*.`.
pub(super) fn host(value: &Value) -> Result<String, Diagnostic> {
    let text = value.text();
    let fault = |label: &str| Diagnostic::new(Code::BadHost, value.span, format!("`{}` is not a host", text.escape_debug())).label(label);
    let lower = text.to_ascii_lowercase();
    let name = lower.strip_prefix("*.").unwrap_or(&lower);
    if text.contains("://") {
        return Err(fault("a host has no scheme"));
    }
    if !text.is_ascii() {
        return Err(fault("international names are written in their `xn--` form"));
    }
    if name.contains('*') {
        return Err(fault("`*` stands only at the front, for one or more whole labels: `*.example`"));
    }
    if name.ends_with('.') {
        return Err(fault("the dot at the end is taken off requests too: leave it out"));
    }
    match semantics::authority::parse(name.as_bytes()) {
        Some(authority) if authority.port.is_some() => Err(fault("a host has no port: the port of a request's Host is not looked at")),
        Some(authority) if authority.host != name => Err(fault("expected a name such as `shop.example`")),
        Some(_) if lower.starts_with("*.") && (name.starts_with('[') || name.parse::<std::net::Ipv4Addr>().is_ok()) => {
            Err(fault("addresses have no wildcards"))
        }
        Some(_) => Ok(lower),
        None if name.contains('/') => Err(fault("a host has no path: paths belong into a route")),
        None if name.parse::<std::net::Ipv6Addr>().is_ok() => Err(fault("an IPv6 address stands in brackets")),
        None => Err(fault("expected a name such as `shop.example`")),
    }
}
