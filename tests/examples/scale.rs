//! Large sites: `scale site vhosts 1000 DIR` writes one; `scale measure` builds several and prints what they cost (docs/benchmarks.md, "Scale").
//!
//! Times of builds are CPU time of kiln and all that it starts, since a machine that is shared makes any other time say little; wall time stands beside.
#![expect(clippy::print_stdout, reason = "it prints a table")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use kiln_tests::{client::Client, scale::Much, server::Server};

/// What is measured where nothing else is asked for.
const SITES: [(&str, Much, usize); 6] = [
    ("vhosts", Much::Vhosts, 1),
    ("vhosts", Much::Vhosts, 100),
    ("vhosts", Much::Vhosts, 3_000),
    ("redirects", Much::Redirects, 100_000),
    ("regexes", Much::Regexes, 1_000),
    ("files", Much::Files, 5_000),
];
/// Requests of a look-up measurement, how often it is made (the best counts), and how many requests are sent in one piece.
const REQUESTS: usize = 100_000;
const ROUNDS: usize = 5;
const PIPELINED: usize = 16;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["site", kind, count, directory] => {
            let (Some(much), Ok(count)) = (much(kind), count.parse()) else { return ExitCode::from(2) };
            much.write(count, Path::new(directory)).unwrap_or_else(|error| panic!("{directory}: {error}"));
        }
        ["measure", directory] => measure(Path::new(directory)),
        _ => {
            println!("usage: scale site vhosts|redirects|regexes|files COUNT DIR, or scale measure DIR");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn much(kind: &str) -> Option<Much> {
    SITES.iter().find(|(name, ..)| *name == kind).map(|(_, much, _)| *much)
}

/// `kiln` as cargo has built it beside this example.
fn kiln() -> PathBuf {
    let own = env::current_exe().expect("a running program");
    own.ancestors().nth(2).expect("target/PROFILE/examples/scale").join("kiln")
}

fn measure(directory: &Path) {
    println!(
        "| site | first check | check | check, memory | first build, release | edit, dev | edit, release | binary | RSS | a request |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (kind, much, count) in SITES {
        let site = directory.join(format!("{kind}-{count}"));
        much.write(count, &site).unwrap_or_else(|error| panic!("{}: {error}", site.display()));
        let cache = directory.join("cache");
        // Each site pays for its own feature set, as a user's first build does.
        let _ = fs::remove_dir_all(&cache);
        let (first_check, (check, memory)) = (checked(&site, &cache).0, checked(&site, &cache));
        let first = built(&site, &cache, "release");
        edit(&site, "first");
        let release = built(&site, &cache, "release");
        built(&site, &cache, "dev");
        edit(&site, "second");
        let dev = built(&site, &cache, "dev");
        edit(&site, "third");
        built(&site, &cache, "release");
        let binary = site.join("dist/scale");
        let bytes = fs::metadata(&binary).map_or(0, |metadata| metadata.len());
        let (resident, request) = served(&binary, &site, much, count);
        let mebibytes = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
        println!(
            "| {count} {kind} | {first_check} | {check} | {} | {first} | {dev} | {release} | {} | {} | {request} |",
            mebibytes(memory),
            mebibytes(bytes),
            mebibytes(resident)
        );
    }
}

/// CPU and wall time.
struct Cost {
    cpu: Duration,
    wall: Duration,
}

impl std::fmt::Display for Cost {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:.2} s ({:.2})", self.cpu.as_secs_f64(), self.wall.as_secs_f64())
    }
}

/// Runs a command to its end; `look` is called as long as it runs.
fn run(command: &mut Command, mut look: impl FnMut(u32)) -> Cost {
    let (cpu, wall) = (cpu_of_children(), Instant::now());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let status = loop {
        look(child.id());
        if let Some(status) = child.try_wait().expect("a child of ours") {
            break status;
        }
        std::thread::yield_now();
    };
    assert!(status.success(), "{command:?}: {status}");
    Cost { wall: wall.elapsed(), cpu: cpu_of_children() - cpu }
}

/// CPU time of all children that have ended, theirs included (proc(5), `cutime` and `cstime`, hundredths of a second).
fn cpu_of_children() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let behind_name = stat.rsplit(')').next().expect("fields");
    let ticks: u64 = behind_name.split_whitespace().skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// A line of `/proc/ID/status`, bytes.
fn status(id: u32, key: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

fn kiln_at(site: &Path, cache: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(kiln());
    command.args(arguments).current_dir(site).env("KILN_CACHE_DIR", cache).env_remove("RUSTFLAGS");
    command
}

/// What a check costs: the first one compresses embedded files, whose forms are kept.
fn checked(site: &Path, cache: &Path) -> (Cost, u64) {
    let mut memory = 0;
    let watched = run(&mut kiln_at(site, cache, &["check"]), |id| memory = status(id, "VmHWM:").unwrap_or_default().max(memory));
    (watched, memory)
}

fn built(site: &Path, cache: &Path, profile: &str) -> Cost {
    // Nobody looks: that would cost time of the same cores.
    let (cpu, wall) = (cpu_of_children(), Instant::now());
    let output = kiln_at(site, cache, &["build", "--profile", profile]).output().expect("kiln was built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Cost { wall: wall.elapsed(), cpu: cpu_of_children() - cpu }
}

/// Changes one text of the site.
fn edit(site: &Path, word: &str) {
    let path = site.join("site.kdl");
    let text = fs::read_to_string(&path).expect("it was written");
    let changed = match text.find("ok 0 ") {
        Some(_) => text.replace("ok 0 first", &format!("ok 0 {word}")).replace("ok 0 second", &format!("ok 0 {word}")),
        None => text.replace("ok 0\\n", &format!("ok 0 {word}\\n")),
    };
    assert_ne!(changed, text, "an edit that changes nothing");
    fs::write(&path, changed).expect("it can be written");
}

/// Resident memory after all requests, and CPU time of the server for each.
fn served(binary: &Path, site: &Path, much: Much, count: usize) -> (u64, String) {
    let server = Server::start(binary, site);
    let mut client = server.client();
    let mut number = 1;
    let mut next = || {
        number = number * 7919 % 1_000_003;
        much.request(number % count)
    };
    ask(&mut client, &mut next, REQUESTS / 10);
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let before = cpu_of(server.id());
        ask(&mut client, &mut next, REQUESTS);
        best = best.min(cpu_of(server.id()) - before);
    }
    let nanoseconds = best.as_nanos() / REQUESTS as u128;
    (status(server.id(), "VmRSS:").unwrap_or_default(), format!("{:.2} us", nanoseconds as f64 / 1000.0))
}

fn ask(client: &mut Client, next: &mut impl FnMut() -> (String, String, u16), requests: usize) {
    for _ in 0..requests / PIPELINED {
        let asked: Vec<_> = (0..PIPELINED).map(|_| next()).collect();
        let text: String = asked.iter().map(|(host, path, _)| format!("GET {path} HTTP/1.1\r\nhost: {host}\r\n\r\n")).collect();
        client.send(text);
        for (host, path, expected) in asked {
            let status = client.answer().status;
            assert_eq!(status, expected, "{host}{path}");
        }
    }
}

/// CPU time of all threads of a process (`schedstat`, nanoseconds).
fn cpu_of(id: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{id}/task")).expect("a running process");
    let nanoseconds = threads.filter_map(|thread| {
        let schedstat = fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        schedstat.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}
