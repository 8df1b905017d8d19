//! Template text to typed parts: every `{name}` is known here, or an error.

use semantics::{
    pattern::Pattern,
    template::{Token, tokens},
};

use super::{Resolver, log};
use crate::{
    ast::Value,
    diagnostic::{Code, Diagnostic},
    model::{Part, Spanned, Template},
    schema::nearest::nearest,
    source::SourceMap,
};

/// Names without a suffix.
const PLAIN: [&str; 9] = ["client-ip", "host", "method", "path", "query", "request-id", "scheme", "status", "target"];

/// Names of later versions: whole, or before the dot.
const LATER: [&str; 3] = ["cache-status", "response", "upstream"];

/// What a template may name beside the values of every request.
#[derive(Clone, Copy)]
pub(super) struct Names<'p> {
    /// Those of the route: a parameter must be one of each. Empty outside of routes.
    pub patterns: &'p [Spanned<Pattern>],
    /// The named groups of the route's regexes.
    pub captures: &'p [String],
    pub place: Place,
}

/// Where a template stands.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Place {
    Body,
    HeaderValue,
    Log,
    MapFrom,
    SplitBy,
    Target,
}

impl Place {
    /// As a message says it.
    const fn title(self) -> &'static str {
        match self {
            Self::Body => "a body",
            Self::HeaderValue => "a header value",
            Self::Log => "a line of the log",
            Self::MapFrom => "the key of a map",
            Self::SplitBy => "the key of a split",
            Self::Target => "a target",
        }
    }
}

impl Resolver<'_> {
    pub(super) fn template(&mut self, value: &Value, names: Names<'_>) -> Template {
        let mut template = Template::default();
        let tokens = match tokens(value.text()) {
            Ok(tokens) => tokens,
            Err(at) => {
                self.diagnostics.push(brace_fault(value, at, self.sources));
                return template;
            }
        };
        for token in tokens {
            match token {
                Token::Brace(brace) => push_text(&mut template, brace.encode_utf8(&mut [0; 4])),
                Token::Text(text) => push_text(&mut template, text),
                Token::Name(name, at) => {
                    if let Some(name) = name.strip_prefix("map.").and_then(|name| self.tables.find(name))
                        && names.place == Place::Target
                    {
                        self.tables.goes_into_target(name, template.parts.is_empty());
                    }
                    match self.part(value, name, at, names) {
                        Ok(part) => template.parts.push(part),
                        Err(diagnostic) => self.diagnostics.push(diagnostic),
                    }
                }
            }
        }
        template
    }

    /// The value that a name stands for.
    pub(super) fn part(&self, value: &Value, name: &str, at: usize, names: Names<'_>) -> Result<Part, Diagnostic> {
        let is_capture = names.captures.iter().any(|capture| capture == name);
        if is_capture || (!names.patterns.is_empty() && names.patterns.iter().all(|pattern| has_parameter(pattern, name))) {
            return Ok(Part::Parameter(name.to_owned()));
        }
        match name {
            "client-ip" => return Ok(Part::ClientIp),
            "host" => return Ok(Part::Host),
            "method" => return Ok(Part::Method),
            "path" => return Ok(Part::Path),
            "query" => return Ok(Part::Query),
            "request-id" => return Ok(Part::RequestId),
            "scheme" => return Ok(Part::Scheme),
            "status" => return Ok(Part::Status),
            "target" => return Ok(Part::Target),
            _ => {}
        }
        let (family, suffix) = name.split_once('.').unwrap_or((name, ""));
        match family {
            "cookie" if is_token(suffix) => Ok(Part::Cookie(suffix.to_owned())),
            "map" if self.tables.find(suffix).is_some() => Ok(Part::Map(suffix.to_owned())),
            "header" if is_token(suffix) => Ok(Part::Header(suffix.to_ascii_lowercase())),
            "query" if !suffix.is_empty() => Ok(Part::QueryValue(suffix.to_owned())),
            _ => Err(self.unknown(value, name, at, names)),
        }
    }

    fn unknown(&self, value: &Value, name: &str, at: usize, names: Names<'_>) -> Diagnostic {
        let span = value.part(self.sources, at, name.len());
        let family = name.split('.').next().unwrap_or_default();
        if LATER.contains(&family) {
            let diagnostic =
                Diagnostic::new(Code::NotInThisVersion, span, format!("`{{{}}}` is not in this version yet", name.escape_debug()));
            return diagnostic.label("a later version of kiln understands it");
        }
        if let Some(map) = name.strip_prefix("map.").filter(|map| !map.is_empty()) {
            return self.unknown_map(map, span);
        }
        let place = names.place.title();
        let diagnostic =
            Diagnostic::new(Code::UnknownTemplateName, span, format!("unknown value `{{{}}}` in {place}", name.escape_debug()));
        match family {
            "cookie" => return diagnostic.label("expected the name of a cookie, as in `{cookie.session}`"),
            "header" => return diagnostic.label("expected the name of a header, as in `{header.accept}`"),
            "map" => return diagnostic.label("expected the name of a map, as in `{map.moved}`"),
            _ => {}
        }
        if let Some(without) = names.patterns.iter().find(|pattern| !has_parameter(pattern, name))
            && names.patterns.iter().any(|pattern| has_parameter(pattern, name))
        {
            let diagnostic = diagnostic.label("not a parameter of every pattern of the route");
            return diagnostic.secondary(without.span, format!("`{name}` is missing here"));
        }
        let unnamed = names.patterns.iter().find(|pattern| pattern.value.parameters.contains(&None));
        if let Some(pattern) = unnamed.filter(|_| matches!(name, "rest" | "*" | "1" | "path*")) {
            let named = pattern.value.text.replace('*', "{rest*}");
            return diagnostic.label("the rest has no name").help(format!("name it in the pattern: `\"{named}\"`, and write `{{rest}}`"));
        }
        let parameters = names.patterns.iter().flat_map(|pattern| pattern.value.parameters.iter().flatten());
        let of_log = log::NAMES.iter().map(|(name, _)| *name).filter(|_| names.place == Place::Log);
        let known = parameters.chain(names.captures).map(String::as_str).chain(PLAIN).chain(of_log);
        match nearest(name, known) {
            Some(near) => diagnostic.label(format!("did you mean `{{{near}}}`?")),
            None if names.place != Place::Log && log::NAMES.iter().any(|(known, _)| *known == name) => {
                diagnostic.label("known to the template of `access-log` alone")
            }
            None => diagnostic.label("neither a value of a request nor a parameter of the route"),
        }
    }
}

/// A brace that stands alone.
pub(super) fn brace_fault(value: &Value, at: usize, sources: &SourceMap) -> Diagnostic {
    let span = value.part(sources, at, 1);
    let diagnostic = Diagnostic::new(Code::BadTemplate, span, "this template can't be read").label("this brace has no partner");
    diagnostic.help("a brace itself is written twice: `{{` and `}}`")
}

fn has_parameter(pattern: &Spanned<Pattern>, name: &str) -> bool {
    pattern.value.parameters.iter().flatten().any(|known| known == name)
}

/// RFC 9110 §5.6.2.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Appends text; adjacent text is one part.
fn push_text(template: &mut Template, text: &str) {
    if let Some(Part::Text(last)) = template.parts.last_mut() {
        last.push_str(text);
    } else if !text.is_empty() {
        template.parts.push(Part::Text(text.to_owned()));
    }
}
