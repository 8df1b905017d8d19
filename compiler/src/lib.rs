//! The compiler: one pipeline, one type per arrow, diagnostics beside it.
//!
//! ```text
//! SourceMap -parse-> ast::Config -resolve-> model::Site -lower-> plan::Plan -optimize-> plan::Plan -emit-> Package -build-> Artifact
//! ```
#![forbid(unsafe_code)]

pub mod answer;
pub mod assets;
pub mod ast;
pub mod build;
pub mod cargo;
pub mod cli;
pub mod diagnostic;
pub mod dump;
pub mod emit;
pub mod evaluate;
pub mod explain;
pub mod fingerprint;
pub mod format;
pub mod inputs;
pub mod lower;
pub mod model;
pub mod optimize;
pub mod package;
pub mod packed;
pub mod parse;
pub mod plan;
pub mod reference;
pub mod resolve;
pub mod schema;
pub mod source;
pub mod toolchain;
pub mod workspace;

use std::path::Path;

use crate::{
    assets::Trees,
    diagnostic::{Code, Diagnostic, Diagnostics},
    inputs::Input,
    model::Site,
    plan::Plan,
    source::SourceMap,
};

/// What a site file came to.
#[derive(Debug)]
pub struct Compilation {
    pub sources: SourceMap,
    pub diagnostics: Diagnostics,
    /// `None` where there were errors.
    pub plan: Option<Plan>,
    /// What it was compiled from, as far as that is known.
    pub inputs: Vec<Input>,
}

/// Reads a site and compiles it up to its plan. Compressed forms of embedded files are kept in the directory `cache`.
pub fn compile(entry: &Path, cache: &Path) -> Compilation {
    let mut diagnostics = Diagnostics::default();
    let (sources, config) = parse::parse(entry, &mut diagnostics);
    let inputs = inputs::inputs(&sources, config.as_ref());
    let site = config.and_then(|config| resolve::resolve(&config, &sources, &mut diagnostics));
    let trees = site.as_ref().and_then(|site| read_trees(site, cache, &mut diagnostics));
    let plan = site.zip(trees).map(|(site, trees)| optimize::optimize(lower::lower(&site, &sources, &trees)));
    Compilation { plan: plan.filter(|_| !diagnostics.has_errors()), sources, diagnostics, inputs }
}

fn read_trees(site: &Site, cache: &Path, diagnostics: &mut Diagnostics) -> Option<Trees> {
    let faults = match assets::read(site, cache) {
        Ok(trees) => return Some(trees),
        Err(faults) => faults,
    };
    for fault in faults {
        let message = format!("`{}` cannot be embedded: {}", fault.path, fault.kind);
        diagnostics.push(Diagnostic { span: fault.span, ..Diagnostic::without_span(Code::FileUnreadable, message) });
    }
    None
}
