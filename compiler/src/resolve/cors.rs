//! `cors`: what scripts of other origins may ask for; an inner policy takes the place of an outer one.

use std::collections::BTreeSet;

use semantics::cors;

use super::{Resolver, headers::header_name};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Allowed, Cors, Origins},
    source::Span,
};

impl Resolver<'_> {
    pub(super) fn cors(&mut self, block: &Node) -> Cors {
        let credentials = block.child("credentials").map(|node| node.span);
        let origins = block.child("origin").map_or(Origins::Any, |node| self.origins(node, credentials));
        let methods = match block.child("methods") {
            Some(node) if is_any(node) => Allowed::Any,
            Some(node) => Allowed::Listed(self.methods(node).iter().filter_map(|method| method.name()).map(str::to_owned).collect()),
            None => Allowed::Listed(Vec::new()),
        };
        let exposed = self.names(block.child("expose"));
        if let (Some(credentials), Some(expose), Allowed::Any) = (credentials, block.child("expose"), &exposed) {
            self.for_all(expose.span, credentials, "with credentials `*` is the name of a header");
        }
        let max_age = block.child("max-age").and_then(|node| node.argument("duration"));
        let max_age_s = max_age.map(|value| u32::try_from(value.duration().as_secs()).unwrap_or(u32::MAX));
        Cors { origins, methods, headers: self.names(block.child("headers")), exposed, max_age_s, span: block.span }
    }

    fn origins(&mut self, node: &Node, credentials: Option<Span>) -> Origins {
        if is_any(node) {
            if let Some(credentials) = credentials {
                self.for_all(node.span, credentials, "every site could read what its visitors may see here");
            }
            return Origins::Any;
        }
        let mut seen = BTreeSet::new();
        let mut origins = Vec::new();
        for value in node.values() {
            if !cors::is_origin(value.text()) {
                let diagnostic = bad_origin(value);
                self.diagnostics.push(diagnostic);
            } else if !self.repeated(&mut seen, value.text(), value) {
                origins.push(value.text().to_owned());
            }
        }
        Origins::Listed { origins, has_credentials: credentials.is_some() }
    }

    /// Names of headers, or `*`; without the word none.
    fn names(&mut self, node: Option<&Node>) -> Allowed {
        let Some(node) = node else { return Allowed::Listed(Vec::new()) };
        if is_any(node) {
            return Allowed::Any;
        }
        let mut seen = BTreeSet::new();
        let mut names = Vec::new();
        for value in node.values() {
            match header_name(value, self.sources) {
                Ok(name) if self.repeated(&mut seen, name.clone(), value) => {}
                Ok(name) => names.push(name),
                Err(diagnostic) => self.diagnostics.push(diagnostic),
            }
        }
        Allowed::Listed(names)
    }

    fn for_all(&mut self, span: Span, credentials: Span, label: &str) {
        let diagnostic = Diagnostic::new(Code::CredentialsForAll, span, "credentials do not go with `*`").label(label);
        self.diagnostics.push(diagnostic.secondary(credentials, "allowed here").help("name each one"));
    }
}

/// `*` alone; beside others it is a faulty name among them.
fn is_any(node: &Node) -> bool {
    node.values().map(Value::text).eq(["*"])
}

fn bad_origin(value: &Value) -> Diagnostic {
    let text = value.text();
    let diagnostic = Diagnostic::new(Code::BadOrigin, value.span, format!("`{}` is not an origin", text.escape_debug()));
    let lower = text.to_ascii_lowercase();
    let trimmed = lower.trim_end_matches('/');
    let plain = trimmed.strip_prefix("https://").and_then(|rest| rest.strip_suffix(":443")).map(|host| format!("https://{host}"));
    let plain =
        plain.or_else(|| trimmed.strip_prefix("http://").and_then(|rest| rest.strip_suffix(":80")).map(|host| format!("http://{host}")));
    let meant = plain.unwrap_or_else(|| if trimmed.contains("://") { trimmed.to_owned() } else { format!("https://{trimmed}") });
    match text {
        "*" => diagnostic.label("`*` stands alone: it is every origin"),
        "null" => diagnostic.label("any page in a sandbox has this origin"),
        _ if cors::is_origin(&meant) => {
            diagnostic.label("never sent by a browser in this form").help(format!("browsers send `\"{meant}\"`"))
        }
        _ => diagnostic.label("expected scheme and host, and the port where it is not the scheme's, such as `https://partner.example`"),
    }
}
