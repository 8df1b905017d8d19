//! `upstream`: its endpoints, and how they are asked. All of a site are read before its routes, which name them.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{IpAddr, SocketAddr},
};

use super::{Resolver, endpoint::later, inherit};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Endpoint, EndpointAddress, RetryOn, Upstream, UpstreamTimeouts},
    schema::{RETRIED, nearest::nearest},
    source::Span,
};

/// Upstreams of a site, those without a name among them.
const UPSTREAMS_MAX: usize = 4096;
/// Endpoints of one upstream.
const ENDPOINTS_MAX: usize = 1024;

/// Strategies of later versions.
const LATER: [&str; 3] = ["hash", "least-requests", "random-two"];

/// The upstreams of a site.
#[derive(Default)]
pub(super) struct Upstreams<'a> {
    nodes: BTreeMap<&'a str, (&'a Node, usize)>,
    /// Named ones in written order, then anonymous ones by their first use.
    all: Vec<Upstream>,
    anonymous: BTreeMap<SocketAddr, usize>,
    /// Those that some action names.
    used: BTreeSet<usize>,
}

impl<'a> Resolver<'a> {
    /// Reads every `upstream` of the site.
    pub(super) fn upstreams(&mut self) {
        for node in self.config.nodes.iter().filter(|node| node.is("upstream")) {
            let Some(name) = node.argument("name") else { continue };
            self.name(name, "upstream");
            let upstream = self.upstream(node, name.text());
            if let Some((earlier, _)) = self.upstreams.nodes.insert(name.text(), (node, self.upstreams.all.len())) {
                self.twice("upstream", name, earlier);
            }
            self.check_room(name.span);
            self.upstreams.all.push(upstream);
        }
    }

    /// All of them, when every action has been read; one that none names is told of.
    pub(super) fn used_upstreams(&mut self) -> Vec<Upstream> {
        for (name, (node, number)) in &self.upstreams.nodes {
            if !self.upstreams.used.contains(number) {
                let diagnostic = Diagnostic::new(Code::UnusedUpstream, node.span, format!("no `proxy` names the upstream `{name}`"));
                self.lints.push(diagnostic.label("gets no requests"));
            }
        }
        std::mem::take(&mut self.upstreams.all)
    }

    /// The number of the upstream that a `proxy` names, and how long it is waited for.
    pub(super) fn proxied(&mut self, value: &Value) -> Option<(usize, UpstreamTimeouts)> {
        let text = value.text();
        let number = if text.contains("://") {
            let address = self.url(value)?;
            self.anonymous(address, text, value.span)
        } else {
            let Some((_, number)) = self.upstreams.nodes.get(text) else {
                self.unknown_upstream(value);
                return None;
            };
            *number
        };
        self.upstreams.used.insert(number);
        Some((number, self.upstreams.all[number].timeouts.clone()))
    }

    /// One without a name: all URLs that lead to one address are the same.
    fn anonymous(&mut self, address: SocketAddr, url: &str, span: Span) -> usize {
        let next = self.upstreams.all.len();
        let number = *self.upstreams.anonymous.entry(address).or_insert(next);
        if number == next {
            self.check_room(span);
            let endpoint = Endpoint { address: EndpointAddress::Known(address), weight: inherit::weight(None), is_backup: false, span };
            self.upstreams.all.push(Upstream {
                name: url.to_owned(),
                is_anonymous: true,
                endpoints: vec![endpoint],
                balance: inherit::balance(None),
                pool: inherit::pool(None),
                timeouts: inherit::upstream_timeouts(None),
                eject: inherit::eject(None, false),
                retry: inherit::retry(None, None, None, false),
                span,
            });
        }
        number
    }

    fn check_room(&mut self, span: Span) {
        if self.upstreams.all.len() == UPSTREAMS_MAX {
            self.error(Code::TooDeep, span, format!("this site has more than {UPSTREAMS_MAX} upstreams"), "the first that is too much");
        }
    }

