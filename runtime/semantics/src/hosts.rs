//! Host to vhost: exact names, then the longest wildcard, then the default. Data, also for one host: an open-addressed table with a seed found at build.
//!
//! The table is a cuckoo table: a name lies in one of two slots, so that a look-up reads two at most, whatever the number of names.

use crate::hash::hash;

/// A wildcard is hashed without its `*.` under another seed, so that a host's suffixes are looked up where they stand.
const WILDCARD: u64 = 0x5851_F42D_4C95_7F2D;
/// So many seeds are tried before the table grows.
const SEEDS_MAX: u64 = 64;
/// So many names a table may have: a slot holds the index of one plus one in 16 bits.
pub const HOSTS_MAX: usize = u16::MAX as usize - 1;
/// So many names are moved before a seed is given up.
const MOVES_MAX: usize = 512;

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
    #[inline]
    pub fn find(&self, host: &str) -> Option<u16> {
        self.exact(host).or_else(|| self.wildcard(host)).or(self.default)
    }

    #[inline]
    fn exact(&self, host: &str) -> Option<u16> {
        self.probe(hash(self.seed, host.as_bytes()), |name| name == host)
    }

    fn wildcard(&self, host: &str) -> Option<u16> {
        let mut labels = host;
        while let Some((_, suffix)) = labels.split_once('.') {
            let found = self.probe(hash(self.seed ^ WILDCARD, suffix.as_bytes()), |name| name.strip_prefix("*.") == Some(suffix));
            if found.is_some() {
                return found;
            }
            labels = suffix;
        }
        None
    }

    #[inline]
    fn probe(&self, hash: u64, is_wanted: impl Fn(&str) -> bool) -> Option<u16> {
        for slot in slots_of(hash, self.slots.len()) {
            let index = usize::from(*self.slots.get(slot)?);
            if let Some((name, vhost)) = index.checked_sub(1).and_then(|index| self.names.get(index))
                && is_wanted(name)
            {
                return Some(*vhost);
            }
        }
        None
    }
}

/// The two slots where a name with that hash may lie.
#[inline]
fn slots_of(hash: u64, slots: usize) -> [usize; 2] {
    let mask = slots.wrapping_sub(1) as u64;
    [(hash & mask) as usize, (hash >> 32 & mask) as usize]
}

/// Seed and slots for a set of names (each once, at most [`HOSTS_MAX`]). At most half of the slots are taken.
pub fn build(names: &[&str]) -> (u64, Vec<u16>) {
    assert!(names.len() <= HOSTS_MAX, "a slot holds 16 bits, so there can't be {} names", names.len());
    let mut slots = (names.len() * 2).next_power_of_two().max(2);
    loop {
        for seed in 0..SEEDS_MAX {
            if let Some(table) = place(names, seed, slots) {
                return (seed, table);
            }
        }
        assert!(slots < 1 << 24, "a name is in the list twice");
        slots *= 2;
    }
}

/// Lays all names out under one seed, moving those that are in the way to their other slot.
fn place(names: &[&str], seed: u64, slots: usize) -> Option<Vec<u16>> {
    let hashes = names.iter().map(|name| match name.strip_prefix("*.") {
        Some(suffix) => hash(seed ^ WILDCARD, suffix.as_bytes()),
        None => hash(seed, name.as_bytes()),
    });
    let homes: Vec<[usize; 2]> = hashes.map(|hash| slots_of(hash, slots)).collect();
    let mut table = vec![0_u16; slots];
    for index in 0..names.len() {
        let mut moving = index;
        let mut slot = homes[index][0];
        let mut moves = 0;
        loop {
            let evicted = std::mem::replace(&mut table[slot], u16::try_from(moving + 1).ok()?);
            if evicted == 0 {
                break;
            }
            moves += 1;
            if moves > MOVES_MAX {
                return None;
            }
            moving = usize::from(evicted) - 1;
            let [first, second] = homes[moving];
            slot = if slot == first { second } else { first };
        }
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(names: &[(&str, u16)], default: Option<u16>, host: &str) -> Option<u16> {
        let (seed, slots) = build(&names.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        Hosts { seed, slots: &slots, names, default }.find(host)
    }

    #[test]
    fn exact_then_longest_wildcard_then_default() {
        let names = [("shop.example", 0), ("*.example", 1), ("*.b.example", 2), ("a.b.example", 3)];
        for (host, vhost) in [
            ("shop.example", Some(0)),
            ("x.example", Some(1)),
            ("x.y.example", Some(1)),
            ("x.b.example", Some(2)),
            ("x.y.b.example", Some(2)),
            ("a.b.example", Some(3)),
            ("b.example", Some(1)),
            ("example", None),
            ("other", None),
            ("", None),
            ("[::1]", None),
            ("*.example", Some(1)),
        ] {
            assert_eq!(find(&names, None, host), vhost, "{host}");
            assert_eq!(find(&names, Some(9), host), vhost.or(Some(9)), "{host}");
        }
    }

    #[test]
    fn no_names_lead_to_the_default() {
        assert_eq!(find(&[], Some(4), "a"), Some(4));
        assert_eq!(Hosts { seed: 0, slots: &[], names: &[], default: None }.find("a.b"), None);
    }

    #[test]
    fn table_of_the_most_names_is_built() {
        let texts: Vec<String> = (0..HOSTS_MAX).map(|number| format!("host-{number}.example")).collect();
        let names: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (seed, slots) = build(&names);
        let pairs: Vec<(&str, u16)> = (0..).zip(&names).map(|(number, name)| (*name, number)).collect();
        let hosts = Hosts { seed, slots: &slots, names: &pairs, default: None };
        assert!(pairs.iter().all(|(name, vhost)| hosts.find(name) == Some(*vhost)));
    }

    #[test]
    fn tables_of_all_sizes_are_built_and_deterministic() {
        for count in [1, 2, 3, 4, 8, 16, 64, 100, 512, 1000, 4000, 4096, 16384] {
            let texts: Vec<String> = (0..count).map(|number| format!("host-{number}.example")).collect();
            let names: Vec<&str> = texts.iter().map(String::as_str).collect();
            let (seed, slots) = build(&names);
            assert_eq!((seed, &slots), (build(&names).0, &build(&names).1));
            assert!(slots.len().is_power_of_two() && slots.len() >= count * 2 && slots.len() <= count * 8, "{count}: {}", slots.len());
            let pairs: Vec<(&str, u16)> = (0..).zip(&names).map(|(number, name)| (*name, number)).collect();
            let hosts = Hosts { seed, slots: &slots, names: &pairs, default: None };
            for (name, vhost) in &pairs {
                assert_eq!(hosts.find(name), Some(*vhost));
            }
            assert_eq!(hosts.find("host-x.example"), None);
        }
    }
}
