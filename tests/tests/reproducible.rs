//! The same site built by two users is the same file, and that file needs nothing of the machine it runs on.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use kiln_tests::{
    site::{Profile, build, copy_tree, kiln, repository, scratch},
    tools::{find, run},
};
use sha2::{Digest, Sha256};

/// The site of these tests: it embeds files and has a root, so that most of the runtime is in it.
const ENTRY: &str = "configs/static/site.kdl";

#[test]
fn two_users_build_the_same_bytes() {
    let first = User { name: "first", jobs: "1", time_zone: "UTC", below: "a/deep/directory" }.build();
    let second = User { name: "second", jobs: "2", time_zone: "Pacific/Chatham", below: "b" }.build();
    let hash = |path: &Path| format!("{:x?}", Sha256::digest(fs::read(path).expect("a binary")));
    assert_eq!(hash(&first), hash(&second), "{} and {}", first.display(), second.display());
}

/// Somebody else's environment.
struct User {
    name: &'static str,
    jobs: &'static str,
    time_zone: &'static str,
    /// Directory of the user's home: paths of different lengths.
    below: &'static str,
}

impl User {
    /// Builds a copy of the site in a home of its own, with a registry of its own and an empty cache.
    fn build(&self) -> PathBuf {
        let home = scratch("users").join(self.name).join(self.below);
        // It is not there in the first run.
        drop(fs::remove_dir_all(&home));
        fs::create_dir_all(home.join("site")).expect("a writable directory");
        copy_tree(&repository().join("configs/static"), &home.join("site"));
        let registry = home.join("cargo");
        fs::create_dir_all(&registry).expect("a writable directory");
        if let Some(known) = cargo_home() {
            // Linked, so that nothing is fetched again; the paths that cargo sees are this user's.
            drop(std::os::unix::fs::symlink(known.join("registry"), registry.join("registry")));
        }
        let out = home.join("binary");
        let mut command = kiln();
        command.args(["build", "--profile", "release", "--out"]).arg(&out).arg(home.join("site/site.kdl"));
        command.current_dir(&home).env("HOME", &home).env("CARGO_HOME", &registry).env("KILN_CACHE_DIR", home.join("cache"));
        command.env("TZ", self.time_zone).env("CARGO_BUILD_JOBS", self.jobs).env("USER", self.name);
        // rustup finds its toolchains below HOME where nothing else is said.
        if let Some(rustup) = rustup_home() {
            command.env("RUSTUP_HOME", rustup);
        }
        run(&mut command);
        out
    }
}

fn cargo_home() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home).filter(|path| path.join("registry").is_dir())
}

fn rustup_home() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".rustup"));
    std::env::var_os("RUSTUP_HOME").map(PathBuf::from).or_else(home).filter(|path| path.is_dir())
}

#[test]
fn binary_is_static() {
    let Some(ldd) = find("ldd") else { return };
    let output = Command::new(ldd).arg(build(ENTRY, Profile::Release, &[])).output().expect("ldd runs");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(said.contains("statically linked") || said.contains("not a dynamic executable"), "{said}");
}

#[test]
fn binary_has_no_function_that_loads_name_services() {
    let Some(nm) = find("nm") else { return };
    let output = run(Command::new(nm).arg(build(ENTRY, Profile::Release, &["--symbols"])));
    let symbols: Vec<String> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| line.split_whitespace().last().map(str::to_owned)).collect();
    let has = |name: &str| symbols.iter().any(|symbol| symbol.trim_start_matches('_') == name);
    assert!(
        has("libc_start_main") && symbols.iter().any(|symbol| symbol.contains("kiln_runtime") || symbol.contains("runtime")),
        "no symbol that must be there"
    );
    for name in ["getaddrinfo", "gethostbyname", "gethostbyname_r", "getpwnam", "getpwnam_r", "getgrnam"] {
        assert!(!has(name), "{name} is linked");
    }
}

#[test]
fn binary_with_symbols_is_larger() {
    let sizes: Vec<u64> =
        [&[][..], &["--symbols"]].map(|more| fs::metadata(build(ENTRY, Profile::Release, more)).expect("a binary").len()).to_vec();
    assert!(sizes[0] < sizes[1], "{sizes:?}");
}
