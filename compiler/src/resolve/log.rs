//! The access log, the log of errors and counters: where they go and what stands in them.

use std::collections::BTreeSet;

use semantics::template::{Token, tokens};

use super::{
    Resolver, inherit,
    template::{Names, Place, brace_fault},
};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{AccessLog, Defaulted, LogFormat, LogPart, Metrics, Part, Text},
};

/// Names that `redact` may have in all, and the bytes of one.
const REDACTED_MAX: usize = 64;
const REDACTED_BYTES_MAX: usize = 64;
/// Parts of a template: each is written for every exchange.
const PARTS_MAX: usize = 64;
/// Bytes of text in a template: with the bound of each value it bounds a line.
const TEXT_BYTES_MAX: usize = 4096;

/// What a template of the log may name beside the values of other templates.
pub(super) const NAMES: [(&str, LogPart); 18] = [
    ("attempts", LogPart::Attempts),
    ("bytes", LogPart::BodyBytes),
    ("cause", LogPart::Cause),
    ("connect-duration", LogPart::ConnectDuration),
    ("duration", LogPart::Duration),
    ("endpoint", LogPart::Endpoint),
    ("first-byte-duration", LogPart::FirstByteDuration),
    ("outcome", LogPart::Outcome),
    ("protocol", LogPart::Protocol),
    ("received-bytes", LogPart::ReceivedBytes),
    ("route", LogPart::Route),
    ("sent-bytes", LogPart::SentBytes),
    ("time", LogPart::Time),
    ("time-common", LogPart::TimeCommon),
    ("upstream", LogPart::Upstream),
    ("upstream-status", LogPart::UpstreamStatus),
    ("vhost", LogPart::Vhost),
    ("written-target", LogPart::WrittenTarget),
];

