//! Limits of the process: descriptors, memory for each worker, and who may read what it writes.

use rustix::{
    fs::Mode,
    process::{Resource, Rlimit, getrlimit, setrlimit, umask},
};

use super::start_fault::StartFault;
use crate::{engine::h1, settings::Limits};

/// Whatever this process creates is for its owner alone, unless the site says otherwise.
pub(crate) fn keep_files_private() {
    umask(Mode::RWXG | Mode::RWXO);
}

/// Descriptors that a process needs besides connections, for each worker: its listeners twice, its runtime, connections that are being turned away.
const WORKER_DESCRIPTORS: u64 = 96;
/// And in all: outputs, logs, the control thread's runtime.
const DESCRIPTORS: u64 = 32;

/// Raises the number of descriptors that may be open as far as the system lets it. A failure leaves what was: connections then meet EMFILE earlier.
pub(crate) fn raise_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
}

/// Descriptors of files that each of so many workers may keep open: all of them a quarter of the descriptors that the process may have.
pub(crate) fn kept_descriptors_max(workers: usize) -> usize {
    let limit = getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok());
    limit.map_or(usize::MAX, |limit| limit / 4 / workers.max(1))
}

/// A line for a process that may not open as many descriptors as `connections` need.
pub(crate) fn descriptors_warning(connections: u32, workers: usize) -> Option<String> {
    too_few_descriptors(getrlimit(Resource::Nofile).current, connections, workers)
}

fn too_few_descriptors(limit: Option<u64>, connections: u32, workers: usize) -> Option<String> {
    let needed = u64::from(connections) + WORKER_DESCRIPTORS * workers as u64 + DESCRIPTORS;
    let limit = limit.filter(|&limit| limit < needed)?;
    Some(format!(
        "this process may open {limit} descriptors, and `connections` {connections} needs {needed}: raise the limit (`ulimit -n {needed}`, or LimitNOFILE= of its unit), or lower `connections`"
    ))
}

/// Looks whether each of so many workers gets what one connection needs.
pub(crate) fn enough_memory(limits: &Limits, workers: usize) -> Result<(), StartFault> {
    let (workers, needed) = (workers.max(1) as u64, h1::memory_bytes_min(limits) as u64);
    match limits.memory_bytes {
        Some(memory) if memory / workers < needed => Err(StartFault::Memory { workers, needed }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::tests::SETTINGS;

    #[test]
    fn memory_that_is_a_byte_too_little_for_one_connection_is_a_fault() {
        let needed = h1::memory_bytes_min(&SETTINGS.limits) as u64;
        let fault = |memory, workers| enough_memory(&Limits { memory_bytes: memory, ..SETTINGS.limits }, workers).err();
        assert!(fault(None, 64).is_none() && fault(Some(3 * needed), 3).is_none());
        let said = fault(Some(3 * needed - 1), 3).unwrap().to_string();
        assert!(said.contains(&format!("{} KiB", (3 * needed).div_ceil(1024))), "{said}");
    }

    #[test]
    fn limit_that_is_one_too_low_is_said() {
        let needed = 1000 + 2 * WORKER_DESCRIPTORS + DESCRIPTORS;
        assert_eq!(too_few_descriptors(Some(needed), 1000, 2), None);
        assert_eq!(too_few_descriptors(None, 1000, 2), None);
        let line = too_few_descriptors(Some(needed - 1), 1000, 2).unwrap();
        assert!(line.contains(&(needed - 1).to_string()) && line.contains(&needed.to_string()), "{line}");
    }
}
