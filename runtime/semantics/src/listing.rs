//! Listings: what a directory without its index shows of what it holds, as a page for people or as JSON for programs.
//!
//! Names are arbitrary bytes and nobody's friend: whatever a file is called, its link leads to it and its text is only text. The page needs nothing
//! but itself, says so by its policy, and reads without its script. Roots are listed at run time, embedded trees when they are built: one rendering for both.

mod html;
mod json;
mod order;
mod text;

#[cfg(test)]
mod tests;

use crate::{
    blob::{self, Asset, Tree},
    head::Head,
    negotiate,
};

use self::{html::html, json::json};

/// Entries that a listing shows at most.
pub const ENTRIES_MAX: usize = 10_000;
/// Bytes of all names that a listing shows at most. A byte of a name takes nine of a page at worst, so that none is larger than 16 MiB.
pub const NAMES_BYTES_MAX: usize = 1 << 20;

/// The page's style.
pub const STYLE: &str = include_str!("listing/page.css");
/// The page's script, which sorts.
pub const SCRIPT: &str = include_str!("listing/page.js");

/// As [`Format::fields`] has them. The page's own style and script are allowed by their hashes, and nothing else.
const HTML_FIELDS: &str = "content-security-policy: default-src 'none'; style-src 'sha256-UTzDLwljOD/SnYqUSRymtqp2FC6mmbL4Nu7Sv4c58y4='; script-src 'sha256-xQdtc8ibWjDIOw7J1iv0a1AiM2qkA/b8p22pwOTnb6Q='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
     referrer-policy: same-origin\r\nx-content-type-options: nosniff\r\n";
const JSON_FIELDS: &str = "x-content-type-options: nosniff\r\n";

/// A directory and what is shown of it.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a> {
    /// Decoded path of what the route serves, without slashes at its ends; empty where that is the whole site, or not known.
    pub above: &'a [u8],
    /// Decoded name below it, without slashes at its ends; empty for the top.
    pub name: &'a [u8],
    /// In the order of [`sort`].
    pub entries: &'a [Entry<'a>],
    /// The directory holds more than that.
    pub is_truncated: bool,
}

/// One thing in a directory.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Entry<'a> {
    /// Any bytes but zero and slash.
    pub name: &'a [u8],
    /// What it is, and its bytes.
    pub kind: Kind,
    /// Seconds since the epoch; `None` where that is not to be said.
    pub modified: Option<u64>,
}

/// What can be asked for; a listing has nothing else.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Has a listing, or an index, of its own.
    Directory,
    /// So many bytes long.
    File(u64),
}

/// Directories first, then by name as people count: without case, numbers by their value.
pub fn sort(entries: &mut [Entry<'_>]) {
    entries.sort_unstable_by(|one, other| {
        let is_file = |entry: &Entry<'_>| matches!(entry.kind, Kind::File(_));
        is_file(one).cmp(&is_file(other)).then_with(|| order::natural(one.name, other.name))
    });
}

/// The two representations of a listing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// The page.
    Html,
    /// JSON.
    Json,
}

impl Format {
    /// What the request's Accept wants more (RFC 9110 §12.5.1). At equal weight the one that is named more precisely; without a preference, and without
    /// the field, the page.
    pub fn wanted(head: &Head<'_>) -> Self {
        let (mut html, mut json) = (Weight::default(), Weight::default());
        for line in head.fields.all("accept") {
            for member in line.split(|&byte| byte == b',') {
                html.consider(member, b"text", b"html");
                json.consider(member, b"application", b"json");
            }
        }
        if json.is_above(html) { Self::Json } else { Self::Html }
    }

    /// Value of its `content-type`.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Html => "text/html; charset=utf-8",
            Self::Json => "application/json",
        }
    }

    /// Further lines that an answer with it has, each with CRLF.
    pub const fn fields(self) -> &'static str {
        match self {
            Self::Html => HTML_FIELDS,
            Self::Json => JSON_FIELDS,
        }
    }

    /// Appends the listing in that format.
    pub fn write(self, listing: &Listing<'_>, out: &mut Vec<u8>) {
        match self {
            Self::Html => html(listing, out),
            Self::Json => json(listing, out),
        }
    }

    /// Makes the name of a directory in an embedded tree that under which the tree holds its listing: one that no path can ask for, because it has an empty segment.
    pub fn push_key(self, directory: &mut Vec<u8>) {
        directory.extend_from_slice(match self {
            Self::Html => b"//html",
            Self::Json => b"//json",
        });
    }
}

/// The listing of a directory of an embedded tree, in the format that the request wants. `directory` becomes the name under which the tree holds it.
pub fn embedded<'a>(tree: &Tree<'a>, directory: &mut Vec<u8>, head: &Head<'_>) -> Option<Asset<'a>> {
    Format::wanted(head).push_key(directory);
    match tree.find(directory) {
        blob::Entry::File(asset) => Some(asset),
        blob::Entry::Absent | blob::Entry::Directory => None,
    }
}

/// How much a media type is wanted.
#[derive(Clone, Copy, Default)]
struct Weight {
    /// 0: not named, 1: `*/*`, 2: `text/*`, 3: `text/html`.
    precision: u8,
    thousandths: u16,
}

impl Weight {
    /// The most precise range that takes the type decides; parameters other than the weight are not looked at.
    fn consider(&mut self, member: &[u8], kind: &[u8], subtype: &[u8]) {
        let Some((range, thousandths)) = negotiate::range(member) else { return };
        let Some(slash) = range.iter().position(|&byte| byte == b'/') else { return };
        let (of_kind, of_subtype) = (range.get(..slash).unwrap_or_default(), range.get(slash + 1..).unwrap_or_default());
        let precision = match (of_kind, of_subtype) {
            (b"*", b"*") => 1,
            (_, b"*") if of_kind.eq_ignore_ascii_case(kind) => 2,
            _ if of_kind.eq_ignore_ascii_case(kind) && of_subtype.eq_ignore_ascii_case(subtype) => 3,
            _ => return,
        };
        let found = Self { precision, thousandths };
        if precision > self.precision || precision == self.precision && thousandths > self.thousandths {
            *self = found;
        }
    }

    fn is_above(self, other: Self) -> bool {
        (self.thousandths, self.precision) > (other.thousandths, other.precision) && self.thousandths > 0
    }
}
