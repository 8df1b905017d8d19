//! Tokens as a tree of blocks: what stands on a line of its own, and what stands in it.

use super::token::{Kind, Token, is_newline};

/// A node with what belongs to its line, or a comment that stands alone.
#[derive(Debug, Default)]
pub(super) struct Item<'a> {
    /// An empty line stands before it.
    pub has_gap: bool,
    pub pieces: Vec<Piece<'a>>,
    /// The `// ..` that ends the line.
    pub comment: Option<&'a str>,
}

#[derive(Debug)]
pub(super) enum Piece<'a> {
    Block(Block<'a>),
    /// The node goes on in the next line: `\` (not behind a `/-`, which needs none), and the `// ..` before the line break.
    Break {
        has_backslash: bool,
        comment: Option<&'a str>,
    },
    Token(Token<'a>),
}

#[derive(Debug)]
pub(super) struct Block<'a> {
    /// The `// ..` behind the `{`.
    pub opening: Option<&'a str>,
    pub items: Vec<Item<'a>>,
    /// It was written on one line.
    pub is_short: bool,
    /// Its `}` is there.
    pub is_closed: bool,
}

pub(super) fn items<'a>(tokens: &[Token<'a>]) -> Vec<Item<'a>> {
    let mut reader = Reader { tokens, at: 0 };
    let mut items = reader.items();
    while reader.at < tokens.len() {
        // A `}` that closes nothing: kept as it is.
        let stray = Item { pieces: vec![Piece::Token(tokens[reader.at])], ..Item::default() };
        reader.at += 1;
        items.push(stray);
        items.append(&mut reader.items());
    }
    items
}

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
}

impl<'a> Reader<'_, 'a> {
    fn kind(&self) -> Option<Kind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    fn skip(&mut self, kinds: &[Kind]) -> usize {
        let start = self.at;
        while self.kind().is_some_and(|kind| kinds.contains(&kind)) {
            self.at += 1;
        }
        self.tokens[start..self.at].iter().filter(|token| token.kind == Kind::Newline).count()
    }

    /// Up to the end, or to a `}` that belongs to the block around.
    fn items(&mut self) -> Vec<Item<'a>> {
        let mut items: Vec<Item<'a>> = Vec::new();
        loop {
            let newlines = self.skip(&[Kind::Newline, Kind::Semicolon, Kind::Space]);
            if matches!(self.kind(), None | Some(Kind::Close)) {
                return items;
            }
            // The line before has ended with one of them, unless it ended with a `;`.
            let is_own_line = newlines > 0 || items.is_empty();
            let item = Item { has_gap: newlines > 1 && !items.is_empty(), ..self.item() };
            match items.last_mut() {
                _ if item.pieces.is_empty() && item.comment.is_none() => {}
                Some(last) if item.pieces.is_empty() && !is_own_line && last.comment.is_none() => last.comment = item.comment,
                _ => items.push(item),
            }
        }
    }

    /// Up to the line break or `;` that ends it.
    fn item(&mut self) -> Item<'a> {
        let mut item = Item::default();
        // Behind a `/-` a line break does not end the node.
        let mut is_open = false;
        while let Some(token) = self.tokens.get(self.at).copied() {
            match token.kind {
                Kind::Close | Kind::Semicolon => break,
                Kind::Newline if is_open => self.at += 1,
                Kind::Newline => break,
                Kind::Space => self.at += 1,
                Kind::LineComment => {
                    self.at += 1;
                    if !is_open {
                        item.comment = Some(token.text);
                        break;
                    }
                    item.pieces.push(Piece::Break { has_backslash: false, comment: Some(token.text) });
                }
                Kind::Continuation => {
                    self.at += 1;
                    self.continuation(&mut item.pieces);
                }
                Kind::Open => {
                    is_open = false;
                    item.pieces.push(Piece::Block(self.block()));
                }
                Kind::BlockComment | Kind::Equals | Kind::ParenClose | Kind::ParenOpen | Kind::Slashdash | Kind::Text => {
                    is_open = token.kind == Kind::Slashdash || (is_open && token.kind == Kind::BlockComment);
                    self.at += 1;
                    item.pieces.push(Piece::Token(token));
                }
            }
        }
        item.end();
        item
    }

    /// What stands between a `\` and the next line: comments in it are put before it.
    fn continuation(&mut self, pieces: &mut Vec<Piece<'a>>) {
        while let Some(token) = self.tokens.get(self.at).filter(|token| matches!(token.kind, Kind::BlockComment | Kind::Space)) {
            if token.kind == Kind::BlockComment {
                pieces.push(Piece::Token(*token));
            }
            self.at += 1;
        }
        let comment = self.line_comment();
        self.at += usize::from(self.kind() == Some(Kind::Newline));
        pieces.push(Piece::Break { has_backslash: true, comment });
    }

    fn line_comment(&mut self) -> Option<&'a str> {
        let comment = self.tokens.get(self.at).filter(|token| token.kind == Kind::LineComment)?;
        self.at += 1;
        Some(comment.text)
    }

    fn block(&mut self) -> Block<'a> {
        let start = self.at;
        self.at += 1;
        self.skip(&[Kind::Space]);
        let opening = self.line_comment();
        let items = self.items();
        let is_closed = self.kind() == Some(Kind::Close);
        self.at += usize::from(is_closed);
        let is_short = !self.tokens[start..self.at].iter().any(|token| token.kind == Kind::LineComment || token.text.contains(is_newline));
        Block { opening, items, is_short, is_closed }
    }
}

impl Item<'_> {
    /// A `\` that nothing follows would continue with the next node.
    fn end(&mut self) {
        while let Some(Piece::Break { comment, .. }) = self.pieces.last() {
            if comment.is_some() && self.comment.is_some() {
                return;
            }
            self.comment = self.comment.or(*comment);
            self.pieces.pop();
        }
    }
}

impl Block<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.opening.is_none()
    }
}
