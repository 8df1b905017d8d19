//! The tree as text.

use super::{
    WIDTH_MAX,
    token::{Kind, is_newline, shown},
    tree::{Block, Item, Piece},
};

const INDENT: &str = "    ";

/// A line of the output; only the text of a string or a comment in it may have line breaks.
#[derive(Debug, Default)]
struct Line {
    has_gap: bool,
    level: usize,
    text: String,
    /// The `// ..` behind the text, and whether it is aligned with those of its neighbours.
    comment: Option<(String, bool)>,
}

pub(super) fn print(items: &[Item<'_>]) -> String {
    let mut printer = Printer { lines: Vec::new() };
    printer.items(items, 0);
    text(&printer.lines)
}

struct Printer {
    lines: Vec<Line>,
}

impl Printer {
    fn items(&mut self, items: &[Item<'_>], level: usize) {
        for item in items {
            self.item(item, level);
        }
    }

    fn item(&mut self, item: &Item<'_>, level: usize) {
        let mut line = Line { has_gap: item.has_gap, level, ..Line::default() };
        for (index, piece) in item.pieces.iter().enumerate() {
            if index > 0 && !line.text.is_empty() && is_spaced(&item.pieces[index - 1], piece) {
                line.text.push(' ');
            }
            match piece {
                Piece::Token(token) => line.text.push_str(&shown(token.text)),
                Piece::Break { has_backslash, comment } => {
                    if *has_backslash {
                        line.text.push('\\');
                    }
                    line.comment = comment.map(|comment| (shown(comment).into_owned(), false));
                    self.lines.push(std::mem::take(&mut line));
                    line.level = level + 1;
                }
                Piece::Block(block) => line = self.block(line, block, &item.pieces[index..], level),
            }
        }
        line.comment = item.comment.map(|comment| (shown(comment).into_owned(), true));
        if !line.text.is_empty() || line.comment.is_some() {
            self.lines.push(line);
        }
    }

    /// A block behind what `line` has; gives the line that it ends in. `rest` is all that may stand on one line, the block first.
    fn block(&mut self, mut line: Line, block: &Block<'_>, rest: &[Piece<'_>], level: usize) -> Line {
        if block.is_empty() {
            line.text.push_str(if block.is_closed { "{}" } else { "{" });
            return line;
        }
        if let Some(flat) = flat(block)
            && line.width() + flat_rest(rest).map_or_else(|| flat.chars().count(), |rest| rest.chars().count()) <= WIDTH_MAX
        {
            line.text.push_str(&flat);
            return line;
        }
        line.text.push('{');
        line.comment = block.opening.map(|comment| (shown(comment).into_owned(), false));
        self.lines.push(line);
        self.items(&block.items, level + 1);
        Line { level, text: if block.is_closed { "}".to_owned() } else { String::new() }, ..Line::default() }
    }
}

/// Whether a space stands between two pieces of a line.
fn is_spaced(before: &Piece<'_>, piece: &Piece<'_>) -> bool {
    let kind = |piece: &Piece<'_>| match piece {
        Piece::Token(token) => Some(token.kind),
        Piece::Block(_) | Piece::Break { .. } => None,
    };
    let is_tight_before = matches!(kind(before), Some(Kind::Equals | Kind::ParenClose | Kind::ParenOpen | Kind::Slashdash));
    let is_tight_after = matches!(kind(piece), Some(Kind::Equals | Kind::ParenClose));
    match piece {
        Piece::Break { has_backslash, .. } => *has_backslash,
        Piece::Block(_) | Piece::Token(_) => !(is_tight_before || is_tight_after),
    }
}

/// A block on one line; `None` where it was written on several.
fn flat(block: &Block<'_>) -> Option<String> {
    if block.is_empty() {
        return Some("{}".to_owned());
    }
    if !block.is_short || !block.is_closed {
        return None;
    }
    let items = block.items.iter().map(|item| flat_rest(&item.pieces)).collect::<Option<Vec<_>>>()?;
    Some(format!("{{ {} }}", items.join("; ")))
}

fn flat_rest(pieces: &[Piece<'_>]) -> Option<String> {
    let mut text = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        if index > 0 && is_spaced(&pieces[index - 1], piece) {
            text.push(' ');
        }
        match piece {
            Piece::Token(token) if !token.text.contains(is_newline) => text.push_str(token.text),
            Piece::Block(block) => text.push_str(&flat(block)?),
            Piece::Break { .. } | Piece::Token(_) => return None,
        }
    }
    Some(text)
}

impl Line {
    /// Columns of the last line of its text, with the indentation where it has one line.
    fn width(&self) -> usize {
        let last = self.text.rsplit(is_newline).next().unwrap_or_default().chars().count();
        if self.text.contains(is_newline) { last } else { last + INDENT.len() * self.level }
    }

    /// Its comment is aligned with those of neighbours.
    fn is_aligned(&self) -> bool {
        !self.text.is_empty() && !self.text.contains(is_newline) && self.comment.as_ref().is_some_and(|(_, is_aligned)| *is_aligned)
    }
}

fn text(lines: &[Line]) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < lines.len() {
        let first = &lines[at];
        let run = lines[at..].iter().take_while(|line| line.is_aligned() && line.level == first.level);
        let run = run.enumerate().take_while(|(index, line)| *index == 0 || !line.has_gap).count().max(1);
        let width = lines[at..at + run].iter().map(Line::width).max().unwrap_or(0);
        for line in &lines[at..at + run] {
            push(&mut out, line, width);
        }
        at += run;
    }
    out
}

/// A line whose comment stands behind column `width`.
fn push(out: &mut String, line: &Line, width: usize) {
    if line.has_gap {
        out.push('\n');
    }
    out.push_str(&INDENT.repeat(line.level));
    out.push_str(&line.text);
    if let Some((comment, _)) = &line.comment {
        if !line.text.is_empty() {
            out.push_str(&" ".repeat(1 + width.saturating_sub(line.width())));
        }
        out.push_str(comment);
    }
    out.push('\n');
}
