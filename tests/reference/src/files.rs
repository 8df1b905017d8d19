//! `files`: a directory read at the moment of the request.

use std::{collections::BTreeMap, fs, path::PathBuf};

use kiln::model::{Files, Route};
use percent_encoding::percent_decode_str as decoded;

use crate::{Answer, Seen, own, range, with_body};

/// What is opaque about one stored form of a file: the fields that a site adds to it.
#[derive(Clone, Debug)]
pub struct Form {
    pub content_type: String,
    pub etag: String,
    pub last_modified: Option<String>,
    /// What is stored of it, where that is not the file's own content.
    pub coded: Option<Vec<u8>>,
}

/// The forms of each file, by path and content coding (`identity` among them).
pub type Forms = BTreeMap<PathBuf, BTreeMap<String, Form>>;

/// Answers from a directory.
pub fn answer(files: &Files, route: &Route, seen: &Seen<'_>) -> Answer {
    let own = |status| own(status, &route.errors);
    let mut name = decoded(&seen.rest.as_deref().unwrap_or_else(|| &seen.path[1..]).replace("%2F", "\0")).decode_utf8_lossy().into_owned();
    let is_backup = |segment: &str| [".bak", ".swp", "~"].iter().any(|ending| segment.ends_with(ending));
    if name.split('/').any(|segment| (segment.starts_with('.') && segment != ".well-known") || is_backup(segment)) {
        return own(404);
    }
    let is_directory = name.is_empty() || name.ends_with('/');
    if seen.is_bare || (!is_directory && files.path.join(&name).is_dir()) {
        let index = files.path.join(if seen.is_bare { "" } else { &name }).join(&files.rules.index);
        if !seen.world.forms.contains_key(&index) {
            return own(404);
        }
        let query = seen.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
        return with_body(308, None, Vec::new()).with("location", &format!("{}/{query}", seen.path));
    }
    if is_directory {
        name.push_str(&files.rules.index);
    }
    let file = files.path.join(&name);
    let Some(offered) = seen.world.forms.get(&file) else { return own(404) };
    // The best coding of those that are named without weights; weights are pinned by semantics' own examples.
    let is_asked = |coding: &&str| seen.lines("accept-encoding").any(|line| line.split(',').any(|item| item.trim() == *coding));
    let coding = ["zstd", "br", "gzip"].into_iter().filter(is_asked).find(|coding| offered.contains_key(*coding)).unwrap_or("identity");
    let form = &offered[coding];
    let is_named = |name: &str| seen.lines(name).flat_map(|line| line.split(',')).any(|tag| tag.trim() == "*" || tag.trim() == form.etag);
    if seen.lines("if-match").next().is_some() && !is_named("if-match") {
        return own(412);
    }
    let whole = || fs::read(&file).unwrap_or_default();
    let stored = form.coded.clone().unwrap_or_else(whole);
    let mut answer = match range::asked(seen, &form.etag, stored.len()) {
        _ if is_named("if-none-match") => with_body(304, None, Vec::new()),
        None => with_body(200, Some(form.content_type.clone()), whole()).with("accept-ranges", "bytes"),
        Some(offsets) => {
            let length = stored.len();
            let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else {
                return own(416).with("content-range", &format!("bytes */{length}"));
            };
            let part = with_body(206, Some(form.content_type.clone()), stored[*first..=*last].to_vec());
            part.with("content-range", &format!("bytes {first}-{last}/{length}")).with("accept-ranges", "bytes")
        }
    };
    if coding != "identity" && answer.status != 304 {
        answer = answer.with("content-encoding", coding);
    }
    answer = form.last_modified.iter().fold(answer.with("etag", &form.etag), |answer, date| answer.with("last-modified", date));
    if offered.len() > 1 { answer.with("vary", "accept-encoding") } else { answer }
}
