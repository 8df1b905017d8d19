//! The one action of a route or of a share.

use semantics::pattern::Pattern;

use super::{
    Resolver, inherit,
    template::{Names, Place},
};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Action, Part, Spanned, Template},
    schema::ACTIONS,
    source::Span,
};

/// Statuses of a redirect that tells a client where to go (RFC 9110 §15.4); 304 answers conditional requests, 305 and 306 are history.
const REDIRECTS: [i64; 6] = [300, 301, 302, 303, 307, 308];

/// Statuses whose answers have no content (RFC 9110 §15.3.5, §15.3.6, §15.4.5).
const BODILESS: [u16; 3] = [204, 205, 304];

impl Resolver<'_> {
    pub(super) fn action(&mut self, route: &Node, names: Names<'_>) -> Option<Action> {
        let noun = route.word.name;
        let mut actions = route.children.iter().filter(|node| ACTIONS.contains(&node.word.name));
        let Some(first) = actions.next() else {
            let diagnostic = Diagnostic::new(Code::MissingAction, route.span, format!("this {noun} has no action"))
                .label("does nothing with its requests");
            let list = "`respond`, `redirect`, `refuse`, `abort`, `files`, `rewrite`";
            let list = if noun == "route" { format!("{list}, `split`") } else { list.to_owned() };
            self.diagnostics.push(diagnostic.help(format!("a {noun} has exactly one of {list}")));
            return None;
        };
        for second in actions {
            let diagnostic =
                Diagnostic::new(Code::ActionTwice, second.span, format!("this {noun} has two actions")).label("a second action");
            self.diagnostics.push(diagnostic.secondary(first.span, "the first one"));
        }
        match first.word.name {
            "abort" => Some(Action::Abort),
            "files" => self.files(first).map(Action::Files),
            "redirect" => self.redirect(route, first, names),
            "refuse" => {
                let status = self.status(first.argument("status"), inherit::REFUSE_STATUS, "`refuse` takes 400 to 599", |status| {
                    (400..=599).contains(&status)
                });
                Some(Action::Refuse { status })
            }
            "respond" => Some(self.respond(first, names)),
            "rewrite" => self.rewrite(first, names),
            "split" => Some(self.split(first, names)),
            word => unreachable!("bug in kiln: the schema has an action `{word}` that resolve does not know"),
        }
    }

    pub(super) fn status(&mut self, written: Option<&Value>, default: &str, expected: &str, takes: impl Fn(i64) -> bool) -> u16 {
        if let Some(value) = written.filter(|value| !takes(value.integer())) {
            self.error(Code::BadStatus, value.span, format!("{} is not a status for this word", value.integer()), expected);
        }
        inherit::status(written, default)
    }

    fn respond(&mut self, node: &Node, names: Names<'_>) -> Action {
        let status = self
            .status(node.argument("status"), inherit::RESPOND_STATUS, "`respond` takes 200 to 599", |status| (200..=599).contains(&status));
        let written = node.argument("body");
        if let Some(body) = written.filter(|_| BODILESS.contains(&status)) {
            self.error(Code::BodyNotAllowed, body.span, format!("an answer with status {status} has no body"), "would never be sent");
        }
        let body = match written {
            None => {
                if let Some(template) = node.property("template").filter(|value| value.bool()) {
                    self.error(
                        Code::MissingArgument,
                        template.span,
                        "`respond` needs a body to be a template",
                        "there is no text to insert values in",
                    );
                }
                Template::default()
            }
            Some(body) if node.is_set("template") => self.template(body, Names { place: Place::Body, ..names }),
            Some(body) => text(body.text()),
        };
        let content_type = node.property("content-type").map(|value| {
            self.header_value(value.text(), value.span);
            value.text().to_owned()
        });
        Action::Respond { status, body, content_type }
    }

    fn redirect(&mut self, route: &Node, node: &Node, names: Names<'_>) -> Option<Action> {
        let written = node.argument("target")?;
        let expected = "`redirect` takes 300, 301, 302, 303, 307 and 308";
        let status = self.status(node.property("status"), inherit::REDIRECT_STATUS, expected, |status| REDIRECTS.contains(&status));
        let errors = self.diagnostics.errors();
        let target = self.template(written, Names { place: Place::Target, ..names });
        // A template with errors has lost parts.
        if self.diagnostics.errors() == errors {
            self.check_target(written, &target);
        }
        self.lint_loop(route, written, &target, names.patterns);
        Some(Action::Redirect { target, status, drops_query: node.property("query").is_some() })
    }

    /// A GET of the route that is answered with the route's own path.
    fn lint_loop(&mut self, route: &Node, written: &Value, target: &Template, patterns: &[Spanned<Pattern>]) {
        let takes_get = route.child("methods").is_none_or(|methods| methods.values().any(|method| method.text() == "GET"));
        if let [Part::Text(text)] = target.parts.as_slice()
            && takes_get
            && route.child("when").is_none()
            && patterns.iter().any(|pattern| pattern.value.text == *text)
        {
            let diagnostic = Diagnostic::new(Code::RedirectToItself, written.span, format!("`{text}` leads back to this route"));
            self.lints.push(diagnostic.label("the route takes this very path"));
        }
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

    /// Checks text that becomes part of a header line.
    pub(super) fn header_value(&mut self, text: &str, span: Span) {
        let label = if text.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
            "control bytes would break the header's line"
        } else if !text.is_ascii() {
            "text outside of ASCII is not read the same by all clients"
        } else if text.trim_matches([' ', '\t']) != text {
            "spaces at the ends are not part of a header's value"
        } else {
            return;
        };
        self.error(Code::BadHeaderValue, span, "not a header value", label);
    }
}

/// Text that is no template.
fn text(text: &str) -> Template {
    let parts = if text.is_empty() { Vec::new() } else { vec![Part::Text(text.to_owned())] };
    Template { parts }
}

/// RFC 3986 §3.1.
pub(super) fn has_scheme(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    };
    text.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme))
}
