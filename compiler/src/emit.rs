//! From the plan to the generated package: Rust that people read and rustc compiles in a moment.
//!
//! Shapes are those of `docs/architecture.md`: one plain function for each route, constants beside it, no async, no generics. Every item is built as
//! tokens, parsed as one `syn::Item` and formatted alone. The same plan gives the same bytes. Nothing here reads or writes a file.

use std::ops::Range;

pub use self::abi::ABI;
use self::{file::Unit, names::Scope, shared::Shared};
use crate::{package::Package, plan::Plan};

mod abi;
mod file;
mod globals;
mod guard;
mod handler;
mod literal;
mod main_file;
mod manifest;
mod names;
mod shared;
mod vhost;

/// What the package is made for, beside the plan.
#[derive(Clone, Debug)]
pub struct Form<'f> {
    /// Name of the package: `site` where kiln builds it, `site-NAME` where it is committed.
    pub package: String,
    /// Name of its binary.
    pub binary: String,
    /// Path of the runtime's package, relative to the generated one.
    pub runtime: &'f str,
    /// Name of the site file, as comments give it.
    pub entry: &'f str,
    /// Contents of `plan.txt`.
    pub dump: &'f str,
    /// Contents of `manifest.txt`.
    pub manifest: &'f str,
    /// Contents of `assets/assets.bin`, where the plan has embedded trees.
    pub assets: Option<Vec<u8>>,
}

/// With more vhosts than this, a file holds [`VHOSTS_PER_FILE`] of them: rustc is faster with fewer modules (docs/decisions/0002).
const FILES_MAX: usize = 300;
const VHOSTS_PER_FILE: usize = 100;

/// The files of the package.
pub fn emit(plan: &Plan, form: &Form<'_>) -> Package {
    let units = units(plan);
    let shared = Shared::new(plan, &units);
    let mut modules = shared.files(plan);
    let (main, hosts) = main_file::files(plan, &shared, &units, &modules, form);
    modules.extend(hosts.map(|hosts| ("hosts", hosts)));
    let mut package = Package::default();
    package.add("src/main.rs", main.print("main", "#![forbid(unsafe_code)]\n", &shared));
    for (module, file) in &modules {
        package.add(&format!("src/{module}.rs"), file.print(module, "", &shared));
    }
    for unit in &units {
        let (file, blobs) = vhost::file(plan, &shared, unit);
        package.add(&format!("src/{}.rs", unit.module), file.print(&unit.module.to_string(), "", &shared));
        blobs.into_iter().for_each(|(name, blob)| package.add(&format!("src/{name}"), blob));
    }
    shared.globals.blobs(plan, &mut package);
    manifest::files(plan, &shared.globals, form, &mut package);
    package
}

fn units(plan: &Plan) -> Vec<Unit> {
    let size = if plan.vhosts.len() > FILES_MAX { VHOSTS_PER_FILE } else { 1 };
    let mut modules = Scope::default();
    let ranges = (0..plan.vhosts.len()).step_by(size).map(|start| start..plan.vhosts.len().min(start + size));
    ranges.map(|vhosts| unit(plan, vhosts, &mut modules)).collect()
}

fn unit(plan: &Plan, vhosts: Range<usize>, modules: &mut Scope) -> Unit {
    let (mut functions, first) = (Scope::default(), &plan.vhosts[vhosts.start].name);
    if plan.vhosts.len() <= FILES_MAX {
        return Unit { module: modules.claim_module(first), functions: vec![functions.claim("vhost")], vhosts };
    }
    let names = plan.vhosts[vhosts.clone()].iter().map(|vhost| functions.claim(&vhost.name)).collect();
    Unit { module: modules.claim_module(&format!("from_{first}")), functions: names, vhosts }
}