    fn unknown_upstream(&mut self, value: &Value) {
        let text = value.text();
        let diagnostic = Diagnostic::new(Code::UnknownName, value.span, format!("there is no upstream `{}`", text.escape_debug()));
        let shown = text.escape_debug();
        let near = nearest(text, self.upstreams.nodes.keys().copied());
        self.diagnostics.push(if text.is_empty() {
            diagnostic.label("the name is empty")
        } else if let Some(near) = near {
            diagnostic.label(format!("did you mean `\"{near}\"`?"))
        } else if text.starts_with("unix:") {
            let help = format!("name one: `upstream \"app\" {{ endpoint \"{shown}\" }}`, and write `proxy \"app\"`");
            diagnostic.label("a socket is an endpoint of an upstream").help(help)
        } else if text.contains(':') || text.parse::<IpAddr>().is_ok() {
            diagnostic.label("expected the name of an upstream, or a URL").help(format!("write `proxy \"http://{shown}\"`"))
        } else {
            diagnostic
                .label("no `upstream` has this name")
                .help(format!("name one: `upstream \"{shown}\" {{ endpoint \"10.0.0.5:3000\" }}`"))
        });
    }

    fn upstream(&mut self, node: &Node, name: &str) -> Upstream {
        self.lints.allow(node, node.extent, self.diagnostics);
        let endpoints = self.endpoints(node);
        let has_others = endpoints.len() > 1;
        let retry = node.child("retry");
        let budget = retry.and_then(|retry| retry.property("budget")).and_then(|budget| self.percent(budget));
        let on = retry.and_then(|retry| retry.child("on")).map(|on| self.retry_on(on));
        self.check_switched_off(node);
        let upstream = Upstream {
            name: name.to_owned(),
            is_anonymous: false,
            endpoints,
            balance: self.balance(node.child("balance").and_then(|balance| balance.argument("strategy"))),
            pool: inherit::pool(node.child("pool")),
            timeouts: inherit::upstream_timeouts(node.child("timeouts")),
            eject: inherit::eject(node.child("eject"), has_others),
            retry: inherit::retry(retry, budget, on, has_others),
            span: node.span,
        };
        self.lint_late_retry(node, &upstream);
        upstream
    }

    /// A retry that `total` leaves no time for.
    fn lint_late_retry(&mut self, node: &Node, upstream: &Upstream) {
        let (Some(retry), Some(total)) = (&upstream.retry, upstream.timeouts.total.value) else { return };
        let UpstreamTimeouts { connect, first_byte, .. } = &upstream.timeouts;
        let on = &retry.on.value;
        let passed =
            [("connect", on.connect && total <= connect.value), ("first-byte", on.first_byte_timeout && total <= first_byte.value)];
        let word = node.child("timeouts").and_then(|timeouts| timeouts.child("total"));
        if let (Some((name, _)), Some(word)) = (passed.into_iter().find(|(_, is_passed)| *is_passed), word) {
            let message = format!("no time is left for a retry: `total` is not longer than `{name}`");
            let diagnostic = Diagnostic::new(Code::LateRetry, word.span, message).label("counts all tries");
            let retry = node.child("retry").map_or(node.span, |retry| retry.span);
            self.lints.push(diagnostic.secondary(retry, "sends a request again after it"));
        }
    }

    fn endpoints(&mut self, upstream: &Node) -> Vec<Endpoint> {
        let mut seen = BTreeSet::new();
        let mut endpoints = Vec::new();
        for node in upstream.children_named("endpoint") {
            let Some(value) = node.argument("address") else { continue };
            let Some(address) = self.endpoint_address(node, value) else { continue };
            if self.repeated(&mut seen, format!("{address:?}"), value) {
                continue;
            }
            if endpoints.len() == ENDPOINTS_MAX {
                let message = format!("this upstream has more than {ENDPOINTS_MAX} endpoints");
                self.error(Code::TooDeep, node.span, message, "the first that is too much");
                break;
            }
            endpoints.push(Endpoint {
                address,
                weight: inherit::weight(node.property("weight")),
                is_backup: node.is_set("backup"),
                span: node.span,
            });
        }
        if let Some(first) = endpoints.first().filter(|_| endpoints.iter().all(|endpoint| endpoint.is_backup)) {
            let diagnostic = Diagnostic::new(Code::Contradiction, first.span, "every endpoint of this upstream is a backup");
            self.diagnostics.push(diagnostic.label("there is none that it stands in for").help("leave `backup=` out of one of them"));
        }
        endpoints
    }

