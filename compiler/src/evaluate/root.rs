//! A file of a root, which is named and not read: whoever can look at the directory finds out what the binary answers.

use semantics::files::{Asked, Found, Next, Search};

use super::Outcome;
use crate::plan::Rules;

/// The names that a root is searched for, and what is answered where none of them is there.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RootSearch {
    pub directory: String,
    pub rules: Rules,
    /// The path in normal form below the route; `None`: the route's bare prefix.
    pub below: Option<String>,
    /// An upstream has named the file: no other name is asked for, and what is no file is nothing.
    pub is_named: bool,
    /// The answer without a file.
    pub otherwise: Box<Outcome>,
}

/// What a search of a root comes to. Names are decoded and relative to its directory.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum InRoot {
    File(Vec<u8>),
    Listing(Vec<u8>),
    Nothing,
    /// 308 to the path with a slash.
    Slash,
}

impl RootSearch {
    /// The file that an upstream has named by a path below a directory.
    pub(super) fn named(directory: String, below: String, otherwise: Box<Outcome>) -> Self {
        let rules = Rules::new(semantics::files::Rules::NEW.index);
        Self { directory, rules, below: Some(below), is_named: true, otherwise }
    }

    /// Searches a directory in which `lies` says what lies at a name; the empty one is the directory itself.
    pub fn in_root(&self, mut lies: impl FnMut(&[u8], Asked) -> Found) -> InRoot {
        self.rules.with(|rules| {
            let (mut search, mut name) = (Search::new(rules, self.below.as_deref()), Vec::new());
            let mut next = search.first(&mut name);
            if self.is_named {
                let is_there = next == Next::LookUp && search.asked() == Asked::File && lies(&name, Asked::File) == Found::File;
                return if is_there { InRoot::File(name) } else { InRoot::Nothing };
            }
            while next == Next::LookUp {
                next = search.found(lies(&name, search.asked()), &mut name);
            }
            match next {
                Next::File => InRoot::File(name),
                Next::Listing => InRoot::Listing(name),
                Next::LookUp | Next::Nothing => InRoot::Nothing,
                Next::Slash => InRoot::Slash,
            }
        })
    }

    /// The names that are asked for as long as nothing is there, and what for.
    pub fn asked(&self) -> Vec<(String, Asked)> {
        let mut names = Vec::new();
        self.in_root(|name, asked| {
            names.push((String::from_utf8_lossy(name).into_owned(), asked));
            Found::Absent
        });
        names
    }

    /// The names alone.
    pub fn names(&self) -> Vec<String> {
        self.asked().into_iter().map(|(name, _)| name).collect()
    }
}
