//! What was found in a site, as `--format` asks for it.

use std::env;

use clap::ValueEnum;
use serde_json::Value;

use super::{Console, SiteFile};
use crate::{
    Compilation,
    diagnostic::{json::json, render, sarif::sarif},
};

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(super) enum Format {
    /// One JSON document (docs/diagnostics.md).
    Json,
    /// SARIF 2.1.0, for pages that show the findings of code scanners.
    Sarif,
    /// For people.
    Text,
}

/// Says what was found on standard error; a document is one line of it.
pub(super) fn say(site: &SiteFile, compilation: &Compilation, console: &mut Console) {
    match document(site, compilation) {
        Some(document) => console.diagnostics(&format!("{document}\n")),
        None => {
            console.diagnostics(&render::render(&compilation.diagnostics, &compilation.sources, console.style()));
            if compilation.plan.is_none() {
                console.summary(&render::summary(&compilation.diagnostics, &compilation.sources));
            }
        }
    }
}

/// The document for machines; `None` for people.
pub(super) fn document(site: &SiteFile, compilation: &Compilation) -> Option<Value> {
    match site.format {
        Format::Json => Some(json(&compilation.diagnostics, &compilation.sources)),
        Format::Sarif => Some(sarif(&compilation.diagnostics, &compilation.sources, &entry(site))),
        Format::Text => None,
    }
}

/// The site file's path with `/`, relative to the directory that kiln runs in where it lies below it: a repository's root in CI.
fn entry(site: &SiteFile) -> String {
    let below = env::current_dir().ok().and_then(|directory| site.path.strip_prefix(directory).ok());
    let parts = below.unwrap_or(&site.path).components().map(|part| part.as_os_str().to_string_lossy());
    parts.filter(|part| part != ".").collect::<Vec<_>>().join("/").replacen("//", "/", 1)
}
