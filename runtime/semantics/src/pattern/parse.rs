//! From a pattern as written in KDL to its canonical form. What `*` and braces mean is decided here and nowhere else.

use crate::{
    ascii,
    path::{self, BadPath},
    pattern::{PARAMETERS_MAX, Pattern, PatternFault, PatternFaultKind},
};

/// Parses a pattern as written in KDL. Literals are brought to normal form (non-ASCII text is encoded).
pub fn parse(written: &str) -> Result<Pattern, PatternFault> {
    let Some(relative) = written.strip_prefix('/') else {
        return Err(PatternFault {
            at: 0,
            length: written.chars().next().map_or(0, char::len_utf8),
            kind: PatternFaultKind::NoLeadingSlash,
        });
    };
    let mut pattern = Pattern { text: String::new(), parameters: Vec::new() };
    let mut at = 1;
    let mut segments = relative.split('/').peekable();
    while let Some(text) = segments.next() {
        let is_last = segments.peek().is_none();
        pattern.text.push('/');
        let fault = |kind| PatternFault { at, length: text.len(), kind };
        match segment(text).map_err(fault)? {
            Written::Literal if text.is_empty() && !is_last => {
                return Err(PatternFault { at: at - 1, length: 2, kind: PatternFaultKind::EmptySegment });
            }
            Written::Literal => pattern.text.push_str(&literal(text).map_err(fault)?),
            Written::Rest(_) if !is_last => return Err(fault(PatternFaultKind::RestNotLast)),
            Written::Parameter(name) => add(&mut pattern, text, Some(name)).map_err(fault)?,
            Written::Rest(name) => add(&mut pattern, text, name).map_err(fault)?,
        }
        at += text.len() + 1;
    }
    Ok(pattern)
}

enum Written<'w> {
    Literal,
    Parameter(&'w str),
    Rest(Option<&'w str>),
}

fn segment(text: &str) -> Result<Written<'_>, PatternFaultKind> {
    if text == "*" {
        return Ok(Written::Rest(None));
    }
    let Some(inner) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
        return if text.contains(['{', '}', '*']) { Err(PatternFaultKind::MixedSegment) } else { Ok(Written::Literal) };
    };
    if inner.contains(['{', '}']) {
        return Err(PatternFaultKind::MixedSegment);
    }
    let name = inner.strip_suffix('*').unwrap_or(inner);
    if !name.is_ascii() {
        return Err(PatternFaultKind::NotAscii);
    }
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    match is_name {
        false => Err(PatternFaultKind::BadName),
        true if name.len() < inner.len() => Ok(Written::Rest(Some(name))),
        true => Ok(Written::Parameter(name)),
    }
}

fn literal(text: &str) -> Result<String, PatternFaultKind> {
    path::encode(text, true).map_err(|BadPath| {
        let is_dots = text.replace("%2e", ".").replace("%2E", ".").bytes().all(|byte| byte == b'.');
        if is_dots { PatternFaultKind::DotSegment } else { PatternFaultKind::BadEscape }
    })
}

fn add(pattern: &mut Pattern, segment: &str, name: Option<&str>) -> Result<(), PatternFaultKind> {
    if pattern.parameters.len() == PARAMETERS_MAX {
        return Err(PatternFaultKind::TooManyParameters);
    }
    if name.is_some() && pattern.parameters.iter().any(|known| known.as_deref() == name) {
        return Err(PatternFaultKind::RepeatedName);
    }
    debug_assert!(segment.bytes().all(|byte| ascii::is(byte, ascii::TARGET)), "names are ASCII");
    pattern.text.push_str(segment);
    pattern.parameters.push(name.map(str::to_owned));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, text: &str, parameters: &[Option<&str>]) {
        let pattern = parse(written).expect("a valid pattern");
        assert_eq!(pattern.text, text);
        assert_eq!(pattern.parameters.iter().map(Option::as_deref).collect::<Vec<_>>(), parameters);
    }

    #[track_caller]
    fn refuse(written: &str, at: usize, length: usize, kind: PatternFaultKind) {
        assert_eq!(parse(written), Err(PatternFault { at, length, kind }), "{written}");
    }

    #[test]
    fn patterns_become_canonical() {
        check("/", "/", &[]);
        check("/*", "/*", &[None]);
        check("/a/", "/a/", &[]);
        check("/a/{b}/c", "/a/{b}/c", &[Some("b")]);
        check("/old/{rest*}", "/old/{rest*}", &[Some("rest")]);
        check("/{client-id}/{_x}/*", "/{client-id}/{_x}/*", &[Some("client-id"), Some("_x"), None]);
        check("/straße/%7ex", "/stra%C3%9Fe/~x", &[]);
        check("/a b/%2f", "/a%20b/%2F", &[]);
        check("/...", "/...", &[]);
        check("/a?b", "/a%3Fb", &[]);
    }

    #[test]
    fn faults_have_their_place() {
        use PatternFaultKind::*;
        refuse("", 0, 0, NoLeadingSlash);
        refuse("a", 0, 1, NoLeadingSlash);
        refuse("*", 0, 1, NoLeadingSlash);
        refuse("/a//b", 2, 2, EmptySegment);
        refuse("//", 0, 2, EmptySegment);
        refuse("/a*", 1, 2, MixedSegment);
        refuse("/a{b}", 1, 4, MixedSegment);
        refuse("/{a}{b}", 1, 6, MixedSegment);
        refuse("/x/{", 3, 1, MixedSegment);
        refuse("/{}", 1, 2, BadName);
        refuse("/{*}", 1, 3, BadName);
        refuse("/{1a}", 1, 4, BadName);
        refuse("/{ä}", 1, 4, NotAscii);
        refuse("/*/a", 1, 1, RestNotLast);
        refuse("/{a*}/", 1, 4, RestNotLast);
        refuse("/{a}/{a}", 5, 3, RepeatedName);
        refuse("/a/..", 3, 2, DotSegment);
        refuse("/./a", 1, 1, DotSegment);
        refuse("/%2e%2E", 1, 6, DotSegment);
        refuse("/a%", 1, 2, BadEscape);
        refuse("/%00", 1, 3, BadEscape);
        refuse("/a\\b", 1, 3, BadEscape);
        let many: String = (0..17).map(|number| format!("/{{p{number}}}")).collect();
        assert_eq!(parse(&many).map_err(|fault| fault.kind), Err(TooManyParameters));
    }
}
