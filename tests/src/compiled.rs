//! A site in all its stages, for tests that compare what they say: model, plan and embedded files, without a build.

use std::{collections::BTreeSet, path::Path};

use kiln::{
    assets,
    diagnostic::{Diagnostics, render},
    lower::lower,
    model::Site,
    optimize::optimize,
    parse::parse,
    plan::Plan,
    resolve::resolve,
    source::SourceMap,
};

use crate::site::{repository, scratch};

/// What the stages made of one site.
#[derive(Debug)]
pub struct Compiled {
    pub sources: SourceMap,
    pub model: Site,
    pub plan: Plan,
    pub blob: Vec<u8>,
}

/// Checks a site: what there is to say about it, rendered, and its model where there is no error.
pub fn check(entry: &Path) -> (Diagnostics, SourceMap, Option<Site>) {
    let mut diagnostics = Diagnostics::default();
    let (sources, config) = parse(&repository().join(entry), &mut diagnostics);
    let model = config.and_then(|config| resolve(&config, &sources, &mut diagnostics));
    (diagnostics, sources, model)
}

/// Compiles a site up to its plan; panics with its diagnostics where it is wrong.
pub fn compile(entry: &Path) -> Compiled {
    let (diagnostics, sources, model) = check(entry);
    let Some(model) = model else { panic!("{}", render::render(&diagnostics, &sources, render::Style::Plain)) };
    let store = scratch("assets");
    let trees = assets::read(&model, &store).unwrap_or_else(|faults| panic!("{faults:?}"));
    let plan = optimize(lower(&model, &sources, &trees));
    let blob = assets::blob(&plan, &store).unwrap_or_else(|faults| panic!("{faults:?}"));
    Compiled { sources, model, plan, blob }
}

/// The codes of what was found, each once.
pub fn codes(diagnostics: &Diagnostics) -> BTreeSet<String> {
    diagnostics.sorted().iter().map(|diagnostic| diagnostic.code.to_string()).collect()
}
