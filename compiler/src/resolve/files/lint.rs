//! What an embedded tree shows of the words of its block: sources that can be read, what is left out, words that nothing in it matches.

use std::path::Path;

use semantics::glob;

use super::super::Resolver;
use crate::{
    ast::Node,
    diagnostic::{Code, Diagnostic},
    model::{Files, Spanned, Tried},
    source::{
        self, Span,
        tree::{LeftOut, LeftOutReason, Walked},
    },
};

/// Extensions whose files are programs for a dynamic handler.
const SOURCES: [&str; 1] = ["php"];

impl Resolver<'_> {
    /// Holds the words of the block against the files of the tree.
    pub(super) fn check_tree(&mut self, node: &Node, files: &Files) {
        let walked = self.walked(files);
        self.lint_sources(&files.path, &files.directory);
        self.lint_left_out(&walked.left_out, &files.directory);
        self.check_spa(node, files, &walked);
        self.lint_tried(node, files, &walked);
        self.lint_globs(node, &walked);
        self.lint_siblings(node, &walked);
    }

    /// The page of an application must be there.
    fn check_spa(&mut self, node: &Node, files: &Files, walked: &Walked) {
        let Some(spa) = node.child("spa").and_then(|spa| spa.argument("name")) else { return };
        if !walked.has(spa.text()) && files.rules.spa.is_some() {
            let message = format!("there is no file `{}` in `{}`", spa.text().escape_debug(), files.directory.value.escape_debug());
            let diagnostic = Diagnostic::new(Code::MissingFile, spa.span, message).label("not found");
            self.diagnostics.push(diagnostic.secondary(files.directory.span, "the directory that is embedded"));
        }
    }

    fn lint_tried(&mut self, node: &Node, files: &Files, walked: &Walked) {
        let values: Vec<_> = node.child("try").into_iter().flat_map(Node::values).collect();
        if values.len() != files.rules.tried.len() {
            // Some of them are errors.
            return;
        }
        let takes = |tried: &Tried, name: &str| {
            let path = name.strip_prefix(tried.before.as_str()).and_then(|rest| rest.strip_suffix(tried.behind.as_str()));
            path.is_some_and(|path| !path.is_empty())
        };
        for (value, tried) in values.into_iter().zip(&files.rules.tried) {
            if !walked.files.iter().any(|(name, _)| takes(tried, name)) {
                self.unmatched(value.span, format!("no embedded file is called like `{}`", value.text().escape_debug()), "finds nothing");
            }
        }
    }

    fn lint_globs(&mut self, node: &Node, walked: &Walked) {
        for value in node.children_named("immutable").flat_map(Node::values) {
            if !walked.files.iter().any(|(name, _)| glob::matches(value.text(), name.as_bytes())) {
                self.unmatched(value.span, format!("no embedded file matches `{}`", value.text().escape_debug()), "matches nothing");
            }
        }
    }

    fn lint_siblings(&mut self, node: &Node, walked: &Walked) {
        let Some(word) = node.child("precompressed") else { return };
        let codings = super::words::codings(word);
        if !codings.iter().any(|coding| walked.has_sibling(coding.extension())) {
            self.unmatched(word.span, "no embedded file has a compressed one beside it".to_owned(), "changes nothing");
        }
    }

    fn unmatched(&mut self, span: Span, message: String, label: &'static str) {
        self.lints.push(Diagnostic::new(Code::NothingMatched, span, message).label(label));
    }

    fn lint_sources(&mut self, path: &Path, directory: &Spanned<String>) {
        for extension in SOURCES {
            if let Some(file) = source::find_extension(path, extension) {
                let diagnostic =
                    Diagnostic::new(Code::ReadableSource, directory.span, format!("the source text of `{file}` can be read by everyone"));
                self.lints.push(diagnostic.label(format!("holds `.{extension}` files, and nothing runs them")));
            }
        }
    }

    /// Says the first thing that is not embedded, and how many there are.
    fn lint_left_out(&mut self, left_out: &[LeftOut], directory: &Spanned<String>) {
        let Some(first) = left_out.first() else { return };
        let reason = match first.reason {
            LeftOutReason::DanglingLink => "a link that leads nowhere",
            LeftOutReason::LeadsUp => "a link to a directory that it lies in",
            LeftOutReason::LeavesTree => "a link out of the directory",
            LeftOutReason::Special => "neither file nor directory",
        };
        let others = match left_out.len() - 1 {
            0 => String::new(),
            others => format!(", and {others} more are left out"),
        };
        let message = format!("`{}` is not embedded: {reason}", first.path.escape_debug());
        let diagnostic = Diagnostic::new(Code::LeftOut, directory.span, message);
        self.lints.push(diagnostic.label(format!("requests for it are answered with 404{others}")));
    }
}
