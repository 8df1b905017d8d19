//! The one file that names the `kdl` crate: its tree becomes ours, its errors our diagnostics.
//!
//! `kdl` counts positions in bytes of the text it was given; the chunk's offset in its file is added here.

use kdl::{KdlDocument, KdlEntry, KdlIdentifier, KdlNode, KdlValue};

use crate::{
    diagnostic::{Code, Diagnostic},
    source::{FileId, Span},
};

/// A node as written, before the schema has seen it.
#[derive(Debug)]
pub(super) struct RawNode {
    pub annotation: Option<Name>,
    pub name: Name,
    pub entries: Vec<RawEntry>,
    /// `None`: no block was written.
    pub children: Option<Vec<RawNode>>,
    /// From the word to the last entry.
    pub span: Span,
    /// To the end of the block.
    pub extent: Span,
}

/// An argument, or with a name a property.
#[derive(Debug)]
pub(super) struct RawEntry {
    pub name: Option<Name>,
    pub annotation: Option<Name>,
    pub value: RawValue,
    /// The value alone.
    pub value_span: Span,
    /// Name and value.
    pub span: Span,
}

#[derive(Debug)]
pub(super) struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Debug)]
pub(super) enum RawValue {
    Bool(bool),
    Float,
    Integer(i128),
    Null,
    Text(String),
}

/// The text of some whole top-level nodes and where it lies.
#[derive(Clone, Copy)]
pub(super) struct Chunk<'a> {
    pub file: FileId,
    pub start: usize,
    pub text: &'a str,
}

/// Reads a chunk; on a syntax error gives what is wrong, one diagnostic for a line.
pub(super) fn read(chunk: Chunk<'_>) -> Result<Vec<RawNode>, Vec<Diagnostic>> {
    match KdlDocument::parse_v2(chunk.text) {
        Ok(document) => Ok(document.nodes().iter().map(|node| chunk.node(node)).collect()),
        Err(error) => Err(chunk.faults(&error)),
    }
}

impl Chunk<'_> {
    fn node(self, node: &KdlNode) -> RawNode {
        let name = self.name(node.name());
        let annotation = node.ty().map(|ty| self.name(ty));
        let entries: Vec<RawEntry> = node.entries().iter().map(|entry| self.entry(entry)).collect();
        let start = annotation.as_ref().map_or(name.span, |annotation| annotation.span).to(name.span);
        let span = entries.last().map_or(start, |last| start.to(last.span));
        let children = node.children().map(|block| block.nodes().iter().map(|child| self.node(child)).collect());
        let extent = span.to(self.trimmed(node.span().offset(), node.span().len()));
        RawNode { annotation, name, entries, children, span, extent }
    }

    fn entry(self, entry: &KdlEntry) -> RawEntry {
        let span = self.trimmed(entry.span().offset(), entry.span().len());
        let value_length = entry.format().map_or(0, |format| format.value_repr.len()) as u32;
        // The value is what the entry ends with.
        let value_span = Span { start: span.end.saturating_sub(value_length).max(span.start), ..span };
        let value = match entry.value() {
            KdlValue::Bool(value) => RawValue::Bool(*value),
            KdlValue::Float(_) => RawValue::Float,
            KdlValue::Integer(value) => RawValue::Integer(*value),
            KdlValue::Null => RawValue::Null,
            KdlValue::String(text) => RawValue::Text(text.clone()),
        };
        RawEntry { name: entry.name().map(|name| self.name(name)), annotation: entry.ty().map(|ty| self.name(ty)), value, value_span, span }
    }

    fn name(self, name: &KdlIdentifier) -> Name {
        Name { text: name.value().to_owned(), span: self.span(name.span().offset(), name.span().len()) }
    }

    fn span(self, offset: usize, length: usize) -> Span {
        let start = (self.start + offset) as u32;
        Span::new(self.file, start, start + length as u32)
    }

    /// A span without the white space that `kdl` counts as its end.
    fn trimmed(self, offset: usize, length: usize) -> Span {
        let written = self.text.get(offset..offset + length).unwrap_or_default();
        self.span(offset, written.trim_end().len())
    }

    fn faults(self, error: &kdl::KdlError) -> Vec<Diagnostic> {
        let mut lines_seen: Vec<usize> = Vec::new();
        let mut faults = Vec::new();
        for fault in &error.diagnostics {
            let offset = self.text.floor_char_boundary(fault.span.offset());
            let end = self.text.ceil_char_boundary(fault.span.offset() + fault.span.len());
            let line = self.text[..offset].bytes().filter(|byte| *byte == b'\n').count();
            if lines_seen.contains(&line) || faults.len() == FAULTS_MAX {
                continue;
            }
            lines_seen.push(line);
            let message = fault.message.as_deref().unwrap_or("not valid here");
            let mut diagnostic = Diagnostic::new(Code::Syntax, self.span(offset, end - offset), format!("syntax error: {}", ours(message)));
            if let Some(label) = &fault.label {
                diagnostic = diagnostic.label(ours(label));
            }
            if let Some(help) = &fault.help {
                diagnostic = diagnostic.help(ours(help));
            }
            faults.push(diagnostic);
        }
        faults
    }
}

/// Syntax errors told of one top-level node: after some, the rest follows from them.
const FAULTS_MAX: usize = 8;

/// A text of `kdl` in our manner: lower case at the start, no full stop.
fn ours(text: &str) -> String {
    let text = text.trim_end_matches(['.', '?', ' ']);
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
