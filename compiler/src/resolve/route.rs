//! `route`: its patterns, methods, guard, and what it does with encoded slashes.

use semantics::{
    method::{Method, Methods},
    pattern::{PARAMETERS_MAX, Pattern, PatternFault, PatternFaultKind},
};

use super::{
    Resolver,
    group::{Around, Own},
    policy::Policies,
    template::{Names, Place},
};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Action, EncodedSlash, Guard, Route, Spanned},
    source::SourceMap,
};

impl Resolver<'_> {
    /// A route and what stands around it; `None` where an error leaves nothing to go on with.
    pub(super) fn route(&mut self, node: &Node, around: &Around) -> Option<Route> {
        self.lints.allow(node, node.extent, self.diagnostics);
        let Own { patterns, guard, methods, encoded_slash } = self.own(node, around);
        let captures = self.captures(node, guard.as_ref(), &patterns);
        let names = Names { patterns: &patterns, captures: &captures, place: Place::HeaderValue };
        let policies = self.policies(node, &around.policies, names);
        let takes_get = methods.as_ref().is_none_or(|methods| methods.value.contains(Method::GET));
        let action = self.action(node, names, takes_get && guard.is_none())?;
        if let Some(methods) = methods.as_ref().filter(|_| action.methods() == Methods::GET_HEAD) {
            self.check_file_methods(methods);
        }
        self.check_separators(&patterns, encoded_slash, &action);
        self.check_raw(&action, encoded_slash);
        let Policies { headers, request_headers, upstream_headers, access, cors, encoding, errors, body_limit, is_logged } = policies;
        Some(Route {
            patterns,
            methods,
            guard,
            encoded_slash,
            action,
            headers,
            request_headers,
            upstream_headers,
            access,
            cors,
            encoding,
            errors,
            body_limit,
            is_logged,
            span: node.span,
        })
    }

    /// The named groups of the regexes that must hold, which are parameters behind those of the patterns.
    fn captures(&mut self, node: &Node, guard: Option<&Guard>, patterns: &[Spanned<Pattern>]) -> Vec<String> {
        let mut names = Vec::new();
        collect_groups(guard, &mut names);
        if names.is_empty() {
            return names;
        }
        let span = node.child("when").map_or(node.span, |when| when.extent);
        let has = |pattern: &Spanned<Pattern>, name: &String| pattern.value.parameters.iter().flatten().any(|known| known == name);
        let pattern_of = |name: &String| patterns.iter().find(|pattern| has(pattern, name));
        let twice = names.iter().enumerate().find(|(index, name)| pattern_of(name).is_some() || names[..*index].contains(name));
        if let Some((_, name)) = twice {
            let diagnostic = Diagnostic::new(Code::BadCapture, span, format!("two parameters of this route are called `{name}`"));
            let diagnostic = diagnostic.label("a named group of a regex is a parameter");
            self.diagnostics.push(match pattern_of(name) {
                Some(pattern) => diagnostic.secondary(pattern.span, "the pattern has it as well"),
                None => diagnostic,
            });
        }
        let most = patterns.iter().map(|pattern| pattern.value.parameters.len()).max().unwrap_or_default();
        if most + names.len() > PARAMETERS_MAX {
            let message = format!("this route has more than {PARAMETERS_MAX} parameters");
            self.error(Code::BadCapture, span, message, format!("{most} of the pattern and {} of regexes", names.len()));
        }
        names
    }

    /// A literal that is written with an escape which the route refuses: whoever asks for it is answered with 400.
    fn check_separators(&mut self, patterns: &[Spanned<Pattern>], encoded_slash: EncodedSlash, action: &Action) {
        let refused = match (encoded_slash, action) {
            (EncodedSlash::Keep | EncodedSlash::Raw, _) => return,
            (EncodedSlash::Refuse, action) if action.is_files() => &["%2F"][..],
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

fn collect_groups(guard: Option<&Guard>, names: &mut Vec<String>) {
    match guard {
        Some(Guard::All(guards)) => guards.iter().for_each(|inner| collect_groups(Some(inner), names)),
        Some(Guard::Regex(regex)) => names.extend(regex.groups.iter().cloned()),
        _ => {}
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
