//! Tools that not every machine has. A missing one skips its test with a counted line, or fails it where `KILN_REQUIRE_TOOLS=1` says so.

use std::{
    env,
    io::Write,
    path::PathBuf,
    process::{Command, Output},
    sync::atomic::{AtomicU32, Ordering},
};

static SKIPPED: AtomicU32 = AtomicU32::new(0);

/// The path of a tool. `None`: the test is skipped, and that has been said.
pub fn find(name: &str) -> Option<PathBuf> {
    let paths = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&paths).map(|directory| directory.join(name)).find(|path| path.is_file());
    if found.is_none() {
        skip(&format!("{name} is missing"));
    }
    found
}

/// Says that the running test is skipped, and counts it. Panics where tools are required.
pub fn skip(why: &str) {
    assert!(env::var("KILN_REQUIRE_TOOLS").as_deref() != Ok("1"), "KILN_REQUIRE_TOOLS=1, but {why}");
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    let thread = std::thread::current();
    note(&format!("skipped {count}: {}: {why}", thread.name().unwrap_or("a test")));
}

/// A line for people that is shown also where a passing test's output is captured.
pub fn note(line: &str) {
    let mut stderr = std::io::stderr();
    // Nobody reads it if this fails.
    drop(stderr.write_all(format!("    {line}\n").as_bytes()));
}

/// Runs a command to its end; panics with its output where it fails.
pub fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}: {}\n{}{}", output.status, text(&output.stdout), text(&output.stderr));
    output
}
