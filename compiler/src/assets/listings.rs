//! Listings of an embedded tree: a page and an object for each directory without its index, stored beside the files under names that no path can ask for.
//!
//! Made of the plan alone, so that the same plan gives the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use semantics::{
    blob::{FileInput, FormInput},
    listing::{self, ENTRIES_MAX, Entry, Format, Kind, Listing, NAMES_BYTES_MAX},
    negotiate::{Coding, Codings},
};
use sha2::{Digest, Sha256};

use super::{FaultKind, pack, store::Store};
use crate::{
    answer::AssetForm,
    plan::{Asset, Embed},
};

/// What lies in each directory; the empty path is the tree itself.
type Directories<'a> = BTreeMap<&'a str, Vec<Entry<'a>>>;

/// A listing in one format, before it is coded.
pub(super) struct Page {
    /// As [`Format::push_key`] has it.
    path: String,
    format: Format,
    body: Vec<u8>,
}

/// All listings of a tree, sorted by directory; none where its files block does not list.
pub(super) fn pages(embed: &Embed) -> Vec<Page> {
    if !embed.rules.lists {
        return Vec::new();
    }
    let index =
        |directory: &str| if directory.is_empty() { embed.rules.index.clone() } else { format!("{directory}/{}", embed.rules.index) };
    let files: BTreeSet<&str> = embed.assets.iter().map(|asset| asset.path.as_str()).collect();
    let unindexed = directories(&embed.assets).into_iter().filter(|(directory, _)| !files.contains(index(directory).as_str()));
    unindexed.flat_map(|(directory, entries)| both(directory, entries)).collect()
}

fn directories(assets: &[Asset]) -> Directories<'_> {
    let mut directories = Directories::from([("", Vec::new())]);
    let mut known = BTreeSet::new();
    for asset in assets {
        let (mut directory, name) = asset.path.rsplit_once('/').unwrap_or(("", &asset.path));
        directories.entry(directory).or_default().push(Entry {
            name: name.as_bytes(),
            kind: Kind::File(asset.bytes),
            modified: asset.modified,
        });
        // Each directory above that is not known yet is an entry of the one above it.
        while !directory.is_empty() && known.insert(directory) {
            let (parent, name) = directory.rsplit_once('/').unwrap_or(("", directory));
            directories.entry(parent).or_default().push(Entry { name: name.as_bytes(), kind: Kind::Directory, modified: None });
            directory = parent;
        }
    }
    directories
}

/// The page and the object of one directory. Bounded as those of roots are.
fn both(directory: &str, mut entries: Vec<Entry<'_>>) -> [Page; 2] {
    listing::sort(&mut entries);
    let mut names_bytes = 0;
    let fits = |entry: &&Entry<'_>| {
        names_bytes += entry.name.len();
        names_bytes <= NAMES_BYTES_MAX
    };
    let shown = entries.iter().take(ENTRIES_MAX).take_while(fits).count();
    let listing = Listing { above: b"", name: directory.as_bytes(), entries: &entries[..shown], is_truncated: shown < entries.len() };
    [Format::Html, Format::Json].map(|format| {
        let (mut path, mut body) = (directory.as_bytes().to_vec(), Vec::new());
        format.push_key(&mut path);
        format.write(&listing, &mut body);
        Page { path: String::from_utf8(path).expect("names of assets are UTF-8"), format, body }
    })
}

impl Page {
    /// The listing in all forms that make it smaller.
    pub(super) fn file(&self, store: &Store) -> Result<FileInput, FaultKind> {
        let hash: [u8; 32] = Sha256::digest(&self.body).into();
        let mut bodies = Vec::new();
        for coding in Codings::ALL.coded() {
            let form = store.form(&hash, coding, &self.body).map_err(|error| FaultKind::Io(error.to_string()))?;
            bodies.extend(form.map(|body| (coding, body)));
        }
        let vary = if bodies.is_empty() { "vary: accept\r\n" } else { "vary: accept, accept-encoding\r\n" };
        bodies.push((Coding::Identity, self.body.clone()));
        let forms = bodies.into_iter().map(|(coding, body)| self.form(&hash, vary, coding, body));
        Ok(FileInput { path: self.path.clone(), modified: 0, forms: forms.collect() })
    }

