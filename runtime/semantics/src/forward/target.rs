//! The request-target that goes on (RFC 9112 §3.2.1): the path in normal form and the query as it came, whatever a template has made of them.

use std::slice;

use crate::{
    ascii,
    forward::{Policy, Target, TargetFault},
    path,
    template::{self, Part, Place, Subject},
};

/// Appends the target. Where there is none, `out` may hold a part of it.
pub(super) fn push(policy: &Policy<'_>, subject: &Subject<'_>, out: &mut Vec<u8>) -> Result<(), TargetFault> {
    let head = subject.head;
    if policy.is_raw {
        out.extend_from_slice(head.target.as_bytes());
        return Ok(());
    }
    let has_query = match policy.target {
        Target::Same => {
            out.extend_from_slice(head.path.text.as_bytes());
            false
        }
        Target::Strip(prefix) => {
            let rest = head.path.text.strip_prefix(prefix).ok_or(TargetFault)?;
            match rest.as_bytes() {
                [] => out.push(b'/'),
                [b'/', ..] => out.extend_from_slice(rest.as_bytes()),
                _ => return Err(TargetFault),
            }
            false
        }
        Target::Template(parts) => template(parts, subject, out)?,
    };
    if let Some(query) = head.query.filter(|_| !has_query) {
        out.push(b'?');
        out.extend_from_slice(query.as_bytes());
    }
    Ok(())
}

/// Appends what the template gives; tells whether it has a query.
///
/// Dot segments are refused, not resolved: they come from the request, and lead out of what the site has written before them. Encoded separators are refused
/// unless the path has them as well, whose route then takes them.
fn template(parts: &[Part<'_>], subject: &Subject<'_>, out: &mut Vec<u8>) -> Result<bool, TargetFault> {
    let start = out.len();
    render(parts, subject, out);
    let rendered = out.get(start..).unwrap_or_default();
    if !rendered.iter().all(|&byte| ascii::is(byte, ascii::TARGET)) {
        return Err(TargetFault);
    }
    let question = memchr::memchr(b'?', rendered);
    let raw = rendered.get(..question.unwrap_or(rendered.len())).unwrap_or_default();
    if raw.split(|&byte| byte == b'/').any(|segment| matches!(segment, b"." | b"..")) {
        return Err(TargetFault);
    }
    let survey = match path::survey(raw) {
        Some(survey) => survey,
        None => {
            let (mut normal, raw_end) = (Vec::new(), start + raw.len());
            let path = path::rewrite(raw, &mut normal).map_err(|path::BadPath| TargetFault)?;
            let survey = path::Survey { has_encoded_slash: path.has_encoded_slash, has_encoded_backslash: path.has_encoded_backslash };
            out.splice(start..raw_end, normal);
            survey
        }
    };
    let path = subject.head.path;
    let is_foreign = survey.has_encoded_slash && !path.has_encoded_slash || survey.has_encoded_backslash && !path.has_encoded_backslash;
    if is_foreign { Err(TargetFault) } else { Ok(question.is_some()) }
}

/// Renders the template so that nothing of the request ends the place that it was written in: what would begin a query in the path, or another pair in the query, is
/// escaped. `{query}` and `{target}` have pairs of their own, and values of the site are written as they are meant.
fn render(parts: &[Part<'_>], subject: &Subject<'_>, out: &mut Vec<u8>) {
    let mut is_query = false;
    for part in parts {
        let start = out.len();
        template::render(slice::from_ref(part), subject, Place::Target, out);
        match part {
            Part::Late(_) | Part::Map(_) | Part::Query | Part::Target | Part::Text(_) => {
                is_query |= out.get(start..).is_some_and(|rendered| memchr::memchr(b'?', rendered).is_some());
            }
            // A value that was a query's is one again.
            Part::QueryValue(_) if is_query => {}
            _ => escape(start, if is_query { b"&+;#" } else { b"?#" }, out),
        }
    }
}

/// Escapes `ends` in what begins at `start`.
fn escape(start: usize, ends: &[u8], out: &mut Vec<u8>) {
    let rendered = out.get(start..).unwrap_or_default();
    if !rendered.iter().any(|byte| ends.contains(byte)) {
        return;
    }
    let rendered = rendered.to_vec();
    out.truncate(start);
    for byte in rendered {
        if ends.contains(&byte) { ascii::push_escape(byte, out) } else { out.push(byte) }
    }
}
