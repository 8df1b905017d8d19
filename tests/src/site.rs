//! Sites under test: built by the kiln of this workspace, into one cache that all tests share.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

use crate::tools::run;

/// The root of this repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the repository")
}

/// The directory that cargo builds to.
fn target() -> PathBuf {
    let test = env::current_exe().expect("a running test");
    test.ancestors().nth(3).expect("target/PROFILE/deps/TEST").to_owned()
}

/// The cache that nested builds share: `KILN_CACHE_DIR`, or a directory beside what cargo builds.
pub fn cache() -> PathBuf {
    env::var_os("KILN_CACHE_DIR").map_or_else(|| target().join("kiln-cache"), PathBuf::from)
}

/// Where tests write: never cleaned by them, always overwritten.
pub fn scratch(name: &str) -> PathBuf {
    let path = target().join("kiln-tests").join(name);
    fs::create_dir_all(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path
}

/// Copies a directory and all that is below it.
pub fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a writable directory");
    for entry in fs::read_dir(from).expect("a readable directory") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy_tree(&path, &target),
            false => drop(fs::copy(&path, &target).expect("a readable file")),
        }
    }
}

/// A `kiln` command of this workspace, run from the root of the repository.
pub fn kiln() -> Command {
    let test = env::current_exe().expect("a running test");
    let mut command = Command::new(test.ancestors().nth(2).expect("target/PROFILE/deps/TEST").join("kiln-under-test"));
    command.current_dir(repository()).env("KILN_CACHE_DIR", cache()).env_remove("RUSTFLAGS");
    command
}

/// How a site is compiled.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Profile {
    Dev,
    Release,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Release => "release",
        }
    }
}

/// Nested builds take their turn: they share one workspace.
static TURN: Mutex<()> = Mutex::new(());

/// Builds the site of an entry file (relative to the repository, or absolute) and gives the path of its binary.
pub fn build(entry: impl AsRef<Path>, profile: Profile, more: &[&str]) -> PathBuf {
    let entry = repository().join(entry);
    let mut name: String =
        entry.parent().into_iter().flat_map(Path::components).map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("-");
    name = name.trim_start_matches('/').replace('/', "-");
    let out = scratch("bin").join(format!("{name}-{}{}", profile.name(), more.concat()));
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    run(kiln().args(["build", "--profile", profile.name()]).args(more).arg("--out").arg(&out).arg(&entry));
    out
}

/// Writes a site of several files to a directory of its own and gives the path of its entry file.
pub fn write(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let directory = scratch("sites").join(name);
    // It is not there in the first run.
    drop(fs::remove_dir_all(&directory));
    for (file, text) in files {
        let path = directory.join(file);
        let parent = path.parent().expect("a file in a directory");
        fs::create_dir_all(parent).and_then(|()| fs::write(&path, text)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    directory.join("site.kdl")
}
