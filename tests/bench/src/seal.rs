//! The seal of a run: `SHA256SUMS` over every file of it, in the format of `sha256sum`, so that anybody can check it.

use std::{collections::BTreeMap, fmt::Write, fs, path::Path};

use crate::{fault::Fault, hash};

/// Name of the seal.
pub const NAME: &str = "SHA256SUMS";

/// Seals all files below a directory.
pub fn seal(directory: &Path) -> Result<(), Fault> {
    let mut text = String::new();
    for path in hash::files(directory)? {
        writeln!(text, "{}  {}", hash::file(&path)?, relative(directory, &path)).expect("a string takes all");
    }
    let path = directory.join(NAME);
    fs::write(&path, text).map_err(Fault::file(&path))
}

/// Refuses a directory whose files are not exactly the sealed ones; files named in `later` may have come since.
pub fn check(directory: &Path, later: &[&str]) -> Result<(), Fault> {
    let refuse = |why: String| Err(Fault::Refused(format!("{}: {why}", directory.display())));
    let path = directory.join(NAME);
    let Ok(text) = fs::read_to_string(&path) else { return refuse(format!("it is not sealed: no {NAME}")) };
    let mut sealed: BTreeMap<&str, &str> = text.lines().filter_map(|line| line.split_once("  ")).map(|(sum, name)| (name, sum)).collect();
    for path in hash::files(directory)? {
        let name = relative(directory, &path);
        match sealed.remove(name.as_str()) {
            Some(sum) if sum == hash::file(&path)? => {}
            Some(_) => return refuse(format!("{name} has changed since it was sealed")),
            None if name == NAME || later.contains(&name.as_str()) => {}
            None => return refuse(format!("{name} is not sealed")),
        }
    }
    match sealed.keys().next() {
        Some(name) => refuse(format!("{name} is sealed, but missing")),
        None => Ok(()),
    }
}

fn relative(directory: &Path, path: &Path) -> String {
    path.strip_prefix(directory).unwrap_or(path).display().to_string()
}
