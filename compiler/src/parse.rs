//! Text to tree: files are read and included, scanned, read by `kdl` and checked against the schema, each top-level node on its own.
//!
//! [`parse`] reports every error of every file and gives a tree only where there was none. Large files are read on all cores; the result does not
//! depend on how many there are.

mod check;
mod depth;
mod node;
pub(crate) mod value;

use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    ops::Range,
    path::{Path, PathBuf},
    thread,
};

use crate::{
    ast,
    diagnostic::{Code, Diagnostic, Diagnostics},
    schema::Scope,
    source::{self, FILE_BYTES_MAX, FileId, ReadFault, SourceMap, Span, glob},
};

/// Files up to this many bytes are read by one thread.
const PARALLEL_BYTES_MIN: usize = 128 * 1024;

/// `kdl` takes some kilobytes of stack for a level, and [`depth`] lets a few hundred through.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// Reads the entry file and what it includes. The tree is `None` where there were errors.
pub fn parse(entry: &Path, diagnostics: &mut Diagnostics) -> (SourceMap, Option<ast::Config>) {
    let mut reader = Reader { sources: SourceMap::default(), diagnostics, open: Vec::new(), seen: BTreeMap::new(), is_complete: true };
    let mut nodes = Vec::new();
    let name = entry.file_name().map_or_else(|| entry.display().to_string(), |name| name.to_string_lossy().into_owned());
    reader.file(entry, name, None, &mut nodes);
    let Reader { sources, is_complete, .. } = reader;
    if is_complete {
        check::top_level(&sources, &nodes, diagnostics);
    }
    let config = (!diagnostics.has_errors()).then_some(ast::Config { nodes });
    (sources, config)
}

struct Reader<'d> {
    sources: SourceMap,
    diagnostics: &'d mut Diagnostics,
    /// Files whose nodes are being read, outermost first.
    open: Vec<PathBuf>,
    /// All files read so far, and the `include` that named each.
    seen: BTreeMap<PathBuf, Option<Span>>,
    /// Everything that was written has been understood, so that what is missing is really missing.
    is_complete: bool,
}

