//! Host to vhost: exact names, then the longest wildcard, then the default. Data, also for one host: an open-addressed table with a seed found at build.

/// The table as data.
#[derive(Clone, Copy, Debug)]
pub struct Hosts<'a> {
    /// Hash seed that the compiler found: no name is more than a few probes away.
    pub seed: u64,
    /// Power of two of slots; 0 is empty, else index into `names` plus one.
    pub slots: &'a [u16],
    /// Lower-case names (`*.example` for wildcards) and the vhost each leads to.
    pub names: &'a [(&'a str, u16)],
    /// The vhost marked `default`.
    pub default: Option<u16>,
}

impl Hosts<'_> {
    /// The vhost for a host in normal form. `*.example` takes one or more labels, never the apex. `None`: 421.
    pub fn find(&self, host: &str) -> Option<u16> { todo!() }
}

/// Seed and slots for a set of names (each once).
pub fn build(names: &[&str]) -> (u64, Vec<u16>) { todo!() }
