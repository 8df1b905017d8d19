//! Which name answers for a path: names are asked for one after the other, and whoever asks says what lies there.
//!
//! The order: the path's own file, tried names, 308 where a directory is missing its slash and has an index or a listing, the listing, the page of an
//! application, nothing. No callback, so that a look-up may wait for a disk. Bounded: at most three names beside those that are tried.

use super::{Rules, Tried, name};
use crate::mime;

/// What lies at a name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Found {
    /// Nothing, or nothing that may be served.
    Absent,
    /// A directory.
    Directory,
    /// A regular file.
    File,
}

/// What to do next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Next {
    /// The file of the name that was looked up last answers.
    File,
    /// The directory of that name shows what it holds; the empty name is the tree or the root itself.
    Listing,
    /// Look the name up and tell [`Search::found`] what lies there. An empty one is the tree or the root itself.
    LookUp,
    /// There is no file: another action answers, or 404.
    Nothing,
    /// 308 to [`super::slash_location`].
    Slash,
}

/// What a file or directory of the name that is looked up would mean.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Asked {
    /// The file would answer.
    File,
    /// The directory would be listed.
    Listing,
    /// The file is an index, for whose directory there would be a 308.
    Slash,
}

/// A search for what answers for a path.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    rules: &'a Rules<'a>,
    /// The normal-form path below the route; `None`: the route's bare prefix.
    below: Option<&'a str>,
    step: Step,
    /// At the path's own name is a directory, whose slash is missing.
    is_directory: bool,
}

/// What the name is that is looked up.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Step {
    /// The index of a directory whose slash is missing.
    Index,
    /// A directory that may be listed.
    Listed,
    /// The path's own.
    Own,
    Spa,
    /// The one of that number.
    Tried(usize),
}

impl<'a> Search<'a> {
    /// A search for the normal-form path below the route; `None`: for the route's bare prefix, which is a directory without its slash.
    pub const fn new(rules: &'a Rules<'a>, below: Option<&'a str>) -> Self {
        Self { rules, below, step: Step::Own, is_directory: below.is_none() }
    }

    /// Writes the first name to `name`. A hidden one ends the search.
    pub fn first(&mut self, name: &mut Vec<u8>) -> Next {
        match self.below {
            None => self.behind_tried(name),
            Some(below) if super::name(below, self.rules, name) => Next::LookUp,
            Some(_) => Next::Nothing,
        }
    }

    /// What follows from what lies at `name`; the next name is written there.
    pub fn found(&mut self, found: Found, name: &mut Vec<u8>) -> Next {
        match (self.step, found) {
            (Step::Index, Found::File) => Next::Slash,
            (Step::Own | Step::Spa | Step::Tried(_), Found::File) => Next::File,
            (Step::Index, _) if self.rules.lists => Next::Slash,
            (Step::Index, _) => self.spa(name),
            (Step::Listed, Found::Directory) => Next::Listing,
            (Step::Listed, _) => self.spa(name),
            (Step::Own, _) if self.has_slash() => self.listed(name),
            (Step::Own, found) => {
                self.is_directory = found == Found::Directory;
                self.tried(0, name)
            }
            (Step::Spa, _) => Next::Nothing,
            (Step::Tried(number), _) => self.tried(number + 1, name),
        }
    }

    /// What the name is asked for.
    pub const fn asked(&self) -> Asked {
        match self.step {
            Step::Index => Asked::Slash,
            Step::Listed => Asked::Listing,
            Step::Own | Step::Spa | Step::Tried(_) => Asked::File,
        }
    }

    /// The path is that of a directory.
    fn has_slash(&self) -> bool {
        self.below.is_some_and(|below| below.is_empty() || below.ends_with('/'))
    }

    /// The next of the tried names that may be served, or what comes behind them.
    fn tried(&mut self, from: usize, out: &mut Vec<u8>) -> Next {
        let below = self.below.unwrap_or_default();
        for (number, Tried { before, behind }) in self.rules.tried.iter().enumerate().skip(from) {
            if !name(below, self.rules, out) {
                break;
            }
            out.splice(0..0, before.bytes());
            out.extend_from_slice(behind.as_bytes());
            if self.rules.serves(out) {
                self.step = Step::Tried(number);
                return Next::LookUp;
            }
        }
        self.behind_tried(out)
    }

    /// A directory without its slash: whether it has an index.
    fn behind_tried(&mut self, out: &mut Vec<u8>) -> Next {
        let is_named = match self.below {
            None => {
                out.clear();
                true
            }
            Some(below) => self.is_directory && name(below, self.rules, out),
        };
        if !is_named {
            return self.spa(out);
        }
        if !out.is_empty() {
            out.push(b'/');
        }
        out.extend_from_slice(self.rules.index.as_bytes());
        self.step = Step::Index;
        Next::LookUp
    }

    /// A directory without its index: `out` is the name of that.
    fn listed(&mut self, out: &mut Vec<u8>) -> Next {
        if !self.rules.lists {
            return self.spa(out);
        }
        out.truncate(out.len().saturating_sub(self.rules.index.len()));
        if out.ends_with(b"/") {
            out.pop();
        }
        self.step = Step::Listed;
        Next::LookUp
    }

