//! What a `files` block says of its directory, beside where that lies.

use crate::{glob, negotiate::Codings};

/// The words of one `files` block: part of a `static` of generated code, and what the compiler's evaluator reads from its plan.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rules<'a> {
    /// Name of a directory's file.
    pub index: &'a str,
    /// Names that are tried in order behind the path's own.
    pub tried: &'a [Tried<'a>],
    /// The file that answers for paths without one.
    pub spa: Option<&'a str>,
    /// Globs ([`crate::glob`]) of names that never change their content.
    pub immutable: &'a [&'a str],
    /// Names that begin with a dot, and backups, are served too.
    pub serves_hidden: bool,
    /// A directory without its index shows what it holds.
    pub lists: bool,
    /// Codings whose compressed siblings answer for a file of a root.
    pub precompressed: Codings,
    /// Links that stay below a root are followed.
    pub follows_links: bool,
    /// The route codes what is compressible, so that its answers vary by Accept-Encoding.
    pub is_encoded: bool,
}

/// A name that is tried: the decoded path below the route between two texts.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Tried<'a> {
    /// Text before the path.
    pub before: &'a str,
    /// Text behind it.
    pub behind: &'a str,
}

impl Rules<'_> {
    /// Whether a decoded, relative name may be served at all.
    #[inline]
    pub fn serves(&self, name: &[u8]) -> bool {
        if self.serves_hidden { super::is_relative(name) } else { super::is_plain(name) }
    }

    /// Whether the file of that name never changes its content.
    pub fn is_immutable(&self, name: &[u8]) -> bool {
        self.immutable.iter().any(|glob| glob::matches(glob, name))
    }

    /// What holds where the block says nothing.
    pub const NEW: Self = Self {
        index: "index.html",
        tried: &[],
        spa: None,
        immutable: &[],
        serves_hidden: false,
        lists: false,
        precompressed: Codings::IDENTITY,
        follows_links: false,
        is_encoded: false,
    };
}