impl Reader<'_> {
    /// Reads a file and appends its nodes, those of its includes in their place.
    fn file(&mut self, path: &Path, name: String, include: Option<Span>, nodes: &mut Vec<ast::Node>) {
        let identity = source::identity(path);
        if let Some(diagnostic) = self.repeated(&identity, &name, include) {
            self.diagnostics.push(diagnostic);
            return;
        }
        let file = match self.sources.read(path, name.clone()) {
            Ok(file) => file,
            Err(fault) => {
                self.is_complete = false;
                self.diagnostics.push(unread(&fault, &name, include));
                return;
            }
        };
        self.seen.insert(identity.clone(), include);
        self.open.push(identity);
        for node in self.text(file) {
            if node.is("include") {
                self.include(&node, nodes);
            } else {
                nodes.push(node);
            }
        }
        self.open.pop();
    }

    fn repeated(&self, identity: &PathBuf, name: &str, include: Option<Span>) -> Option<Diagnostic> {
        let span = include?;
        if self.open.contains(identity) {
            let diagnostic = Diagnostic::new(Code::IncludeCycle, span, format!("`{name}` includes itself"));
            return Some(diagnostic.label("this file is being read already"));
        }
        let earlier = self.seen.get(identity)?;
        let diagnostic = Diagnostic::new(Code::IncludeTwice, span, format!("`{name}` is included twice")).label("for the second time");
        Some(earlier.map_or(diagnostic.clone(), |earlier| diagnostic.secondary(earlier, "for the first time")))
    }

    fn include(&mut self, node: &ast::Node, nodes: &mut Vec<ast::Node>) {
        let Some(value) = node.argument("pattern") else { return };
        let pattern = value.text();
        let paths = glob::expand(self.sources.directory(value.span.file), pattern);
        if paths.is_empty() || pattern.is_empty() {
            self.is_complete = false;
            let diagnostic = Diagnostic::new(Code::IncludeMiss, value.span, format!("`{pattern}` names no file"))
                .label("nothing is taken by this pattern");
            self.diagnostics.push(diagnostic.help("relative paths begin at the directory of the file that says `include`"));
        }
        for path in paths {
            let name = self.sources.name_of(&path);
            self.file(&path, name, Some(value.span), nodes);
        }
    }

    /// The checked nodes of one file.
    fn text(&mut self, file: FileId) -> Vec<ast::Node> {
        let text = &self.sources.source(file).text;
        let scan = match depth::scan(text) {
            Ok(scan) => scan,
            Err(fault) => {
                self.is_complete = false;
                self.diagnostics.push(unscanned(&fault, file));
                return Vec::new();
            }
        };
        let threads = if text.len() < PARALLEL_BYTES_MIN { 1 } else { thread::available_parallelism().map_or(1, NonZeroUsize::get) };
        let share = scan.chunks.len().div_ceil(threads).max(1);
        let read_share = |chunks: &[Range<usize>]| {
            let mut read = Read::default();
            for chunk in chunks {
                read.chunk(node::Chunk { file, start: chunk.start, text: &scan.text[chunk.clone()] });
            }
            read
        };
        let reads: Vec<Read> = thread::scope(|scope| {
            let spawn = |chunks| thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || read_share(chunks));
            let running: Vec<_> = scan.chunks.chunks(share).map(spawn).collect();
            let joined = running.into_iter().map(|thread| thread.expect("the system gives a thread").join());
            joined.map(|read| read.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        let mut nodes = Vec::new();
        for read in reads {
            self.is_complete &= read.is_complete;
            self.diagnostics.append(read.diagnostics);
            nodes.extend(read.nodes);
        }
        nodes
    }
}

/// What one thread made of its share of a file.
struct Read {
    nodes: Vec<ast::Node>,
    diagnostics: Diagnostics,
    is_complete: bool,
}

impl Default for Read {
    fn default() -> Self {
        Self { nodes: Vec::new(), diagnostics: Diagnostics::default(), is_complete: true }
    }
}

impl Read {
    fn chunk(&mut self, chunk: node::Chunk<'_>) {
        match node::read(chunk) {
            Ok(raw) => {
                let written = raw.len();
                let known = self.nodes.len() + written;
                self.nodes.extend(raw.into_iter().filter_map(|node| check::node(node, Scope::Top, &mut self.diagnostics)));
                self.is_complete &= self.nodes.len() == known;
            }
            Err(faults) => {
                self.is_complete = false;
                for fault in faults {
                    self.diagnostics.push(fault);
                }
            }
        }
    }
}

fn unread(fault: &ReadFault, name: &str, include: Option<Span>) -> Diagnostic {
    let at_include = |code, message: String| match include {
        Some(span) => Diagnostic::new(code, span, message),
        None => Diagnostic::without_span(code, message),
    };
    match fault {
        ReadFault::NotUtf8 { span } => {
            Diagnostic::new(Code::NotUtf8, *span, format!("`{name}` is not UTF-8")).label("this byte is not part of UTF-8")
        }
        ReadFault::TooLarge => at_include(Code::FileTooLarge, format!("`{name}` has more than {} MiB", FILE_BYTES_MAX >> 20)),
        ReadFault::Unreadable(error) if error.kind() == std::io::ErrorKind::NotFound && include.is_some() => {
            let diagnostic = at_include(Code::IncludeMiss, format!("there is no file `{name}`"));
            diagnostic.help("relative paths begin at the directory of the file that says `include`")
        }
        ReadFault::Unreadable(error) => at_include(Code::FileUnreadable, format!("`{name}` can't be read: {}", reason(error))),
    }
}

/// The system's words without its number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    words.to_lowercase()
}

fn unscanned(fault: &depth::Fault, file: FileId) -> Diagnostic {
    let span = |start: usize, end: usize| Span::new(file, start as u32, end as u32);
    match fault {
        depth::Fault::ClosesNothing { at } => {
            Diagnostic::new(Code::Unclosed, span(*at, at + 1), "this `}` closes nothing").label("no block is open here")
        }
        depth::Fault::OldKdl { at, length, now } => {
            let diagnostic = Diagnostic::new(Code::OldKdl, span(*at, at + length), "this file is written in KDL 1, site files are KDL 2");
            diagnostic.label(format!("KDL 2 says `{now}`")).help("`kiln codes K0006` lists the differences")
        }
        depth::Fault::TooDeep { at } => {
            let diagnostic = Diagnostic::new(Code::TooDeep, span(*at, at + 1), format!("more than {} levels of blocks", depth::LEVELS_MAX));
            diagnostic.label("this one is too deep")
        }
        depth::Fault::UnclosedBlock { at } => {
            Diagnostic::new(Code::Unclosed, span(*at, at + 1), "this block is never closed").label("its `}` is missing")
        }
        depth::Fault::UnclosedComment { at } => {
            Diagnostic::new(Code::Unclosed, span(*at, at + 2), "this comment is never closed").label("its `*/` is missing")
        }
        depth::Fault::UnclosedString { at, end } => {
            let diagnostic =
                Diagnostic::new(Code::Unclosed, span(*at, *end), "this string is not closed").label("its closing quote is missing");
            diagnostic
                .help("a string ends on its line; one over several lines opens and closes with `\"\"\"`, each followed by a line feed")
        }
    }
}
