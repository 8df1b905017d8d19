//! The sites that are measured, built by the kiln of this workspace: this very binary under another name.

use std::{
    env, fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};

use crate::{fault::Fault, hash, payload};

/// The name under which this binary is kiln.
pub const KILN: &str = "kiln";

/// A site that is built, and what it was built from.
#[derive(Clone, Debug)]
pub struct Built {
    pub binary: PathBuf,
    /// It is started there.
    pub directory: PathBuf,
    /// For `env.json`.
    pub record: Value,
}

/// Where this package's files are.
pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The root of this repository.
pub fn repository() -> &'static Path {
    package().ancestors().nth(2).expect("tests/bench lies in the repository")
}

/// A directory for what is built, beside what cargo builds.
pub fn scratch() -> Result<PathBuf, Fault> {
    let program = env::current_exe().map_err(Fault::io("this program"))?;
    let target = program.ancestors().nth(2).unwrap_or_else(|| Path::new("target"));
    let path = target.join("kiln-bench");
    fs::create_dir_all(&path).map_err(Fault::file(&path))?;
    Ok(path)
}

/// Builds `sites/NAME.kdl` with the files it embeds.
pub fn build(name: &str, scratch: &Path) -> Result<Built, Fault> {
    let source = package().join("sites").join(name).with_extension("kdl");
    let directory = scratch.join("sites").join(name);
    payload::write(&directory.join("www"))?;
    let entry = directory.join("site.kdl");
    fs::copy(&source, &entry).map_err(Fault::file(&source))?;
    let (binary, generated) = (directory.join("dist"), directory.join("generated"));
    // It is not there in the first run.
    drop(fs::remove_dir_all(&generated));
    kiln(scratch, &["build", "--profile", "release", "--out"], &binary, &entry)?;
    kiln(scratch, &["emit", "--out"], &generated, &entry)?;
    let version = Command::new(&binary).arg("--version").output().map_err(Fault::file(&binary))?;
    let record = json!({
        "kdl_sha256": hash::file(&source)?,
        "generated_sha256": hash::tree(&generated)?,
        "binary_sha256": hash::file(&binary)?,
        "binary_bytes": fs::metadata(&binary).map_err(Fault::file(&binary))?.len(),
        "version": String::from_utf8_lossy(&version.stdout).lines().collect::<Vec<_>>(),
        "profile": "release",
    });
    Ok(Built { binary, directory, record })
}

fn kiln(scratch: &Path, verb: &[&str], out: &Path, entry: &Path) -> Result<(), Fault> {
    let program = env::current_exe().map_err(Fault::io("this program"))?;
    let cache = env::var_os("KILN_CACHE_DIR").map_or_else(|| scratch.with_file_name("kiln-cache"), PathBuf::from);
    let mut command = Command::new(program);
    command.arg0(KILN).args(verb).arg(out).arg(entry).env("KILN_CACHE_DIR", cache).env_remove("RUSTFLAGS");
    let output = command.output().map_err(Fault::io("kiln"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(Fault::Build(String::from_utf8_lossy(&output.stderr).into_owned()))
}
