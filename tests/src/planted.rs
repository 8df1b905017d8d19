//! Builds of a site whose runtime has a fault planted in its sources: what a test could not see there, it could not see at all.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    site::{cache, copy_tree, kiln, repository, scratch},
    tools::run,
};

/// One change of a source file of the runtime.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Below `runtime`.
    pub file: &'static str,
    /// Stands there exactly once.
    pub sound: &'static str,
    pub faulty: &'static str,
}

/// Builds the site of an entry file with a runtime that has these faults.
pub fn build(name: &str, entry: &Path, faults: &[Fault]) -> PathBuf {
    let directory = scratch("planted").join(name);
    // It is not there in the first run.
    drop(fs::remove_dir_all(&directory));
    copy_tree(&repository().join("runtime"), &directory.join("runtime"));
    for Fault { file, sound, faulty } in faults {
        let path = directory.join("runtime").join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(text.matches(sound).count(), 1, "{file} has {sound:?} not once: the fault can't be planted");
        fs::write(&path, text.replace(sound, faulty)).expect("a writable file");
    }
    // What the runtime inherits stands in the root's manifest.
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).expect("the root's manifest");
    let (before, members) = manifest.split_once("members = [").expect("members");
    let (_, after) = members.split_once(']').expect("the end of the members");
    let manifest = format!("{before}members = [\"runtime\", \"runtime/semantics\"]{after}");
    fs::write(directory.join("Cargo.toml"), manifest).expect("a writable directory");
    let package = directory.join("generated").join(name);
    run(kiln().args(["emit", "--out"]).arg(&package).arg(repository().join(entry)));
    for file in ["Cargo.toml", "Cargo.lock"] {
        fs::copy(repository().join("generated").join(file), directory.join("generated").join(file)).expect("a readable file");
    }
    point_at(&package.join("Cargo.toml"), &directory.join("runtime"));
    let target = cache().join("planted");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(directory.join("generated")).args(["build", "--quiet", "--offline", "--message-format=short"]);
    run(cargo.env("CARGO_TARGET_DIR", &target).env_remove("RUSTFLAGS"));
    let out = directory.join("site");
    fs::copy(target.join("debug").join(name), &out).expect("a binary");
    out
}

/// Makes a generated crate take the runtime from a directory.
fn point_at(manifest: &Path, runtime: &Path) {
    let text = fs::read_to_string(manifest).expect("a manifest");
    let (before, path) = text.split_once("package = \"kiln-runtime\", path = \"").expect("the runtime's path");
    let (_, after) = path.split_once('"').expect("the end of a path");
    let text = format!("{before}package = \"kiln-runtime\", path = \"{}\"{after}", runtime.display());
    fs::write(manifest, text).expect("a writable file");
}
