//! What an embedded tree has for a path, and how a request for one of its files is answered.

use super::{Found, Next, Rules, Search};
use crate::{
    blob::{Asset, Entry, Form, Tree},
    conditional::{self, Validators, Verdict},
    head::Head,
    negotiate, partial,
    ranges::{self, Ranged},
};

/// What a tree has for a path.
#[derive(Clone, Copy, Debug)]
pub enum InTree<'a> {
    /// This file.
    File(Asset<'a>),
    /// What the directory of the name holds.
    Listing,
    /// No file: another action answers, or 404.
    Nothing,
    /// 308 to [`super::slash_location`].
    Slash,
}

/// Searches a tree as [`Search`] says; `name` holds the name of the file or directory behind it.
pub fn in_tree<'a>(tree: &Tree<'a>, rules: &Rules<'_>, below: Option<&str>, name: &mut Vec<u8>) -> InTree<'a> {
    let (mut search, mut last) = (Search::new(rules, below), None);
    let mut next = search.first(name);
    // Bounded by the search.
    while next == Next::LookUp {
        let found = match tree.find(name) {
            Entry::Absent => Found::Absent,
            Entry::Directory => Found::Directory,
            Entry::File(asset) => {
                last = Some(asset);
                Found::File
            }
        };
        next = search.found(found, name);
    }
    match (next, last) {
        (Next::File, Some(asset)) => InTree::File(asset),
        (Next::Listing, _) => InTree::Listing,
        (Next::Slash, _) => InTree::Slash,
        (Next::File | Next::LookUp | Next::Nothing, _) => InTree::Nothing,
    }
}

/// How a request for an embedded file is answered.
#[derive(Clone, Copy, Debug)]
pub enum Selected<'a> {
    /// 200 with the file in the coding that was chosen.
    Full(Form<'a>),
    /// 304 with its prebuilt head.
    NotModified(Form<'a>),
    /// 412.
    PreconditionFailed,
    /// There is a Range that counts: [`ranged`] says what is sent of the file.
    Ranged(Form<'a>),
}

/// Selects by Accept-Encoding, then by the conditions against that coding's entity tag.
#[inline]
pub fn select<'a>(asset: &Asset<'a>, head: &Head<'_>) -> Selected<'a> {
    let form = asset.form(negotiate::coding(head, asset.codings()));
    if !conditional::may_be_conditional(head) {
        return Selected::Full(form);
    }
    let validators = Validators { etag: Some(form.etag()), modified: asset.modified() };
    match conditional::evaluate(head, validators) {
        Verdict::NotModified => Selected::NotModified(form),
        Verdict::PreconditionFailed => Selected::PreconditionFailed,
        Verdict::Proceed if conditional::is_range_current(head, validators) => Selected::Ranged(form),
        Verdict::Proceed => Selected::Full(form),
    }
}

/// What is sent of a file in the form that was selected: ranges are of its bytes as they are sent, coding and all.
pub fn ranged(form: &Form<'_>, head: &Head<'_>) -> Ranged {
    match ranges::requested(head, form.body().len() as u64) {
        Ranged::Parts(parts) if parts.single().is_none() && partial::is_coded(form.head()) => Ranged::Whole,
        ranged => ranged,
    }
}
