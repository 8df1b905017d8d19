//! The files of `map`: read with the site's own, so that what is wrong in them can be shown at its line.

use std::collections::BTreeMap;

use super::fault;
use crate::{
    ast::Node,
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{DATA_BYTES_MAX, FileId, ReadFault, SourceMap, Span},
};

/// Reads the file of each `map` that names one, each file once. By the span of its name.
pub(super) fn read(nodes: &[Node], sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> BTreeMap<Span, FileId> {
    let mut files = BTreeMap::new();
    let mut known = BTreeMap::new();
    for written in nodes.iter().filter(|node| node.is("map")).filter_map(|node| node.property("file")) {
        let path = sources.directory(written.span.file).join(written.text());
        if let Some(file) = known.get(&path) {
            files.insert(written.span, *file);
            continue;
        }
        let name = sources.name_of(&path);
        match sources.read_data(&path, name.clone()) {
            Ok(file) => {
                known.insert(path, file);
                files.insert(written.span, file);
            }
            Err(ReadFault::NotUtf8 { span }) => diagnostics.push(fault::unread(&ReadFault::NotUtf8 { span }, &name, None)),
            Err(ReadFault::TooLarge) => {
                let message = format!("`{name}` has more than {} MiB", DATA_BYTES_MAX >> 20);
                diagnostics.push(Diagnostic::new(Code::MissingFile, written.span, message).label("too large for a table"));
            }
            Err(ReadFault::Unreadable(error)) => {
                let message = format!("`{name}` can't be read: {}", fault::reason(&error));
                let diagnostic = Diagnostic::new(Code::MissingFile, written.span, message).label("named here");
                diagnostics.push(diagnostic.help("the path is relative to the file that names it"));
            }
        }
    }
    files
}
