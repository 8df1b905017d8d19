//! What the kernel says about processes: who they are, whose they are, what they used. Linux's `/proc` only.

use std::{
    collections::BTreeSet,
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
};

/// One process, so that another one with its id is not taken for it.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Identity {
    pub id: u32,
    /// Clock ticks since the machine's start.
    pub started: u64,
    pub executable: PathBuf,
    /// Ids of its threads, in order.
    pub threads: Vec<u32>,
}

/// What a process holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    pub rss_kib: f64,
    /// Shared pages divided among those who share them.
    pub pss_kib: f64,
    pub peak_rss_kib: f64,
    pub files: f64,
}

/// A process and all its descendants, in order of their ids.
pub fn family(id: u32) -> io::Result<Vec<Identity>> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc")? {
        if let Some(process) = number(&entry?.path())
            && let Ok(stat) = stat(process)
        {
            parents.push((process, stat.0));
        }
    }
    let mut ids = BTreeSet::from([id]);
    while let Some(child) = parents.iter().find(|(child, parent)| ids.contains(parent) && !ids.contains(child)) {
        ids.insert(child.0);
    }
    ids.into_iter().map(identity).collect()
}

fn identity(id: u32) -> io::Result<Identity> {
    let executable = fs::read_link(format!("/proc/{id}/exe"))?;
    Ok(Identity { id, started: stat(id)?.1, executable, threads: numbers(&format!("/proc/{id}/task"))? })
}

/// The parent's id and the start (fields 4 and 22 of proc_pid_stat(5)); the name before them may hold anything.
fn stat(id: u32) -> io::Result<(u32, u64)> {
    let text = fs::read_to_string(format!("/proc/{id}/stat"))?;
    let mut fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let parent = fields.nth(1).and_then(|field| field.parse().ok());
    let started = fields.nth(17).and_then(|field| field.parse().ok());
    parent.zip(started).ok_or_else(|| io::Error::other(format!("/proc/{id}/stat cannot be read")))
}

/// Nanoseconds that all threads of a family were on a core.
pub fn cpu(family: &[Identity]) -> io::Result<u64> {
    let threads = family.iter().flat_map(|process| process.threads.iter().map(move |thread| (process.id, thread)));
    threads.map(|(id, thread)| on_core(&format!("/proc/{id}/task/{thread}/schedstat"))).sum()
}

/// The same of the calling thread.
pub fn own_cpu() -> io::Result<u64> {
    on_core("/proc/thread-self/schedstat")
}

fn on_core(path: &str) -> io::Result<u64> {
    let text = fs::read_to_string(path)?;
    let first = text.split(' ').next().and_then(|field| field.parse().ok());
    first.ok_or_else(|| io::Error::other(format!("{path} cannot be read")))
}

/// What one process holds now.
pub fn memory(id: u32) -> io::Result<Memory> {
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let pages = fs::read_to_string(format!("/proc/{id}/smaps_rollup"))?;
    Ok(Memory {
        rss_kib: line(&status, "VmRSS:"),
        pss_kib: line(&pages, "Pss:"),
        peak_rss_kib: line(&status, "VmHWM:"),
        files: numbers(&format!("/proc/{id}/fd"))?.len() as f64,
    })
}

fn line(text: &str, name: &str) -> f64 {
    let rest = text.lines().find_map(|line| line.strip_prefix(name));
    rest.and_then(|rest| rest.split_whitespace().next()).and_then(|value| value.parse().ok()).unwrap_or(f64::NAN)
}

/// Whether every socket that listens there belongs to the family, and one does: SO_REUSEPORT hides servers of earlier runs.
pub fn owns(family: &[Identity], address: SocketAddr) -> io::Result<bool> {
    let mut held = BTreeSet::new();
    for process in family {
        for entry in fs::read_dir(format!("/proc/{}/fd", process.id))? {
            // A descriptor may be closed meanwhile.
            held.extend(fs::read_link(entry?.path()).ok());
        }
    }
    let port = format!(":{:04X}", address.port());
    let table = fs::read_to_string("/proc/net/tcp")?;
    // 0A is LISTEN; the tenth field is the inode (proc_net_tcp).
    let rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let rows: Vec<_> = rows.filter(|row| row.len() > 9 && row[1].ends_with(&port) && row[3] == "0A").collect();
    Ok(!rows.is_empty() && rows.iter().all(|row| held.contains(Path::new(&format!("socket:[{}]", row[9])))))
}

/// Entries of a directory that are numbers, in order.
fn numbers(directory: &str) -> io::Result<Vec<u32>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        found.extend(number(&entry?.path()));
    }
    found.sort_unstable();
    Ok(found)
}

fn number(path: &Path) -> Option<u32> {
    path.file_name()?.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn own_family_has_this_process_and_its_time() {
        let family = family(std::process::id()).unwrap();
        let own = family.iter().find(|process| process.id == std::process::id()).unwrap();
        assert_eq!(own.executable, std::env::current_exe().unwrap());
        assert!(cpu(std::slice::from_ref(own)).unwrap() > 0);
        assert!(memory(own.id).unwrap().rss_kib > 100.0);
    }

    #[test]
    fn port_is_owned_by_who_listens_there() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let family = family(std::process::id()).unwrap();
        assert!(owns(&family, address).unwrap());
        assert!(!owns(&[], address).unwrap());
        drop(listener);
        assert!(!owns(&family, address).unwrap());
    }
}
