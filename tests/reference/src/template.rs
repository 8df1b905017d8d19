//! Templates, rendered part by part, and the header rules that hold them.

use kiln::model::{HeaderRule, Part, Template};
use percent_encoding::percent_decode_str;
use semantics::edits::Action;

use crate::{Answer, Seen, guard, with_body};

/// A template's text; in a target a query's value stays as it was sent.
pub fn rendered(template: &Template, seen: &Seen<'_>, status: u16, is_target: bool) -> Vec<u8> {
    let query = seen.query.as_deref().unwrap_or_default();
    let mut out = Vec::new();
    for part in &template.parts {
        out.extend_from_slice(&match part {
            Part::ClientIp => seen.client.to_string().into_bytes(),
            Part::Cookie(name) => field(seen.cookies(name).next(), is_target),
            Part::Header(name) => field(seen.lines(name).next(), is_target),
            Part::Host => seen.host.clone().into(),
            Part::Late(value) => field(Some(&seen.late(value)), is_target),
            Part::Map(name) => {
                let map = guard::map(seen, name);
                guard::row(map, seen).or(map.default.as_deref()).unwrap_or_default().into()
            }
            Part::Method => seen.request.method.clone().into(),
            Part::Parameter(name) => seen.parameters.get(name).cloned().unwrap_or_default().into(),
            Part::Path => seen.path.clone().into(),
            Part::Query => query.into(),
            Part::QueryValue(key) => {
                let value = seen.query_values(key).next().unwrap_or_default();
                if is_target { value.into() } else { decoded(value) }
            }
            // As long as what a server makes, which nobody can foretell.
            Part::RequestId => vec![b'0'; 64],
            Part::Scheme => seen.scheme.clone().into(),
            Part::Status => status.to_string().into(),
            Part::Target => seen.target().into(),
            Part::Text(text) => text.clone().into(),
        });
    }
    out
}

/// What could end a target is encoded in one.
fn field(value: Option<&str>, is_target: bool) -> Vec<u8> {
    let encoded = |byte: u8| if is_target && !byte.is_ascii_graphic() { format!("%{byte:02X}").into_bytes() } else { vec![byte] };
    value.unwrap_or_default().bytes().flat_map(encoded).collect()
}

/// The text of a query's key or value: decoded once, `+` is a space.
pub fn decoded(text: &str) -> Vec<u8> {
    percent_decode_str(&text.replace('+', " ")).collect()
}

/// The query goes along unless the target has one or drops it; a fragment stays last. `None`: a target written as a path would lead to another host.
pub fn redirect(target: &Template, status: u16, drops_query: bool, seen: &Seen<'_>) -> Option<Answer> {
    let mut location = String::from_utf8_lossy(&rendered(target, seen, status, true)).into_owned();
    let is_path = matches!(target.parts.first(), Some(Part::Text(text)) if text.starts_with('/') && !text.starts_with("//"));
    if is_path && (location.starts_with("//") || location.starts_with("/\\")) {
        return None;
    }
    let keeps_query = !drops_query && !location.split('#').next().unwrap_or_default().contains('?');
    if let Some(query) = seen.query.as_ref().filter(|query| keeps_query && !query.is_empty()) {
        location.insert_str(location.find('#').unwrap_or(location.len()), &format!("?{query}"));
    }
    Some(with_body(status, None, Vec::new()).with("location", &location))
}

/// Removals, then defaults and sets, then additions, each in the order of the rules.
pub fn edited(rules: &[HeaderRule], mut answer: Answer, seen: &Seen<'_>) -> Answer {
    let status = answer.status;
    let is_for = |rule: &&HeaderRule| (rule.only.is_empty() || rule.only.contains(&status)) && !rule.except.contains(&status);
    for phase in [&[Action::Remove][..], &[Action::Default, Action::Set], &[Action::Add]] {
        let asked = rules.iter().filter(is_for).filter(|rule| phase.contains(&rule.action));
        asked.for_each(|rule| apply(rule, &mut answer.fields, seen, status));
    }
    answer
}

fn apply(rule: &HeaderRule, fields: &mut Vec<(String, String)>, seen: &Seen<'_>, status: u16) {
    let is_named = |name: &str| rule.name.strip_suffix('*').map_or(name == rule.name, |prefix| name.starts_with(prefix));
    let is_there = fields.iter().any(|(name, _)| is_named(name));
    if matches!(rule.action, Action::Remove | Action::Set) {
        fields.retain(|(name, _)| name == "content-length" || !is_named(name));
    }
    let value = rendered(&rule.value, seen, status, false);
    let is_sent = value.iter().all(|byte| !byte.is_ascii_control() || *byte == b'\t');
    if is_sent && rule.action != Action::Remove && !(rule.action == Action::Default && is_there) {
        fields.push((rule.name.clone(), String::from_utf8_lossy(&value).into_owned()));
    }
}
