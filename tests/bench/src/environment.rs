//! Where figures come from: the commit and what differs from it, tools, kernel and machine. No figure is quoted without it.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::{fault::Fault, hash, rules, site};

/// Everything that does not change while a run lasts.
pub fn describe() -> Result<Value, Fault> {
    Ok(json!({
        "commit": output("git", &["rev-parse", "HEAD"]),
        "dirty": dirty(),
        "lockfile_sha256": hash::file(&site::repository().join("Cargo.lock"))?,
        "rustc": output("rustc", &["-vV"]).lines().collect::<Vec<_>>(),
        "cargo": output("cargo", &["-V"]),
        "profiles": { "site": "kiln build --profile release", "generator": if cfg!(debug_assertions) { "dev" } else { "release" } },
        "allocator": "the C library's",
        "kernel": read("/proc/sys/kernel/osrelease"),
        "cpu": cpu(),
        "congestion_control": read("/proc/sys/net/ipv4/tcp_congestion_control"),
        "virtualisation": virtualisation(),
        "cgroup_quota": first(&["/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us"]),
        "command": std::env::args().skip(1).collect::<Vec<_>>(),
    }))
}

/// What changes while it lasts: taken before and after.
pub fn moment() -> Value {
    json!({ "load_average": read("/proc/loadavg"), "throttled_seconds": rules::throttled(), "stat": core_times() })
}

/// What differs from the commit: bytes and hash of the patch, and the files that git does not know.
fn dirty() -> Value {
    let patch = output("git", &["diff", "HEAD"]);
    let unknown = output("git", &["ls-files", "--others", "--exclude-standard"]);
    json!({ "patch_bytes": patch.len(), "patch_sha256": hash::bytes(patch.as_bytes()), "unknown_files": unknown.lines().count() })
}

fn cpu() -> Value {
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let nodes = fs::read_dir("/sys/devices/system/node").map_or(0, |entries| {
        entries.flatten().filter(|entry| entry.file_name().to_string_lossy().trim_start_matches("node").parse::<u32>().is_ok()).count()
    });
    json!({
        "model": model.trim_start_matches([' ', '\t', ':']),
        "online": read("/sys/devices/system/cpu/online"),
        "smt": read("/sys/devices/system/cpu/smt/active"),
        "siblings_of_0": read("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"),
        "nodes": nodes,
        "governor": read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    })
}

fn virtualisation() -> Value {
    let is_guest = read("/proc/cpuinfo").contains(" hypervisor");
    json!({ "is_guest": is_guest, "vendor": read("/sys/class/dmi/id/sys_vendor"), "product": read("/sys/class/dmi/id/product_name") })
}

/// The lines of all cores: the eighth figure is what the machine's host took.
fn core_times() -> Vec<String> {
    read("/proc/stat").lines().filter(|line| line.starts_with("cpu")).map(str::to_owned).collect()
}

/// Empty where there is none.
fn read(path: &str) -> String {
    fs::read_to_string(Path::new(path)).map(|text| text.trim().to_owned()).unwrap_or_default()
}

fn first(paths: &[&str]) -> String {
    paths.iter().map(|path| read(path)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// What a command prints; empty where there is no such command.
fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).current_dir(site::repository()).args(arguments).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim_end().to_owned()).unwrap_or_default()
}
