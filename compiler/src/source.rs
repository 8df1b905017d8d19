//! Source files and positions in them: the only place of the compiler that reads a user's KDL files.

use std::path::{Path, PathBuf};

/// One file, by its index in the [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct FileId(pub u32);

/// Bytes `start..end` of a file.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Span { pub file: FileId, pub start: u32, pub end: u32 }

/// A file that was read: its path as shown to people (relative to the entry file's directory, `/` between parts) and its text.
#[derive(Clone, Debug)]
pub struct Source { pub name: String, pub path: PathBuf, pub text: String }

/// All files of one site, in the order they were read.
#[derive(Clone, Debug, Default)]
pub struct SourceMap { sources: Vec<Source> }

/// `site.kdl:31`: what is left of a span from the plan on.
#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct Provenance { pub file: String, pub line: u32 }

impl SourceMap {
    pub fn add(&mut self, name: String, path: PathBuf, text: String) -> FileId { self.sources.push(Source { name, path, text }); FileId(self.sources.len() as u32 - 1) }
    pub fn source(&self, file: FileId) -> &Source { &self.sources[file.0 as usize] }
    pub fn sources(&self) -> &[Source] { &self.sources }
    /// Directory that paths written in `file` are relative to.
    pub fn directory(&self, file: FileId) -> &Path { self.source(file).path.parent().unwrap_or(Path::new(".")) }
    pub fn provenance(&self, span: Span) -> Provenance { todo!() }
}
