//! Diagnostics as text for people, in rustc's manner (`annotate-snippets`). Colour only when asked; the same input gives the same bytes.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::{COUNTED_MAX, Diagnostic, Diagnostics, Severity};
use crate::source::{FileId, SourceMap, Span};

/// Diagnostics shown; the others are counted in one line.
pub const SHOWN_MAX: usize = 100;

/// Labels further apart than this many bytes become snippets of their own, so that a large file is not walked for each diagnostic.
const WINDOW_BYTES_MAX: u32 = 16 * 1024;

/// Bytes of one line that are shown at most on either side of a label.
const LINE_BYTES_MAX: u32 = 512;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Style {
    Colour,
    Plain,
}

/// Up to [`SHOWN_MAX`] diagnostics in order, each followed by an empty line, then how many were left out.
pub fn render(diagnostics: &Diagnostics, sources: &SourceMap, style: Style) -> String {
    let renderer = match style {
        Style::Colour => Renderer::styled(),
        Style::Plain => Renderer::plain(),
    };
    let sorted = diagnostics.sorted();
    let mut out = String::new();
    for diagnostic in sorted.iter().take(SHOWN_MAX) {
        out.push_str(&renderer.render(&[group(diagnostic, sources)]));
        out.push_str("\n\n");
    }
    let hidden = (diagnostics.errors() + diagnostics.warnings()).saturating_sub(SHOWN_MAX);
    if hidden > 0 {
        let hidden = if diagnostics.is_full() { format!("more than {}", hidden - 1) } else { hidden.to_string() };
        out.push_str(&format!("and {hidden} more, not shown\n\n"));
    }
    out
}

/// `kiln: 2 errors, 1 warning in 3 files`, without a line feed.
pub fn summary(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let files = sources.sources().len();
    let mut parts = Vec::new();
    if diagnostics.errors() > 0 || diagnostics.warnings() == 0 {
        let is_full = diagnostics.is_full();
        parts.push(if is_full { format!("more than {COUNTED_MAX} errors") } else { counted(diagnostics.errors(), "error") });
    }
    if diagnostics.warnings() > 0 {
        parts.push(counted(diagnostics.warnings(), "warning"));
    }
    format!("kiln: {} in {}", parts.join(", "), counted(files, "file"))
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn group<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Group<'a> {
    let level = match diagnostic.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&*diagnostic.message).id(diagnostic.code.to_string());
    let mut group = Group::with_title(title).elements(snippets(diagnostic, sources));
    if let Some(note) = &diagnostic.note {
        group = group.element(Level::NOTE.message(&**note));
    }
    match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(&**help)),
        None => group.element(Level::HELP.message(format!("`kiln codes {}`", diagnostic.code))),
    }
}

/// One label of a diagnostic.
#[derive(Clone, Copy)]
struct Mark<'a> {
    span: Span,
    text: &'a str,
    is_primary: bool,
}

/// A snippet for each run of labels that lie near each other in one file; the one with the primary label first.
fn snippets<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Element<'a>> {
    let primary = diagnostic.span.map(|span| Mark { span, text: &diagnostic.label, is_primary: true });
    let others = diagnostic.secondary.iter().map(|label| Mark { span: label.span, text: &label.text, is_primary: false });
    let mut marks: Vec<Mark<'a>> = primary.into_iter().chain(others).collect();
    marks.sort_by_key(|mark| (mark.span, !mark.is_primary));
    let mut runs: Vec<Vec<Mark<'a>>> = Vec::new();
    for mark in marks {
        match runs.last_mut() {
            Some(run) if is_near(run, mark.span) => run.push(mark),
            _ => runs.push(vec![mark]),
        }
    }
    runs.sort_by_key(|run| !run.iter().any(|mark| mark.is_primary));
    runs.iter().flat_map(|run| snippet(run, sources)).collect()
}

fn is_near(run: &[Mark<'_>], span: Span) -> bool {
    run.first().is_some_and(|first| first.span.file == span.file && span.end - first.span.start < WINDOW_BYTES_MAX)
}

fn snippet<'a>(run: &[Mark<'a>], sources: &'a SourceMap) -> Vec<Element<'a>> {
    let file = run.first().map_or(FileId(0), |mark| mark.span.file);
    let source = sources.source(file);
    let start = run.iter().map(|mark| mark.span.start).min().unwrap_or(0);
    // A label over many lines shows its first line only: a whole block underlined says nothing.
    let end = run.iter().map(|mark| first_line_end(&source.text, mark.span)).max().unwrap_or(0);
    let line = source.line_of(start);
    let from = boundary(&source.text, source.line_start(line).max(start.saturating_sub(LINE_BYTES_MAX)), false);
    let line_end = source.line_start(source.line_of(end.saturating_sub(1).max(start)) + 1);
    let to = boundary(&source.text, line_end.min(end + LINE_BYTES_MAX), true);
    let text = &source.text[from as usize..to as usize];
    let annotations = run.iter().map(|mark| {
        let kind = if mark.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let start = text.floor_char_boundary((mark.span.start - from) as usize);
        let end = text.ceil_char_boundary((first_line_end(&source.text, mark.span) - from) as usize);
        let range = start..end.max(start);
        kind.span(range).label((!mark.text.is_empty()).then_some(mark.text))
    });
    let snippet = Snippet::source(text).line_start(line as usize).annotations(annotations);
    if from == source.line_start(line) {
        return vec![snippet.path(source.name.as_str()).into()];
    }
    // The line is cut at its start: say the column that it really is.
    let at = run.iter().find(|mark| mark.is_primary).map_or(start, |mark| mark.span.start);
    let column = source.text[source.line_start(source.line_of(at)) as usize..at as usize].chars().count() + 1;
    vec![Origin::path(source.name.as_str()).line(source.line_of(at) as usize).char_column(column).into(), snippet.into()]
}

/// Where a span ends, or its first line where it has several.
fn first_line_end(text: &str, span: Span) -> u32 {
    let slice = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    slice.find(['\n', '\r']).map_or(span.end, |at| span.start + at as u32)
}

/// The next offset that is no inside of a character, downwards or upwards.
fn boundary(text: &str, offset: u32, up: bool) -> u32 {
    let offset = (offset as usize).min(text.len());
    let found = if up { text.ceil_char_boundary(offset) } else { text.floor_char_boundary(offset) };
    found as u32
}
