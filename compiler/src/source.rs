//! Source files and positions in them: the only place of the compiler's front that touches the file system.
//!
//! Files are read once, bounded in size, and kept for the whole run: diagnostics show their lines. A path shown to people is relative to the
//! entry file's directory, so that no output depends on where a checkout lies.

pub mod glob;
pub mod tree;

use std::{
    fs, io,
    io::Read,
    os::unix::fs::FileTypeExt,
    path::{Component, Path, PathBuf},
};

/// Bytes a source file may have: `kdl` takes half a second for a file of this size.
pub const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Bytes a table may have: a hundred thousand rows of long targets are a tenth of it.
pub const DATA_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Bytes an error page may have: it becomes part of the binary and is sent whole.
pub const PAGE_BYTES_MAX: u64 = 1024 * 1024;

/// Directory entries that one look into a tree reads at most.
const TREE_ENTRIES_MAX: usize = 100_000;

/// One file, by its index in the [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct FileId(pub u32);

/// Bytes `start..end` of a file.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

/// A file that was read: its path as shown to people (relative to the entry file's directory, `/` between parts) and its text.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub path: PathBuf,
    pub text: String,
    /// It is no part of the site's text: rows of a `map`.
    pub is_table: bool,
    /// Where each line starts, bytes; the first is 0.
    lines: Vec<u32>,
}

/// All files of one site, in the order they were read.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

/// `site.kdl:31`: what is left of a span from the plan on.
#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct Provenance {
    pub file: String,
    pub line: u32,
}

/// Why a file was not read.
#[derive(Debug)]
pub enum ReadFault {
    /// The first offending byte, in the file that was added with its bad bytes replaced.
    NotUtf8 {
        span: Span,
    },
    /// More than [`FILE_BYTES_MAX`], or than the kind of file may have.
    TooLarge,
    Unreadable(io::Error),
}

impl Span {
    pub const fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// The smallest span with both in it; both are of one file.
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn contains(self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

impl SourceMap {
    /// Adds a part of the site's text.
    pub fn add(&mut self, name: String, path: PathBuf, text: String) -> FileId {
        self.push(name, path, text, false)
    }

    fn push(&mut self, name: String, path: PathBuf, text: String, is_table: bool) -> FileId {
        let newlines = text.bytes().zip(1_u32..).filter(|(byte, _)| *byte == b'\n').map(|(_, next)| next);
        let lines = std::iter::once(0).chain(newlines).collect();
        let file = FileId(u32::try_from(self.sources.len()).expect("a run reads fewer than four billion files"));
        self.sources.push(Source { name, path, text, is_table, lines });
        file
    }

    /// Reads a file of at most [`FILE_BYTES_MAX`] bytes and adds it.
    pub fn read(&mut self, path: &Path, name: String) -> Result<FileId, ReadFault> {
        self.add_bytes(path, name, read_bytes(path, FILE_BYTES_MAX)?, false)
    }

    /// Reads a table of at most [`DATA_BYTES_MAX`] bytes and adds it.
    pub fn read_data(&mut self, path: &Path, name: String) -> Result<FileId, ReadFault> {
        self.add_bytes(path, name, read_bytes(path, DATA_BYTES_MAX)?, true)
    }

    fn add_bytes(&mut self, path: &Path, name: String, bytes: Vec<u8>, is_table: bool) -> Result<FileId, ReadFault> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(self.push(name, path.to_path_buf(), text, is_table)),
            Err(fault) => {
                let start = fault.utf8_error().valid_up_to() as u32;
                let text = String::from_utf8_lossy(fault.as_bytes()).into_owned();
                let file = self.push(name, path.to_path_buf(), text, is_table);
                Err(ReadFault::NotUtf8 { span: Span::new(file, start, start + char::REPLACEMENT_CHARACTER.len_utf8() as u32) })
            }
        }
    }

    pub fn source(&self, file: FileId) -> &Source {
        &self.sources[file.0 as usize]
    }

    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Directory that paths written in `file` are relative to.
    pub fn directory(&self, file: FileId) -> &Path {
        directory_of(&self.source(file).path)
    }

    /// The text a span covers.
    pub fn slice(&self, span: Span) -> &str {
        self.source(span.file).text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    pub fn provenance(&self, span: Span) -> Provenance {
        let source = self.source(span.file);
        Provenance { file: source.name.clone(), line: source.line_of(span.start) }
    }

    /// The path of a file as shown to people: relative to the entry file's directory where it lies on the same root.
    pub fn name_of(&self, path: &Path) -> String {
        let base = self.sources.first().map_or_else(|| Path::new(""), |entry| directory_of(&entry.path));
        relative(base, path)
    }
}

impl Source {
    /// The line of a byte, counted from 1.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.lines.partition_point(|start| *start <= offset) as u32
    }

    /// Where a line (counted from 1) starts, bytes.
    pub fn line_start(&self, line: u32) -> u32 {
        self.lines.get(line.saturating_sub(1) as usize).copied().unwrap_or(self.text.len() as u32)
    }
}

impl std::fmt::Display for Provenance {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

/// The content of a file of at most `bytes_max` bytes.
pub fn read_bytes(path: &Path, bytes_max: u64) -> Result<Vec<u8>, ReadFault> {
    if is_named_pipe(path) {
        return Err(ReadFault::Unreadable(io::Error::other("is a named pipe")));
    }
    let file = fs::File::open(path).map_err(ReadFault::Unreadable)?;
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(ReadFault::Unreadable)?;
    if bytes.len() as u64 > bytes_max { Err(ReadFault::TooLarge) } else { Ok(bytes) }
}

/// Opening one waits for a writer, who may never come. What a shell makes of `<(..)` has no place in a file system and is read.
fn is_named_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo()) && fs::canonicalize(path).is_ok()
}

/// Two paths name one file when these are equal; falls back to the path itself where the file can't be looked at.
pub fn identity(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

pub fn is_directory(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Names in a directory, sorted by their bytes; none where it can't be read. Names that are not UTF-8 are left out.
pub fn list(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

/// The first file (in sorted order) below a directory whose name ends in `.extension`, relative to it. Looks at a bounded number of entries and follows no links.
pub fn find_extension(directory: &Path, extension: &str) -> Option<String> {
    let mut waiting = vec![PathBuf::new()];
    let mut seen = 0;
    while let Some(below) = waiting.pop() {
        for name in list(&directory.join(&below)) {
            seen += 1;
            let relative = below.join(&name);
            let metadata = fs::symlink_metadata(directory.join(&relative)).ok()?;
            if metadata.is_dir() && seen < TREE_ENTRIES_MAX {
                waiting.push(relative);
            } else if metadata.is_file() && Path::new(&name).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension)) {
                return Some(relative.to_string_lossy().into_owned());
            }
        }
    }
    None
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn relative(base: &Path, path: &Path) -> String {
    let base = parts(base);
    let path_parts = parts(path);
    let shared = base.iter().zip(&path_parts).take_while(|(a, b)| a == b).count();
    let is_comparable = base.iter().all(|part| part != "..") && base.first().is_some_and(|p| p == "/") == path.has_root();
    if !is_comparable {
        return path.to_string_lossy().into_owned();
    }
    let up = std::iter::repeat_n("..", base.len() - shared);
    up.chain(path_parts[shared..].iter().map(String::as_str)).collect::<Vec<_>>().join("/")
}

/// The components of a path with `.` left out and `..` resolved by text.
fn parts(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if parts.last().is_some_and(|last| last != ".." && last != "/") => {
                parts.pop();
            }
            other => parts.push(other.as_os_str().to_string_lossy().into_owned()),
        }
    }
    parts
}