    fn balance(&mut self, written: Option<&Value>) -> crate::model::Defaulted<crate::model::Balance> {
        if let Some(value) = written.filter(|value| value.text() != inherit::BALANCE) {
            let text = value.text();
            let diagnostic = if LATER.contains(&text) {
                later(value, &format!("`balance \"{text}\"`"))
            } else {
                let diagnostic =
                    Diagnostic::new(Code::BadChoice, value.span, format!("`\"{}\"` is not a way to pick an endpoint", text.escape_debug()));
                match nearest(text, LATER.into_iter().chain([inherit::BALANCE])) {
                    Some(near) => diagnostic.label(format!("did you mean `\"{near}\"`?")),
                    None => diagnostic.label(format!("expected `\"{}\"`", inherit::BALANCE)),
                }
            };
            self.diagnostics.push(diagnostic);
        }
        inherit::balance(written)
    }

    /// `"20%"`.
    fn percent(&mut self, value: &Value) -> Option<u8> {
        let digits = value.text().strip_suffix('%').filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
        let percent = digits.and_then(|digits| digits.parse().ok()).filter(|percent| (1..=100).contains(percent));
        if percent.is_none() {
            let message = format!("`{}` is not a part of all requests", value.text().escape_debug());
            let diagnostic = Diagnostic::new(Code::BadPercent, value.span, message).label("expected `\"1%\"` to `\"100%\"`");
            let is_bare = value.text().parse::<u8>().is_ok_and(|percent| (1..=100).contains(&percent));
            self.diagnostics.push(if is_bare { diagnostic.help(format!("write `\"{}%\"`", value.text())) } else { diagnostic });
        }
        percent
    }

    fn retry_on(&mut self, node: &Node) -> RetryOn {
        let mut seen = BTreeSet::new();
        let mut on = RetryOn::default();
        for value in node.values() {
            let text = value.text();
            if self.repeated(&mut seen, text, value) {
                continue;
            }
            match text {
                "connect" => on.connect = true,
                "first-byte-timeout" => on.first_byte_timeout = true,
                "reset-before-response" => on.reset = true,
                _ => match text.parse().ok().filter(|status| text.len() == 3 && (400..=599).contains(status)) {
                    Some(status) => on.statuses.push(status),
                    None => self.bad_retry(value),
                },
            }
        }
        on.statuses.sort_unstable();
        on
    }

    fn bad_retry(&mut self, value: &Value) {
        let text = value.text();
        let diagnostic =
            Diagnostic::new(Code::BadRetry, value.span, format!("`{}` is nothing to send a request again after", text.escape_debug()));
        self.diagnostics.push(match nearest(text, RETRIED.iter().copied()) {
            Some(near) => diagnostic.label(format!("did you mean `\"{near}\"`?")),
            None => diagnostic.label("expected `\"connect\"`, `\"reset-before-response\"`, `\"first-byte-timeout\"` or a status from 400 to 599, such as `\"503\"`"),
        });
    }

    /// What is said of a thing that the same word switches off.
    fn check_switched_off(&mut self, upstream: &Node) {
        let eject = upstream.child("eject").filter(|eject| eject.argument("is-ejected").is_some_and(|value| !value.bool()));
        let of_eject = eject.and_then(|eject| Some((eject.properties.first()?.value.span, "no endpoint is ejected", eject.span)));
        let retry = upstream.child("retry").filter(|retry| retry.argument("times").is_some_and(|value| value.integer() == 0));
        let said = |retry: &Node| {
            retry.properties.first().map(|property| property.value.span).or_else(|| retry.children.first().map(|on| on.span))
        };
        let of_retry = retry.and_then(|retry| Some((said(retry)?, "no request is sent again", retry.span)));
        for (span, message, off) in of_eject.into_iter().chain(of_retry) {
            let diagnostic = Diagnostic::new(Code::Contradiction, span, message).label("changes nothing");
            self.diagnostics.push(diagnostic.secondary(off, "switched off here"));
        }
    }
}
