//! `route`: its patterns, methods, guard, and what it does with encoded slashes.

use semantics::{
    method::{Method, Methods},
    pattern::{PARAMETERS_MAX, Pattern, PatternFault, PatternFaultKind},
};

use super::{Resolver, headers, inherit};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Action, EncodedSlash, HeaderRule, Route, Spanned},
    source::SourceMap,
};

impl Resolver<'_> {
    /// A route below the merged headers of its vhost; `None` where an error leaves nothing to go on with.
    pub(super) fn route(&mut self, node: &Node, outer: &[HeaderRule]) -> Option<Route> {
        self.lints.allow(node, node.extent, self.diagnostics);
        let patterns = self.patterns(node);
        let methods = node.child("methods").map(|node| Spanned { value: Methods::of(&self.methods(node)), span: node.span });
        let guard = node.child("when").map(|node| self.guard(node));
        let block = node.child("headers").map(|block| self.headers(block, &patterns));
        let headers = headers::merged(outer, block.as_ref());
        let action = self.action(node, &patterns)?;
        if let Some(methods) = methods.as_ref().filter(|_| matches!(action, Action::Files(_))) {
            self.check_file_methods(methods);
        }
        let encoded_slash = match node.child("path").and_then(|path| path.argument("mode")).map(Value::text) {
            Some("keep") => EncodedSlash::Keep,
            Some("raw") => EncodedSlash::Raw,
            _ => EncodedSlash::Refuse,
        };
        self.check_separators(&patterns, encoded_slash, &action);
        Some(Route {
            patterns,
            methods,
            guard,
            encoded_slash,
            action,
            headers,
            request_headers: Vec::new(),
            access: Vec::new(),
            cors: None,
            errors: Vec::new(),
            body_limit: inherit::body_limit(),
            span: node.span,
        })
    }

    /// A literal that is written with an escape which the route refuses: whoever asks for it is answered with 400.
    fn check_separators(&mut self, patterns: &[Spanned<Pattern>], encoded_slash: EncodedSlash, action: &Action) {
        let refused = match (encoded_slash, action) {
            (EncodedSlash::Keep | EncodedSlash::Raw, _) => return,
            (EncodedSlash::Refuse, Action::Files(_)) => &["%2F"][..],
            (EncodedSlash::Refuse, _) => &["%2F", "%5C"],
        };
        for pattern in patterns {
            let Some(escape) = refused.iter().find(|escape| pattern.value.text.contains(*escape)) else { continue };
            let message = format!("route `{}` can never be reached", pattern.value.text);
            let diagnostic = Diagnostic::new(Code::Unreachable, pattern.span, message);
            let diagnostic = diagnostic.label(format!("a path with `{escape}` is refused by this route with 400"));
            self.diagnostics.push(diagnostic.help("let the route take encoded separators: `path \"keep\"`"));
        }
    }

    fn check_file_methods(&mut self, methods: &Spanned<Methods>) {
        let others: Vec<&str> =
            methods.value.iter().filter(|method| !Methods::GET_HEAD.contains(*method)).filter_map(Method::name).collect();
        if !others.is_empty() {
            let message = format!("`files` does not take {}", others.join(", "));
            self.error(Code::MethodsNotTaken, methods.span, message, "`files` answers GET and HEAD only");
        }
    }
}

/// What is wrong with a pattern, at its place in the text.
pub(super) fn pattern_fault(value: &Value, fault: &PatternFault, sources: &SourceMap) -> Diagnostic {
    let text = value.text();
    let span = if fault.length == 0 { value.span } else { value.part(sources, fault.at, fault.length) };
    let diagnostic = Diagnostic::new(Code::BadPattern, span, format!("`{}` is not a route pattern", text.escape_debug()));
    match fault.kind {
        PatternFaultKind::BadEscape => diagnostic.label("not a valid escape: `%` and two hexadecimal digits, and never `%00`"),
        PatternFaultKind::BadName => diagnostic.label("a parameter's name is lower-case letters, digits, `-` and `_`"),
        PatternFaultKind::DotSegment => diagnostic.label("dot segments are resolved before a route is chosen: no path has one"),
        PatternFaultKind::EmptySegment => {
            diagnostic.label("repeated slashes are merged before a route is chosen: no path has an empty segment here")
        }
        PatternFaultKind::MixedSegment => mixed_segment(diagnostic, text.get(fault.at..fault.at + fault.length).unwrap_or_default()),
        PatternFaultKind::NoLeadingSlash => {
            let diagnostic = diagnostic.label("a pattern begins with `/`");
            if text.starts_with(['~', '^']) {
                diagnostic.help("patterns are no regular expressions")
            } else {
                diagnostic.help(format!("write `\"/{}\"`", text.escape_debug()))
            }
        }
        PatternFaultKind::NotAscii => diagnostic.label("write it percent-encoded"),
        PatternFaultKind::RepeatedName => diagnostic.label("two parameters have this name"),
        PatternFaultKind::RestNotLast => {
            diagnostic.label("the rest can only be the last segment").help("`{name}` stands for one segment in the middle")
        }
        PatternFaultKind::TooManyParameters => diagnostic.label(format!("more than {PARAMETERS_MAX} parameters")),
    }
}

fn mixed_segment(diagnostic: Diagnostic, segment: &str) -> Diagnostic {
    let diagnostic = diagnostic.label("a segment is a literal, a `{parameter}`, or, last only, `*` or `{rest*}`");
    if segment.starts_with("*.") {
        return diagnostic.help(format!(
            "to choose by extension, write `\"/*\"` and a guard: `when {{ extension \"{}\" }}`",
            segment.trim_start_matches("*.")
        ));
    }
    if segment.ends_with('*') {
        return diagnostic.help("a prefix ends with its segment: `\"/docs/*\"` also takes `/docs`");
    }
    diagnostic
}
