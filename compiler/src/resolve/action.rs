//! The one action of a route or of a share.

use super::{
    Resolver, inherit,
    template::{Names, Place},
};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Action, Defaulted, Part, Template},
    schema::ACTIONS,
    source::Span,
};

/// Statuses whose answers have no content (RFC 9110 §15.3.5, §15.3.6, §15.4.5).
const BODILESS: [u16; 3] = [204, 205, 304];

impl Resolver<'_> {
    /// `is_sure`: every GET for a path of the route's patterns gets here.
    pub(super) fn action(&mut self, route: &Node, names: Names<'_>, is_sure: bool) -> Option<Action> {
        let noun = route.word.name;
        let mut actions = route.children.iter().filter(|node| ACTIONS.contains(&node.word.name));
        let Some(first) = actions.next() else {
            let diagnostic = Diagnostic::new(Code::MissingAction, route.span, format!("this {noun} has no action"))
                .label("does nothing with its requests");
            let list = "`respond`, `redirect`, `refuse`, `abort`, `files`, `proxy`";
            let list = match noun {
                "on" => list.to_owned(),
                "route" => format!("{list}, `rewrite`, `split`"),
                _ => format!("{list}, `rewrite`"),
            };
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
            "files" => self.files(first, names).map(Action::Files),
            "proxy" => self.proxy(first, names).map(|proxy| Action::Proxy(Box::new(proxy))),
            "redirect" => self.redirect(first, names, is_sure),
            "refuse" => {
                let status = self.status(first.argument("status"), inherit::REFUSE_STATUS, "`refuse` takes 400 to 599", |status| {
                    (400..=599).contains(&status)
                });
                Some(Action::Refuse { status })
            }
            "respond" => Some(self.respond(first, names)),
            "rewrite" => {
                self.check_restart(first);
                self.rewrite(first, names)
            }
            "split" => Some(self.split(first, names, is_sure)),
            word => unreachable!("bug in kiln: the schema has an action `{word}` that resolve does not know"),
        }
    }

    /// A request that was sent on has been matched for good.
    fn check_restart(&mut self, node: &Node) {
        if let Some(outer) = self.intercepting {
            let diagnostic = Diagnostic::new(Code::MisplacedWord, node.span, "`rewrite` does not stand in `intercept`");
            self.diagnostics.push(diagnostic.label("an answer has come: matching is over").secondary(outer, "in this one"));
        }
    }

    pub(super) fn status(&mut self, written: Option<&Value>, default: &str, expected: &str, takes: impl Fn(i64) -> bool) -> Defaulted<u16> {
        if let Some(value) = written.filter(|value| !takes(value.integer())) {
            self.error(Code::BadStatus, value.span, format!("{} is not a status for this word", value.integer()), expected);
        }
        inherit::status(written, default)
    }

    fn respond(&mut self, node: &Node, names: Names<'_>) -> Action {
        let status = self
            .status(node.argument("status"), inherit::RESPOND_STATUS, "`respond` takes 200 to 599", |status| (200..=599).contains(&status));
        let written = node.argument("body");
        if let Some(body) = written.filter(|_| BODILESS.contains(&status.value)) {
            self.error(
                Code::BodyNotAllowed,
                body.span,
                format!("an answer with status {} has no body", status.value),
                "would never be sent",
            );
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
