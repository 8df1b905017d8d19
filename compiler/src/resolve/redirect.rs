//! `redirect`: where a client is sent, and where it may not be sent by mistake.

use semantics::pattern::Pattern;

use super::{
    Resolver, inherit,
    template::{Names, Place},
};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Action, Part, Spanned, Template},
};

/// Statuses of a redirect that tells a client where to go (RFC 9110 §15.4); 304 answers conditional requests, 305 and 306 are history.
const REDIRECTS: [i64; 6] = [300, 301, 302, 303, 307, 308];

impl Resolver<'_> {
    pub(super) fn redirect(&mut self, node: &Node, names: Names<'_>, is_sure: bool) -> Option<Action> {
        let written = node.argument("target")?;
        let expected = "`redirect` takes 300, 301, 302, 303, 307 and 308";
        let status = self.status(node.property("status"), inherit::REDIRECT_STATUS, expected, |status| REDIRECTS.contains(&status));
        let errors = self.diagnostics.errors();
        let target = self.template(written, Names { place: Place::Target, ..names });
        // A template with errors has lost parts.
        if self.diagnostics.errors() == errors {
            self.check_target(written, &target);
            self.lint_open(written, &target, names.patterns);
        }
        if is_sure {
            self.lint_loop(written, &target, names.patterns);
        }
        Some(Action::Redirect { target, status, drops_query: node.property("query").is_some() })
    }

    /// A GET of the route that is answered with the route's own path.
    fn lint_loop(&mut self, written: &Value, target: &Template, patterns: &[Spanned<Pattern>]) {
        if let [Part::Text(text)] = target.parts.as_slice()
            && patterns.iter().any(|pattern| pattern.value.text == *text)
        {
            let diagnostic = Diagnostic::new(Code::RedirectToItself, written.span, format!("`{text}` leads back to this route"));
            self.lints.push(diagnostic.label("the route takes this very path"));
        }
    }

    /// A target whose host is what the request says.
    fn lint_open(&mut self, written: &Value, target: &Template, patterns: &[Spanned<Pattern>]) {
        let parts = target.parts.as_slice();
        let label = match parts {
            [Part::Text(text), ..] if text.starts_with("//") => "begins with a host, though it looks like a path",
            [first, ..] if is_chosen(first) => "begins with what the request says, which may be another host",
            _ if chooses_host(authority(parts), patterns) => "what the request says is part of the host",
            _ => return,
        };
        let diagnostic = Diagnostic::new(Code::OpenRedirect, written.span, "this redirect may lead to another host").label(label);
        self.lints.push(diagnostic);
    }

    fn check_target(&mut self, written: &Value, target: &Template) {
        let mut fault = |label: &str| self.error(Code::BadTarget, written.span, "not a redirect target", label);
        let is_plain = |part: &Part| !matches!(part, Part::Text(text) if !text.bytes().all(|byte| byte.is_ascii_graphic()));
        match target.parts.first() {
            None => fault("the target is empty"),
            Some(_) if !target.parts.iter().all(is_plain) => {
                fault("spaces, control bytes and text outside of ASCII are written percent-encoded")
            }
            Some(Part::Text(text)) if text.starts_with(['/', '?', '#']) || has_scheme(text) => {}
            Some(Part::Text(_)) => fault("expected a path that begins with `/`, or a URL with its scheme"),
            Some(_) => {}
        }
    }
}

/// Whoever makes a link chooses it, and it need not begin with `/`.
const fn is_chosen(part: &Part) -> bool {
    match part {
        Part::Cookie(_) | Part::Header(_) | Part::Parameter(_) | Part::Query | Part::QueryValue(_) => true,
        // Paths in normal form begin with one slash; a client names the host it asks; the others are the site's or the server's own.
        Part::ClientIp
        | Part::Host
        | Part::Late(_)
        | Part::Map(_)
        | Part::Method
        | Part::Path
        | Part::RequestId
        | Part::Scheme
        | Part::Status
        | Part::Target
        | Part::Text(_) => false,
    }
}

/// The parts of a URL with a scheme behind its `://`, up to the one in which its path begins.
fn authority(parts: &[Part]) -> &[Part] {
    let start = parts.iter().take(2).position(|part| matches!(part, Part::Text(text) if text.contains("://")));
    let ends_there = |text: &str| text.split_once("://").is_some_and(|(_, rest)| rest.contains(['/', '?', '#']));
    let behind = match start {
        Some(at) if !matches!(&parts[at], Part::Text(text) if ends_there(text)) => &parts[at + 1..],
        Some(_) | None => &[],
    };
    let ends = |part: &Part| match part {
        Part::Path | Part::Target => true,
        Part::Text(text) => text.contains(['/', '?', '#']),
        _ => false,
    };
    let end = behind.iter().position(ends).map_or(behind.len(), |at| at + 1);
    &behind[..end]
}

/// One segment of the path before a domain of the site's is a name in that domain: it can't end the host, as other values can.
fn chooses_host(authority: &[Part], patterns: &[Spanned<Pattern>]) -> bool {
    let is_segment = |name: &str| {
        let segment = format!("{{{name}}}");
        !patterns.is_empty() && patterns.iter().all(|pattern| pattern.value.text.split('/').any(|known| known == segment))
    };
    let is_below = |part: &Part, next: Option<&Part>| match (part, next) {
        (Part::Parameter(name), Some(Part::Text(domain))) => domain.starts_with('.') && is_segment(name),
        _ => false,
    };
    (0..authority.len()).any(|at| is_chosen(&authority[at]) && !is_below(&authority[at], authority.get(at + 1)))
}

/// RFC 3986 §3.1.
pub(super) fn has_scheme(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    };
    text.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme))
}
