//! What a `files` block says of its directory: the owned twin of [`semantics::files::Rules`].

use semantics::{files, negotiate::Codings};

/// The words of one `files` block.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Rules {
    /// Name of a directory's file.
    pub index: String,
    /// Names that are tried in order behind the path's own.
    pub tried: Vec<Tried>,
    /// The file that answers for paths without one.
    pub spa: Option<String>,
    /// Globs of names that never change their content.
    pub immutable: Vec<String>,
    pub serves_hidden: bool,
    pub lists: bool,
    /// Codings whose compressed siblings answer for a file.
    pub precompressed: Codings,
    pub follows_links: bool,
    /// The route codes what is compressible.
    pub is_encoded: bool,
}

/// The owned twin of [`semantics::files::Tried`].
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Tried {
    pub before: String,
    pub behind: String,
}

impl Rules {
    /// Nothing but the name of the index.
    pub fn new(index: &str) -> Self {
        Self {
            index: index.to_owned(),
            tried: Vec::new(),
            spa: None,
            immutable: Vec::new(),
            serves_hidden: files::Rules::NEW.serves_hidden,
            lists: files::Rules::NEW.lists,
            precompressed: files::Rules::NEW.precompressed,
            follows_links: files::Rules::NEW.follows_links,
            is_encoded: files::Rules::NEW.is_encoded,
        }
    }

    /// What of them an embedded tree is made by: the others decide when a request comes.
    pub fn of_tree(&self) -> Self {
        let index = if self.lists { self.index.clone() } else { String::new() };
        Self { index, tried: Vec::new(), spa: None, ..self.clone() }
    }

    /// Calls `read` with the same rules as the runtime has them.
    pub fn with<R>(&self, read: impl FnOnce(&files::Rules<'_>) -> R) -> R {
        let tried: Vec<_> = self.tried.iter().map(|Tried { before, behind }| files::Tried { before, behind }).collect();
        let immutable: Vec<_> = self.immutable.iter().map(String::as_str).collect();
        read(&files::Rules {
            index: &self.index,
            tried: &tried,
            spa: self.spa.as_deref(),
            immutable: &immutable,
            serves_hidden: self.serves_hidden,
            lists: self.lists,
            precompressed: self.precompressed,
            follows_links: self.follows_links,
            is_encoded: self.is_encoded,
        })
    }
}