    /// The page of an application, where the path may be one of its places: a missing script stays missing.
    fn spa(&mut self, out: &mut Vec<u8>) -> Next {
        let Some(page) = self.rules.spa else { return Next::Nothing };
        if !mime::may_be_page(self.below.unwrap_or_default().as_bytes()) {
            return Next::Nothing;
        }
        out.clear();
        out.extend_from_slice(page.as_bytes());
        self.step = Step::Spa;
        Next::LookUp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIED: &[Tried<'_>] = &[Tried { before: "", behind: ".html" }, Tried { before: "pages/", behind: "/main.html" }];
    const FILES: [&str; 8] =
        ["index.html", "about.html", "docs/index.html", "docs.html", "pages/team/main.html", "empty/x.txt", "app.html", ".env"];

    fn lies(name: &str) -> Found {
        if FILES.contains(&name) {
            return Found::File;
        }
        let is_directory = name.is_empty() || FILES.iter().any(|file| file.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')));
        if is_directory { Found::Directory } else { Found::Absent }
    }

    /// The names that were looked up, and what came of it.
    fn searched(rules: &Rules<'_>, below: Option<&str>) -> String {
        let (mut search, mut name, mut asked) = (Search::new(rules, below), b"left over".to_vec(), Vec::new());
        let mut next = search.first(&mut name);
        while next == Next::LookUp {
            let text = String::from_utf8(name.clone()).expect("names of this test are text");
            asked.push(format!("`{text}`"));
            next = search.found(lies(&text), &mut name);
        }
        asked.push(format!("{next:?}"));
        asked.join(" ")
    }

    #[test]
    fn search_without_words_asks_for_file_and_index() {
        let rules = Rules::NEW;
        for (below, expected) in [
            (Some("about.html"), "`about.html` File"),
            (Some("a%62out.html"), "`about.html` File"),
            (Some(""), "`index.html` File"),
            (Some("docs/"), "`docs/index.html` File"),
            (Some("docs"), "`docs` `docs/index.html` Slash"),
            (Some("empty"), "`empty` `empty/index.html` Nothing"),
            (Some("empty/"), "`empty/index.html` Nothing"),
            (Some("nope"), "`nope` Nothing"),
            (None, "`index.html` Slash"),
            (Some(".env"), "Nothing"),
            (Some("a%2Fb"), "Nothing"),
        ] {
            assert_eq!(searched(&rules, below), expected, "{below:?}");
        }
    }

    #[test]
    fn search_tries_names_in_order_before_the_directory() {
        let rules = Rules { tried: TRIED, ..Rules::NEW };
        for (below, expected) in [
            (Some("about"), "`about` `about.html` File"),
            (Some("team"), "`team` `team.html` `pages/team/main.html` File"),
            (Some("docs"), "`docs` `docs.html` File"),
            (Some("pages"), "`pages` `pages.html` `pages/pages/main.html` `pages/index.html` Nothing"),
            (Some("docs/"), "`docs/index.html` File"),
            (Some("nope/"), "`nope/index.html` Nothing"),
            (None, "`index.html` Slash"),
            (Some("nope"), "`nope` `nope.html` `pages/nope/main.html` Nothing"),
        ] {
            assert_eq!(searched(&rules, below), expected, "{below:?}");
        }
    }

    #[test]
    fn search_passes_over_tried_names_that_are_hidden() {
        let tried = [Tried { before: "", behind: "k" }, Tried { before: "", behind: "~" }, Tried { before: "", behind: ".html" }];
        let rules = Rules { tried: &tried, ..Rules::NEW };
        assert_eq!(searched(&rules, Some("a.ba")), "`a.ba` `a.ba.html` Nothing");
        let rules = Rules { serves_hidden: true, ..rules };
        assert_eq!(searched(&rules, Some("a.ba")), "`a.ba` `a.bak` `a.ba~` `a.ba.html` Nothing");
    }

    #[test]
    fn search_lists_directories_without_index() {
        let rules = Rules { lists: true, index: "none.html", ..Rules::NEW };
        for (below, expected) in [
            (Some("empty/"), "`empty/none.html` `empty` Listing"),
            (Some(""), "`none.html` `` Listing"),
            (Some("empty"), "`empty` `empty/none.html` Slash"),
            (None, "`none.html` Slash"),
            (Some("nope/"), "`nope/none.html` `nope` Nothing"),
        ] {
            assert_eq!(searched(&rules, below), expected, "{below:?}");
        }
    }

    #[test]
    fn search_ends_with_the_page_of_an_application() {
        let rules = Rules { spa: Some("app.html"), ..Rules::NEW };
        for (below, expected) in [
            (Some("users/7"), "`users/7` `app.html` File"),
            (Some("users/john.doe"), "`users/john.doe` `app.html` File"),
            (Some("users/"), "`users/index.html` `app.html` File"),
            (Some("empty"), "`empty` `empty/index.html` `app.html` File"),
            (Some("old.html"), "`old.html` `app.html` File"),
            (Some("app.js"), "`app.js` Nothing"),
            (Some("assets/a.CSS"), "`assets/a.CSS` Nothing"),
            (Some(".git/config"), "Nothing"),
            (Some("docs"), "`docs` `docs/index.html` Slash"),
        ] {
            assert_eq!(searched(&rules, below), expected, "{below:?}");
        }
        let rules = Rules { spa: Some("gone.html"), ..Rules::NEW };
        assert_eq!(searched(&rules, Some("x")), "`x` `gone.html` Nothing");
    }

    #[test]
    fn search_with_hidden_asks_for_dotfiles() {
        let rules = Rules { serves_hidden: true, ..Rules::NEW };
        assert_eq!(searched(&rules, Some(".env")), "`.env` File");
        for below in ["a/../b", "./a", "a//b", "a%00"] {
            assert_eq!(searched(&rules, Some(below)), "Nothing", "{below}");
        }
    }
}
