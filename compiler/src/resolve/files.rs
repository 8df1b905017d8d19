//! `files`: a directory of the host, or one that is packed into the binary, and what its block says of it.

mod lint;
mod words;

use std::{path::PathBuf, rc::Rc};

use super::{Resolver, inherit, template::Names};
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Action, Defaulted, Files, Spanned},
    source::{
        self,
        tree::{self, Walked},
    },
};

impl Resolver<'_> {
    pub(super) fn files(&mut self, node: &Node, names: Names<'_>) -> Option<Files> {
        self.lints.allow(node, node.extent, self.diagnostics);
        let written = node.argument("directory")?;
        let late = self.late(node, written);
        let text = written.late().map_or_else(|| written.text().to_owned(), ToString::to_string);
        let directory = Spanned { value: text, span: written.span };
        let embed = node.child("embed");
        let index = node.child("index").and_then(|index| index.argument("name"));
        self.check_index(index);
        let Defaulted { value: index, is_default: index_is_default } = inherit::index(index);
        let rules = self.file_rules(node, &index);
        let miss = self.miss(node, names);
        let files = Files {
            directory,
            path: PathBuf::new(),
            is_embedded: false,
            late: None,
            index_is_default,
            rules,
            has_dates: embed.is_some_and(|embed| embed.is_set("last-modified")),
            miss: miss.map(Box::new),
        };
        match (late, embed) {
            (None, _) => {}
            (late, None) => return Some(Files { late, ..files }),
            (late, Some(embed)) => {
                let diagnostic = Diagnostic::new(Code::MisplacedLate, written.span, "a late value can't be embedded");
                let diagnostic = diagnostic.label("known when the server starts").secondary(embed.span, "read when the site is built");
                self.diagnostics.push(diagnostic);
                return Some(Files { late, ..files });
            }
        }
        let files = self.placed(files, embed.is_some());
        if files.is_embedded {
            self.check_tree(node, &files);
        }
        Some(files)
    }

    /// The same where its directory lies, which must be there at build time to be embedded.
    fn placed(&mut self, files: Files, is_embedded: bool) -> Files {
        let Spanned { value: directory, span } = &files.directory;
        let path = if is_embedded { self.sources.directory(span.file).join(directory) } else { directory.clone().into() };
        let mut is_there = is_embedded;
        if directory.is_empty() || directory.contains('\0') {
            self.error(Code::MissingDirectory, *span, "not a directory", "the path is empty or has a zero byte");
            is_there = false;
        } else if is_embedded && !source::is_directory(&path) {
            let message = format!("there is no directory `{}` to embed", directory.escape_debug());
            let diagnostic = Diagnostic::new(Code::MissingDirectory, *span, message);
            self.diagnostics.push(diagnostic.label("not found").help("the path is relative to the file that names it"));
            is_there = false;
        }
        Files { path, is_embedded: is_there, ..files }
    }

    fn check_index(&mut self, index: Option<&Value>) {
        // A dotfile, a backup: neither would ever be served.
        let is_plain = |name: &str| !name.starts_with('.') && !name.contains(['/', '\0']) && !semantics::files::is_hidden(name.as_bytes());
        if let Some(index) = index.filter(|index| !is_plain(index.text())) {
            self.error(
                Code::BadName,
                index.span,
                "not the name of an index file",
                "expected the plain name of a file, such as `\"index.html\"`",
            );
        }
    }

    /// The action for what has no file.
    fn miss(&mut self, node: &Node, names: Names<'_>) -> Option<Action> {
        let miss = node.child("miss")?;
        if let Some(spa) = node.child("spa") {
            let diagnostic = Diagnostic::new(Code::Contradiction, miss.span, "`spa` and `miss` exclude each other");
            let diagnostic = diagnostic.label("answers paths without a file").secondary(spa.span, "answers them as well");
            self.diagnostics.push(diagnostic.help("keep one of them"));
        }
        self.action(miss, names, false)
    }

    /// What lies in an embedded tree; read once for all that embed it alike.
    fn walked(&mut self, files: &Files) -> Rc<Walked> {
        let key = (files.path.clone(), files.rules.serves_hidden);
        let walk = || tree::walk(&files.path, files.rules.serves_hidden).unwrap_or_default();
        Rc::clone(self.walked.entry(key).or_insert_with(|| Rc::new(walk())))
    }
}