impl Resolver<'_> {
    pub(super) fn access_log(&mut self, node: &Node, metrics: Option<Metrics>) -> Option<AccessLog> {
        let file = self.log_file(node)?;
        let (format, template) = (node.property("format"), node.property("template"));
        if let (Some(format), Some(template)) = (format, template) {
            let diagnostic = Diagnostic::new(Code::Contradiction, template.span, "`format=` and `template=` exclude each other");
            self.diagnostics.push(diagnostic.label("a line of the site's own").secondary(format.span, "a line that kiln knows"));
        }
        let format = match template {
            Some(template) => Defaulted { value: LogFormat::Template(self.log_template(template, metrics)), is_default: false },
            None => inherit::log_format(format),
        };
        Some(AccessLog { file, format, redacted: self.redacted(node) })
    }

    pub(super) fn error_log(&mut self, node: &Node) -> Option<Text> {
        self.log_file(node).filter(|file| file.known() != Some(inherit::ERROR_LOG))
    }

    /// `stdout`, `stderr` or a path.
    fn log_file(&mut self, node: &Node) -> Option<Text> {
        let value = node.argument("file")?;
        let file = self.text_or_late(node, value);
        let known = if file.known().is_some() { Some(value) } else { node.property("default") };
        if let Some((known, label)) = known.and_then(|known| Some((known, misplaced(known.text(), node.is("error-log"))?))) {
            self.error(Code::BadLogFile, known.span, format!("not a place for `{}`", node.word.name), label);
        }
        Some(file)
    }

    fn redacted(&mut self, node: &Node) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut names = Vec::new();
        for value in node.children_named("redact").flat_map(Node::values) {
            let name = value.text();
            if name.is_empty() || name.len() > REDACTED_BYTES_MAX || name.bytes().any(|byte| byte.is_ascii_control()) {
                self.error(
                    Code::BadName,
                    value.span,
                    "not a name to redact",
                    format!("expected a query key, cookie or header of at most {REDACTED_BYTES_MAX} bytes"),
                );
            } else if !self.repeated(&mut seen, name.to_ascii_lowercase(), value) {
                names.push(name.to_ascii_lowercase());
            }
            if names.len() > REDACTED_MAX {
                let message = format!("more than {REDACTED_MAX} names are redacted");
                self.error(Code::TooDeep, value.span, message, "the first that is too much");
                names.truncate(REDACTED_MAX);
                break;
            }
        }
        names
    }

    /// The parts of a line; every `{name}` is known here, or an error.
    fn log_template(&mut self, value: &Value, metrics: Option<Metrics>) -> Vec<LogPart> {
        let tokens = match tokens(value.text()) {
            Ok(tokens) => tokens,
            Err(at) => {
                self.diagnostics.push(brace_fault(value, at, self.sources));
                return Vec::new();
            }
        };
        let names = Names { patterns: &[], captures: &[], place: Place::Log };
        let mut parts = Vec::new();
        for token in tokens {
            match token {
                Token::Brace(brace) => push_log_text(&mut parts, brace.encode_utf8(&mut [0; 4])),
                Token::Text(text) => push_log_text(&mut parts, text),
                Token::Name(name, at) => match self.log_part(value, name, at, names) {
                    Ok(part) => parts.push(part),
                    Err(diagnostic) => self.diagnostics.push(diagnostic),
                },
            }
        }
        self.check_line(value, &parts, metrics);
        parts
    }

    fn log_part(&self, value: &Value, name: &str, at: usize, names: Names<'_>) -> Result<LogPart, Diagnostic> {
        match NAMES.iter().find(|(known, _)| *known == name) {
            Some((_, part)) => Ok(part.clone()),
            None => self.part(value, name, at, names).map(LogPart::Template),
        }
    }

    fn check_line(&mut self, value: &Value, parts: &[LogPart], metrics: Option<Metrics>) {
        let mut fault = |message: &str, label: &str| self.error(Code::BadLogLine, value.span, message, label);
        let ends_line = |letter: char| letter.is_control() && letter != '\t';
        let is_broken = |part: &LogPart| matches!(part, LogPart::Template(Part::Text(text)) if text.chars().any(ends_line));
        if value.text().is_empty() {
            fault("not a line of a log", "the template is empty");
        } else if parts.iter().any(is_broken) {
            fault("not a line of a log", "a control byte would end the line or hide in it");
        } else if parts.len() > PARTS_MAX {
            fault("not a line of a log", "more parts than a line may have: 64");
        } else if parts.iter().map(text_bytes).sum::<usize>() > TEXT_BYTES_MAX {
            fault("not a line of a log", "more text than a line may have: 4096 bytes");
        }
        if metrics.is_some_and(|metrics| !metrics.per_route.value) && parts.contains(&LogPart::Route) {
            fault("`{route}` is always empty", "`metrics` with `per-route=#false` tells no routes apart");
        }
    }

    pub(super) fn metrics(&mut self, node: &Node) -> Metrics {
        let metrics = inherit::metrics(node);
        if !metrics.per_vhost.value && !metrics.per_route.value {
            let diagnostic = Diagnostic::new(Code::Contradiction, node.span, "`metrics` that counts nothing");
            self.diagnostics.push(diagnostic.label("neither for vhosts nor for routes").help("leave the word out"));
        }
        metrics
    }

    /// A `log` where nothing is logged.
    pub(super) fn lint_log(&mut self, word: Option<&Node>) {
        let site = self.config.nodes.iter().find(|node| node.is("site"));
        let has_log = site.is_some_and(|site| site.child("access-log").is_some());
        if let Some(node) = word.filter(|_| !has_log) {
            let diagnostic = Diagnostic::new(Code::LogWithoutLog, node.span, "there is no access log");
            self.lints.push(diagnostic.label("changes nothing").note("`access-log \"stdout\"` in `site` writes one"));
        }
    }
}

fn text_bytes(part: &LogPart) -> usize {
    if let LogPart::Template(Part::Text(text)) = part { text.len() } else { 0 }
}

/// Why a log can't go there.
fn misplaced(path: &str, is_error_log: bool) -> Option<&'static str> {
    if path.is_empty() || path.bytes().any(|byte| byte.is_ascii_control()) {
        return Some("the path is empty or has a control byte");
    }
    match path {
        "off" => Some("nothing is written where the word is not"),
        "stdout" if is_error_log => Some("errors go to `\"stderr\"` or to a file"),
        _ if path.ends_with('/') => Some("expected the path of a file, not of a directory"),
        _ => None,
    }
}

/// Appends text; adjacent text is one part.
fn push_log_text(parts: &mut Vec<LogPart>, text: &str) {
    match parts.last_mut() {
        Some(LogPart::Template(Part::Text(last))) => last.push_str(text),
        _ => parts.push(LogPart::Template(Part::Text(text.to_owned()))),
    }
}
