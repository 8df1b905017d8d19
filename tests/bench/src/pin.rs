//! Cores: the server has one, the generator another.

use std::{
    io,
    process::{Child, Command},
};

use rustix::{
    process::Pid,
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
};

/// The core of the server that is measured.
pub const SERVER: usize = 0;
/// The core of the generator.
pub const GENERATOR: usize = 1;

/// Whether the calling thread may use both.
pub fn has_both() -> bool {
    sched_getaffinity(None).is_ok_and(|set| set.is_set(SERVER) && set.is_set(GENERATOR))
}

/// Holds the calling thread, and those it starts, to one core.
pub fn pin(core: usize) -> io::Result<()> {
    Ok(sched_setaffinity(None, &only(core))?)
}

/// Starts a process on a core. A child inherits the cores of the thread that starts it, which goes back to its own.
pub fn spawn(command: &mut Command, core: usize) -> io::Result<Child> {
    let own = sched_getaffinity(None)?;
    pin(core)?;
    let child = command.spawn();
    sched_setaffinity(None, &own)?;
    child
}

/// Whether a thread may run on that core and no other. 0 is the calling thread.
pub fn is_pinned(thread: u32, core: usize) -> io::Result<bool> {
    let id = i32::try_from(thread).ok().and_then(Pid::from_raw);
    Ok(sched_getaffinity(id)? == only(core))
}

fn only(core: usize) -> CpuSet {
    let mut set = CpuSet::new();
    set.set(core);
    set
}
