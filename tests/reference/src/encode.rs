//! `encode`: which answers are compressed on their way, and what all say that could have been.

use kiln::model::{Encoding, HeaderRule};

use crate::{Answer, Seen, template};

/// The answer under the policies of its scope; `is_stored`: it is a file in the form that was made beforehand.
pub fn sent(rules: &[HeaderRule], encoding: Option<&Encoding>, is_stored: bool, said: Answer, seen: &Seen<'_>) -> Answer {
    let varied = says(&said, "vary", "accept-encoding");
    let mut answer = template::edited(rules, said, seen);
    let Some(encoding) = encoding else { return answer };
    let has = |name: &str| answer.fields.iter().any(|(field, _)| field == name);
    let is_fixed = has("content-encoding") || says(&answer, "cache-control", "no-transform");
    let types: Vec<&str> = values(&answer, "content-type").collect();
    let is_text =
        !types.is_empty() && types.iter().all(|kind| kind.starts_with("text/") || kind.ends_with("json") || kind.contains("+xml"));
    let is_whole = !matches!(answer.status, 204 | 206 | 304);
    let is_long = answer.body.len() as u64 >= encoding.min_bytes.value.max(1);
    let could_be = is_text && !is_fixed && !is_stored && is_whole && is_long;
    if varied || could_be || (is_text && !is_fixed && !is_stored && matches!(answer.status, 206 | 304)) {
        vary(&mut answer);
    }
    let is_asked = |name: &str| seen.lines("accept-encoding").any(|line| line.split(',').any(|item| item.trim() == name));
    let Some(coding) = encoding.codings.iter().map(|coding| coding.name()).find(|name| could_be && is_asked(name)) else {
        return if is_stored { answer } else { weak(answer, seen) };
    };
    answer.fields.retain(|(name, _)| name != "content-length" && name != "accept-ranges");
    for (_, tag) in answer.fields.iter_mut().filter(|(name, tag)| name == "etag" && tag.starts_with('"')) {
        tag.insert_str(0, "W/");
    }
    answer.with("content-encoding", coding)
}

/// A 304 to who knows the tag by its weak name alone calls it so.
fn weak(mut answer: Answer, seen: &Seen<'_>) -> Answer {
    if answer.status == 304 {
        let known: Vec<&str> = seen.lines("if-none-match").flat_map(|line| line.split(',')).map(str::trim).collect();
        for (_, tag) in answer.fields.iter_mut().filter(|(name, tag)| name == "etag" && !known.contains(&tag.as_str())) {
            if known.contains(&format!("W/{tag}").as_str()) {
                tag.insert_str(0, "W/");
            }
        }
    }
    answer
}

fn values<'a>(answer: &'a Answer, name: &'a str) -> impl Iterator<Item = &'a str> {
    answer.fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
}

fn says(answer: &Answer, name: &str, wanted: &str) -> bool {
    values(answer, name).flat_map(|value| value.split(',')).any(|member| member.trim() == wanted)
}

fn vary(answer: &mut Answer) {
    if says(answer, "vary", "accept-encoding") {
        return;
    }
    match answer.fields.iter_mut().find(|(name, _)| name == "vary") {
        Some((_, value)) => value.push_str(", accept-encoding"),
        None => answer.fields.push(("vary".to_owned(), "accept-encoding".to_owned())),
    }
}
