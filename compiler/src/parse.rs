//! Text to tree: files are read and included, cut into statements, whose heads are read by `kdl`, and checked against the schema.
//!
//! [`parse`] reports every error of every file and gives a tree only where there was none. Large files are read on all cores; the result does not
//! depend on how many there are.

mod blocks;
mod check;
mod fault;
mod late;
mod node;
mod plain;
mod raw;
mod snippets;
pub mod syntax;
mod tables;
pub(crate) mod token;
pub(crate) mod value;

pub(crate) use self::fault::reason;

use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread,
};

use self::{
    blocks::Statement,
    raw::{Head, Name, RawEntry, RawNode, RawTree},
    snippets::{Snippet, Written},
};
use crate::{
    ast,
    diagnostic::{Code, Diagnostic, Diagnostics},
    schema::{self, Scope},
    source::{self, FileId, ReadFault, SourceMap, Span, glob},
};

/// Files up to this many bytes are read by one thread.
const PARALLEL_BYTES_MIN: usize = 128 * 1024;

/// `kdl` takes some kilobytes of stack for a level, and [`node`] lets a few hundred through.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// Reads the entry file and what it includes. The tree is `None` where there were errors.
pub fn parse(entry: &Path, diagnostics: &mut Diagnostics) -> (SourceMap, Option<ast::Config>) {
    let name = entry.file_name().map_or_else(|| entry.display().to_string(), |name| name.to_string_lossy().into_owned());
    run(diagnostics, |reader, nodes| reader.file(entry, name, None, nodes))
}

/// Reads a text as if it were the entry file at `path`, which need not exist; its includes are read from there.
pub fn parse_text(path: &Path, text: String, diagnostics: &mut Diagnostics) -> (SourceMap, Option<ast::Config>) {
    run(diagnostics, |reader, nodes| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = reader.sources.add(name, path.to_path_buf(), text);
        reader.nodes(file, source::identity(path), None, nodes);
    })
}

fn run(diagnostics: &mut Diagnostics, read: impl FnOnce(&mut Reader<'_>, &mut Vec<ast::Node>)) -> (SourceMap, Option<ast::Config>) {
    let mut reader = Reader {
        sources: SourceMap::default(),
        diagnostics,
        open: Vec::new(),
        seen: BTreeMap::new(),
        written: Written::default(),
        is_complete: true,
    };
    let mut nodes = Vec::new();
    read(&mut reader, &mut nodes);
    let Reader { mut sources, written, is_complete, .. } = reader;
    let uses = snippets::expand(&mut nodes, &written, diagnostics);
    if is_complete {
        check::top_level(&sources, &nodes, diagnostics);
    }
    let files = tables::read(&nodes, &mut sources, diagnostics);
    let config = (!diagnostics.has_errors()).then_some(ast::Config { nodes, uses, files });
    (sources, config)
}

struct Reader<'d> {
    sources: SourceMap,
    diagnostics: &'d mut Diagnostics,
    /// Files whose nodes are being read, outermost first.
    open: Vec<PathBuf>,
    /// All files read so far, and the `include` that named each.
    seen: BTreeMap<PathBuf, Option<Span>>,
    written: Written,
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
                // No place in a file says where an entry is looked for that was not read.
                let has_place = include.is_some() || matches!(fault, ReadFault::NotUtf8 { .. });
                let shown = if has_place { name } else { path.to_string_lossy().into_owned() };
                self.diagnostics.push(fault::unread(&fault, &shown, include));
                return;
            }
        };
        self.nodes(file, identity, include, nodes);
    }

    fn nodes(&mut self, file: FileId, identity: PathBuf, include: Option<Span>, nodes: &mut Vec<ast::Node>) {
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
        let blocks = match blocks::scan(text) {
            Ok(blocks) => blocks,
            Err(fault) => {
                self.is_complete = false;
                self.diagnostics.push(fault::unscanned(&fault, file));
                return Vec::new();
            }
        };
        let threads = if text.len() < PARALLEL_BYTES_MIN { 1 } else { thread::available_parallelism().map_or(1, NonZeroUsize::get) };
        let share = blocks.statements.len().div_ceil(threads).max(1);
        let shares: Vec<Share<'_>> = thread::scope(|scope| {
            let text = &*blocks.text;
            let spawn = |statements| {
                thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || Share::read(file, text, statements))
            };
            let running: Vec<_> = blocks.statements.chunks(share).map(spawn).collect();
            let joined = running.into_iter().map(|thread| thread.expect("the system gives a thread").join());
            joined.map(|share| share.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        let mut nodes = Vec::new();
        for share in shares {
            self.is_complete &= share.is_complete;
            self.diagnostics.append(share.diagnostics);
            self.written.snippets.extend(share.written.snippets);
            self.written.uses.extend(share.written.uses);
            self.written.lost.extend(share.written.lost);
            nodes.extend(share.nodes);
        }
        nodes
    }
}

