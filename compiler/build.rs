//! Packs what must travel inside the `kiln` executable: the runtime's sources, the compiler's own (for their hash) and the lockfile.
//!
//! An archive is a sequence of files: `PATH LENGTH\n` and then the bytes, sorted by path. Manifests get their inherited workspace keys written out and
//! lose what only this repository needs (tests, benches, lints), so that they stand alone. The lockfile loses what the runtime cannot reach.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
};

fn main() {
    let compiler = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = compiler.parent().expect("the compiler lies in its workspace").to_owned();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let workspace = read(&root.join("Cargo.toml"));

    let mut runtime = BTreeMap::new();
    for (from, to) in [("runtime", "runtime"), ("runtime/semantics", "runtime/semantics")] {
        package(&root.join(from), to, &workspace, &mut runtime);
    }
    let mut own = BTreeMap::new();
    package(&compiler, "compiler", &workspace, &mut own);
    own.insert("compiler/build.rs".to_owned(), fs::read(compiler.join("build.rs")).expect("this file"));
    let lockfile = pruned(&read(&root.join("Cargo.lock")), &["kiln-runtime", "kiln-semantics"]);

    for (name, bytes) in [("runtime.pack", archive(&runtime)), ("compiler.pack", archive(&own)), ("Cargo.lock", lockfile.into_bytes())] {
        fs::write(out.join(name), bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    for path in ["Cargo.toml", "Cargo.lock", "runtime/Cargo.toml", "runtime/src", "runtime/semantics/Cargo.toml", "runtime/semantics/src"] {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    for path in ["Cargo.toml", "build.rs", "src"] {
        println!("cargo::rerun-if-changed={}", compiler.join(path).display());
    }
}

/// A package's manifest and sources, under `name` in the archive.
fn package(directory: &Path, name: &str, workspace: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    let manifest = manifest(&read(&directory.join("Cargo.toml")), workspace);
    files.insert(format!("{name}/Cargo.toml"), manifest.into_bytes());
    sources(&directory.join("src"), &format!("{name}/src"), files);
}

fn sources(directory: &Path, name: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display())) {
        let path = entry.expect("a readable directory").path();
        let file_name = path.file_name().expect("an entry has a name").to_str().expect("sources have UTF-8 names").to_owned();
        let name = format!("{name}/{file_name}");
        if path.is_dir() {
            sources(&path, &name, files);
        } else if !file_name.starts_with('.') && !file_name.ends_with('~') {
            files.insert(name, fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())));
        }
    }
}

fn archive(files: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (path, contents) in files {
        bytes.extend_from_slice(format!("{path} {}\n", contents.len()).as_bytes());
        bytes.extend_from_slice(contents);
    }
    bytes
}

/// A manifest that stands alone: `key.workspace = true` becomes the workspace's value; only the tables that a dependent needs stay.
fn manifest(text: &str, workspace: &str) -> String {
    let (mut lines, mut table) = (String::new(), String::new());
    for line in text.lines() {
        if line.starts_with('[') {
            table = line.trim_matches(['[', ']']).to_owned();
        }
        if !is_kept(&table) {
            continue;
        }
        match line.split_once(".workspace") {
            Some((key, _)) if table == "package" => lines.push_str(&format!("{key} = {}\n", inherited(workspace, key.trim()))),
            _ => lines.push_str(&format!("{line}\n")),
        }
    }
    lines
}

fn is_kept(table: &str) -> bool {
    matches!(table, "" | "package" | "lib" | "features" | "dependencies")
        || table.starts_with("target.") && !table.ends_with("dev-dependencies")
}

/// The value of a key of `[workspace.package]`.
fn inherited<'w>(workspace: &'w str, key: &str) -> &'w str {
    let (_, table) = workspace.split_once("[workspace.package]\n").expect("the workspace has package keys");
    let table = table.split("\n[").next().unwrap_or(table);
    let value = table.lines().find_map(|line| line.split_once(" = ").filter(|(name, _)| *name == key));
    value.map(|(_, value)| value).unwrap_or_else(|| panic!("[workspace.package] has no `{key}`"))
}

/// The entries of a lockfile that `roots` reach. Still a superset of what a site needs: cargo drops the rest when it first reads it.
fn pruned(lockfile: &str, roots: &[&str]) -> String {
    let mut entries = lockfile.split("\n[[package]]\n");
    let head = entries.next().unwrap_or_default();
    let entries: Vec<&str> = entries.collect();
    let mut reached = BTreeSet::new();
    let mut open: Vec<String> = roots.iter().map(|root| (*root).to_owned()).collect();
    while let Some(name) = open.pop() {
        for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| is_named(entry, &name)) {
            if reached.insert(index) {
                open.extend(dependencies(entry));
            }
        }
    }
    let kept: Vec<&str> = reached.into_iter().map(|index| entries[index].trim_end()).collect();
    let mut versions = BTreeMap::<&str, usize>::new();
    for entry in &kept {
        *versions.entry(value(entry, "name")).or_default() += 1;
    }
    let text = format!("{}\n", head.trim_end());
    kept.iter().fold(text, |text, entry| format!("{text}\n[[package]]\n{}", unambiguous(entry, &versions)))
}

fn is_named(entry: &str, dependency: &str) -> bool {
    let mut words = dependency.split(' ');
    words.next() == Some(value(entry, "name")) && words.next().is_none_or(|version| version == value(entry, "version"))
}

fn value<'e>(entry: &'e str, key: &str) -> &'e str {
    let line = entry.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
    line.unwrap_or_default().trim_matches('"')
}

fn dependencies(entry: &str) -> impl Iterator<Item = String> {
    entry.lines().filter_map(|line| Some(line.strip_prefix(" \"")?.trim_end_matches(['"', ',']).to_owned()))
}

/// `"name version"` is `"name"` where no other version is left.
fn unambiguous(entry: &str, versions: &BTreeMap<&str, usize>) -> String {
    let line = |line: &str| match line.strip_prefix(" \"").and_then(|name| name.split_once(' ')) {
        Some((name, _)) if versions.get(name) == Some(&1) => format!(" \"{name}\",\n"),
        _ => format!("{line}\n"),
    };
    entry.lines().map(line).collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
