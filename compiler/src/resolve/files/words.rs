//! The words of a `files` block that become its rules.

use std::collections::BTreeSet;

use semantics::{
    files,
    negotiate::{Coding, Codings},
};

use super::super::Resolver;
use crate::{
    ast::{Node, Value},
    diagnostic::{Code, Diagnostic},
    model::{Rules, Tried},
};

/// What stands for the path in a name that is tried.
const PATH: &str = "{path}";
/// Bytes of the longest glob: names have 4,096 at most, and holding one against the other takes the product of both.
const GLOB_BYTES_MAX: usize = 1024;
/// What globs of other programs have and ours do not.
const FOREIGN: [char; 5] = ['{', '}', '[', ']', '\\'];

impl Resolver<'_> {
    /// What the block says, with the name of the index.
    pub(super) fn file_rules(&mut self, node: &Node, index: &str) -> Rules {
        let serves_hidden = node.child("hidden").is_some();
        let symlinks = node.child("symlinks");
        if let (Some(symlinks), Some(embed)) = (symlinks, node.child("embed")) {
            let diagnostic = Diagnostic::new(Code::Contradiction, symlinks.span, "`symlinks` is for directories that are not embedded");
            let diagnostic = diagnostic.label("has no meaning here").secondary(embed.span, "the directory is embedded");
            self.diagnostics.push(diagnostic.help("remove it: what is embedded follows the links that stay inside the directory"));
        }
        Rules {
            tried: self.tried(node, serves_hidden),
            spa: self.spa(node, serves_hidden),
            immutable: self.globs(node),
            serves_hidden,
            lists: node.child("listing").is_some(),
            precompressed: self.precompressed(node),
            follows_links: symlinks.is_some(),
            ..Rules::new(index)
        }
    }

    fn tried(&mut self, node: &Node, serves_hidden: bool) -> Vec<Tried> {
        let (mut seen, mut tried) = (BTreeSet::new(), Vec::new());
        for value in node.child("try").into_iter().flat_map(Node::values) {
            let name = match split(value.text()) {
                Ok(name) => name,
                Err(label) => {
                    self.bad_tried(value, label);
                    continue;
                }
            };
            // Any path will do: what is wrong then is wrong with the text around it.
            let example = format!("{}x{}", name.before, name.behind);
            if name.before.is_empty() && name.behind.is_empty() {
                self.bad_tried(value, "the path's own file always comes first");
            } else if let Some(label) = fault(&example, serves_hidden) {
                self.bad_tried(value, label);
            } else if !self.repeated(&mut seen, value.text().to_owned(), value) {
                tried.push(name);
            }
        }
        tried
    }

    fn bad_tried(&mut self, value: &Value, label: &'static str) {
        let diagnostic = Diagnostic::new(Code::BadTry, value.span, format!("`{}` is not a name to try", value.text().escape_debug()));
        self.diagnostics.push(diagnostic.label(label));
    }

    fn spa(&mut self, node: &Node, serves_hidden: bool) -> Option<String> {
        let spa = node.child("spa")?.argument("name")?;
        if let Some(label) = fault(spa.text(), serves_hidden) {
            self.error(Code::BadName, spa.span, format!("`{}` is not the name of a file", spa.text().escape_debug()), label);
            return None;
        }
        Some(spa.text().to_owned())
    }

    fn globs(&mut self, node: &Node) -> Vec<String> {
        let (mut seen, mut globs) = (BTreeSet::new(), Vec::new());
        for value in node.children_named("immutable").flat_map(Node::values) {
            if let Some(label) = glob_fault(value.text()) {
                self.error(Code::BadGlob, value.span, format!("`{}` is not a glob", value.text().escape_debug()), label);
            } else if !self.repeated(&mut seen, value.text().to_owned(), value) {
                globs.push(value.text().to_owned());
            }
        }
        globs
    }

    fn precompressed(&mut self, node: &Node) -> Codings {
        let Some(word) = node.child("precompressed") else { return Codings::IDENTITY };
        let mut seen = BTreeSet::new();
        for value in word.values() {
            self.repeated(&mut seen, value.text().to_owned(), value);
        }
        Codings::of(&codings(word))
    }
}

/// The codings that a `precompressed` names, all where it names none.
pub(super) fn codings(word: &Node) -> Vec<Coding> {
    let is_named = |coding: &Coding| word.values().any(|value| value.text() == coding.name());
    let named: Vec<_> = Codings::ALL.coded().filter(is_named).collect();
    if named.is_empty() { Codings::ALL.coded().collect() } else { named }
}

/// The texts around the path.
fn split(text: &str) -> Result<Tried, &'static str> {
    let Some((before, behind)) = text.split_once(PATH) else { return Err("expected `{path}`, which is the path below the route") };
    if behind.contains(PATH) {
        return Err("expected `{path}` once");
    }
    if before.contains(['{', '}']) || behind.contains(['{', '}']) {
        return Err("`{path}` is all that can be inserted");
    }
    Ok(Tried { before: before.to_owned(), behind: behind.to_owned() })
}

/// What is wrong with the name of a file below the directory.
fn fault(name: &str, serves_hidden: bool) -> Option<&'static str> {
    let serves = |serves_hidden| files::Rules { serves_hidden, ..files::Rules::NEW }.serves(name.as_bytes());
    if name.starts_with('/') {
        return Some("expected no slash in front: it begins below the directory");
    }
    if name.ends_with('/') {
        return Some("names a directory: write the file");
    }
    if name.contains('\0') || !serves(true) {
        return Some("no file below the directory is called that");
    }
    (!serves(serves_hidden)).then_some("dotfiles and backups are not served unless the block says `hidden`")
}

fn glob_fault(glob: &str) -> Option<&'static str> {
    if glob.len() > GLOB_BYTES_MAX {
        return Some("a glob has at most 1,024 bytes");
    }
    if glob.contains(FOREIGN) {
        return Some("a glob has `*`, `?` and `**` only: write one argument for each choice");
    }
    if glob.starts_with('/') {
        return Some("expected no slash in front: it begins below the directory");
    }
    if glob.contains('\0') || glob.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return Some("no file below the directory is called like that");
    }
    let is_mixed = |segment: &str| segment.contains("**") && segment != "**";
    glob.split('/').any(is_mixed).then_some("expected `**` alone between slashes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glob_above_its_bound_is_refused() {
        let glob = "*a".repeat(GLOB_BYTES_MAX / 2);
        assert_eq!(glob_fault(&glob), None);
        assert_eq!(glob_fault(&format!("{glob}b")), Some("a glob has at most 1,024 bytes"));
    }
}
