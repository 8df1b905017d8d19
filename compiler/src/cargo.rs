//! The nested cargo: flags that make builds reproducible and static, its messages as progress, its own words in a log.
//!
//! What it fails on is ours to explain: a missing linker or network is the machine's fault, an error in generated code is a bug of kiln.

use std::{
    fmt,
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::{
    package::PackageFault,
    toolchain::{self, Toolchain},
    workspace::Workspace,
};

/// How the site's crate is compiled.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Profile {
    /// The site unoptimised and incremental; all else as in `Release`, and shared with it.
    Dev,
    /// Optimised, thin-local LTO.
    Release,
    /// Fat LTO in one unit: smaller, slower to build.
    Ship,
}

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'j> {
    pub workspace: &'j Workspace,
    pub toolchain: &'j Toolchain,
    pub profile: Profile,
    /// The same binary with its symbols kept.
    pub keeps_symbols: bool,
}

/// What a run tells while it goes on.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// Nothing of this feature set was built before: so many crates will be.
    First { crates: usize },
    /// A crate is done; `count` were compiled so far.
    Compiled { name: &'p str, count: usize },
}

/// What a run gave.
#[derive(Clone, Debug)]
pub struct Built {
    pub executable: PathBuf,
    /// Crates that were compiled, the site's among them.
    pub compiled: usize,
}

/// Why there is no binary.
#[derive(Debug)]
pub enum CargoFault {
    /// The generated code or the packed runtime does not build.
    Bug {
        log: PathBuf,
        error: String,
    },
    /// Cargo cannot get the crates.
    Fetch {
        log: PathBuf,
        error: String,
    },
    /// Cargo wants a crate that kiln did not bring.
    Foreign {
        package: String,
    },
    /// There is no C linker.
    Linker {
        log: PathBuf,
    },
    Package(PackageFault),
    /// Cargo could not be started or read.
    Start(io::Error),
}

/// Builds the site that was put into the workspace.
pub fn build(job: Job<'_>, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Built, CargoFault> {
    let stamp = job.workspace.target.join(format!("kiln-built-{}", stamp(job)?));
    let is_first = !stamp.exists();
    if is_first || !job.workspace.is_settled() {
        let crates = crates(job)?;
        if let Err(package) = job.workspace.settle().map_err(CargoFault::Package)? {
            return Err(CargoFault::Foreign { package });
        }
        if is_first {
            progress(Progress::First { crates });
        }
    }
    let built = run(job, progress)?;
    fs::write(&stamp, "").map_err(CargoFault::Start)?;
    Ok(built)
}

/// Names what dependencies are compiled from and for: rustc, profile family and the site's manifest with its features.
fn stamp(job: Job<'_>) -> Result<String, CargoFault> {
    let mut hasher = crate::fingerprint::Hasher::default();
    let family = if job.profile == Profile::Ship { "ship" } else { "release" };
    hasher.part(family.as_bytes());
    hasher.part(job.toolchain.version.as_bytes());
    hasher.part(crate::fingerprint::workspace().as_bytes());
    let manifest = fs::read_to_string(job.workspace.site().join("Cargo.toml")).map_err(CargoFault::Start)?;
    hasher.part(manifest.lines().find(|line| line.starts_with("runtime = ")).unwrap_or_default().as_bytes());
    Ok(hasher.finish()[..16].to_owned())
}

