//! What a binary is made of, as SHA-256: the lines of `manifest.txt`, which the binary's `--version` prints.
//!
//! Hashes are of contents and of names relative to the site, never of paths or times of the machine.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::{packed, plan::Plan, source::SourceMap};

/// Hashes whose parts are told apart by their lengths.
#[derive(Clone, Debug, Default)]
pub struct Hasher {
    digest: Sha256,
}

impl Hasher {
    /// One part.
    pub fn part(&mut self, bytes: &[u8]) {
        self.digest.update((bytes.len() as u64).to_le_bytes());
        self.digest.update(bytes);
    }

    /// 64 hex digits.
    pub fn finish(self) -> String {
        hex(&self.digest.finalize())
    }
}

/// All KDL files, and all that the site embeds (files, maps, error pages), by name and contents; files also by their dates, where these are told.
pub fn sources(sources: &SourceMap, plan: &Plan) -> String {
    let mut hasher = Hasher::default();
    let mut files: Vec<_> = sources.sources().iter().map(|source| (source.name.as_str(), source.text.as_bytes())).collect();
    files.sort_unstable();
    for (name, text) in files {
        hasher.part(name.as_bytes());
        hasher.part(text);
    }
    for embed in &plan.embeds {
        hasher.part(embed.directory.as_bytes());
        for asset in &embed.assets {
            hasher.part(asset.path.as_bytes());
            hasher.part(&asset.hash);
            asset.modified.iter().for_each(|modified| hasher.part(&modified.to_le_bytes()));
        }
    }
    for map in plan.maps.iter().filter(|map| map.is_file) {
        hasher.part(map.name.as_bytes());
        for (key, value) in &map.rows {
            hasher.part(key.as_bytes());
            hasher.part(value.as_bytes());
        }
    }
    for page in plan.errors.iter().flat_map(|errors| &errors.pages) {
        hasher.part(page.file.as_bytes());
        hasher.part(&page.body);
    }
    hasher.finish()
}

/// The runtime's sources and the lockfile: what names the workspace in the cache.
pub fn workspace() -> String {
    let mut hasher = Hasher::default();
    hasher.part(packed::runtime_bytes());
    hasher.part(packed::lockfile().as_bytes());
    hasher.finish()
}

/// The lines that depend on the site alone: those of a committed package.
pub fn manifest(site: &str, sources: &str, dump: &str) -> String {
    let plan = sha256(dump.as_bytes());
    format!("site {site}\nsources {sources}\nplan {plan}\n")
}

/// The lines of a binary: also what compiled it.
pub fn manifest_of_binary(site: &str, sources: &str, dump: &str, rustc: &str) -> String {
    let mut lines = manifest(site, sources, dump);
    let made_of = [
        ("kiln", env!("CARGO_PKG_VERSION").to_owned()),
        ("compiler", sha256(packed::compiler_bytes())),
        ("runtime", sha256(packed::runtime_bytes())),
        ("lockfile", sha256(packed::lockfile().as_bytes())),
        ("rustc", rustc.trim_start_matches("rustc ").to_owned()),
    ];
    for (key, value) in made_of {
        writeln!(lines, "{key} {value}").expect("a string takes all");
    }
    lines
}

/// 64 hex digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_of_abc_is_the_standards() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn part_borders_matter() {
        let of = |parts: &[&[u8]]| {
            let mut hasher = Hasher::default();
            parts.iter().for_each(|part| hasher.part(part));
            hasher.finish()
        };
        assert_ne!(of(&[b"ab", b"c"]), of(&[b"a", b"bc"]));
    }

    #[test]
    fn manifest_of_binary_begins_with_the_stable_lines() {
        let (stable, all) = (manifest("shop", "1", "plan"), manifest_of_binary("shop", "1", "plan", "rustc 1.95.0"));
        assert!(all.starts_with(&stable));
        let keys: Vec<_> = all.lines().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(keys, ["site", "sources", "plan", "kiln", "compiler", "runtime", "lockfile", "rustc"]);
    }
}
