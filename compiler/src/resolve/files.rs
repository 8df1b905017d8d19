//! `files`: a directory of the host, or one that is packed into the binary.

use std::path::PathBuf;

use super::{Resolver, inherit};
use crate::{
    ast::Node,
    diagnostic::{Code, Diagnostic},
    model::{Defaulted, Files, Rules, Spanned},
    source::{self, tree, tree::LeftOutReason},
};

/// Extensions whose files are programs for a dynamic handler.
const SOURCES: [&str; 1] = ["php"];

impl Resolver<'_> {
    pub(super) fn files(&mut self, node: &Node) -> Option<Files> {
        self.lints.allow(node, node.extent, self.diagnostics);
        let written = node.argument("directory")?;
        let late = self.late(node, written);
        let text = written.late().map_or_else(|| written.text().to_owned(), ToString::to_string);
        let directory = Spanned { value: text, span: written.span };
        let is_embedded = node.child("embed").is_some();
        let index = node.child("index").and_then(|index| index.argument("name"));
        if let Some(index) = index.filter(|index| index.text().is_empty() || index.text().contains('/') || index.text().starts_with('.')) {
            self.error(
                Code::BadName,
                index.span,
                "not the name of an index file",
                "expected the plain name of a file, such as `\"index.html\"`",
            );
        }
        let Defaulted { value: index, is_default: index_is_default } = inherit::index(index);
        let rules = Rules::new(&index);
        if late.is_some() {
            if let Some(embed) = node.child("embed") {
                let diagnostic = Diagnostic::new(Code::MisplacedLate, written.span, "a late value can't be embedded");
                let diagnostic = diagnostic.label("known when the server starts").secondary(embed.span, "read when the site is built");
                self.diagnostics.push(diagnostic);
            }
            return Some(Files { directory, path: PathBuf::new(), is_embedded: false, late, index_is_default, rules });
        }
        let path =
            if is_embedded { self.sources.directory(written.span.file).join(&directory.value) } else { directory.value.clone().into() };
        if directory.value.is_empty() || directory.value.contains('\0') {
            self.error(Code::MissingDirectory, written.span, "not a directory", "the path is empty or has a zero byte");
        } else if is_embedded && !source::is_directory(&path) {
            let diagnostic = Diagnostic::new(
                Code::MissingDirectory,
                written.span,
                format!("there is no directory `{}` to embed", directory.value.escape_debug()),
            );
            self.diagnostics.push(diagnostic.label("not found").help("the path is relative to the file that names it"));
        } else if is_embedded {
            self.lint_sources(&path, &directory);
            self.lint_left_out(&path, &directory);
        }
        Some(Files { directory, path, is_embedded, late: None, index_is_default, rules })
    }

    fn lint_sources(&mut self, path: &std::path::Path, directory: &Spanned<String>) {
        for extension in SOURCES {
            if let Some(file) = source::find_extension(path, extension) {
                let diagnostic =
                    Diagnostic::new(Code::ReadableSource, directory.span, format!("the source text of `{file}` can be read by everyone"));
                self.lints.push(diagnostic.label(format!("holds `.{extension}` files, and nothing runs them")));
            }
        }
    }

    /// Says the first thing that is not embedded, and how many there are.
    fn lint_left_out(&mut self, path: &std::path::Path, directory: &Spanned<String>) {
        let left_out =
            self.left_out.entry(path.to_owned()).or_insert_with(|| tree::walk(path).map(|walked| walked.left_out).unwrap_or_default());
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
