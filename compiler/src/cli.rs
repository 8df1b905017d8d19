//! The command line: one subcommand a file, results on standard output, all else on standard error.
//!
//! Exit codes: 0 done; 1 the site has errors, or a package is stale; 2 the command line, this machine or kiln itself is at fault.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::{Parser, Subcommand, ValueEnum};

use self::console::Console;
use crate::{Compilation, build::assets_cache, fingerprint, packed, plan::Plan, workspace};

mod build;
mod check;
mod codes;
mod completion;
mod console;
mod emit;
mod explain;
mod fmt;
mod new;
mod plan;
mod reference;
mod report;
mod run;
mod watch;

/// Compiles site.kdl into one static web server binary.
#[derive(Debug, Parser)]
#[command(name = "kiln", version, long_version = long_version(), disable_help_subcommand = true, max_term_width = 100)]
struct Line {
    /// Colours on standard error.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    color: Color,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Color {
    Always,
    Auto,
    Never,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Build the site's binary.
    Build(build::Arguments),
    /// Say what is wrong with a site.
    Check(check::Arguments),
    /// Explain a code of a diagnostic, or list all.
    Codes(codes::Arguments),
    /// Print a script that completes this command line in a shell.
    Completion(completion::Arguments),
    /// Write the generated package.
    Emit(emit::Arguments),
    /// Say what a request would be answered with, and why.
    Explain(explain::Arguments),
    /// Bring site files into one spelling.
    Fmt(fmt::Arguments),
    /// Write a small site to begin with.
    New(new::Arguments),
    /// Print the plan: what the site does, with all defaults.
    Plan(plan::Arguments),
    /// Write the documents that follow from the schema.
    #[command(hide = true)]
    Reference(reference::Arguments),
    /// Build the site's binary and run it.
    Run(run::Arguments),
}

/// Why a command ended early; what was to be said is said.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Failure {
    /// This machine, the command line or kiln.
    Machine,
    /// The site, or its package.
    Site,
}

type Outcome = Result<(), Failure>;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let Line { color, verb } = Line::parse();
    let mut console = Console::new(color, Instant::now());
    let outcome = match verb {
        Verb::Build(arguments) => build::run(&arguments, &mut console),
        Verb::Check(arguments) => check::run(&arguments, &mut console),
        Verb::Codes(arguments) => codes::run(&arguments, &mut console),
        Verb::Completion(arguments) => completion::run(&arguments, &mut console),
        Verb::Emit(arguments) => emit::run(&arguments, &mut console),
        Verb::Explain(arguments) => explain::run(&arguments, &mut console),
        Verb::Fmt(arguments) => fmt::run(&arguments, &mut console),
        Verb::New(arguments) => new::run(&arguments, &mut console),
        Verb::Plan(arguments) => plan::run(&arguments, &mut console),
        Verb::Reference(arguments) => reference::run(&arguments, &mut console),
        Verb::Run(arguments) => run::run(&arguments, &mut console),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Site) => ExitCode::from(1),
        Err(Failure::Machine) => ExitCode::from(2),
    }
}

/// The site file, the last argument of every command that reads one.
#[derive(Debug, clap::Args)]
struct SiteFile {
    /// How diagnostics are written.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = report::Format::Text)]
    format: report::Format,
    /// The site file.
    #[arg(value_name = "SITE", default_value = "site.kdl")]
    path: PathBuf,
}

impl SiteFile {
    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The directory it lies in.
    fn directory(&self) -> &Path {
        self.path.parent().unwrap_or_else(|| Path::new(""))
    }
}

/// A site without errors, and where kiln keeps what it derives from it.
struct Checked {
    compilation: Compilation,
    plan: Plan,
    cache: PathBuf,
}

impl Checked {
    fn routes(&self) -> usize {
        self.plan.vhosts.iter().map(|vhost| vhost.routes.len()).sum()
    }

    fn sources_hash(&self) -> String {
        fingerprint::sources(&self.compilation.sources, &self.plan)
    }
}

/// Compiles a site up to its plan and says what was found; with an error there is no plan.
fn check(site: &SiteFile, console: &mut Console) -> Result<Checked, Failure> {
    let (mut compilation, cache) = compiled(site, console)?;
    report::say(site, &compilation, console);
    let plan = compilation.plan.take().ok_or(Failure::Site)?;
    Ok(Checked { compilation, plan, cache })
}

/// Compiles a site up to its plan; with the directory of kiln's cache.
fn compiled(site: &SiteFile, console: &mut Console) -> Result<(Compilation, PathBuf), Failure> {
    let Some(cache) = workspace::cache() else {
        return Err(console.fault("there is no directory for kiln's cache\n  = help: set HOME or KILN_CACHE_DIR"));
    };
    Ok((crate::compile(&site.path, &assets_cache(&cache)), cache))
}

/// What `--version` says: the version, and the hashes that a built binary names too.
fn long_version() -> &'static str {
    let [compiler, runtime] = [packed::compiler_bytes(), packed::runtime_bytes()].map(fingerprint::sha256);
    let lockfile = fingerprint::sha256(packed::lockfile().as_bytes());
    format!("{}\ncompiler {compiler}\nruntime {runtime}\nlockfile {lockfile}", env!("CARGO_PKG_VERSION")).leak()
}
