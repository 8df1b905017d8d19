//! The last arrow of the pipeline: a plan becomes one static binary, by a package in the cached workspace and a nested cargo.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use crate::{
    assets,
    cargo::{self, CargoFault, Job, Profile, Progress},
    emit::{self, Form},
    fingerprint,
    package::{Package, PackageFault, Written},
    plan::Plan,
    toolchain::{self, ToolchainFault},
    workspace::Workspace,
};

/// What is to be built, from what, to where.
#[derive(Clone, Copy, Debug)]
pub struct Order<'o> {
    pub plan: &'o Plan,
    /// Contents of `plan.txt`.
    pub dump: &'o str,
    /// Hash of the sources ([`fingerprint::sources`]).
    pub sources: &'o str,
    /// Name of the site file.
    pub entry: &'o str,
    pub cache: &'o Path,
    pub out: &'o Path,
    pub profile: Profile,
    pub keeps_symbols: bool,
}

/// What happens while a site is built; the times between are the caller's to take.
#[derive(Clone, Copy, Debug)]
pub enum Event<'e> {
    Cargo(Progress<'e>),
    /// The binary is compiled and linked; so many crates were.
    Compiled {
        crates: usize,
    },
    /// The package is in the workspace.
    Emitted(Written),
    /// Another kiln builds in the same cache.
    Waiting,
}

/// One binary.
#[derive(Clone, Debug)]
pub struct Artifact {
    pub path: PathBuf,
    pub bytes: u64,
    /// 64 hex digits.
    pub sha256: String,
}

/// Why there is none.
#[derive(Debug)]
pub enum BuildFault {
    Assets(Vec<assets::Fault>),
    Cargo(CargoFault),
    Package(PackageFault),
    Toolchain(ToolchainFault),
}

/// Builds; blocks while another kiln builds in the same cache.
pub fn build(order: &Order<'_>, report: &mut dyn FnMut(Event<'_>)) -> Result<Artifact, BuildFault> {
    let workspace = Workspace::open(order.cache, &mut || report(Event::Waiting)).map_err(BuildFault::Package)?;
    let toolchain = toolchain::find(&workspace.directory).map_err(BuildFault::Toolchain)?;
    let manifest = fingerprint::manifest_of_binary(&order.plan.site, order.sources, order.dump, &toolchain.version);
    let form = Form {
        package: "site".to_owned(),
        binary: "site".to_owned(),
        runtime: "../runtime",
        entry: order.entry,
        dump: order.dump,
        manifest: &manifest,
        assets: blob(order.plan, order.cache)?,
    };
    let package = emit::emit(order.plan, &form);
    let written = workspace.put(&package).map_err(BuildFault::Package)?;
    report(Event::Emitted(written));
    let job = Job { workspace: &workspace, toolchain: &toolchain, profile: order.profile, keeps_symbols: order.keeps_symbols };
    let built = cargo::build(job, &mut |progress| report(Event::Cargo(progress))).map_err(BuildFault::Cargo)?;
    report(Event::Compiled { crates: built.compiled });
    deliver(&built.executable, order.out).map_err(BuildFault::Package)
}

/// The package as it is committed beside its site: without what depends on this kiln and this machine.
pub fn package(plan: &Plan, dump: &str, sources: &str, entry: &str, cache: &Path) -> Result<Package, BuildFault> {
    let form = Form {
        package: format!("site-{}", plan.site),
        binary: plan.site.clone(),
        runtime: "../../runtime",
        entry,
        dump,
        manifest: &fingerprint::manifest(&plan.site, sources, dump),
        assets: blob(plan, cache)?,
    };
    Ok(emit::emit(plan, &form))
}

/// Where compressed forms of embedded files are kept.
pub fn assets_cache(cache: &Path) -> PathBuf {
    cache.join("assets")
}

fn blob(plan: &Plan, cache: &Path) -> Result<Option<Vec<u8>>, BuildFault> {
    if plan.embeds.is_empty() {
        return Ok(None);
    }
    assets::blob(plan, &assets_cache(cache)).map(Some).map_err(BuildFault::Assets)
}

/// Copies the binary to its place in one step: one that runs from there goes on with its own file.
fn deliver(executable: &Path, out: &Path) -> Result<Artifact, PackageFault> {
    let fault = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| PackageFault::Io { path, error }
    };
    let bytes = fs::read(executable).map_err(fault(executable))?;
    let directory = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(directory).map_err(fault(directory))?;
    let name = out.file_name().unwrap_or_default().to_string_lossy();
    let partial = directory.join(format!(".{name}.{}", std::process::id()));
    fs::copy(executable, &partial).map_err(fault(&partial))?;
    fs::rename(&partial, out).map_err(fault(out))?;
    Ok(Artifact { path: out.to_owned(), bytes: bytes.len() as u64, sha256: fingerprint::sha256(&bytes) })
}

impl fmt::Display for BuildFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Assets(faults) => {
                let faults: Vec<_> = faults.iter().map(|fault| format!("{}: {}", fault.path, fault.kind)).collect();
                formatter.write_str(&faults.join("\n"))
            }
            Self::Cargo(fault) => fault.fmt(formatter),
            Self::Package(fault) => fault.fmt(formatter),
            Self::Toolchain(fault) => fault.fmt(formatter),
        }
    }
}
