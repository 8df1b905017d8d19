//! Templates, rendered part by part.

use kiln::model::{Part, Template};
use percent_encoding::percent_decode_str;

use crate::{Answer, Seen, with_body};

/// A template's text; in a target a query's value stays as it was sent.
pub fn rendered(template: &Template, seen: &Seen<'_>, status: u16, is_target: bool) -> Vec<u8> {
    let query = seen.query.unwrap_or_default();
    let text = |part: &Part| match part {
        Part::ClientIp => seen.request.client.to_string(),
        Part::Header(name) => seen.lines(name).next().unwrap_or_default().to_owned(),
        Part::Host => seen.host.clone(),
        Part::Method => seen.request.method.clone(),
        Part::Parameter(name) => seen.parameters.iter().find(|(given, _)| given.as_ref() == Some(name)).map(|(_, text)| text.clone()).unwrap_or_default(),
        Part::Path => seen.path.clone(),
        Part::Query | Part::QueryValue(_) => query.to_owned(),
        Part::Scheme => "http".to_owned(),
        Part::Status => status.to_string(),
        Part::Target => seen.query.map_or_else(|| seen.path.clone(), |query| format!("{}?{query}", seen.path)),
        Part::Text(text) => text.clone(),
    };
    let bytes = |part| match part {
        Part::QueryValue(key) => query_value(query, key, is_target),
        part => text(part).into_bytes(),
    };
    template.parts.iter().flat_map(bytes).collect()
}

/// The first value of a key; both are decoded once, `+` is a space.
fn query_value(query: &str, key: &str, is_target: bool) -> Vec<u8> {
    let plain = |text: &str| percent_decode_str(&text.replace('+', " ")).collect::<Vec<u8>>();
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let value = pairs.into_iter().find(|(name, _)| plain(name) == key.as_bytes()).map_or("", |(_, value)| value);
    if is_target { value.as_bytes().to_vec() } else { plain(value) }
}

/// The query goes along unless the target has one or drops it; a fragment stays last.
pub fn redirect(target: &Template, status: u16, drops_query: bool, seen: &Seen<'_>) -> Answer {
    let mut location = String::from_utf8_lossy(&rendered(target, seen, status, true)).into_owned();
    if let Some(query) = seen.query.filter(|_| !drops_query && !location.contains('?')) {
        location.insert_str(location.find('#').unwrap_or(location.len()), &format!("?{query}"));
    }
    let mut answer = with_body(status, None, Vec::new());
    answer.fields.push(("location".to_owned(), location));
    answer
}