/// Lets cargo read the workspace, which writes the lockfile's last entries, and counts the crates of the site.
fn crates(job: Job<'_>) -> Result<usize, CargoFault> {
    let mut command = command(job);
    command.args(["tree", "--package", "site", "--edges", "normal,build", "--prefix", "none", "--no-dedupe", "--format", "{p}"]);
    command.args(["--target", &job.toolchain.host]);
    let output = command.output().map_err(CargoFault::Start)?;
    let log = log_path(job.workspace);
    fs::write(&log, &output.stderr).map_err(CargoFault::Start)?;
    if !output.status.success() {
        return Err(explain(log, String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let names: std::collections::BTreeSet<_> = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    Ok(names.len())
}

fn run(job: Job<'_>, progress: &mut dyn FnMut(Progress<'_>)) -> Result<Built, CargoFault> {
    let log = log_path(job.workspace);
    let stderr = File::create(&log).map_err(CargoFault::Start)?;
    let mut command = command(job);
    command.args(["rustc", "--locked", "--package", "site", "--bin", "site", "--message-format", "json-render-diagnostics"]);
    command.args(["--target", &job.toolchain.host]).args(profile(job.profile)).arg("--").args(link_flags(job));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr).spawn().map_err(CargoFault::Start)?;
    let stdout = child.stdout.take().expect("stdout is piped");
    let (mut executable, mut compiled) = (None, 0);
    for line in BufReader::new(stdout).lines() {
        let line = line.map_err(CargoFault::Start)?;
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        if message["reason"] != "compiler-artifact" {
            continue;
        }
        if message["fresh"] == false && message["target"]["kind"][0] != "custom-build" {
            compiled += 1;
            progress(Progress::Compiled { name: message["target"]["name"].as_str().unwrap_or_default(), count: compiled });
        }
        if let Some(path) = message["executable"].as_str() {
            executable = Some(PathBuf::from(path));
        }
    }
    let status = child.wait().map_err(CargoFault::Start)?;
    match executable {
        Some(executable) if status.success() => Ok(Built { executable, compiled }),
        _ => {
            let said = fs::read_to_string(&log).unwrap_or_default();
            Err(explain(log, said))
        }
    }
}

fn command(job: Job<'_>) -> Command {
    let mut command = toolchain::command("cargo", &job.workspace.directory);
    command.env("CARGO_TARGET_DIR", &job.workspace.target);
    command.env("CARGO_ENCODED_RUSTFLAGS", flags(job).join("\x1f"));
    command.env("CARGO_TERM_COLOR", "never");
    command
}

/// The same for every profile and every crate, so that dependencies are shared; paths of the machine appear only on the left of a `=`.
fn flags(job: Job<'_>) -> Vec<String> {
    let mut flags = vec!["-Ctarget-feature=+crt-static".to_owned()];
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    flags.push(remap(&job.workspace.directory, "/kiln"));
    flags.push(remap(&job.toolchain.cargo_home, "/cargo"));
    if let Some(sources) = &job.toolchain.sources {
        flags.push(remap(sources, &job.toolchain.sources_name));
    }
    flags
}

fn profile(profile: Profile) -> Vec<String> {
    let site = |key: &str, value: &str| ["--config".to_owned(), format!("profile.release.package.site.{key}={value}")];
    match profile {
        Profile::Dev => {
            let own = [site("opt-level", "0"), site("incremental", "true"), site("codegen-units", "256")];
            ["--release".to_owned()].into_iter().chain(own.into_iter().flatten()).collect()
        }
        Profile::Release => vec!["--release".to_owned()],
        Profile::Ship => vec!["--profile".to_owned(), "ship".to_owned()],
    }
}

/// Only for the site's own crate: the last link.
fn link_flags(job: Job<'_>) -> Vec<&'static str> {
    let mut flags = vec![if job.keeps_symbols { "-Cstrip=none" } else { "-Cstrip=symbols" }];
    if job.toolchain.host == "x86_64-unknown-linux-gnu" {
        // rustc links with its own lld there, which knows it; elsewhere the system's linker may not.
        flags.push("-Clink-arg=-Wl,-z,pack-relative-relocs");
    }
    flags
}

fn log_path(workspace: &Workspace) -> PathBuf {
    workspace.directory.join("cargo.log")
}

fn explain(log: PathBuf, said: String) -> CargoFault {
    let error = said.lines().find(|line| line.starts_with("error")).unwrap_or("error: cargo said nothing").to_owned();
    let holds = |texts: &[&str]| texts.iter().any(|text| said.contains(text));
    if holds(&["linker `cc` not found", "linking with `cc` failed: No such file"]) {
        return CargoFault::Linker { log };
    }
    if holds(&[
        "failed to download",
        "failed to get `",
        "Could not resolve host",
        "failed to query replaced source registry",
        "spurious network error",
    ]) {
        return CargoFault::Fetch { log, error };
    }
    CargoFault::Bug { log, error }
}

impl fmt::Display for CargoFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bug { log, error } => {
                let error = error.trim_start_matches("error: ");
                write!(
                    formatter,
                    "bug in kiln: the generated code does not build: {error}\n  = note: cargo's output is in {}",
                    log.display()
                )?;
                formatter.write_str("\n  = help: report it with that file and the output of `kiln plan`")
            }
            Self::Fetch { log, error } => {
                let error = error.trim_start_matches("error: ");
                write!(
                    formatter,
                    "cargo cannot get the crates that sites are built from: {error}\n  = note: cargo's output is in {}",
                    log.display()
                )?;
                formatter.write_str("\n  = help: the first build needs the network, or a cargo registry that is filled already")
            }
            Self::Foreign { package } => write!(formatter, "bug in kiln: cargo chose `{package}`, which is not in kiln's lockfile"),
            Self::Linker { log } => {
                write!(formatter, "there is no C linker `cc` on the PATH\n  = note: cargo's output is in {}", log.display())?;
                formatter.write_str("\n  = help: install one (Debian: gcc libc6-dev)")
            }
            Self::Package(fault) => fault.fmt(formatter),
            Self::Start(error) => write!(formatter, "cargo cannot be run: {error}"),
        }
    }
}
