//! `files`: a directory read at the moment of the request.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use kiln::model::{Files, Route, Rules};
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
    /// More fields of a listing, but `vary`.
    pub others: Vec<(String, String)>,
}

/// The forms of each file, by path and content coding (`identity` among them).
pub type Forms = BTreeMap<PathBuf, BTreeMap<String, Form>>;

/// Under which name the forms of a directory's listing stand: one that no file can have.
pub fn listing(directory: &str, format: &str) -> String {
    Path::new(directory).join(format!("\0{format}")).to_string_lossy().into_owned()
}

/// Extensions of files that are no pages, as far as the sites of tests have them.
const NO_PAGES: [&str; 9] = ["br", "css", "gz", "js", "json", "png", "svg", "txt", "zip"];

/// Answers from a directory; `None`: there is no file, which is the turn of `miss`.
pub fn answer(files: &Files, route: &Route, seen: &Seen<'_>) -> Option<Answer> {
    if files.miss.is_some() && !["GET", "HEAD"].contains(&seen.request.method.as_str()) {
        return None;
    }
    let rest = seen.rest.as_deref().unwrap_or_else(|| &seen.path[1..]);
    let path = decoded(&rest.replace("%2F", "\0")).decode_utf8_lossy().into_owned();
    if path.contains('\0') || is_hidden(&files.rules, &path) {
        return None;
    }
    let is_there = |name: &String| seen.world.forms.contains_key(&files.path.join(name));
    let is_slashed = path.is_empty() || path.ends_with('/');
    let mut names = match (seen.is_bare, is_slashed) {
        (true, _) => Vec::new(),
        (false, true) => vec![format!("{path}{}", files.rules.index)],
        (false, false) => {
            let tried = files.rules.tried.iter().map(|tried| format!("{}{path}{}", tried.before, tried.behind));
            [path.clone()].into_iter().chain(tried.filter(|name| !is_hidden(&files.rules, name))).collect()
        }
    };
    names.retain(is_there);
    if let Some(name) = names.first() {
        return Some(file((&files.path, name), &files.rules, route, seen));
    }
    let page = listing(path.trim_end_matches('/'), if prefers_json(seen) { "json" } else { "html" });
    let is_listed = files.rules.lists && is_there(&page);
    let index = if path.is_empty() { files.rules.index.clone() } else { format!("{path}/{}", files.rules.index) };
    if (seen.is_bare || !is_slashed) && (is_there(&index) || is_listed) {
        let query = seen.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
        return Some(with_body(308, None, Vec::new()).with("location", &format!("{}/{query}", seen.path)));
    }
    if is_slashed && !seen.is_bare && is_listed {
        return Some(file((&files.path, &page), &files.rules, route, seen));
    }
    let extension = path.rsplit('/').next().and_then(|last| last.rsplit_once('.')).map(|(_, extension)| extension.to_lowercase());
    let is_page = extension.is_none_or(|extension| !NO_PAGES.contains(&extension.as_str()));
    files.rules.spa.iter().find(|page| is_page && is_there(page)).map(|page| file((&files.path, page), &files.rules, route, seen))
}

/// The file of exactly that name below a directory of the host, where an upstream has named it.
pub fn named(root: &str, name: &str, route: &Route, seen: &Seen<'_>) -> Option<Answer> {
    let rules = Rules::new("index.html");
    let is_served = !is_hidden(&rules, name) && seen.world.forms.contains_key(&Path::new(root).join(name));
    is_served.then(|| file((Path::new(root), name), &rules, route, seen))
}

/// As far as tests ask for it: types are named alone, with a weight behind some.
fn prefers_json(seen: &Seen<'_>) -> bool {
    let items: Vec<&str> = seen.lines("accept").flat_map(|line| line.split(',')).collect();
    let weights = |kind: &str| -> f32 {
        let weights = items.iter().map(|item| item.split_once(";q=").unwrap_or((*item, "1"))).filter(|(name, _)| name.trim() == kind);
        weights.map(|(_, weight)| weight.parse().unwrap_or_default()).fold(0.0, f32::max)
    };
    weights("application/json") > weights("text/html")
}

/// A name that is not served: it has a part that begins with a dot, or is a backup.
fn is_hidden(rules: &Rules, name: &str) -> bool {
    let is_backup = |part: &str| [".bak", ".swp", "~"].iter().any(|ending| part.ends_with(ending));
    !rules.serves_hidden && name.split('/').any(|part| (part.starts_with('.') && part != ".well-known") || is_backup(part))
}

/// `*` and `?` stop at slashes, `**` is any number of parts; without a slash it is about the last part.
fn is_like(glob: &str, name: &str) -> bool {
    fn parts(glob: &[&str], name: &[&str]) -> bool {
        match (glob, name) {
            ([], []) => true,
            (["**", rest @ ..], _) => (0..=name.len()).any(|skipped| parts(rest, &name[skipped..])),
            ([first, rest @ ..], [part, behind @ ..]) => letters(first.as_bytes(), part.as_bytes()) && parts(rest, behind),
            ([], _) | (_, []) => false,
        }
    }
    fn letters(glob: &[u8], part: &[u8]) -> bool {
        match (glob, part) {
            ([], []) => true,
            ([b'*', rest @ ..], _) => (0..=part.len()).any(|skipped| letters(rest, &part[skipped..])),
            ([b'?', rest @ ..], [_, behind @ ..]) => letters(rest, behind),
            ([first, rest @ ..], [letter, behind @ ..]) => first == letter && letters(rest, behind),
            ([], _) | (_, []) => false,
        }
    }
    let name: Vec<&str> = name.split('/').collect();
    let glob: Vec<&str> = glob.split('/').collect();
    parts(&glob, if glob.len() == 1 { &name[name.len() - 1..] } else { &name })
}

/// Answers with the file of that name, which is there.
fn file((root, name): (&Path, &str), rules: &Rules, route: &Route, seen: &Seen<'_>) -> Answer {
    let own = |status| own(status, &route.errors);
    let file = root.join(name);
    let offered = &seen.world.forms[&file];
    // The best coding of those that are named without weights; weights are pinned by semantics' own examples.
    let is_asked = |coding: &&str| seen.lines("accept-encoding").any(|line| line.split(',').any(|item| item.trim() == *coding));
    let coding = ["zstd", "br", "gzip"].into_iter().filter(is_asked).find(|coding| offered.contains_key(*coding)).unwrap_or("identity");
    let form = &offered[coding];
    let is_named = |name: &str| seen.lines(name).flat_map(|line| line.split(',')).any(|tag| tag.trim() == "*" || tag.trim() == form.etag);
    if seen.lines("if-match").next().is_some() && !is_named("if-match") {
        return own(412);
    }
    let whole = || offered["identity"].coded.clone().unwrap_or_else(|| fs::read(&file).unwrap_or_default());
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
    if rules.immutable.iter().any(|glob| is_like(glob, name)) {
        answer = answer.with("cache-control", "public, max-age=31536000, immutable");
    }
    let vary = [(form.others.is_empty(), "accept"), (offered.len() == 1, "accept-encoding")];
    let vary: Vec<&str> = vary.iter().filter(|(is_out, _)| !is_out).map(|(_, name)| *name).collect();
    answer = if vary.is_empty() { answer } else { answer.with("vary", &vary.join(", ")) };
    let others = form.others.iter().filter(|_| answer.status != 304);
    others.fold(answer.clone(), |answer, (name, value)| answer.with(name, value))
}