/// What one thread makes of its share of a file.
struct Share<'a> {
    file: FileId,
    text: &'a str,
    nodes: Vec<ast::Node>,
    written: Written,
    diagnostics: Diagnostics,
    is_complete: bool,
}

impl<'a> Share<'a> {
    fn new(file: FileId, text: &'a str) -> Self {
        Self { file, text, nodes: Vec::new(), written: Written::default(), diagnostics: Diagnostics::default(), is_complete: true }
    }

    fn read(file: FileId, text: &'a str, statements: &[Statement]) -> Self {
        let mut share = Self::new(file, text);
        for statement in statements {
            match share.node(statement, Scope::Top) {
                Some(node) => share.nodes.push(node),
                None => share.is_complete = false,
            }
        }
        share
    }

    /// A statement and all in its block; `None` where it is no known node, after saying why.
    fn node(&mut self, statement: &Statement, scope: Scope) -> Option<ast::Node> {
        let (raw, parameters) = match self.head(statement) {
            Some(raw) if has_parameters(&raw, scope) => {
                let (plain, parameters) = snippets::parted(raw);
                (Some(plain), Some(parameters))
            }
            raw => (raw, None),
        };
        let head = raw.and_then(|raw| check::head(raw, statement.block.is_some(), scope, &mut self.diagnostics));
        let block = statement.block.as_deref().unwrap_or_default();
        let Some((mut node, inside)) = head else {
            self.syntax(block);
            return None;
        };
        node.extent.end = statement.end as u32;
        match (inside, parameters) {
            (Some(Scope::Snippet), parameters) => self.snippet(&node, block, parameters.unwrap_or_default()),
            (Some(inside), _) => self.block(&mut node, inside, block),
            (None, parameters) => {
                self.syntax(block);
                if let Some(parameters) = parameters {
                    self.written.uses.insert(node.span, parameters);
                }
            }
        }
        Some(node)
    }

    fn block(&mut self, node: &mut ast::Node, inside: Scope, block: &[Statement]) {
        node.children = block.iter().filter_map(|child| self.node(child, inside)).collect();
        if node.children.iter().any(|child| child.is("use")) {
            // Checked when the snippets are in it.
            self.written.lost.insert(node.span, block.len() - node.children.len());
        } else {
            check::block(node, inside, block.len(), &mut self.diagnostics);
        }
    }

    fn snippet(&mut self, node: &ast::Node, block: &[Statement], parameters: Vec<RawEntry>) {
        let trees: Vec<RawTree> = block.iter().filter_map(|statement| self.tree(statement)).collect();
        if trees.len() < block.len() {
            self.is_complete = false;
            return;
        }
        check::block(node, Scope::Snippet, block.len(), &mut self.diagnostics);
        let parameters = snippets::declared(parameters, &trees, &mut self.diagnostics);
        if let Some(name) = node.argument("name") {
            let name = Name { text: name.text().to_owned(), span: name.span };
            self.written.snippets.push(Snippet { name, extent: node.extent, parameters, body: trees });
        }
    }

    /// A statement and all in its block, as written; `None` where it has a syntax error.
    fn tree(&mut self, statement: &Statement) -> Option<RawTree> {
        let head = self.head(statement);
        let block = statement.block.as_ref().map(|block| block.iter().map(|child| self.tree(child)).collect::<Vec<_>>());
        let block = block.map(|trees| trees.into_iter().collect::<Option<Vec<_>>>());
        Some(RawTree {
            head: head?,
            block: match block {
                Some(trees) => Some(trees?),
                None => None,
            },
            end: statement.end as u32,
        })
    }

    /// Reports the syntax errors of statements whose words are not looked at.
    fn syntax(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.head(statement);
            self.syntax(statement.block.as_deref().unwrap_or_default());
        }
    }

    /// The head of a statement; `None` where it has a syntax error, and where there are too many errors already.
    fn head(&mut self, statement: &Statement) -> Option<RawNode> {
        if self.diagnostics.is_full() {
            return None;
        }
        let span = Span::new(self.file, statement.head.start as u32, statement.head.end as u32);
        let head = Head { text: &self.text[statement.head.clone()], span };
        if let Some(plain) = plain::read(head) {
            return Some(plain);
        }
        node::read(head).map_err(|fault| self.diagnostics.push(fault)).ok()
    }
}

/// Words whose properties are a snippet's parameters.
fn has_parameters(raw: &RawNode, scope: Scope) -> bool {
    matches!(raw.name.text.as_str(), "snippet" | "use") && schema::find(scope, &raw.name.text).is_some()
}
