//! `regex` in `when`: each regex is built once, and refused where it could not be matched in bounded room.

use std::collections::BTreeMap;

use semantics::regexes::{self, RegexFault};

use super::Resolver;
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{BuiltRegex, Guard, Regex},
};

/// What each regex was built to, by its text; `None` where it was refused.
pub(super) type Regexes = BTreeMap<String, Option<BuiltRegex>>;

impl Resolver<'_> {
    /// Several regexes of one node: any.
    pub(super) fn regex_guard(&mut self, node: &Node, may_capture: bool) -> Guard {
        let may_capture = may_capture && node.arguments.len() == 1;
        let mut guards: Vec<Guard> = node.values().filter_map(|value| self.regex(value, may_capture)).map(Guard::Regex).collect();
        if guards.len() == 1 { guards.remove(0) } else { Guard::Any(guards) }
    }

    fn regex(&mut self, value: &Value, may_capture: bool) -> Option<Regex> {
        let text = value.text();
        if !self.regexes.contains_key(text) {
            let built = self.built(value);
            self.regexes.insert(text.to_owned(), built);
        }
        let groups = match self.regexes.get(text)?.as_ref()? {
            BuiltRegex::Capturing(capture) => capture.names.clone(),
            BuiltRegex::Matching(_) => Vec::new(),
        };
        if let Some(name) = groups.first().filter(|_| !may_capture) {
            let diagnostic = Diagnostic::new(Code::BadCapture, value.span, format!("the group `{name}` has no value in every request"));
            let diagnostic = diagnostic.label("one of several conditions, or below `not`");
            self.diagnostics.push(diagnostic.help("write `(?:..)` for a group without a name, or the regex as a condition of its own"));
        }
        Some(Regex { text: text.to_owned(), groups })
    }

    fn built(&mut self, value: &Value) -> Option<BuiltRegex> {
        let text = value.text();
        // Without names nobody uses its groups: it need not be one-pass.
        let capturing = if may_have_name(text) { regexes::build_capturing(text) } else { Err(RegexFault::NoNamedGroup) };
        let built = match capturing {
            Ok(capture) => Ok(BuiltRegex::Capturing(capture)),
            Err(RegexFault::NoNamedGroup) => regexes::build(text).map(BuiltRegex::Matching),
            Err(fault) => Err(fault),
        };
        match built {
            Ok(built) => Some(built),
            Err(fault) => {
                let diagnostic = self.regex_fault(value, &fault);
                self.diagnostics.push(diagnostic);
                None
            }
        }
    }

    fn regex_fault(&self, value: &Value, fault: &RegexFault) -> Diagnostic {
        let diagnostic = |span, message: &str| Diagnostic::new(Code::BadRegex, span, message.to_owned());
        match fault {
            RegexFault::NoNamedGroup => unreachable!("bug in kiln: a regex without names was refused for having none"),
            RegexFault::NotAscii(at) => {
                let length = value.text().get(*at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
                diagnostic(value.part(self.sources, *at, length), "this regex can't match a path")
                    .label("a path in normal form is ASCII: write it percent-encoded")
            }
            RegexFault::NotOnePass(reason) => diagnostic(value.span, "the groups of this regex can't be told apart in one pass")
                .label(reason.clone())
                .help("anchor it with `^` and `$`, and end each group with a character that can't be in it; or write `(?:..)` for groups without a name"),
            RegexFault::Syntax(message) => {
                let reason = message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                diagnostic(value.span, "this is not a regex").label(reason)
            }
            RegexFault::TooLarge(limit) => {
                let limit = parse_size(*limit);
                diagnostic(value.span, "this regex is too large").label(format!("it needs more than {limit}")).help("use smaller counts in `{..}`")
            }
            RegexFault::TooManyGroups => diagnostic(value.span, "this regex has too many groups")
                .label("more than 16, those without a name counted")
                .help("write `(?:..)` for groups without a name"),
            RegexFault::Unicode(at) => diagnostic(value.part(self.sources, *at, 1), "this regex can't match a path")
                .label("the flag `u` has no meaning: a path in normal form is ASCII"),
        }
    }
}

fn parse_size(bytes: usize) -> String {
    crate::parse::value::written_size(bytes as u64)
}

/// Whether it has the beginning of a `(?<name>` or `(?P<name>`, which may also be a text that is optional and a `<`.
fn may_have_name(text: &str) -> bool {
    text.contains("?P<") || text.contains("?<")
}
