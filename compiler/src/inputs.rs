//! What a site is made of, on disk: for whoever waits for a change of it.
//!
//! Read off the site as written, so that a file that is missing or wrong is waited for as well.

use std::path::PathBuf;

use crate::{
    ast::{Config, Datum, Node, Value},
    source::SourceMap,
};

/// Something that the site is compiled from.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Input {
    File(PathBuf),
    /// A directory with all that is in it.
    Tree(PathBuf),
}

/// All files that were read, and what the site names besides: error pages, map files, embedded trees.
pub fn inputs(sources: &SourceMap, config: Option<&Config>) -> Vec<Input> {
    let mut inputs: Vec<_> = sources.sources().iter().map(|source| Input::File(source.path.clone())).collect();
    config.iter().flat_map(|config| &config.nodes).for_each(|node| named(node, sources, &mut inputs));
    inputs.sort();
    inputs.dedup();
    inputs
}

fn named(node: &Node, sources: &SourceMap, inputs: &mut Vec<Input>) {
    let path = |value: &Value| {
        let Datum::Text(text) = &value.datum else { return None };
        Some(sources.directory(value.span.file).join(text))
    };
    if node.is("files") && node.child("embed").is_some() {
        inputs.extend(node.argument("directory").and_then(path).map(Input::Tree));
    }
    inputs.extend(node.property("file").and_then(path).map(Input::File));
    node.children.iter().for_each(|child| named(child, sources, inputs));
}
