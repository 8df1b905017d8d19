//! The one file that names the `kdl` crate: its tree becomes ours, its errors our diagnostics.
//!
//! It reads the head of one node at a time and never a block. It counts positions in bytes of the text it was given; the head's place in its file is
//! added here.

use kdl::{KdlDiagnostic, KdlDocument, KdlEntry, KdlIdentifier, KdlNode, KdlValue};

use super::{
    raw::{Head, Name, RawEntry, RawNode, RawValue},
    token,
};
use crate::{
    diagnostic::{Code, Diagnostic},
    source::Span,
};

/// Levels of braces inside a head's strings: after an error `kdl` may take them for blocks, and it recurses over blocks.
const BRACES_MAX: i64 = 256;

/// Words, values and signs of one head: `kdl` recurses over those that make no sense. Plain heads, which it does not see, may have any number.
const PARTS_MAX: usize = 4096;

/// Reads one head; on a syntax error gives the first: the others follow from it.
pub(super) fn read(head: Head<'_>) -> Result<RawNode, Diagnostic> {
    if let Some(at) = too_many_braces(head.text) {
        let diagnostic =
            Diagnostic::new(Code::TooDeep, head.part(at, 1), format!("more than {BRACES_MAX} braces in strings do not pair up"));
        return Err(diagnostic.label("this one is too many").help("put the text into a file"));
    }
    if let Some(at) = too_many_parts(head.text) {
        let diagnostic = Diagnostic::new(Code::Syntax, head.part(at, 1), format!("syntax error: a node with more than {PARTS_MAX} parts"));
        return Err(diagnostic.label("this one is too many").help("values without escapes, annotations and comments may be more"));
    }
    match KdlDocument::parse_v2(head.text) {
        Ok(document) => document.nodes().first().map(|node| head.node(node)).ok_or_else(|| {
            // Only what the scan took for a head, and `kdl` takes for space.
            let diagnostic = Diagnostic::new(Code::Syntax, head.span, "syntax error: no word");
            diagnostic.label("expected a word before what follows")
        }),
        Err(error) => {
            let first = error.diagnostics.first().expect("an error of kdl says what it is");
            Err(head.fault(first))
        }
    }
}

fn too_many_braces(text: &str) -> Option<usize> {
    let mut level = 0_i64;
    let mut lowest = 0_i64;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => level += 1,
            b'}' => level -= 1,
            _ => continue,
        }
        lowest = lowest.min(level);
        if level - lowest > BRACES_MAX || lowest < -BRACES_MAX {
            return Some(at);
        }
    }
    None
}

/// Where the part stands that is one too many; long ones that are no strings count as several.
fn too_many_parts(text: &str) -> Option<usize> {
    const LONG_BYTES: usize = 64;
    let bytes = text.as_bytes();
    let (mut at, mut parts) = (0, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let blank = token::space(rest).max(token::newline(rest));
        let length = match rest[0] {
            _ if blank > 0 => blank,
            b'"' => token::quoted(rest).unwrap_or(1),
            b'#' => token::hash(rest).unwrap_or(1),
            _ => token::word(rest).max(1),
        };
        let is_string = text.get(at..at + length).unwrap_or_default().trim_end_matches('#').ends_with('"');
        parts += match blank {
            0 if is_string => 1,
            0 => 1 + length / LONG_BYTES,
            _ => 0,
        };
        if parts > PARTS_MAX {
            return Some(text.floor_char_boundary(at));
        }
        at += length;
    }
    None
}

impl Head<'_> {
    fn node(self, node: &KdlNode) -> RawNode {
        let name = self.name(node.name());
        let annotation = node.ty().map(|ty| self.name(ty));
        let entries: Vec<RawEntry> = node.entries().iter().map(|entry| self.entry(entry)).collect();
        let start = annotation.as_ref().map_or(name.span, |annotation| annotation.span).to(name.span);
        let span = entries.last().map_or(start, |last| start.to(last.span));
        RawNode { annotation, name, entries, span }
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
        Name { text: name.value().to_owned(), span: self.part(name.span().offset(), name.span().len()) }
    }

    /// A span without the white space that `kdl` counts as its end.
    fn trimmed(self, offset: usize, length: usize) -> Span {
        let written = self.text.get(offset..offset + length).unwrap_or_default();
        self.part(offset, written.trim_end().len())
    }

    fn fault(self, fault: &KdlDiagnostic) -> Diagnostic {
        let offset = self.text.floor_char_boundary(fault.span.offset());
        let end = self.text.ceil_char_boundary(fault.span.offset() + fault.span.len()).max(offset);
        let help = fault.help.as_deref().unwrap_or_default();
        let span = self.part(offset, end - offset);
        if help.contains("value terminator") {
            return Diagnostic::new(Code::Syntax, span, "syntax error: something follows a value directly")
                .label("a space is missing in it or behind it");
        }
        let message = ours(fault.message.as_deref().unwrap_or("not valid here"));
        let diagnostic = Diagnostic::new(Code::Syntax, span, format!("syntax error: {message}"));
        if message.contains("invalid node name") {
            return diagnostic.label("expected a word, or a text in quotes");
        }
        let diagnostic = diagnostic.label(fault.label.as_deref().map(ours).unwrap_or_default());
        if help.is_empty() { diagnostic } else { diagnostic.help(ours(help)) }
    }
}

/// A text of `kdl` in our manner: lower case at the start, no full stop.
fn ours(text: &str) -> String {
    let text = text.trim_end_matches(['.', '?', ' ']);
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
