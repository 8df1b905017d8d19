//! From the plan to the generated package: Rust that people read and rustc compiles in a moment.
//!
//! Shapes are those of `docs/architecture.md`: one plain function for each route, constants beside it, no async, no generics. Every item is built as
//! tokens, parsed as one `syn::Item` and formatted alone. The same plan gives the same bytes. Nothing here reads or writes a file.

use std::ops::Range;

pub use self::abi::ABI;
use self::{file::Unit, manifest::Blob, names::Scope, shared::Shared};
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
mod records;
mod shared;
mod upstreams;
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
    let (mut modules, mut package) = (shared.files(plan), Package::default());
    let mut blobs = shared.globals.map_blobs(plan);
    let vhosts: Vec<_> = if records::are_chosen(plan) {
        let emitted = records::emit(plan, &shared, &units);
        modules.insert(records::ROUTES, emitted.routes);
        blobs.push(Blob { name: "ROUTES".to_owned(), file: "routes.bin".to_owned(), bytes: emitted.blob.into() });
        emitted.own
    } else {
        units.iter().map(|unit| (unit.module.clone(), vhost::file(plan, &shared, unit, &mut package))).collect()
    };
    let of_vhosts: Vec<_> = vhosts.iter().map(|(module, _)| module).collect();
    let (main, hosts) = main_file::files((plan, &shared), &units, (&of_vhosts, &modules), form);
    modules.extend(hosts.map(|hosts| ("hosts", hosts)));
    package.add("src/main.rs", main.print("main", "#![forbid(unsafe_code)]\n", &shared));
    let vhosts = vhosts.into_iter().map(|(module, file)| (module.to_string(), file));
    for (module, file) in modules.into_iter().map(|(module, file)| (module.to_owned(), file)).chain(vhosts) {
        package.add(&format!("src/{module}.rs"), file.print(&module, "", &shared));
    }
    shared.globals.blobs(plan, &mut package);
    if let Some(places) = &shared.places {
        package.add("places.txt", places.lines().to_owned());
    }
    manifest::files(plan, &blobs, form, &mut package);
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