    fn form(&self, hash: &[u8; 32], vary: &str, coding: Coding, body: Vec<u8>) -> FormInput {
        let etag = pack::etag(hash, coding);
        let answer = AssetForm {
            content_type: self.format.content_type(),
            coding,
            etag: &etag,
            bytes: body.len() as u64,
            is_negotiated: false,
            is_immutable: false,
            modified: None,
        };
        let (mut head, mut not_modified) = (answer.head(), answer.not_modified());
        for lines in [&mut head, &mut not_modified] {
            lines.extend_from_slice(vary.as_bytes());
        }
        head.extend_from_slice(self.format.fields().as_bytes());
        FormInput { coding, etag, head, not_modified, body }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::plan::Rules;

    fn asset(path: &str) -> Asset {
        Asset {
            path: path.to_owned(),
            source: PathBuf::new(),
            content_type: String::new(),
            hash: [0; 32],
            bytes: path.len() as u64,
            codings: Vec::new(),
            siblings: Vec::new(),
            modified: None,
        }
    }

    fn embed(paths: &[&str], lists: bool) -> Embed {
        let rules = Rules { lists, ..Rules::new("index.html") };
        Embed {
            name: String::new(),
            tree: 0,
            directory: "public".to_owned(),
            rules,
            has_dates: false,
            assets: paths.iter().map(|path| asset(path)).collect(),
        }
    }

    #[test]
    fn directory_without_its_index_has_both_formats() {
        let paths = ["a/b/deep.txt", "a/b/more.txt", "a/c/index.html", "a/z.txt", "top.txt"];
        let pages = pages(&embed(&paths, true));
        let shown: Vec<_> = pages.iter().map(|page| page.path.as_str()).collect();
        assert_eq!(shown, ["//html", "//json", "a//html", "a//json", "a/b//html", "a/b//json"]);
        let object = |number: usize| String::from_utf8_lossy(&pages[number].body).into_owned();
        assert_eq!(
            object(3),
            "{\"path\":\"/a/\",\"directories\":2,\"files\":1,\"bytes\":7,\"truncated\":false,\"entries\":[\n\
             {\"name\":\"b\",\"href\":\"./b/\",\"kind\":\"directory\"},\n\
             {\"name\":\"c\",\"href\":\"./c/\",\"kind\":\"directory\"},\n\
             {\"name\":\"z.txt\",\"href\":\"./z.txt\",\"kind\":\"file\",\"bytes\":7}\n]}\n"
        );
        assert!(object(5).contains("\"files\":2"));
    }

    #[test]
    fn tree_that_does_not_list_has_none_and_an_empty_one_is_listed() {
        assert!(pages(&embed(&["a.txt"], false)).is_empty());
        let empty = pages(&embed(&[], true));
        assert_eq!(empty.len(), 2);
        assert!(String::from_utf8_lossy(&empty[0].body).contains("This folder is empty."));
    }

    #[test]
    fn date_is_shown_where_the_tree_says_it() {
        let mut embed = embed(&["a/b.txt"], true);
        let without = pages(&embed);
        embed.assets[0].modified = Some(784_111_777);
        let with = pages(&embed);
        for (number, text) in [(2, "<time datetime=\"1994-11-06T08:49:37Z\">"), (3, "\"modified\":\"1994-11-06T08:49:37Z\"")] {
            assert!(String::from_utf8_lossy(&with[number].body).contains(text));
            assert!(!String::from_utf8_lossy(&without[number].body).to_lowercase().contains("modified"));
        }
        // A directory has none of its own.
        assert_eq!(with[1].body, without[1].body);
    }

    #[test]
    fn directory_above_the_bound_is_truncated() {
        let paths: Vec<_> = (0..=ENTRIES_MAX).map(|number| number.to_string()).collect();
        let paths: Vec<_> = paths.iter().map(String::as_str).collect();
        let truncated = pages(&embed(&paths, true));
        assert!(String::from_utf8_lossy(&truncated[1].body).contains("\"files\":10000,"));
        assert!(String::from_utf8_lossy(&truncated[1].body).contains("\"truncated\":true"));
        let whole = pages(&embed(&paths[1..], true));
        assert!(String::from_utf8_lossy(&whole[1].body).contains("\"truncated\":false"));
    }
}
