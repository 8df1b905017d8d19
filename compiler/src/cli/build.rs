//! `kiln build`: from the site file to the binary, a line for each stage.

use std::{
    env,
    path::{Path, PathBuf},
};

use clap::ValueEnum;

use super::{Checked, Console, Outcome, SiteFile, console::counted};
use crate::{
    build::{self, Artifact, Event, Order},
    cargo::{self, Progress},
    dump,
};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[arg(long, value_enum, default_value_t = Profile::Release)]
    profile: Profile,
    /// The binary [default: dist/NAME beside the site file].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Keep the binary's symbols, as `KILN_KEEP_SYMBOLS=1` does.
    #[arg(long, hide = true)]
    symbols: bool,
    #[command(flatten)]
    site: SiteFile,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Profile {
    /// Builds fastest; only the site's own code is slower.
    Dev,
    /// Optimised.
    Release,
    /// Optimised as a whole: smaller, and slower to build.
    Ship,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Outcome {
    let checked = super::check(&arguments.site, console)?;
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => arguments.site.directory().join("dist").join(&checked.plan.site),
    };
    let keeps_symbols = arguments.symbols || env::var_os("KILN_KEEP_SYMBOLS").is_some_and(|value| value == "1");
    let artifact = build(&checked, &arguments.site, arguments.profile, (&out, keeps_symbols), console)?;
    let Artifact { path, bytes, sha256 } = artifact;
    let (site, seconds) = (&checked.plan.site, console.elapsed().as_secs_f64());
    console.result(&format!("{site}  {}  sha256 {sha256}  {seconds:.2} s  ->  {}\n", size(bytes), path.display()))
}

/// Builds a checked site and says each stage; `out` and whether symbols are kept.
pub(super) fn build(
    checked: &Checked,
    site: &SiteFile,
    profile: Profile,
    (out, keeps_symbols): (&Path, bool),
    console: &mut Console,
) -> Result<Artifact, super::Failure> {
    let (files, routes) = (checked.compilation.sources.sources().len(), checked.routes());
    let warnings = checked.compilation.diagnostics.warnings();
    let mut what = format!("{}, {}", counted(files, "file"), counted(routes, "route"));
    if warnings > 0 {
        what += &format!(", {}", counted(warnings, "warning"));
    }
    console.stage("check", &what);
    let (dump, sources) = (dump::text(&checked.plan), checked.sources_hash());
    let order = Order {
        plan: &checked.plan,
        dump: &dump,
        sources: &sources,
        entry: &site.name(),
        cache: &checked.cache,
        out,
        profile: match profile {
            Profile::Dev => cargo::Profile::Dev,
            Profile::Release => cargo::Profile::Release,
            Profile::Ship => cargo::Profile::Ship,
        },
        keeps_symbols,
    };
    let mut all = 1;
    let built = build::build(&order, &mut |event| say(event, &mut all, console));
    built.map_err(|fault| console.fault(fault))
}

fn say(event: Event<'_>, all: &mut usize, console: &mut Console) {
    match event {
        Event::Cargo(Progress::Compiled { name, count }) => console.bar(name, count, *all),
        Event::Cargo(Progress::First { crates }) => {
            *all = crates;
            console.note("compile", &format!("first build of this feature set: {}", counted(crates, "crate")));
        }
        Event::Compiled { crates: 0 } => console.stage("compile", "nothing changed"),
        Event::Compiled { crates: 1 } => console.stage("compile", "site, linked static"),
        Event::Compiled { crates } => console.stage("compile", &format!("site and {}, linked static", counted(crates - 1, "other crate"))),
        Event::Emitted(written) => console.stage("emit", &format!("{}, {} changed", counted(written.files, "file"), written.changed)),
        Event::Waiting => console.note("wait", "another kiln builds in this cache"),
    }
}

fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes < 1024.0 * 1024.0 { format!("{:.0} KiB", bytes / 1024.0) } else { format!("{:.1} MiB", bytes / (1024.0 * 1024.0)) }
}
