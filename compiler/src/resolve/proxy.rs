//! `proxy`: which upstream a request is sent on to, and with what path, host and protocols.

use std::collections::BTreeSet;

use semantics::{path, pattern::Pattern};

use super::{
    Resolver,
    group::lies_in,
    inherit, rewrite,
    template::{self, Names, Place},
};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Action, EncodedSlash, Part, Proxy, Spanned, Target, Template},
    schema::nearest::nearest,
};

/// Protocols of one action.
const UPGRADES_MAX: usize = 16;

impl Resolver<'_> {
    pub(super) fn proxy(&mut self, node: &Node, names: Names<'_>) -> Option<Proxy> {
        let found = node.argument("upstream").and_then(|value| self.proxied(value));
        let target = self.proxy_target(node, names);
        let host = node.child("host").and_then(|host| host.argument("host"));
        if let Some(host) = host {
            self.check_proxied_host(host);
        }
        let upgrades = node.child("upgrade").map(|node| self.upgrades(node)).unwrap_or_default();
        let intercepts = node.child("intercept").map(|block| self.intercepts(block, names)).unwrap_or_default();
        let (upstream, timeouts) = found?;
        Some(Proxy {
            upstream,
            target,
            host: inherit::proxied_host(host),
            upgrades,
            timeouts: inherit::proxy_timeouts(node.child("timeouts"), &timeouts),
            intercepts,
            span: node.span,
        })
    }

    /// What the path becomes, and where it is said.
    fn proxy_target(&mut self, node: &Node, names: Names<'_>) -> Spanned<Target> {
        let (strip, target) = (node.child("strip-prefix"), node.child("target"));
        if let (Some(strip), Some(target)) = (strip, target) {
            let diagnostic = Diagnostic::new(Code::Contradiction, target.span, "`strip-prefix` and `target` exclude each other");
            self.diagnostics.push(diagnostic.label("the whole path").secondary(strip.span, "what is left of the path"));
        }
        let stripped = strip.and_then(|node| Some((node, self.strip_prefix(node.argument("prefix")?, names.patterns)?)));
        let rendered = target.and_then(|node| Some((node, self.target_template(node.argument("target")?, names))));
        match (stripped, rendered) {
            (_, Some((node, template))) => Spanned { value: Target::Template(template), span: node.span },
            (Some((node, prefix)), None) => Spanned { value: Target::Strip(prefix), span: node.span },
            (None, None) => Spanned { value: Target::Same, span: node.span },
        }
    }

    /// A prefix in normal form that every path of the patterns has; the empty one where it can't be used.
    fn strip_prefix(&mut self, value: &Value, patterns: &[Spanned<Pattern>]) -> Option<String> {
        let text = value.text();
        let label = match semantics::pattern::parse(text) {
            _ if text == "/" => "nothing is left out: every path begins with it",
            Ok(_) if text.ends_with('/') => "expected no slash at the end: the slash begins what is left",
            Ok(pattern) if pattern.parameters.is_empty() => {
                self.check_prefix(value, &pattern.text, patterns);
                return Some(pattern.text);
            }
            Ok(_) => "expected the text of a path; values are for `target`",
            Err(_) if !text.starts_with('/') => "expected a path that begins with `/`",
            Err(_) => "no request can have this path",
        };
        self.error(Code::BadTarget, value.span, format!("`{}` is not a prefix of a path", text.escape_debug()), label);
        None
    }

    fn check_prefix(&mut self, value: &Value, prefix: &str, patterns: &[Spanned<Pattern>]) {
        let outer = format!("{prefix}/*");
        for pattern in patterns.iter().filter(|pattern| !lies_in(&pattern.value.text, &outer)) {
            let message = format!("not every path of `{}` begins with `{prefix}`", pattern.value.text);
            let diagnostic = Diagnostic::new(Code::OutsidePrefix, value.span, message).label("can't be taken away from all of them");
            self.diagnostics.push(
                diagnostic
                    .secondary(pattern.span, "this pattern")
                    .help(format!("give the paths below it a route of their own: `route \"{outer}\"`")),
            );
        }
    }

    fn target_template(&mut self, written: &Value, names: Names<'_>) -> Template {
        let errors = self.diagnostics.errors();
        let target = self.template(written, Names { place: Place::Target, ..names });
        // A template with errors has lost parts.
        if self.diagnostics.errors() != errors {
            return target;
        }
        let is_plain = |part: &Part| !matches!(part, Part::Text(text) if !text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#'));
        let label = match target.parts.first() {
            None => "the target is empty",
            Some(_) if !target.parts.iter().all(is_plain) => {
                "spaces, `#`, control bytes and text outside of ASCII are written percent-encoded"
            }
            Some(Part::Map(_) | Part::Path | Part::Target) => return target,
            Some(Part::Text(text)) if text.contains("://") => "expected a path: where the request goes is the argument of `proxy`",
            Some(Part::Text(text)) if !text.starts_with('/') => "expected a path that begins with `/`",
            Some(Part::Text(_)) => match rewrite::constant_path(&target) {
                Some(text) if path::normalize(text.as_bytes(), &mut Vec::new()).is_err() => "this is no path",
                _ => return target,
            },
            Some(_) => "expected a path: write `/` before the value",
        };
        self.error(Code::BadTarget, written.span, "not a target to send a request to", label);
        target
    }

    /// A word, or a host with or without a port.
    fn check_proxied_host(&mut self, value: &Value) {
        let text = value.text();
        if matches!(text, "preserve" | "endpoint") {
            return;
        }
        // A word that is misspelt would be a host without a dot.
        let meant = nearest(text, ["endpoint", "preserve"]).filter(|_| !text.contains(['.', ':']));
        if let Some(meant) = meant {
            let diagnostic = Diagnostic::new(Code::BadHost, value.span, format!("`{}` is not a host to send", text.escape_debug()));
            let diagnostic = diagnostic.label(format!("did you mean `\"{meant}\"`?"));
            self.diagnostics
                .push(diagnostic.help(format!("a host of this name is written with its port: `\"{}:80\"`", text.escape_debug())));
            return;
        }
        let is_host = text.is_ascii() && semantics::authority::parse(text.as_bytes()).is_some();
        if !is_host || text.contains('*') {
            let label = if text.is_empty() {
                "the host is empty"
            } else if text.contains("://") {
                "a host has no scheme"
            } else if text.contains('{') {
                "no values can be inserted here"
            } else {
                "expected `\"preserve\"`, `\"endpoint\"` or a host such as `\"app.internal:8080\"`"
            };
            self.error(Code::BadHost, value.span, format!("`{}` is not a host to send", text.escape_debug()), label);
        }
    }

    fn upgrades(&mut self, node: &Node) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut upgrades = Vec::new();
        for value in node.values() {
            // RFC 9110 §7.8: a name, and a version behind a slash.
            let is_protocol = |text: &str| text.splitn(2, '/').all(template::is_token);
            let protocol = value.text().to_ascii_lowercase();
            let label = match protocol.as_str() {
                "h2c" => "requests in it would never be looked at",
                _ if !is_protocol(&protocol) => "expected the name of a protocol, such as `\"websocket\"`, or `\"*\"`",
                _ if upgrades.len() == UPGRADES_MAX => "more protocols than one action may have: 16",
                _ => {
                    if !self.repeated(&mut seen, protocol.clone(), value) {
                        upgrades.push(protocol);
                    }
                    continue;
                }
            };
            self.error(Code::BadUpgrade, value.span, format!("`{}` can't take a connection over", value.text().escape_debug()), label);
        }
        if upgrades.len() > 1 && upgrades.iter().any(|protocol| protocol == "*") {
            let diagnostic = Diagnostic::new(Code::Contradiction, node.span, "`\"*\"` stands for every protocol");
            self.diagnostics.push(diagnostic.label("and others are named"));
        }
        upgrades
    }

    /// A route that sends on what the client wrote can't send another path as well.
    pub(super) fn check_raw(&mut self, action: &Action, encoded_slash: EncodedSlash) {
        if encoded_slash != EncodedSlash::Raw {
            return;
        }
        if let Action::Proxy(proxy) = action {
            let word = match &proxy.target.value {
                Target::Same => None,
                Target::Strip(_) => Some("strip-prefix"),
                Target::Template(_) => Some("target"),
            };
            if let Some(word) = word {
                let message = format!("`{word}` and `path \"raw\"` exclude each other");
                let diagnostic = Diagnostic::new(Code::Contradiction, proxy.target.span, message).label("changes the path in normal form");
                let diagnostic = diagnostic.note("a route with `path \"raw\"` sends on the very bytes of the client");
                self.diagnostics.push(diagnostic.help("write `path \"keep\"`, or leave this word out"));
            }
        }
        for inner in action.inner() {
            self.check_raw(inner, encoded_slash);
        }
    }
}
