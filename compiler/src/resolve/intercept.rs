//! `intercept`: answers of an upstream whose place something else takes.

use std::collections::BTreeMap;

use semantics::{edits, mime};

use super::{Resolver, headers::header_name, inherit, template::Names};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Intercept, Intercepted, Intercepting, Page, Text},
    source::Span,
};

/// What the words of one block hold for, and where that is said.
#[derive(Default)]
struct Taken {
    headers: BTreeMap<String, Span>,
    statuses: BTreeMap<u16, Span>,
}

impl Resolver<'_> {
    /// In the order they are asked.
    pub(super) fn intercepts(&mut self, block: &Node, names: Names<'_>) -> Vec<Intercept> {
        if let Some(outer) = self.intercepting {
            let diagnostic = Diagnostic::new(Code::TooDeep, block.span, "an answer that took an answer's place is intercepted");
            self.diagnostics.push(diagnostic.label("one of them is enough").secondary(outer, "the outer one"));
            return Vec::new();
        }
        self.intercepting = Some(block.span);
        let mut taken = Taken::default();
        let found = block.children.iter().map(|node| match node.word.name {
            "accel" => self.accel(node, &mut taken),
            "on" => self.intercept_action(node, names, &mut taken),
            _ => self.intercept_page(node, &mut taken),
        });
        let (headers, statuses): (Vec<_>, Vec<_>) =
            found.flatten().partition(|intercept| matches!(intercept.when, Intercepting::Header(_)));
        self.intercepting = None;
        headers.into_iter().chain(statuses).collect()
    }

    fn accel(&mut self, node: &Node, taken: &mut Taken) -> Option<Intercept> {
        let header = node.property("header");
        let name = match header {
            None => inherit::ACCEL_HEADER.to_owned(),
            Some(header) => self.intercepted_header(header)?,
        };
        self.take(taken.headers.insert(name.clone(), node.span), &name, node.span);
        let root = node.property("root")?;
        if root.late().is_none() && (root.text().is_empty() || root.text().contains('\0')) {
            self.error(Code::MissingDirectory, root.span, "not a directory", "the path is empty or has a zero byte");
        }
        let root: Text = self.text_or_late(node, root);
        Some(Intercept { when: Intercepting::Header(name), then: Intercepted::Accel { root }, span: node.span })
    }

    fn intercept_action(&mut self, node: &Node, names: Names<'_>, taken: &mut Taken) -> Option<Intercept> {
        let header = node.property("header");
        let statuses: Vec<&Value> = node.values().collect();
        let when = match (header, statuses.as_slice()) {
            (Some(header), []) => self.intercepted_header(header).map(Intercepting::Header),
            (None, [_, ..]) => Some(Intercepting::Statuses(self.intercepted_statuses(node, 200, taken))),
            (header, _) => {
                let message = if header.is_some() { "`on` takes statuses or a header" } else { "`on` needs statuses or a header" };
                let code = if header.is_some() { Code::Contradiction } else { Code::MissingArgument };
                self.error(code, node.span, message, "expected `on 404 410 { .. }`, or `on header=\"x-fallback\" { .. }`");
                None
            }
        };
        if let Some(Intercepting::Header(name)) = &when {
            self.take(taken.headers.insert(name.clone(), node.span), name, node.span);
        }
        let action = self.action(node, names, false)?;
        Some(Intercept { when: when?, then: Intercepted::Action(Box::new(action)), span: node.span })
    }

    fn intercept_page(&mut self, node: &Node, taken: &mut Taken) -> Option<Intercept> {
        let when = Intercepting::Statuses(self.intercepted_statuses(node, 400, taken));
        let file = node.property("file")?;
        let body = self.page(file)?;
        let page = Page { file: file.text().to_owned(), content_type: mime::content_type(file.text()).to_owned(), body };
        Some(Intercept { when, then: Intercepted::Page(page), span: node.span })
    }

    fn intercepted_header(&mut self, value: &Value) -> Option<String> {
        let name = match header_name(value, self.sources) {
            Ok(name) => name,
            Err(diagnostic) => {
                self.diagnostics.push(diagnostic);
                return None;
            }
        };
        if edits::is_reserved(&name) {
            self.error(Code::ReservedHeader, value.span, format!("`{name}` is read by the engine"), "decides nothing here");
            return None;
        }
        Some(name)
    }

    /// The statuses of a word, from `first` on.
    fn intercepted_statuses(&mut self, node: &Node, first: i64, taken: &mut Taken) -> Vec<u16> {
        let mut statuses = Vec::new();
        for value in node.values() {
            let status = value.integer();
            if !(first..=599).contains(&status) {
                self.error(
                    Code::BadStatus,
                    value.span,
                    format!("{status} is not a status for this word"),
                    format!("`{}` takes {first} to 599", node.word.name),
                );
                continue;
            }
            let status = status as u16;
            let earlier = taken.statuses.insert(status, value.span);
            self.take(earlier, &status.to_string(), value.span);
            statuses.push(status);
        }
        statuses
    }

    fn take(&mut self, earlier: Option<Span>, what: &str, span: Span) {
        if let Some(earlier) = earlier {
            let diagnostic = Diagnostic::new(Code::RepeatedValue, span, format!("`{what}` is intercepted twice"));
            self.diagnostics.push(diagnostic.label("for the second time").secondary(earlier, "for the first time"));
        }
    }
}
