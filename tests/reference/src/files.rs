//! `files`: a directory read at the moment of the request.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use kiln::model::Files;
use percent_encoding::percent_decode_str;

use crate::{Answer, Seen, plain, with_body};

/// What is opaque about one stored form of a file: the fields that a site adds to it.
#[derive(Clone, Debug)]
pub struct Form {
    pub content_type: String,
    pub etag: String,
    pub last_modified: Option<String>,
}

/// The forms of each file, by path and content coding (`identity` among them).
pub type Forms = BTreeMap<PathBuf, BTreeMap<String, Form>>;

/// Answers from a directory.
pub fn answer(files: &Files, seen: &Seen<'_>, forms: &Forms) -> Answer {
    let rest = seen.parameters.last().map_or_else(|| seen.path[1..].to_owned(), |(_, rest)| rest.clone());
    let mut name = percent_decode_str(&rest).decode_utf8_lossy().into_owned();
    let is_hidden = |segment: &str| {
        let is_backup = [".bak", ".swp", "~"].iter().any(|ending| segment.ends_with(ending));
        (segment.starts_with('.') && segment != ".well-known") || is_backup
    };
    if !seen.is_bare && name.split('/').any(is_hidden) {
        return plain(404);
    }
    if seen.is_bare || (!name.is_empty() && !name.ends_with('/') && files.path.join(&name).is_dir()) {
        let query = seen.query.map(|query| format!("?{query}")).unwrap_or_default();
        let mut answer = with_body(308, None, Vec::new());
        answer.fields.push(("location".to_owned(), format!("{}/{query}", seen.path)));
        return answer;
    }
    if name.is_empty() || name.ends_with('/') {
        name.push_str(&files.index.value);
    }
    let file = files.path.join(&name);
    forms.get(&file).map_or_else(|| plain(404), |offered| from_file(&file, offered, seen))
}

fn from_file(file: &Path, offered: &BTreeMap<String, Form>, seen: &Seen<'_>) -> Answer {
    let coding = best_coding(seen, offered);
    let form = &offered[coding];
    let is_named = |name: &str| seen.lines(name).flat_map(|line| line.split(',')).any(|tag| tag.trim() == "*" || tag.trim() == form.etag);
    if seen.lines("if-match").next().is_some() && !is_named("if-match") {
        return plain(412);
    }
    let is_known = is_named("if-none-match");
    let mut answer = match is_known {
        true => with_body(304, None, Vec::new()),
        false => with_body(200, Some(form.content_type.clone()), std::fs::read(file).unwrap_or_default()),
    };
    let mut add = |name: &str, value: &str| answer.fields.push((name.to_owned(), value.to_owned()));
    if coding != "identity" && !is_known {
        add("content-encoding", coding);
    }
    add("etag", &form.etag);
    if let Some(date) = &form.last_modified {
        add("last-modified", date);
    }
    if offered.len() > 1 {
        add("vary", "accept-encoding");
    }
    answer
}

/// The acceptable coding of the highest weight; of equal ones the last of this list.
fn best_coding(seen: &Seen<'_>, offered: &BTreeMap<String, Form>) -> &'static str {
    let items = seen.lines("accept-encoding").flat_map(|line| line.split(','));
    let weights: BTreeMap<String, f32> = items
        .map(|item| item.split_once(";q=").unwrap_or((item, "1")))
        .map(|(name, weight)| (name.trim().to_ascii_lowercase(), weight.trim().parse().unwrap_or(0.0)))
        .collect();
    let weight = |coding: &str| weights.get(coding).or(weights.get("*")).copied();
    let mut best = ("identity", weight("identity").unwrap_or(0.0));
    for coding in ["gzip", "br", "zstd"].into_iter().filter(|coding| offered.contains_key(*coding)) {
        let weight = weight(coding).unwrap_or(0.0);
        if weight > 0.0 && weight >= best.1 {
            best = (coding, weight);
        }
    }
    best.0
}
