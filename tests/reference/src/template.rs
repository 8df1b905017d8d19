//! Templates, rendered part by part, and the header rules that hold them.

use kiln::model::{HeaderRule, Part, Template};
use percent_encoding::percent_decode_str;
use semantics::edits::Action;

use crate::{Answer, Seen, with_body};

/// A template's text; in a target a query's value stays as it was sent.
pub fn rendered(template: &Template, seen: &Seen<'_>, status: u16, is_target: bool) -> Vec<u8> {
    let query = seen.query.unwrap_or_default();
    let mut out = Vec::new();
    for part in &template.parts {
        out.extend_from_slice(&match part {
            Part::ClientIp => seen.request.client.to_string().into_bytes(),
            Part::Header(name) => seen.lines(name).next().unwrap_or_default().into(),
            Part::Host => seen.host.clone().into(),
            Part::Method => seen.request.method.clone().into(),
            Part::Parameter(name) => seen.parameters.get(name).cloned().unwrap_or_default().into(),
            Part::Path => seen.path.clone().into(),
            Part::Query => query.into(),
            Part::QueryValue(key) => query_value(query, key, is_target),
            Part::Scheme => b"http".into(),
            Part::Status => status.to_string().into(),
            Part::Target => seen.query.map_or_else(|| seen.path.clone(), |query| format!("{}?{query}", seen.path)).into(),
            Part::Text(text) => text.clone().into(),
            later => unreachable!("resolve gives no {later:?} yet"),
        });
    }
    out
}

/// The first value of a key; both are decoded once, `+` is a space.
fn query_value(query: &str, key: &str, is_target: bool) -> Vec<u8> {
    let plain = |text: &str| percent_decode_str(&text.replace('+', " ")).collect::<Vec<u8>>();
    let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let value = pairs.find(|(name, _)| plain(name) == key.as_bytes()).map_or("", |(_, value)| value);
    if is_target { value.into() } else { plain(value) }
}

/// The query goes along unless the target has one or drops it; a fragment stays last.
pub fn redirect(target: &Template, status: u16, drops_query: bool, seen: &Seen<'_>) -> Answer {
    let mut location = String::from_utf8_lossy(&rendered(target, seen, status, true)).into_owned();
    let keeps_query = !drops_query && !location.contains('?');
    if let Some(query) = seen.query.filter(|query| keeps_query && !query.is_empty()) {
        location.insert_str(location.find('#').unwrap_or(location.len()), &format!("?{query}"));
    }
    with_body(status, None, Vec::new()).with("location", &location)
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
    if matches!(rule.action, Action::Remove | Action::Set) {
        fields.retain(|(name, _)| name == "content-length" || !is_named(name));
    }
    let value = rendered(&rule.value, seen, status, false);
    let is_sent = value.iter().all(|byte| !byte.is_ascii_control() || *byte == b'\t');
    if is_sent && rule.action != Action::Remove && (rule.action != Action::Default || !fields.iter().any(|(name, _)| is_named(name))) {
        fields.push((rule.name.clone(), String::from_utf8_lossy(&value).into_owned()));
    }
}
